package identity

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/printable"
)

// AddCall adds what the call would do, as far as its own words say.
func (n *Call) AddCall(h Key) {
	h.Add(n.At.Dir, n.Command, fmt.Sprint(n.Dialect), fmt.Sprint(n.StdinUnseen), n.plainInput())
}

// plainInput is a call's arguments, in the order of their names; of a command's without the command,
// which stands elsewhere, the description that some agents give it, and a time-out.
func (n *Call) plainInput() string {
	var fields map[string]json.RawMessage
	if n.Command == "" || json.Unmarshal(n.Input, &fields) != nil {
		return printable.Compact(n.Input)
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
		b.WriteString(printable.JSON(name) + printable.Compact(fields[name]))
	}
	return b.String()
}
