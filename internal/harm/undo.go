package harm

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// maxTreeNames bounds a look into a tree that a command would delete or move.
const maxTreeNames = 10_000

// WriteHarm says why a write is not harmless: it makes a new ordinary file where an edit tool might make it
// too or in a temporary directory, or what it overwrites can be restored.
func (l *Loss) WriteHarm(e shell.Effect) (why Objection) {
	switch {
	case e.Place == shell.Null:
		return ""
	case l.CopiesTree(e):
		return Objection("this copies a whole directory tree, and nod does not look at all that is in it: " +
			printable.Text(e.Words))
	case e.Place == shell.Temporary:
		return l.scratch(e)
	}
	names, all := l.targets(e)
	if !all {
		return l.uncertain(e, "this writes", "this writes files, and nod does not know which")
	}
	return first(names, func(name string) Objection { return l.overwritten(e, name) })
}

// first is the first thing that is said of names, "" where nothing is.
func first(names []string, says func(name string) Objection) (why Objection) {
	for _, name := range names {
		if why = says(name); why != "" {
			return why
		}
	}
	return ""
}

// uncertain is why an effect is not settled whose names are not all known or could
// be others: does says what the effect does, otherwise what there is to say of it.
func (l *Loss) uncertain(e shell.Effect, does, otherwise string) Objection {
	named := e.Target != "" && e.Pattern == ""
	switch {
	case named && !l.At.Machine.Inside(l.At.Roots, e.Target):
		return Objection(does + " " + printable.Text(e.Target) + ", which is outside the workspace")
	case named && strings.Contains(e.Name, "/.."):
		return Objection(does + " a path with .. in it, which nod does not follow: " + printable.Text(e.Words) +
			"; write the path without it")
	case named && e.Name != "" && l.At.IsLink(e.Name):
		return Objection(does + " through a link, which nod does not follow: " + printable.Text(e.Words))
	}
	return Objection(otherwise + ": " + printable.Line(l.Source(e), 160))
}

// Source is the command of an effect as it is written.
func (l *Loss) Source(e shell.Effect) string {
	if e.Command < 0 || e.Command >= len(l.Report.Commands) {
		return e.Words
	}
	if whole := l.Report.Commands[e.Command].Source; strings.Contains(whole, e.Words) {
		return whole
	}
	return e.Words // FILE:LINE: of a script
}

func (l *Loss) overwritten(e shell.Effect, name string) (why Objection) {
	if l.makesDirectory(e, name) {
		return ""
	}
	if why := l.At.Writable(name); why != "" {
		if l.At.Machine.IsDirectory(name) && e.Recursive && l.At.Machine.Inside(l.At.Roots, name) {
			return Objection("this changes all that lies below " + printable.Text(name) +
				", and nod does not look at each file: " + printable.Line(l.Source(e), 160))
		}
		return why
	}
	if l.Report.By(e, shell.MakesLinks) && l.At.HoldsGuarded(name) {
		return Objection("this makes a link at " + printable.Text(name) +
			", and what is put behind it may run later or change what the agent may do")
	}
	if l.At.Missing(name) {
		if l.Report.By(e, shell.MakesDirectories) {
			return ""
		}
		if e.Recursive && !moves(l.Report, e.Command) && !l.Report.By(e, shell.ChangesStatus) {
			return Objection("this writes below " + printable.Text(name) +
				", and nod does not look at each file: " + printable.Line(l.Source(e), 160))
		}
		return place.Because("this writes ", l.overtaken(e, name))
	}
	if l.keepsContent(e) {
		return place.Because("this changes ", cmp.Or(l.overtaken(e, name), l.precious(name)))
	}
	if e.Appends { // what is there stays, but of a database nothing is left that could be read
		why = cmp.Or(l.overtaken(e, name), l.precious(name))
	} else {
		why = l.lost(e, name)
	}
	return place.Because("this may overwrite ", why)
}

// madeHere reports whether another command of the line writes the very file.
func (l *Loss) madeHere(e shell.Effect, name string) bool {
	return slices.ContainsFunc(l.Report.Effects, func(o shell.Effect) bool {
		return o.Kind == shell.Write && o.Target == name && o.Pattern == "" && !o.Kept &&
			(o.Command != e.Command || o.Part != e.Part)
	})
}

// makesDirectory reports whether a program that makes directories finds its directory there already.
func (l *Loss) makesDirectory(e shell.Effect, name string) bool {
	info, err := l.At.Machine.Files.Lstat(name)
	return err == nil && info.Mode.IsDir() && l.Report.By(e, shell.MakesDirectories) && e.Name == "" &&
		l.At.Machine.Inside(l.At.Roots, name)
}

