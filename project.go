package nod

import (
	"slices"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/taint"
	"github.com/nodgate/nod/internal/withheld"
	"github.com/nodgate/nod/transcript"
)

// Memory is what is known of a session beyond the call at hand. It decides
// one thing: whether what a project command runs is still what its allow rule
// was taken for. It is safe for concurrent use.
type Memory interface {
	// Standing says how a definition stands in the session: a file, or an
	// entry of one ("/x/package.json#test"), and the hash of what it says.
	Standing(definition Evidence) Standing
}

// Outcomes is a [Memory] that also knows what became of earlier calls, by the
// agent's ids.
type Outcomes interface {
	Memory
	Ended(call string) transcript.Ended
}

// Standing is how a definition stands in a session. The zero value is the
// strictest.
type Standing int8

const (
	// Changed: the session may have changed it, or saw it say something else.
	Changed Standing = iota
	// Untouched: nothing of the session is known to have changed it.
	Untouched
	// Accepted: this very content was let run in the session.
	Accepted
)

// permits reports whether an allow rule that matches a command permits what
// runs now: a rule stands for what its definitions (package scripts,
// Makefile, task file, script, and the files they name) said when the session
// began. What changed since goes to the model, once for each content.
func (t *trial) permits(r Rule, command int) bool {
	ok := true
	for _, d := range t.report.Definitions {
		if !t.within(d.Command, command) {
			continue
		}
		e := Evidence{Path: d.Path, SHA256: d.SHA256}
		if !slices.Contains(t.bound, e) && d.SHA256 != "" {
			t.bound = append(t.bound, e)
		}
		if why := t.unlike(e); why != "" && ok {
			ok = false
			t.changed = against(printable.Text(withheld.ShortPath(t.call.Dir, d.Path)) + why + ", so the allow rule does not cover it: " + r.Text)
		}
	}
	return ok
}

// unlike says how a definition differs from what a rule was taken for, "" if
// it does not.
func (t *trial) unlike(d Evidence) (why string) {
	switch {
	case d.SHA256 == "":
		return " cannot be read as it will be run"
	case t.taint.Run(d.Path):
		return " was written in this session, and the agent has read what may be orders to it"
	case t.gate.memory != nil && t.gate.memory.Standing(d) == Changed:
		return " may have changed in this session"
	}
	return ""
}

// within reports whether a command is another one, or stands in what that one
// runs.
func (t *trial) within(command, outer int) bool {
	for command >= 0 && command < len(t.report.Commands) {
		if command == outer {
			return true
		}
		command = t.report.Commands[command].Caller - 1
	}
	return false
}

// covered reports whether allow rules clear this part of a command. Of what
// the line writes that is a command's words; of what a cleared command runs
// in turn, everything.
func (t *trial) covered(cleared []bool, command int, part shell.Part) bool {
	for command >= 0 && command < len(cleared) {
		if cleared[command] && part == shell.PartWords {
			return true
		}
		command, part = t.report.Commands[command].Caller-1, shell.PartWords
	}
	return false
}

// changes lists what the call may change. A denied call changes nothing, but
// that is not known here.
func (t *trial) changes() []string {
	var names []string
	add := func(name string) {
		switch {
		case name == "" || slices.Contains(names, name):
		case len(names) < taint.MaxChanges:
			names = append(names, name)
		case len(names) == taint.MaxChanges:
			names = append(names, "/") // more than are told apart
		}
	}
	for _, e := range t.report.Effects {
		if (e.Kind == shell.Write || e.Kind == shell.Delete) && e.Place != shell.Null && e.Place != shell.Network {
			add(e.Target)
		}
	}
	if t.behind { // whatever lies in the workspace
		for _, root := range t.at.Roots {
			add(root)
		}
	}
	if isEdit(t.call.Tool) {
		for _, name := range t.call.Paths {
			reals, _ := t.at.Readings(name)
			add(reals[0])
		}
	}
	return names
}
