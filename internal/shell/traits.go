package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/commands"
)

// Traits are what a sheet says of a program, one of its subcommands or an option of theirs, for those who judge what a
// command does. A command has a trait if the sheet gives it and no option takes it away.
type Traits uint64

// The traits, with the words that sheets have for them (traitWords).
const (
	Git              Traits = 1 << iota // it is git
	PrintsFiles                         // it prints names of files, a line each
	PrintsLines                         // it prints lines of what it reads, as they are
	PrintsFacts                         // it says something about files, but not what is in them
	Picks                               // below a directory it reads only files of its kind, which hold no secret
	Flat                                // it reads nothing of a directory that it is given
	LooksInto                           // of a directory that it is given it reads the files, and none below
	Compares                            // it prints what differs below two directories
	Decodes                             // it makes other bytes of what it reads
	ChangesStatus                       // it changes a file's owner, mode or attributes, and makes none
	StatusUndone                        // and what it changes is as easily put back
	RemovesNamed                        // it removes the very names that it is given, and nothing besides
	RemovesEmpty                        // it removes directories only where nothing is in them
	MakesDirectories                    // what it writes are directories, with nothing in them
	MakesLinks                          // what it writes are links
	CopiesFiles                         // it copies what it reads to where it writes
	Empties                             // of what was in a file that it writes nothing stays
	Replaces                            // it puts something else in the place of what it writes
	Repeats                             // it runs its command again and again
	Destroys                            // it takes away what nobody could bring back, or publishes
	Discards                            // it takes back changes that were committed nowhere
	MildVerbs                           // verbs such as rm in its words destroy nothing
	MayRunWords                         // it may run a file or a text that one of its words names
	Runner                              // its bare name says nothing about what will run
	ShellProgram                        // it is a shell: what it is fed is shell text
	Expression                          // its words are an expression of find
	Searches                            // it looks through files for patterns
	SkipsHidden                         // it leaves out hidden files
	SkipsIgnored                        // it leaves out what ignore files name
	Shallow                             // it looks into no directory below those that it is given
	Follows                             // it follows links to directories
	Inverted                            // it looks for lines without its patterns
	AnyLine                             // a line that it prints need not hold a pattern as it is written
	AnyPattern                          // not all of its patterns are known
	Untracked                           // git: files that are not tracked, too
	Standard                            // git: but for those that ignore files name
	Cached                              // git: tracked files, too
	Outside                             // git: files of no repository, or of another repository
	SameCommand                         // a rule for the command that it starts is about that command here too
)

// traitWords are the words of the sheets, in the order of the traits.
const traitWords = " git prints-files prints-lines prints-facts picks flat looks-into compares decodes " +
	"changes-status status-undone removes-named removes-empty makes-directories makes-links copies empties " +
	"replaces repeats destroys " +
	"discards mild-verbs runs-words runner shell " +
	"expression searches skips-hidden skips-ignored shallow follows inverted any-line any-pattern " +
	"untracked standard cached outside same-command "

// traitOf is the trait that a word of a sheet stands for, 0 for none.
func traitOf(word string) Traits {
	at := strings.Index(traitWords, " "+word+" ")
	if at < 0 || word == "" {
		return 0
	}
	return 1 << strings.Count(traitWords[1:at+1], " ")
}

// TraitsOf are the traits of a program, by its base name, with any arguments; 0 for a program without a sheet.
func TraitsOf(program string) Traits {
	s, ok := (&machine{}).sheet(program)
	if !ok {
		return 0
	}
	return s.is
}

// AsksOthers reports whether the sheet of a program, by its base name, has a form that
// reads from other machines, sends to them or changes them.
func AsksOthers(program string) bool {
	text, _, _ := commands.Find(program)
	return strings.Contains(text, "!fetch") || strings.Contains(text, "!send") || strings.Contains(text, "!remote")
}