// scratch says why a write to a temporary directory is not harmless: what is there may be anybody's.
func (l *Loss) scratch(e shell.Effect) (why Objection) {
	info, err := l.At.Machine.Files.Lstat(e.Target)
	switch {
	case e.Pattern != "", e.Recursive:
		return Objection("this writes files, and nod does not know which: " + printable.Text(e.Words))
	case err == nil && info.Mode.IsDir() && l.Report.By(e, shell.MakesDirectories):
		return ""
	case !errors.Is(err, fs.ErrNotExist), l.Report.By(e, shell.ChangesStatus):
		return Objection("this may overwrite " + printable.Text(e.Target) + ", and what it held could be lost")
	case gathers(l.Report):
		return Objection("this puts what it gathers or decodes into " + printable.Text(e.Target) +
			", where it could be run or sent later")
	case l.At.Machine.Guards.Match(e.Target), l.At.InPath(e.Target):
		return Objection("this writes " + printable.Text(e.Target) + place.RunsLater)
	}
	return place.Because("this writes ", l.overtaken(e, e.Target))
}

// keepsContent recognises a change of one file's mode, which is as easily
// undone. What runs the file later is judged then.
func (l *Loss) keepsContent(e shell.Effect) bool {
	return l.Report.By(e, shell.StatusUndone) && !e.Recursive
}

// gathers reports whether the line reads files that are neither the
// workspace's nor temporary, or decodes what nobody can read as it stands.
func gathers(r *shell.Report) bool {
	return slices.ContainsFunc(r.Commands, func(c shell.Command) bool { return c.Has(shell.Decodes) }) ||
		slices.ContainsFunc(r.Effects, func(e shell.Effect) bool {
			return e.Kind == shell.Read && e.Place != shell.Workspace && e.Place != shell.Temporary &&
				e.Place != shell.Null
		})
}

// DeleteHarm says why a deletion is not harmless: something of it could not be restored.
func (l *Loss) DeleteHarm(e shell.Effect) (why Objection) {
	byGit := l.Report.By(e, shell.Git)
	if byGit && gitKept(l, e.Command) {
		return ""
	}
	if why = l.deleteHarm(e, byGit); why != "" && byGit && l.Report.By(e, shell.Discards) {
		return Objection("this throws away what was stashed: " + printable.Line(l.Source(e), 160))
	}
	return why
}

func (l *Loss) deleteHarm(e shell.Effect, byGit bool) (why Objection) {
	names, all := l.targets(e)
	if !all || !byGit && !l.Report.By(e, shell.RemovesNamed) || l.Report.By(e, shell.Repeats) ||
		e.Place != shell.Workspace && e.Place != shell.Temporary || byGit && e.Forced {
		return l.uncertain(e, "this deletes", "this deletes, and nod cannot tell that all of it could be restored")
	}
	stays := e.Moved && l.staysInside(e)
	return first(names, func(name string) Objection {
		switch {
		case !e.Moved:
			return l.deletable(e, name)
		case !stays || l.At.Missing(name):
			return cmp.Or(l.deletable(e, name), l.landed(e, name))
		}
		return cmp.Or(l.each(name, l.At.Writable), l.landed(e, name))
	})
}

// deletable answers for one real path. Nothing is there to be lost where nothing is, but who deletes it
// thinks otherwise: only what the line itself makes before is let go.
func (l *Loss) deletable(e shell.Effect, name string) (why Objection) {
	info, err := l.At.Machine.Files.Lstat(name)
	switch shown := printable.Text(name); {
	case errors.Is(err, fs.ErrNotExist) && l.madeHere(e, name), l.At.IsInstalled(name):
		return place.Because("this deletes ", l.overtaken(e, name))
	case errors.Is(err, fs.ErrNotExist):
		return Objection("this deletes " + shown + ", which is not there, so that nod cannot tell what it would delete")
	case err != nil:
		return Objection("this deletes " + shown + ", which cannot be looked at: " + printable.Text(err.Error()))
	case !l.At.Machine.Inside(l.At.Roots, name):
		return Objection("this deletes " + shown + ", which is outside the workspace")
	case l.At.Guarded(name):
		return Objection("this deletes " + shown + place.RunsLater)
	case info.Mode.IsDir() && l.Report.By(e, shell.RemovesEmpty):
		return "" // only what is empty
	case info.Mode.IsDir() && !e.Recursive:
		return Objection("this deletes a directory, and nod cannot tell that all of it could be restored: " +
			printable.Text(e.Words))
	}
	return place.Because("this deletes ", l.lost(e, name))
}

// written are the effects by which a command that moves files puts them elsewhere.
func (l *Loss) written(e shell.Effect) []shell.Effect {
	return slices.DeleteFunc(slices.Clone(l.Report.Effects), func(o shell.Effect) bool {
		return o.Command != e.Command || o.Kind != shell.Write || o.Kept
	})
}

