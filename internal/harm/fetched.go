package harm

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// fetchesInside reports whether a text is given what a command in it fetches.
func fetchesInside(text string) bool {
	for _, open := range [...]string{"$(", "<(", "`"} {
		if slices.ContainsFunc(strings.Split(text, open)[1:], func(after string) bool {
			program, _, _ := strings.Cut(strings.TrimSpace(after), " ")
			return listed("fetches", path.Base(program))
		}) {
			return true
		}
	}
	return false
}

// openText reports whether a command is given a text that only the run makes: what a
// substitution inside of a constant script yields is data of that script.
func openText(c shell.Command) bool {
	return strings.Contains(c.Source, "<<<") || strings.Contains(c.Source, "<(") ||
		slices.ContainsFunc(c.Words, func(w shell.Word) bool { return !w.Known })
}

// runsFetched reports whether a command runs as code what another of the line fetches.
func (l wording) runsFetched(c shell.Command) bool {
	words := spoken(c)
	for len(words) > 1 && listed("starts-shells", words[0]) && !strings.HasPrefix(words[1], "-") {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	program := path.Base(words[0])
	runs := shell.TraitsOf(program).Has(shell.ShellProgram) || listed("starts-shells", program) || interprets(program)
	if (runs || listed("evaluates", program)) && fetchesInside(c.Source) && openText(c) {
		return true
	}
	return slices.ContainsFunc(l.Report.Commands, fetcher) &&
		(strings.Contains(words[0], "/") && l.runsWritten(words[:1], c) ||
			runs && (readsStdin(words[1:]) || l.runsWritten(words[1:], c)))
}

func fetcher(c shell.Command) bool {
	words := spoken(c)
	return len(words) > 0 && listed("fetches", path.Base(words[0]))
}

// interprets reports whether a program runs as code what it is fed.
func interprets(program string) bool {
	return listed("interprets", strings.TrimRight(program, "0123456789."))
}

// readsStdin reports whether an interpreter with these arguments is told no code and no file of it.
func readsStdin(args []string) bool {
	for i, arg := range args {
		switch {
		case arg == "-" || arg == "-s" || arg == "/dev/stdin":
			return true
		case isOption("-c", arg) || isOption("-e", arg) || isOption("-m", arg) || arg == "--version":
			return false
		case strings.HasPrefix(arg, "-"):
		case i == 0 && shell.TraitsOf(path.Base(arg)).Has(shell.ShellProgram): // sudo sh
			return readsStdin(args[1:])
		default:
			return false
		}
	}
	return true
}

// runsWritten reports whether the first operand is a file that the line writes, or one
// that a fetching program of the line may keep under the last name of an address.
func (l wording) runsWritten(args []string, c shell.Command) bool {
	i := slices.IndexFunc(args, func(arg string) bool { return arg != "" && arg[0] != '-' })
	if i < 0 {
		return false
	}
	name := args[i]
	if !path.IsAbs(name) {
		name = path.Join(c.Dir, name)
	}
	return slices.ContainsFunc(l.Report.Commands, func(f shell.Command) bool {
		return fetcher(f) && slices.ContainsFunc(spoken(f), func(word string) bool {
			return strings.HasSuffix(word, "/"+path.Base(name))
		})
	}) || slices.ContainsFunc(l.Report.Effects, func(e shell.Effect) bool {
		return e.Kind == shell.Write && (e.Target == name || e.Name == name)
	})
}

// starts says that a file which shells start with would change.
func (l wording) starts(name string) Objection {
	home := l.At.Machine.Home
	below, ok := strings.CutPrefix(name, home+"/")
	if !ok || home == "" || !listed("starts", below) {
		return ""
	}
	return Objection("this writes ~/" + below + ", which says what runs later or who may come in")
}

// dropsData reports whether a text holds a statement that takes data away: what is left
// of it is nowhere but in a backup.
func dropsData(text string) bool {
	text = strings.ToLower(text)
	dense := strings.Join(strings.Fields(text), "")
	for _, call := range [...]string{"dropdatabase", ".drop(", "deletemany({})", "deletemany()", "remove({})",
		"flushall", "flushdb"} {
		if strings.Contains(dense, call) {
			return true
		}
	}
	words := strings.Fields(strings.NewReplacer(`"`, " ", "'", " ", "`", " ", ";", " ; ", "\n", " ; ").Replace(text))
	for i := range words {
		if takes(words[i:]) {
			return true
		}
	}
	return false
}

// takes reports whether words begin with a statement that takes data away.
func takes(words []string) bool {
	if len(words) < 2 {
		return false
	}
	rest := words[2:]
	if end := slices.IndexFunc(rest, func(w string) bool { return w == ";" || w == "|" || w == "&&" }); end >= 0 {
		rest = rest[:end]
	}
	switch first := words[0]; {
	case first == "drop":
		return listed("dropped", words[1])
	case first == "truncate":
		return words[1] != ";" && words[1][0] != '-'
	case first == "delete" && words[1] == "from":
		return len(rest) > 0 && !slices.Contains(rest, "where")
	}
	return words[0] == "alter" && words[1] == "table" && slices.Contains(rest, "drop")
}
