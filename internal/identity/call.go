package identity

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/judge"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/shell/grammar"
)

// AddCall adds what the call would do, as far as its own words say.
func (n *Call) AddCall(h Key) {
	command := n.Command
	if command != "" {
		command = grammar.Canonical(command, n.Dialect)
	}
	h.Add(n.At.Dir, command, fmt.Sprint(n.Dialect), fmt.Sprint(n.StdinUnseen), n.plainInput())
}

// Unspaced takes blanks, quotes and backslashes out of a text that quotes a
// command as it is written. What they mean there is said by the command.
func Unspaced(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\n', '\'', '"', '\\':
			return -1
		}
		return r
	}, s)
}

// plainInput is a call's arguments, in the order of their names; of a command's
// without the command, which stands elsewhere, the description that some agents
// give it, and a time-out.
func (n *Call) plainInput() string {
	var fields map[string]json.RawMessage
	if n.Command == "" || json.Unmarshal(n.Input, &fields) != nil {
		return judge.Compact(n.Input)
	}
	for _, name := range [...]string{"description", "timeout", "timeout_ms"} {
		delete(fields, name)
	}
	var b strings.Builder
	left := false // the command, once
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var text string
		if !left && json.Unmarshal(fields[name], &text) == nil && text == n.Command {
			left = true
			continue
		}
		b.WriteString(judge.Line(name) + judge.Compact(fields[name]))
	}
	return b.String()
}

// FileEffects lists what the call does to files, each effect in words of its own;
// nil where it does anything else, or something unknown. content says that what
// is written matters too.
func (n *Call) FileEffects() (effects []string, content bool) {
	add := func(kind shell.Kind, recursive bool, name string) {
		effects = append(effects, fmt.Sprintf("%s %t %q", kind.Name(), recursive, name))
	}
	switch {
	case n.MCP != nil || len(n.Report.Unknowns) > 0:
		return nil, false
	case n.IsEdit():
		for _, name := range n.Paths {
			real, err := n.At.Machine.Locate(n.At.Dir, name)
			if err != nil {
				return nil, false
			}
			add(shell.Write, false, real)
		}
		return effects, true
	}
	for _, e := range n.Report.Effects {
		switch {
		case e.Place == shell.Null, e.Kind == shell.Read, e.Kind == shell.Run && e.Target != "":
			continue
		case e.Kind != shell.Write && e.Kind != shell.Delete && e.Kind != shell.Secret,
			e.Place == shell.Network,
			!path.IsAbs(e.Target):
			return nil, false
		}
		content = content || e.Kind == shell.Write
		add(e.Kind, e.Recursive, e.Target)
	}
	return effects, content
}