// staysInside reports whether all that a command moves goes on in the workspace, each under a name of its
// own that is no build output.
func (l *Loss) staysInside(e shell.Effect) bool {
	made := map[string]bool{}
	for _, o := range l.written(e) {
		if made[o.Target] || o.Place != shell.Workspace || o.Recursive || l.At.MayBeOutput(o.Target) {
			return false
		}
		made[o.Target] = true
	}
	return len(made) > 0 && e.Pattern == ""
}

// landed says what a command moves to where it may run later, and which secret would no longer be called one.
func (l *Loss) landed(e shell.Effect, tree string) Objection {
	holds := func(o shell.Effect) bool { return l.At.HoldsGuarded(o.Target) }
	if slices.ContainsFunc(l.written(e), holds) {
		return Objection("this moves " + printable.Text(tree) + " to where it may run later")
	}
	secret := l.At.Machine.Secrets.Match
	return l.each(tree, func(file string) Objection {
		if !secret(file) || secret(file[len(tree):]) {
			return ""
		}
		return Objection("this moves " + printable.Text(file) + ", which holds or may hold secrets, to a name " +
			"that does not say so")
	})
}

// targets are the real paths that an effect means now. all is false where that cannot be said, where a target is
// a link, and for a glob that matches nothing: a shell may take it as it stands.
func (l *Loss) targets(e shell.Effect) (names []string, all bool) {
	switch {
	case e.Target == "":
		return nil, false
	case e.Pattern == "":
		return []string{e.Target}, e.Name == "" || !strings.Contains(e.Name, "/..") && !l.At.IsLink(e.Name)
	case strings.Contains(e.Pattern, "/.."), l.makesBeside(e):
		return nil, false
	}
	matched, all := l.At.Machine.Matches(e.Pattern)
	all = all && len(matched) > 0
	for _, name := range matched {
		if l.At.IsLink(name) {
			return nil, false
		}
		names = append(names, l.At.Machine.Real(name))
	}
	return names, all
}

// makesBeside reports whether another command of the line makes or moves a file, which a glob may match then.
func (l *Loss) makesBeside(e shell.Effect) bool {
	return slices.ContainsFunc(l.Report.Effects, func(o shell.Effect) bool {
		return o.Kind == shell.Write && (o.Command != e.Command || o.Part != e.Part) && !o.Kept &&
			o.Place != shell.Null && !l.Report.By(o, shell.MakesDirectories)
	})
}

// lost says what at a real path could not be restored, and why; "" where all
// of it could: git has the same content, or a build makes it again.
func (l *Loss) lost(e shell.Effect, name string) (why Objection) {
	if why := l.overtaken(e, name); why != "" {
		return why
	}
	if _, err := l.At.Machine.Files.Lstat(name); err != nil {
		return Objection(printable.Text(name))
	}
	if l.At.Machine.IsDirectory(name) && l.At.IsOutput(name) {
		return l.lostOutput(name)
	}
	return l.each(name, l.LostFile)
}

// lostOutput answers for a directory that a build makes again.
func (l *Loss) lostOutput(dir string) Objection {
	return l.each(dir, func(file string) Objection {
		return l.unlessKept(file, cmp.Or(l.precious(file), handmade(file)))
	})
}

// LostFile answers for one file. What is kept before the call is not lost.
func (l *Loss) LostFile(name string) (why Objection) {
	why = l.precious(name)
	switch r := l.At.Repository(path.Dir(name)); {
	case why != "":
	case l.At.IsOutput(path.Dir(name)):
		why = handmade(name)
	case r == nil:
		why = Objection(printable.Text(name) + ", which is not in git and could not be restored")
	default:
		why = place.Because(Objection(printable.Text(name)+", which "), Objection(r.Lost(name)))
		if why != "" {
			why += " and could not be restored"
		}
	}
	return l.unlessKept(name, why)
}

// unlessKept is what speaks against the loss of a file, where something does and the file is not kept before the call.
func (l *Loss) unlessKept(name string, why Objection) Objection {
	if why != "" && isKept(l, name) {
		return ""
	}
	return why
}

// handmade recognises, among what builds make, what a person writes by hand, and a dump of
// a database, which may be the only copy.
func handmade(name string) (why Objection) {
	base := strings.ToLower(path.Base(name))
	stem := strings.TrimSuffix(strings.TrimSuffix(base, ".md"), ".txt")
	if listed("notes", stem) || listed("documents", path.Ext(base)) {
		return Objection(printable.Text(name) + ", which no build makes again")
	}
	return ""
}

// precious names what nobody deletes as a matter of course, wherever it lies: secrets,
// databases, what runs later, and everything but ordinary files.
func (l *Loss) precious(name string) (why Objection) {
	if why := l.At.Machine.Ordinary(name); why != "" {
		return why
	}
	switch {
	case l.At.Machine.Secrets.Match(name), listed("copies", strings.ToLower(path.Ext(name))):
		return Objection(printable.Text(name) + ", which may be the only copy")
	case l.At.Guarded(name):
		return Objection(printable.Text(name) + ", which changes what runs later")
	}
	return ""
}

