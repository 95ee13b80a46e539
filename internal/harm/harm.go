// Package harm says what a call would take away that nobody could bring back ([Loss]), and which secret it
// would show ([Secrets]). It reads the effects of a command, the files that these are on, and what git has
// of the files; it knows no rule, no person and no verdict.
//
// An answer is why something speaks against the call, in words for a person, ""
// where nothing does. What cannot be looked at speaks against it.
package harm

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// Objection is what speaks against a call; see [place.Objection].
type Objection = place.Objection

// Loss says what of a command could not be restored. It is for one call, and not safe for concurrent use.
type Loss struct {
	*place.Call
	Secrets Secrets // of the same call

	git map[int]bool // what gitKept found, by command
}

// Secrets says which secret a call would show. It is for one call, and not safe
// for concurrent use: what it has looked up it keeps.
type Secrets struct {
	*place.Call

	may *string // what maySecret found; nil: not looked yet
}

// Of returns what answers about one call.
func Of(c *place.Call) Loss { return Loss{Call: c, Secrets: Secrets{Call: c}} }

// Loses says what of the command cannot be undone, goes to others or shows what is secret, as far as its
// effects and its own words tell; "" for nothing. What the two functions speak of does not count.
func (l *Loss) Loses(clearsEffect func(shell.Effect) bool, clearsCommand func(int) bool) (why Objection) {
	for i, c := range l.Report.Commands {
		if clearsCommand(i) || gitKept(l, i) {
			continue
		}
		if why = cmp.Or(wording{l.Call}.losesItself(i, c), takesBack(l, c)); why != "" {
			return why
		}
	}
	for _, e := range l.Report.Effects {
		if l.Report.By(e, shell.Git) && gitKept(l, e.Command) {
			continue
		}
		if why = l.losesBy(e); why != "" && !clearsEffect(e) {
			return why
		}
	}
	return wording{l.Call}.editsStart()
}

// editsStart says which file that shells start with an edit tool would change.
func (l wording) editsStart() Objection {
	if !place.IsEditTool(l.Tool) {
		return ""
	}
	for _, name := range l.Paths {
		reals, _ := l.At.Readings(name)
		for _, real := range reals {
			if why := l.starts(real); why != "" {
				return why
			}
		}
	}
	return ""
}

// losesItself says what a command loses as far as its words and its sheet tell.
func (l wording) losesItself(command int, c shell.Command) Objection {
	kind := l.says(command)
	switch {
	case kind != "":
		return saying(kind, c)
	case c.Has(shell.Discards):
		return Objection("this throws away what was committed nowhere: " + printable.Line(c.Source, 160))
	case c.Has(shell.Destroys) && l.reaches(command) && !l.changesNothing(c):
		return saying("lose", c)
	}
	return ""
}

// losesBy says what an effect is known to lose: work that nobody could restore, a
// disk, what others have. "" where a loss is only possible.
func (l *Loss) losesBy(e shell.Effect) Objection {
	switch {
	case e.Command >= 0 && e.Command < len(l.Report.Commands) &&
		(wording{l.Call}).changesNothing(l.Report.Commands[e.Command]):
		return ""
	case e.Kind == shell.Delete:
		goesOn := e.Moved && !discards(l.Report, e)
		// What an effect names is not there, and nothing of the line puts it there.
		nothing := e.Place != shell.Network && path.IsAbs(e.Target) && e.Pattern == "" && l.At.Missing(e.Target) &&
			!l.madeHere(e, e.Target) && l.overtaken(e, e.Target) == ""
		if goesOn || nothing || e.Place == shell.Temporary {
			return ""
		}
		return l.DeleteHarm(e)
	case e.Kind == shell.Write && e.Place == shell.Device:
		return Objection("this writes to a disk: " + printable.Line(l.Source(e), 160))
	case e.Kind == shell.Write:
		return cmp.Or(wording{l.Call}.starts(e.Target), l.replaces(e))
	case e.Kind == shell.Remote && e.Forced:
		return Objection("this takes away what others have: " + printable.Line(l.Source(e), 160))
	case e.Kind == shell.Exhaust:
		return Objection("this consumes the machine until it stops: " + printable.Line(l.Source(e), 160))
	}
	return ""
}

// replaces says which file a command puts something else in the place of that could not be restored. What
// works on a file in place, as a formatter does, is no known loss, and neither is what appends.
func (l *Loss) replaces(e shell.Effect) (why Objection) {
	program := l.Report.ProgramOf(e)
	inPlace := program != "" && !l.Report.By(e, shell.Replaces) && (listed("inplace", program) || l.keepsContent(e))
	if inPlace || e.Appends || e.Place == shell.Temporary || e.Place == shell.Null {
		return ""
	}
	names, _ := l.targets(e)
	return first(names, func(name string) Objection {
		switch info, err := l.At.Machine.Files.Lstat(name); {
		case err != nil:
			return ""
		case info.Mode.IsDir():
			return mirroredOver(l, e, name)
		}
		return place.Because("this overwrites ", l.lost(e, name))
	})
}

// mirroredOver returns a file below a directory that a mirroring program would overwrite, or delete because the other
// tree lacks it, and that could not be restored. Other copies of trees are not plain, and no known loss.
func mirroredOver(l *Loss, e shell.Effect, dir string) (why Objection) {
	if e.Command < 0 || !listed("mirrors", l.Report.ProgramOf(e)) {
		return ""
	}
	mirrors := slices.ContainsFunc(l.Report.Commands[e.Command].Words, func(w shell.Word) bool {
		return w.Value == "--del" || strings.HasPrefix(w.Value, "--delete")
	})
	if !mirrors {
		return ""
	}
	return place.Because("this deletes or overwrites ", l.lost(e, dir))
}

// Weighs reports whether the call may do what cannot be undone, leaves the machine, or changes what the
// agent may do: by what it does, not by the tool that does it. What is not known may.
func (l *Loss) Weighs() bool {
	switch {
	case len(l.Report.Unknowns) > 0:
		return true
	case l.URL != "":
		return false // a page is read
	case l.MCP != nil:
		return !hasWord(l.MCP.Tool, "reads") || hasWord(l.MCP.Tool, "changes")
	case l.Command == "":
		return l.Tool != "web_search"
	}
	return slices.ContainsFunc(l.Report.Effects, l.weighs)
}

func (l *Loss) weighs(e shell.Effect) bool {
	switch e.Kind {
	case shell.Read, shell.Fetch:
		return false
	case shell.Write:
		return e.Place != shell.Workspace && e.Place != shell.Temporary && e.Place != shell.Null
	case shell.Run:
		return e.Target == "" || shipsOut(e.Words) ||
			e.Command >= 0 && e.Command < len(l.Report.Commands) && shipsOut(l.Report.Commands[e.Command].Source)
	}
	return true
}

// shipsOut reports whether project code is run under a name that says that it changes what others use.
func shipsOut(words string) bool { return hasWord(words, "ships") }

func hasWord(text, list string) bool {
	return slices.ContainsFunc(printable.Words(text), func(w string) bool { return listed(list, w) })
}

// Overwrites reports whether a tool that writes a file as a whole replaces what
// lies outside the workspace and could not be restored.
func (l *Loss) Overwrites() bool {
	if l.Tool != "file_write" {
		return false
	}
	return slices.ContainsFunc(l.Paths, func(name string) bool {
		reals, err := l.At.Readings(name)
		return err != nil || slices.ContainsFunc(reals, func(real string) bool {
			return !l.At.Machine.Inside(l.At.Roots, real) && !shell.IsTemporary(real) && !l.At.Missing(real) &&
				l.LostFile(real) != ""
		})
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
