package recipe

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// Arg is one argument of a command.
type Arg struct {
	Text  string
	Raw   string // as written
	Known bool   // text is all of it, and it is one argument
}

// Scripts is a call of a package manager that runs an entry of
// package.json.
type Scripts struct {
	Name string
	Args []Arg // handed to the script
	Dir  string
	Odd  bool // options that are not understood: what runs is not read
}

// NpmCall reads the arguments of npm, pnpm, yarn or bun. ok is false where they
// run no entry of package.json.
func NpmCall(program, dir string, args []Arg) (r Scripts, ok bool) {
	r.Dir = dir
	var words []Arg
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case !w.Known:
			if len(words) == 0 {
				return r, false
			}
			r.Odd = true
		case w.Text == "--":
			words = append(words, args[i+1:]...)
			i, r.Odd = len(args), r.Odd || program != "npm" // pnpm hands it on
		case w.Text == "-s" || w.Text == "--silent" || w.Text == "--if-present":
		case strings.HasPrefix(w.Text, "-"):
			r.Odd = true
			if w.Text == "--prefix" || w.Text == "-C" || w.Text == "--dir" || w.Text == "--cwd" {
				i++ // where it runs is not followed
			}
		default:
			words = append(words, w)
		}
	}
	return r, r.verb(program, words)
}

// verb finds the name of the script among the words of a call.
func (r *Scripts) verb(program string, words []Arg) bool {
	if len(words) == 0 || !words[0].Known {
		return false
	}
	switch verb := words[0].Text; verb {
	case "run", "run-script":
		if len(words) < 2 || !words[1].Known {
			return false
		}
		r.Name, r.Args = words[1].Text, words[2:]
	case "test", "t", "tst":
		if program == "bun" {
			return false // its own test runner
		}
		r.Name, r.Args = "test", words[1:]
	case "start", "stop", "restart":
		r.Name, r.Args, r.Odd = verb, words[1:], r.Odd || verb == "restart"
	default:
		if program == "npm" {
			return false
		}
		r.Name, r.Args, r.Odd = verb, words[1:], true // a script, or a verb of its own
	}
	return true
}

// NamesAnotherPackage reports options that run the script of another package.
func NamesAnotherPackage(args []Arg) bool {
	return slices.ContainsFunc(args, func(w Arg) bool {
		name, _, _ := strings.Cut(w.Text, "=")
		switch name {
		case "-w", "--workspace", "--workspaces", "-ws", "--prefix", "-C", "--dir", "--cwd", "-r", "--recursive",
			"--filter", "-F", "-g", "--global":
			return true
		}
		return false
	})
}

// PlainNpmSettings reports whether the text of an .npmrc sets nothing that matters for
// how scripts run, and for where npm writes what it notes of that.
func PlainNpmSettings(text string) bool {
	for line := range strings.Lines(text) {
		key, _, _ := strings.Cut(line, "=")
		key = strings.ToLower(strings.NewReplacer("-", "", "_", "", "[]", "").Replace(strings.TrimSpace(key)))
		if strings.ContainsAny(key, `"'\$`) {
			return false // npm takes quotes, escapes and variables out of a key
		}
		switch key {
		case "workspace", "workspaces", "includeworkspaceroot", "w", "ws":
			return false // other scripts of that name
		}
		for _, odd := range [...]string{"shell", "nodeoptions", "script", "prefix", "userconfig", "globalconfig",
			"require", "useragent", "nodeversion", "runtime", "import", "hook", "cache", "logsdir", "timing"} {
			if strings.Contains(key, odd) && !strings.HasPrefix(key, "//") && !strings.HasPrefix(key, "#") &&
				!strings.HasPrefix(key, ";") {
				return false
			}
		}
	}
	return true
}

// QuotedWords renders arguments as npm hands them to the shell.
func QuotedWords(args []Arg) (string, bool) {
	var b strings.Builder
	for _, w := range args {
		if !w.Known || strings.ContainsAny(w.Text, "$`\"\\!\r\n") {
			return "", false // releases of npm differ in how they quote those
		}
		b.WriteString(" " + grammar.Quoted(w.Text))
	}
	return b.String(), true
}
