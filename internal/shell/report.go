package shell

import (
	"path"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

// Dialect is the grammar in which a command is read.
type Dialect uint8

const (
	// Unstated is the zero value: bash and zsh may both run the text.
	Unstated Dialect = iota
	Bash
	Posix
	Zsh
	// PowerShell is read for what speaks against a line alone: powershell.go.
	PowerShell
	// Unread is a shell that nod does not read: fish, nu, ksh.
	Unread
	// Interp is bash as mvdan.cc/sh/interp runs it (3.13.1, the shell of Crush 0.90): most
	// backslashes outside of quotes stay, globs mean hidden files in more places, and a name
	// that a redirection opens is taken by its letters, wherever links lead.
	Interp
)

// Env is what surrounds a command. The zero value knows nothing, and so resolves nothing.
type Env struct {
	Dialect Dialect
	Dir     string     // absolute; relative names start here
	Home    string     // absolute; "" makes ~ and $HOME unknown
	Roots   []string   // real paths of the workspace roots
	Files   view.Files // nil: nothing is known of any path
	// Lookup is the environment that the command would inherit. nil: nothing
	// is known of any variable, PATH included, so no program is known.
	Lookup func(name string) (string, bool)
	// Brings lists the programs that the host puts at the shell's disposal where PATH has none. nil: none.
	Brings func() []string
}

// Report is what is known of a command. It states facts; whether they are welcome is decided elsewhere. A command does
// nothing beyond Effects if and only if Unknowns is empty.
type Report struct {
	Effects  []Effect
	Unknowns []Unknown
	Commands []Command
	// Exceeded names the bound that stopped the reading ("64 KiB",
	// "200 levels of nesting" ...); nothing else is filled then.
	Exceeded  string
	Malformed string // says that the text holds what no agent sends in good faith: NUL, a lone carriage return
	// Lasts says that the shell of the line may be another after it: it may stand in another
	// directory, or nobody knows where, or programs inherit other variables from it.
	Lasts       bool
	Read        []Evidence   // lists files whose content the report rests on
	Definitions []Definition // the files that say what commands of the line run
	// Possible is what could be commands in texts that are not followed, read as if it
	// ran. It may speak against a call and never for it, and holds no Unknowns.
	Possible *Report
	// Handed is what the words of runners (uv run, npx, bundle exec) are as commands. It is part of Possible.
	Handed *Report
}

// Definition is a file that says what a command runs: a script, a Makefile.
type Definition struct {
	Path string // real
	// SHA256 is of the bytes that count, hex; [Absent] where there is no such
	// file, "" where it could not be read whole or the line changes it.
	SHA256  string
	Command int // index into Report.Commands; -1: none
}

// Absent stands for the hash of a file that does not exist.
const Absent = "absent"

// Evidence is a file that was looked at.
type Evidence struct {
	Path   string
	SHA256 string // hex, of the bytes that were read
}

// Command is one simple command, wrappers taken off, in the order of the text.
type Command struct {
	// Words are the program as written and its arguments. A word that is not constant has Known false.
	Words []Word
	// Program is the real path of what PATH makes of the first word; "" where
	// that is a shell builtin or function, or unknown.
	Program  string
	Foreign  bool     // says that Program lies where the agent or anyone can write, so that the name says nothing
	Dir      string   // the directory it runs in, as the line gets there; "" if unknown
	Wrappers []string // the names that were taken off ("sudo", "timeout" ...)
	// Is are the traits that the sheet of the program gives it here, Not those
	// that an option takes away. See [Command.Has].
	Is, Not Traits
	Search  *Search // what it was told to look for; nil where that is nothing
	Told    *Told   // how git takes these words apart; nil of any other program
	Source  string  // the text of the command, as written, shortened to 200 bytes
}

// Told is what the words of a git command mean, as the sheet takes them apart.
type Told struct {
	Dir      string   // where it works, after -C and its like; "" if unknown
	Verbs    []string // the subcommand, and the subcommand of that
	Options  []Option // in the order in which they stand
	Operands []Word
	Behind   int // how many of the operands stand behind --
}

// Option is an option as it was written, without its value.
type Option struct {
	Name  string
	Value Word // the zero value without a value
}

// Word is one argument after expansion.
type Word struct {
	Value   string
	Known   bool
	Pattern bool // says that the value holds an unquoted glob
}

// Part says which part of a simple command an effect or unknown came from.
// What a rule says of a command's words covers PartWords only.
type Part uint8

const (
	PartOther       Part = iota // anything else: syntax, several commands
	PartWords                   // the program and its arguments
	PartRedirection             // > < >> <> ...
	PartAssignment              // NAME=value before a command, export, ambient variables
)

// Kind is what a command does to something.
type Kind uint8

const (
	Read      Kind = iota + 1 // reads Target
	Write                     // creates or changes Target
	Delete                    // removes Target
	Run                       // runs Target, code that nod has not read
	Fetch                     // reads from the network host Target
	Send                      // sends data to the network host Target
	Remote                    // changes something elsewhere (push, deploy, apply)
	Kill                      // ends processes
	Persist                   // arranges that something runs later
	Secret                    // uses or prints a secret
	Privilege                 // becomes somebody else
	Exhaust                   // consumes the machine until it stops (a fork bomb)
)

// Place is where a target lies. The zero value is a place that nobody vouches for.
type Place uint8

const (
	Elsewhere Place = iota // not known, or none of those below
	Workspace              // inside a root
	Temporary              // /tmp, $TMPDIR and their kin
	HomeDir                // the home directory itself or one of its ancestors, not what lies below
	InHome                 // below home, outside the workspace
	System                 // /etc, /usr, /bin ... and /
	Device                 // a block or character device other than the harmless ones
	Null                   // /dev/null, /dev/stdout and their kin: nothing is kept
	Network
)

// Effect is one thing that a command does.
type Effect struct {
	Kind Kind
	// Target is a real path, host, URL or name, never shortened; "" where it
	// is not known (then, for all but Read, an Unknown says so too).
	Target string
	Name   string // the absolute path before links were followed, where that differs from Target
	// Pattern is the glob, as an absolute path; Target is its constant directory. "" for no glob.
	Pattern string
	Place   Place
	// Recursive: the whole tree below Target, or everything that a glob directly under it matches.
	Recursive bool
	// Picked is a test of find that what Recursive says must pass, such as "-name
	// *.tmp"; "" for no test, or for a test that almost everything passes.
	Picked string
	// Names, of a Read: only names and status are looked at, no content.
	Names bool
	// Forced: no prompt, errors ignored, history rewritten.
	Forced bool
	// Moved, of a Delete: the content lives on under another name.
	Moved bool
	// Appends, of a Write: what the file holds stays, and more is put behind it.
	Appends bool
	// Kept, of a Write: git writes to Target, its own directory, and what was there
	// before stays in its history, its reflog or among its objects.
	Kept bool
	// Declared, of a Fetch, says which configuration names the host that is
	// asked, where no argument and no variable led there; "" for any other.
	Declared string
	Words    string // the words it came from, as written, at most 200 bytes
	// Note, of a Fetch, says what is asked where Target is no host; "" for nothing.
	Note    string
	Command int // index into Report.Commands; -1: none
	Part    Part
}

// Unknown is something that could not be resolved.
type Unknown struct {
	What    string // one short clause: "option --foo of rg is not known"
	Words   string
	Command int
	Part    Part
}

// ProgramOf is the base name of the program that an effect comes from, "" for a
// redirection or where the program is not known.
func (r *Report) ProgramOf(e Effect) string {
	if e.Part != PartWords || e.Command < 0 || e.Command >= len(r.Commands) {
		return ""
	}
	return path.Base(r.Commands[e.Command].Program)
}

// QuoteWords is the line in which each word is quoted, so that a shell takes all of them as they stand.
func QuoteWords(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString("'" + strings.ReplaceAll(w, "'", `'\''`) + "' ")
	}
	return b.String()
}

// ShortOptions returns the letters of a bundle such as -rf.
func ShortOptions(word string) (letters string, ok bool) {
	if len(word) < 2 || word[0] != '-' || word[1] == '-' {
		return "", false
	}
	return word[1:], true
}