// Means reports whether a command under this wrapper is still the command that a rule
// for it means: not as somebody else, on another machine or in a container.
func Means(wrapper string) bool {
	name := path.Base(wrapper)
	return slices.Contains([]string{"command", "builtin", "exec", "eval"}, name) || TraitsOf(name).Has(SameCommand)
}

// Runs reports whether a program, by its base name, may run a file or a text that one of its words names
// ([MayRunWords]: shells, interpreters, wrappers, and those that run what a file of the project says), or whether
// its bare name says nothing about what will run ([Runner]).
func Runs(program string, how Traits) bool {
	name := strings.TrimRight(program, "0123456789.")
	return name == "" || TraitsOf(name).Has(how) || // or the shell runs them, or a file that they name
		slices.Contains([]string{"source", "eval", "trap", "exec", "command", "builtin", "noglob", "nocorrect"}, name)
}

// Lists reports whether a list of a program's sheet holds a word.
func Lists(program, list, word string) bool {
	text, _, ok := commands.Find(program)
	return ok && lists(text, list, word)
}

// Has reports whether all of some traits are among these.
func (t Traits) Has(some Traits) bool { return t&some == some }

// Has reports whether a command has all of these traits.
func (c Command) Has(t Traits) bool { return (c.Is &^ c.Not).Has(t) }

// By reports whether an effect comes from the words of a program with these
// traits, and not from a redirection or a program that was not found.
func (r *Report) By(e Effect, t Traits) bool {
	if e.Part != PartWords || e.Command < 0 || e.Command >= len(r.Commands) {
		return false
	}
	c := r.Commands[e.Command]
	return c.Program != "" && c.Has(t)
}

// Search is what a command was told that looks for files, or through them: which files,
// and what to look for. It errs towards more files.
type Search struct {
	Patterns []string // what it looks for
	// Include are globs that a name must match. Globs are globs too, but a glob with "!"
	// before it leaves a name out. Exclude are names that are left out, Prune names of files
	// and directories that are left out, PruneDirs names of directories alone.
	Include, Globs, Exclude, Prune, PruneDirs []string
	Kinds, Extensions                         []string // of files
	// ExcludesFirst says that some names were left out before any were asked for: what
	// no option means is searched then (GNU grep 3.8's manual).
	ExcludesFirst bool
}

// list is where the values of a role stand, nil for a role of no search.
func (s *Search) list(role string) *[]string {
	return map[string]*[]string{"pattern": &s.Patterns, "include": &s.Include, "globs": &s.Globs, "exclude": &s.Exclude,
		"prune": &s.Prune, "prune-next": &s.Prune, "prune-dirs": &s.PruneDirs, "kind": &s.Kinds,
		"extension": &s.Extensions}[role]
}

// current is the command that is being read, nil before the first.
func (d *draft) current() *Command {
	if d.command < 0 || d.command >= len(d.report.Commands) {
		return nil
	}
	return &d.report.Commands[d.command]
}

// trait gives the current command traits, or takes them away for good.
func (d *draft) trait(is, not Traits) {
	if c := d.current(); c != nil {
		c.Is, c.Not = c.Is|is, c.Not|not
	}
}

// sought keeps a value that a search was given; false if the role is not that of a search.
func (d *draft) sought(role string, w word) bool {
	c, s := d.current(), Search{}
	if c != nil && c.Search != nil {
		s = *c.Search // what was copied from the command before stays as it was
	}
	list := s.list(role)
	s.ExcludesFirst = s.ExcludesFirst || role == "exclude" && len(s.Include) == 0
	switch {
	case list == nil:
		return false
	case c == nil:
	case (!w.known || w.many) && (role == "exclude" || strings.HasPrefix(role, "prune")):
		c.Is |= AnyPattern
		c.Search = &s
	default:
		if !w.known || w.many {
			c.Is |= AnyPattern
		}
		if !w.known { // which files it lets pass nobody knows
			w.text = "*"
		}
		*list = append((*list)[:len(*list):len(*list)], w.text)
		c.Search = &s
	}
	return true
}
