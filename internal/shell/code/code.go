// Package code states facts about small programs in other languages than the
// shell's: what is given to python -c, node -e, psql -c and their kin.
//
// A program is either proven to do nothing beyond its effects, printing and
// reading what it is fed, or it is not, with the first reason. Proof rests on
// a closed world: the only values that a program can reach are data, functions
// of its own whose bodies are held to the same rules, and functions of a list,
// so that whatever it calls is harmless whoever calls it with what. Names that
// lead out of that world (eval, modules that are not listed, attributes with
// underscores ...) are not proven, in whatever disguise, because a disguise
// must use one of them itself.
//
// Effects are stated also for programs that are not proven, as far as they
// were read: those that a constant names. Nothing is run, opened or looked up.
package code

import "strings"

// Kind is what a program does to something.
type Kind uint8

const (
	Read      Kind = iota + 1 // reads the file Name
	Tree                      // reads all below Name
	Write                     // creates or changes the file Name
	MakeDir                   // creates the directory Name
	Delete                    // removes Name
	DelTree                   // removes all below Name
	Command                   // runs Words as a program and its arguments
	Shell                     // gives Name to a shell
	Fetch                     // reads from the network host or address Name
	Change                    // changes data elsewhere, at Name
	Destroy                   // removes data elsewhere, at Name
	Secret                    // prints the variable Name
	Load                      // reads the file Name if there is one, and else may run another
	Arguments                 // reads the files that its arguments name, and runs those whose names say so
)

// Effect is one thing that a program does.
type Effect struct {
	Kind  Kind
	Name  string
	Known bool // Name is what it will be, and not just unknown
	Words []string
}

// Arg is an argument of the program, such as sys.argv[1].
type Arg struct {
	Text  string
	Known bool
}

// Env is what surrounds a program. The zero value knows nothing.
type Env struct {
	Args []Arg  // after the program itself
	Home string // "" is not known
	// Old says that the interpreter may be Python 2.
	Old  bool
	Perl Perl
	// RubyTold says that ruby has no options but those that load RubyUse.
	RubyTold bool
	RubyUse  []string
}

// Facts is what is known of a program. The zero value is that of a program
// about which nothing is known.
type Facts struct {
	// Proven says that the program does nothing beyond Effects, printing, and
	// reading its standard input, if the modules of Imports are the ones that
	// come with the interpreter.
	Proven bool
	// Why is the first thing that could not be proven; "" if Proven.
	Why     string
	Effects []Effect
	Imports []string
	// Mentions says what the text of a program that is not proven may do,
	// judged by the names in it: "deletes", "network" ...
	Mentions []string
}

// MaxSource bounds the length of a program.
const MaxSource = 64 << 10

// Prove reads a program in a language: "python", "javascript" as Node
// runs it, "perl" or "ruby". It never fails; what it cannot read is not proven, nor is any program in
// another language.
func Prove(language, source string, env Env) Facts {
	f := Facts{Why: "nothing is known of the language " + language}
	switch {
	case len(source) > MaxSource:
		f.Why = "it is longer than 64 KiB"
	case language == "python":
		f = python(source, env)
	case language == "javascript":
		f = javascript(source, env)
	case language == "perl":
		f = perl(source, env)
	case language == "ruby":
		f = ruby(source, env)
	}
	if !f.Proven {
		f.Mentions = Mentions(source)
	}
	return f
}

// Mentions says what names in a text hint at, whatever its language.
func Mentions(source string) []string {
	var out []string
	for _, group := range [...]struct{ what, names string }{
		{"deletes", " remove unlink unlinkSync rmtree rmdir rmdirSync rm rmSync rm_rf rm_r removedirs truncate delete_file DROP TRUNCATE DELETE drop truncate delete "},
		{"writes", " write_text write_bytes writeFile writeFileSync appendFile appendFileSync createWriteStream rename renameSync makedirs mkdir mkdirSync copyfile copytree move symlink chmod dump to_csv binwrite file_put_contents "},
		{"network", " socket requests urllib urlopen httpx aiohttp http https fetch XMLHttpRequest WebSocket ftplib smtplib paramiko net Net dgram LWP "},
		{"subprocess", " subprocess system popen Popen spawn spawnSync exec execSync execFile execFileSync execv execve fork child_process pty backticks Bun "},
		{"eval", " eval exec compile __import__ getattr globals importlib Function constructor instance_eval class_eval send pickle marshal ctypes "},
		{"environment", " environ getenv env ENV "},
	} {
		if namesOne(source, group.names) {
			out = append(out, group.what)
		}
	}
	return out
}

// namesOne reports whether an identifier of source is in a list.
func namesOne(source, list string) bool {
	for i := 0; i < len(source); {
		if !nameByte(source[i]) {
			i++
			continue
		}
		start := i
		for i < len(source) && nameByte(source[i]) {
			i++
		}
		if among(source[start:i], list) {
			return true
		}
	}
	return false
}

func nameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func nameStart(c byte) bool { return nameByte(c) && (c < '0' || c > '9') }

// among reports whether name is one of the words of a list that begins and
// ends with a blank.
func among(name, list string) bool {
	for from := 0; name != ""; {
		i := strings.Index(list[from:], name)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(name)
		if i > 0 && list[i-1] == ' ' && from < len(list) && list[from] == ' ' {
			return strings.IndexByte(name, ' ') < 0
		}
	}
	return false
}

// Bounds of reading: of nesting, of the parts of a program, and of the
// constants that one expression may have.
const (
	maxDepth  = 60
	maxNodes  = 20000
	maxValues = 32
)
