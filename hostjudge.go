package nod

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// deferrable reports whether a host's own judge may decide what layers 0 to 3
// left open: no rule may speak of the call, and nothing that is known of it
// loses work, gives away a secret or cannot be undone. A judge that was never
// asked, or that nods, would otherwise be all there is before a known loss.
func (t *trial) deferrable() bool {
	return t.soft.Text == "" && t.doubt == "" && !t.secrets && !t.overwritesByTool() && !t.loses()
}

// besidePrompts denies what a person would be asked about where another prompt
// may be open: what is answered there could let this call run unasked. Only a
// call that an ask rule matches, or of which something grave is known, is too
// much for that.
func (t *trial) besidePrompts(d Decision) Decision {
	if d.Verdict != Ask || t.call.Asking == nil {
		return d
	}
	why := t.call.Asking()
	if why != "" && (d.Layer == LayerGuard || !t.deferrable()) {
		d.Verdict, d.Reason = Deny, printable.Line(d.Reason, reasonLimit-120)+"; "+why
	}
	return d
}

// loses reports whether a command does what cannot be undone, as far as its
// effects and its own words tell, and no allow rule clears that.
func (t *trial) loses() bool {
	for _, e := range t.report.Effects {
		if (!t.covered(t.ruled, e.Command, e.Part) || t.beyond(e)) && t.losesBy(e) {
			return true
		}
	}
	for i, c := range t.report.Commands {
		if !t.covered(t.ruled, i, shell.PartWords) && (discardsChanges(c) || t.reaches(i) && destroys(c)) {
			return true
		}
	}
	return false
}

func (t *trial) losesBy(e shell.Effect) bool {
	switch e.Kind {
	case shell.Delete:
		goesOn := e.Moved && !t.discards(e)
		return !goesOn && e.Place != shell.Temporary && !t.nothingAt(e) && t.deleteHarm(e) != ""
	case shell.Write:
		return e.Place == shell.Device || t.replaces(e)
	case shell.Remote:
		return e.Forced
	case shell.Exhaust:
		return true
	}
	return false
}

// nothingAt reports whether what an effect names is not there, and nothing of
// the line puts it there.
func (t *trial) nothingAt(e shell.Effect) bool {
	return path.IsAbs(e.Target) && e.Pattern == "" && t.at.Missing(e.Target) && !t.madeHere(e, e.Target) && t.overtaken(e, e.Target) == ""
}

// replaces reports whether a command puts something else in the place of a file
// that could not be restored. What works on a file in place, as a formatter
// does, is no known loss, and neither is what appends.
func (t *trial) replaces(e shell.Effect) bool {
	switch t.report.ProgramOf(e) {
	case "", "cp", "mv", "ln", "install", "tee", "dd", "truncate", "shred":
	default:
		return false
	}
	if e.Appends || e.Place == shell.Temporary || e.Place == shell.Null {
		return false
	}
	names, _ := t.targets(e)
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := t.gate.machine.Files.Lstat(name)
		return err == nil && !info.Mode.IsDir() && t.lost(e, name) != ""
	})
}

// overwritesByTool reports whether a tool that writes a file as a whole
// replaces what lies outside the workspace and could not be restored.
func (t *trial) overwritesByTool() bool {
	if t.call.Tool != "file_write" {
		return false
	}
	return slices.ContainsFunc(t.call.Paths, func(name string) bool {
		reals, err := t.at.Readings(name)
		return err != nil || slices.ContainsFunc(reals, func(real string) bool {
			return !t.gate.machine.Inside(t.at.Roots, real) && !shell.IsTemporary(real) && !t.at.Missing(real) && t.lostFile(real) != ""
		})
	})
}

// reaches reports whether nod does not know all that a command does, or it
// acts on something elsewhere.
func (t *trial) reaches(command int) bool {
	return slices.ContainsFunc(t.report.Unknowns, func(u shell.Unknown) bool { return u.Command == command }) ||
		slices.ContainsFunc(t.report.Effects, func(e shell.Effect) bool {
			return e.Command == command && (e.Kind == shell.Remote || e.Kind == shell.Send)
		})
}

// destroys recognises commands whose own first words say that they take away
// what nothing brings back, or publish.
func destroys(c shell.Command) bool {
	if len(c.Words) == 0 {
		return false
	}
	switch path.Base(c.Words[0].Value) {
	case "dropdb", "dropuser":
		return true
	case "docker-compose", "docker", "podman", "nerdctl":
		if firstWords(c, 5, "down") && flagged(c, "v", "--vol") {
			return true
		}
	case "npm", "pnpm", "yarn", "bun", "cargo", "uv", "poetry": // their rm takes a dependency out of a file
		return firstWords(c, 2, "publish")
	case "terraform", "tofu", "pulumi":
		return firstWords(c, 5, "apply", "up", "destroy", "taint", "rm", "delete")
	case "git":
		return gitDestroys(c)
	}
	return firstWords(c, 5, "delete", "destroy", "rm", "prune", "drop", "purge", "flushall", "flushdb", "nuke", "wipe", "publish")
}

func gitDestroys(c shell.Command) bool {
	switch sub := optionsOf(c).sub; sub {
	case "branch":
		return flagged(c, "D")
	case "tag":
		return flagged(c, "d", "--del")
	case "reflog":
		return firstWords(c, len(c.Words), "expire", "delete")
	case "worktree":
		return firstWords(c, len(c.Words), "remove") && flagged(c, "f", "--forc")
	default:
		return sub == "filter-branch" || sub == "filter-repo"
	}
}

// discardsChanges recognises what takes changes of the working tree back that
// nobody committed, or throws away those that were put aside.
func discardsChanges(c shell.Command) bool {
	switch o := optionsOf(c); o.sub { // of git
	case "restore":
		return !flagged(c, "S", "--stag") || flagged(c, "W", "--work")
	case "checkout":
		return flagged(c, "f", "--forc") || firstWords(c, len(c.Words), "--", ".")
	case "switch":
		return flagged(c, "f", "--forc", "--disc")
	case "stash":
		return firstWords(c, len(c.Words), "drop", "clear")
	}
	return false
}

// flagged reports whether a command has one of the short options, or one that
// begins like one of the long ones.
func flagged(c shell.Command, letters string, longs ...string) bool {
	return slices.ContainsFunc(c.Words, func(w shell.Word) bool {
		given, short := shortOptions(w.Value)
		return w.Known && (short && strings.ContainsAny(given, letters) ||
			slices.ContainsFunc(longs, func(long string) bool { return strings.HasPrefix(w.Value, long) }))
	})
}

// firstWords reports whether one of the first n arguments is one of the words.
func firstWords(c shell.Command, n int, words ...string) bool {
	return slices.ContainsFunc(c.Words[min(len(c.Words), 1):min(len(c.Words), n+1)], func(w shell.Word) bool {
		return w.Known && slices.Contains(words, strings.ToLower(w.Value))
	})
}