// each is what speaks against one of the files below a directory, as file says; against a directory that is
// guarded, or too large to look through; or against the name itself where no directory stands there.
func (l *Loss) each(name string, file func(name string) Objection) (why Objection) {
	if !l.At.Machine.IsDirectory(name) {
		return file(name)
	}
	_ = view.Walk(l.At.Machine.Files, name, maxTreeNames, func(name string, kind fs.FileMode, err error) error {
		switch {
		case err != nil:
			why = Objection(printable.Text(name) + ", which is too large to look through")
		case kind.IsDir() && l.At.Guarded(name):
			why = Objection(printable.Text(name) + ", which changes what runs later")
		case !kind.IsDir():
			why = file(name)
		}
		if why != "" {
			return fs.SkipAll
		}
		return nil
	})
	return why
}

// overtaken reports that what stands at a path now is not what the command will find: something else in the line
// moves a file there, or lets git replace files. The order within the line is not asked, since loops run in circles.
func (l *Loss) overtaken(e shell.Effect, name string) (why Objection) {
	for _, o := range l.Report.Effects {
		ofGit := l.ByGit(o) && path.Base(o.Target) != ".git" // files from a commit
		if o.Kind != shell.Write || o.Command == e.Command && !ofGit {
			continue
		}
		switch {
		case ofGit && view.Below(o.Target, name) && e.Kind == shell.Delete && e.Command == o.Command:
			return Objection("what is not committed: " + printable.Text(e.Words))
		case ofGit && view.Below(o.Target, name):
			return Objection(printable.Text(name) + ", after git may have put something else there")
		case (view.Below(o.Target, name) || view.Below(name, o.Target)) && moves(l.Report, o.Command):
			return Objection(printable.Text(name) + ", after the line has moved something there")
		}
	}
	return ""
}

// moves reports whether a command moves files.
func moves(r *shell.Report, command int) bool {
	return slices.ContainsFunc(r.Effects, func(o shell.Effect) bool {
		return o.Command == command && o.Kind == shell.Delete && o.Moved
	})
}

// CopiesTree reports whether a command makes a copy of a directory: hooks,
// agent settings and keys in it would arrive unseen.
func (l *Loss) CopiesTree(e shell.Effect) bool {
	return l.Report.By(e, shell.CopiesFiles) &&
		(e.Recursive || slices.ContainsFunc(l.Report.Effects, func(r shell.Effect) bool {
			return r.Command == e.Command && r.Kind == shell.Read && r.Recursive && r.Pattern == ""
		}))
}

// Wipes reports whether an effect takes a disk, the home directory or the system along. What only adds to
// those, or takes what tests pick out, is for a model to judge; removing the name of a device is no loss.
func (l *Loss) Wipes(e shell.Effect) bool {
	switch e.Kind {
	case shell.Exhaust:
		return true
	case shell.Delete, shell.Write:
		if e.Kind == shell.Delete && e.Recursive && e.Picked == "" && strings.TrimSuffix(e.Target, "/") == "/dev" {
			return true
		}
		if e.Place == shell.Device {
			name, isDevice := strings.CutPrefix(e.Target, "/dev/") // a whole disk or a partition
			return isDevice && (e.Kind == shell.Write || e.Recursive) &&
				anyOf("disks", func(kind string) bool { return strings.HasPrefix(name, kind) && name != kind })
		}
		whole := e.Recursive && e.Picked == "" && (!e.Moved || discards(l.Report, e)) &&
			(e.Kind == shell.Delete || l.Report.By(e, shell.ChangesStatus) || l.Report.By(e, shell.Empties))
		return whole && (e.Place == shell.HomeDir || e.Place == shell.System && topLevel(e.Target))
	case shell.Remote:
		return e.Forced && e.Recursive // the history of every branch
	}
	return false
}

// discards reports whether a command moves what it moves to nowhere.
func discards(r *shell.Report, e shell.Effect) bool {
	return slices.ContainsFunc(r.Effects, func(o shell.Effect) bool {
		return o.Command == e.Command && o.Kind == shell.Write && o.Place == shell.Null
	})
}

// topLevel reports whether target is / or one of the system's own top-level directories.
func topLevel(target string) bool {
	parts := paths.Fold(target)
	if len(parts) > 0 && len(parts[0]) == 1 { // a drive of Windows'
		parts = parts[1:]
	}
	if len(parts) > 1 {
		return parts[0] == "private" && len(parts) == 2 || parts[0] == "usr" && len(parts) == 2 && parts[1] != "local"
	}
	return len(parts) == 0 || listed("top", parts[0]) || strings.HasPrefix(parts[0], "program files")
}
