// Package match says how a call fits a rule. A rule names a simple command ([Pattern]), or it is a
// permission in the grammar of Claude Code's settings ([Permission]), which may also name a tool, a
// file, a host or the tool of an MCP server. What a rule that fits is good for is the gate's affair.
//
// A [Degree] says how well a call fits. Where something that nobody knows would have to be so, the
// call may fit, and who forbids by a rule must take it for fitting.
package match

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/shell"
)

// HasUnknown reports whether something of a command of the line is not known.
func (m *Call) HasUnknown(command int) bool {
	return slices.ContainsFunc(m.Report.Unknowns, func(u shell.Unknown) bool { return u.Command == command })
}

// Forbids reports whether a hard_deny pattern is in the line: as a command of its own, or anywhere
// among the words of a program that nod does not know and that may therefore run its arguments.
func (m *Call) Forbids(p Pattern) bool {
	for i, c := range m.Report.Commands {
		where := FirstWord
		if m.HasUnknown(i) {
			where = AnyWord
		}
		if p.OccursIn(c, where) {
			return true
		}
		if spelled, ok := m.asScript(p.Words, i); ok && p.OccursIn(spelled, FirstWord) {
			return true
		}
	}
	return false
}

// MayForbid reports whether a hard_deny pattern would be in the line if words that
// nod does not know were those of the pattern.
func (m *Call) MayForbid(p Pattern) bool {
	return slices.ContainsFunc(m.Report.Commands, p.mayOccurIn)
}

// Mentions reports whether a pattern whose first word is a program is anywhere in the line.
func (m *Call) Mentions(p Pattern) bool {
	return slices.ContainsFunc(m.Report.Commands, func(c shell.Command) bool {
		return p.OccursIn(c, AnyWord) && m.isProgram(p.Words[0])
	})
}

// isProgram reports whether a word is a program of nod's data or of the call's
// PATH, so that a rule that starts with it is a pattern.
func (m *Call) isProgram(name string) bool {
	if strings.Contains(name, "/") || shell.Known(name) {
		return true
	}
	value, _ := place.Lookup(m.At.Environ, "PATH")
	for dir := range strings.SplitSeq(value, ":") {
		info, err := m.At.Machine.Files.Lstat(path.Clean(dir + "/" + name))
		if err == nil && !info.Mode.IsDir() && path.IsAbs(dir) {
			return true
		}
	}
	return false
}

// Clears reports whether an allow pattern clears a command of the line, where it runs.
func (m *Call) Clears(p Pattern, c shell.Command) bool {
	return p.Clears(c) && m.atHome(c.Dir) && m.writtenFor(p, c)
}

// writtenFor reports whether a pattern that names its program by a relative path
// means this one: such a path starts in the call's directory or a workspace.
func (m *Call) writtenFor(p Pattern, c shell.Command) bool {
	name := p.Words[0]
	if !strings.Contains(name, "/") || path.IsAbs(name) {
		return true
	}
	return slices.ContainsFunc(append([]string{m.At.Dir}, m.At.Roots...), func(dir string) bool {
		real, err := m.At.Machine.Locate(dir, name)
		return err == nil && real == c.Program
	})
}

// atHome reports whether a command runs where its rule was written for: the
// call's own directory, or a workspace. npm test is other code elsewhere.
func (m *Call) atHome(dir string) bool {
	if dir == "" {
		return false
	}
	real := m.At.Machine.Real(dir)
	return real == m.At.Machine.Real(m.At.Dir) || m.At.Machine.Inside(m.At.Roots, real)
}

// HoldsIn reports whether a rule that is held to a directory, within, holds in dir. "" for within holds everywhere.
func (m *Call) HoldsIn(dir, within string) bool {
	return within == "" || dir != "" && m.At.Machine.Inside([]string{within}, m.At.Machine.Real(dir))
}

// LeadsAway reports whether an effect is of a kind that an open rule must have by its own words:
// another program runs, or something is written that is guarded or lies outside the workspace.
func (m *Call) LeadsAway(e shell.Effect) bool {
	switch e.Kind {
	case shell.Run:
		return true
	case shell.Write, shell.Delete:
		outside := e.Place != shell.Workspace && e.Place != shell.Temporary && e.Place != shell.Null
		return !e.Kept && (e.Target == "" || outside || m.At.Guarded(e.Target) ||
			m.At.Machine.Guards.Match(e.Target) && e.Place == shell.Temporary)
	}
	return false
}

// claudeCode is the name of Claude Code's adapter.
const claudeCode = "claude-code"

// Call is a call that is held against rules. It is not safe for concurrent use.
type Call struct {
	*place.Call

	points []string // where relative patterns start; nil: not looked yet
}
