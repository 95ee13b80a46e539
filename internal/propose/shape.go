package propose

import (
	_ "embed" // the lists of names
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

//go:embed words.txt
var words string

// listed reports whether a word stands in a list of words.txt.
func listed(list, word string) bool {
	_, line, _ := strings.Cut(words, "\n"+list+":")
	line, _, _ = strings.Cut(line, "\n")
	return word != "" && slices.Contains(strings.Fields(line), word)
}

// shape is a command taken apart: the words that say what it does, and its arguments.
type shape struct {
	words    []string
	rest     []string
	constant bool // rest is all arguments, each known
	git      bool
	open     bool // further arguments make it do no more than it may anyhow
	why      string
}

// Shape is what a line has in common with others like it: the words that name what a command of it does, where a rule
// may be proposed for that, else its first program, with the word behind it where that may be a subcommand.
func Shape(r shell.Report) string {
	for _, c := range r.Commands {
		if s, ok := shapeOf(c); ok {
			return strings.Join(s.words, " ")
		}
	}
	for _, c := range r.Commands {
		words := constantWords(c)
		if len(words) > 1 && strings.Trim(words[1], nameBytes) == "" && words[1][0] != '-' {
			return path.Base(words[0]) + " " + words[1]
		}
		if len(words) > 0 && words[0] != "cd" {
			return path.Base(words[0])
		}
	}
	return "a line that nod cannot take apart"
}

// shapeOf takes a command apart. ok is false where no rule is proposed for commands like it.
func shapeOf(c shell.Command) (s shape, ok bool) {
	words := constantWords(c)
	wraps := func(w string) bool { return !listed("wrappers", path.Base(w)) }
	if len(words) == 0 || slices.ContainsFunc(c.Wrappers, wraps) {
		return shape{}, false
	}
	n, open := nameOf(words)
	if n == 0 {
		return shape{}, false
	}
	s = shape{words: words[:n], rest: words[n:], constant: len(words) == len(c.Words), open: open,
		git: words[0] == "git", why: "runs code of this repository"}
	if s.git {
		s.why = "changes the local repository only"
	}
	return s, true
}

// did says whether a command did what no rule may allow, and only what its shape speaks of.
func did(r shell.Report, command int, s shape) (harmful, fits bool) {
	var changes, runs, fetches, outside, unknown bool
	for _, u := range r.Unknowns {
		unknown = unknown || u.Command == command && (u.Part == shell.PartWords || u.Part == shell.PartOther)
	}
	for _, e := range r.Effects {
		if e.Command != command || e.Part != shell.PartWords {
			continue
		}
		switch e.Kind {
		case shell.Read:
			outside = outside || e.Place == shell.Device
		case shell.Write:
			changes = true
			outside = outside || e.Place != shell.Workspace && e.Place != shell.Temporary && e.Place != shell.Null
		case shell.Run:
			runs = true
		case shell.Fetch:
			fetches = true
		default:
			harmful = true
		}
	}
	if s.git {
		return harmful, !harmful && !outside && !unknown && changes && !fetches
	}
	// Of a program that nod has no data of, its name is all there is.
	return harmful, !harmful && !outside && (runs && !unknown || !shell.Known(s.words[0]))
}

// constantWords are the words up to the first that is not known or that a settings file would need to quote.
func constantWords(c shell.Command) (words []string) {
	for _, w := range c.Words {
		if !w.Known || w.Pattern || len(w.Value) > 120 || strings.Trim(w.Value, plainBytes) != "" || w.Value == "" {
			break
		}
		words = append(words, w.Value)
	}
	return words
}

const (
	nameBytes  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:"
	plainBytes = nameBytes + "/@=,+%"
)

// routine reports whether a task's name says that it tests, builds, checks or formats here.
func routine(name string) bool {
	if name == "" || name[0] < 'a' || name[0] > 'z' || len(name) > 40 || strings.Trim(name, nameBytes) != "" {
		return false
	}
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(":_-.", r) })
	reaches := func(part string) bool { return listed("reaches", part) }
	return !slices.ContainsFunc(parts, reaches) && listed("routine", parts[0])
}

// nameOf returns how many words name what a command does, 0 for none, and whether arguments may follow.
func nameOf(words []string) (n int, open bool) {
	word := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	switch program := words[0]; {
	case strings.HasPrefix(program, "./") && !strings.Contains(program, ".."): // a script of the repository
		if base := strings.TrimSuffix(path.Base(program), path.Ext(program)); listed("tasks", base) {
			return closed(2, routine(word(1)))
		} else if routine(base) {
			return 1, true
		}
	case listed("checks", program):
		return 1, true
	case program == "git" && (word(1) == "add" || word(1) == "commit"), program == "go" && listed("go", word(1)):
		return 2, true
	case program == "go" && word(1) == "run" && strings.HasPrefix(word(2), "./") && !strings.Contains(word(2), ".."),
		(program == "python" || program == "python3") && word(1) == "-m" &&
			(listed("checks", word(2)) || word(2) == "unittest"):
		return 3, true
	case listed("subcommands", program) && (routine(word(1)) || program == "golangci-lint" && word(1) == "run"):
		return 2, true
	case listed("tasks", program) && word(1) == "run":
		return closed(3, routine(word(2)))
	case listed("tasks", program):
		return closed(2, routine(word(1)) && program != "mise")
	case listed("scripts", program):
		if word(1) == "run" || word(1) == "run-script" {
			n, _ = closed(3, routine(word(2)))
			return n, true
		}
		n, _ = closed(2, routine(word(1)) && program != "bun") // bun build and test are bun's own
		return n, true
	case listed("runners", program) && (word(1) == "run" || word(1) == "exec") && len(words) > 2:
		if n, open = nameOf(words[2:]); n > 0 && !slices.Contains([]string{"git", "go"}, word(2)) {
			return n + 2, open
		}
	}
	return 0, false
}

// closed is a name of n words after which no arguments may follow, where ok.
func closed(n int, ok bool) (int, bool) {
	if !ok {
		return 0, false
	}
	return n, false
}
