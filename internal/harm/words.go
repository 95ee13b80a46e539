package harm

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

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
	if anyOf("drops", func(call string) bool { return strings.Contains(dense, call) }) {
		return true
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

// Modules says why a look-up of the modules that go.mod names is left open, "" if it is not: the names that are asked
// for can carry anything out where the session, or this very line, may have changed them.
func Modules(c *place.Call, e shell.Effect) place.Objection {
	if e.Declared != "go.mod" {
		return ""
	}
	command := c.Report.Commands[e.Command]
	inDir := func(w shell.Word) bool { return strings.HasPrefix(w.Value, "-C") }
	writes := func(e shell.Effect) bool {
		return (e.Kind == shell.Write || e.Kind == shell.Delete) && e.Place != shell.Null
	}
	open := !path.IsAbs(command.Dir) || slices.ContainsFunc(command.Words, inDir) ||
		slices.ContainsFunc(c.Report.Effects, writes)
	for at := path.Join(command.Dir, "go.mod"); !open && at != "/"; at = path.Dir(at) {
		dir := path.Dir(at)
		open = !c.At.Missing(path.Join(dir, "go.work")) || steersModules(c, path.Join(dir, "go.mod")) ||
			steersModules(c, path.Join(dir, "go.sum"))
	}
	if !open {
		return ""
	}
	return place.Objection("this asks the network for what go.mod names, which may have changed: " +
		printable.Text(e.Words))
}

// steersModules reports whether a file is another than the session began with, or leads to files of other
// directories. Where nobody remembers the session, git says whether it is another than what was added.
func steersModules(c *place.Call, name string) bool {
	real := c.At.Machine.Real(name)
	text, err := c.At.Machine.Files.Read(real, 1<<20)
	if c.At.Wrote != nil && c.At.Wrote(real) || strings.Contains(string(text), "=>") {
		return true
	}
	r := c.At.Repository(path.Dir(real))
	return c.At.Wrote == nil && err == nil && r != nil && r.Lost(real) != ""
}
