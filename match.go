package nod

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/match"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/shell"
)

// allowedBy finds the allow pattern whose words equal the command's.
func (t *trial) allowedBy(c shell.Command) (Rule, bool) {
	for _, r := range t.gate.rules.Allow {
		if t.allows(r, c) {
			return r, true
		}
	}
	return Rule{}, false
}

func (t *trial) allows(r Rule, c shell.Command) bool {
	return r.speaksOf(t.call.Agent) && r.command.Clears(c) && t.atHome(c.Dir) && t.writtenFor(r, c) && t.confined(r, c)
}

// writtenFor reports whether a rule that names its program by a relative path
// means this one: such a path starts in the call's directory or a workspace.
func (t *trial) writtenFor(r Rule, c shell.Command) bool {
	name := r.command.Words[0]
	if !strings.Contains(name, "/") || path.IsAbs(name) {
		return true
	}
	for _, dir := range append([]string{t.call.Dir}, t.at.Roots...) {
		if real, err := t.gate.machine.Locate(dir, name); err == nil && real == c.Program {
			return true
		}
	}
	return false
}

// confined reports whether a command runs where the rule holds.
func (t *trial) confined(r Rule, c shell.Command) bool {
	return r.Within == "" || t.gate.machine.Inside([]string{r.Within}, t.gate.machine.Real(c.Dir))
}

// atHome reports whether a command runs where its rule was written for: the
// call's own directory, or a workspace. npm test is other code elsewhere.
func (t *trial) atHome(dir string) bool {
	if dir == "" {
		return false
	}
	real := t.gate.machine.Real(dir)
	return real == t.gate.machine.Real(t.call.Dir) || t.gate.machine.Inside(t.at.Roots, real)
}

// beyond reports whether an effect is more than an open rule stands for: its
// command's further arguments lead to another program (go test -exec X), or to
// what is guarded or lies outside the workspace (go build -o ~/.bashrc).
func (t *trial) beyond(e shell.Effect) bool {
	if e.Part != shell.PartWords || e.Command < 0 || e.Command >= len(t.report.Commands) || !t.leadsAway(e) {
		return false
	}
	c, beyond := t.report.Commands[e.Command], false
	for _, r := range t.gate.rules.Allow {
		switch {
		case !t.allows(r, c):
		case !r.command.Open || len(c.Words) == len(r.command.Words) || t.standsFor(r, c, e):
			return false
		default:
			beyond = true
		}
	}
	return beyond
}

func (t *trial) leadsAway(e shell.Effect) bool {
	switch e.Kind {
	case shell.Run:
		return true
	case shell.Write, shell.Delete:
		outside := e.Place != shell.Workspace && e.Place != shell.Temporary && e.Place != shell.Null
		return !e.Kept &&
			(e.Target == "" || outside || t.at.Guarded(e.Target) || t.gate.machine.Guards.Match(e.Target) && e.Place == shell.Temporary)
	}
	return false
}

// standsFor reports whether a rule's own words have the effect too.
func (t *trial) standsFor(r Rule, c shell.Command, e shell.Effect) bool {
	call := t.call
	call.Command, call.Dir = shell.QuoteWords(r.command.Words), c.Dir
	return slices.ContainsFunc(t.gate.analyze(call, t.at.Roots).Effects, func(o shell.Effect) bool {
		return o.Kind == e.Kind && o.Target == e.Target
	})
}

// softDenied looks for a soft_deny pattern in the command.
func (t *trial) softDenied() bool {
	for _, r := range t.gate.rules.SoftDeny {
		if r.permission != nil && t.rules.Fits(*r.permission) != match.Misses {
			t.soft = r
			return true
		}
		for _, c := range t.report.Commands {
			if r.command.OccursIn(c, match.AnyWord) && t.gate.knownProgram(t.call, r.command.Words[0]) {
				t.soft = r
				return true
			}
		}
	}
	return false
}

// matchesHard looks for a hard_deny pattern in the command: as a command of
// its own, or anywhere among the words of a program that nod does not know
// and that may therefore run its arguments.
func (t *trial) matchesHard(r Rule) bool {
	for i, c := range t.report.Commands {
		where := match.FirstWord
		if t.rules.HasUnknown(i) {
			where = match.AnyWord
		}
		if r.command.OccursIn(c, where) {
			return true
		}
	}
	return false
}

// knownProgram reports whether a word is a program of nod's data or of the
// call's PATH, so that a rule that starts with it is a pattern.
func (g *Gate) knownProgram(c Call, name string) bool {
	if strings.Contains(name, "/") || shell.Known(name) {
		return true
	}
	value, _ := place.Lookup(c.Environ, "PATH")
	for dir := range strings.SplitSeq(value, ":") {
		if info, err := g.machine.Files.Lstat(path.Clean(dir + "/" + name)); err == nil && !info.Mode.IsDir() &&
			path.IsAbs(dir) {
			return true
		}
	}
	return false
}

// permittedTool returns the allow rule that names the tool that is called: one of
// an MCP server, or one of Claude Code's own of which nod reads no argument.
func (t *trial) permittedTool() clearance {
	for _, r := range t.gate.rules.Allow {
		if r.permission == nil || !r.speaksOf(t.call.Agent) || !t.rules.Names(*r.permission) {
			continue
		}
		switch home := r.Within == "" || t.call.Dir != "" && t.gate.machine.Inside([]string{r.Within}, t.gate.machine.Real(t.call.Dir)); {
		case !home:
		case t.call.MCP != nil && t.call.MCP.Brought && r.Within == "":
			t.brought = objection{"the repository brings this MCP server, so that a rule for it stands under [[repository]]: " + place.Objection(r.Text), r}
		default:
			return clearance{"allow rule: " + r.Text, r}
		}
	}
	return clearance{}
}

// matches compares the call with a rule of hard_deny or ask.
func (t *trial) matches(r Rule) match.Degree {
	switch {
	case r.permission != nil:
		return t.rules.Fits(*r.permission)
	case t.matchesHard(r):
		return match.FitsAll
	}
	return match.Misses
}

// reserved finds a rule that leaves the call to a person. One that may be
// meant counts.
func (t *trial) reserved() objection {
	for _, r := range t.gate.rules.Ask {
		switch t.matches(r) {
		case match.FitsAll:
			return objection{"an ask rule" + r.place() + " leaves this to a person: " + place.Objection(r.Text), r}
		case match.MayFit:
			return objection{"this may be what an ask rule" + r.place() + " leaves to a person, and nod cannot tell: " + place.Objection(r.Text), r}
		}
	}
	return object(t.self.Unproven)
}
