// Package identity says when two calls are the same call: for a person who approves one call and
// means no other ([Approval]), and for an answer of a model that is given again.
//
// What a call is, is hashed from its tool, its arguments, the command as it is parsed, its directory and what is
// known to say what runs; neither the agent nor the session is a part of it, nor are words that only describe it.
package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// Approval names the call: the tool, its arguments, the command as it is parsed, its directory, and
// what is known to say what runs (a script, an entry of package.json) with its hash. Neither the
// agent nor the session is part of it, nor a time-out, nor words that only describe. once says that
// the name is good for one call only, since nobody says in which directory it runs.
func Approval(n *place.Call) (name string, once bool) {
	h := NewKey("approval 3")
	h.Add(n.Tool, n.URL)
	switch {
	case n.MCP != nil:
		h.Add("mcp", n.MCP.Server, n.MCP.Tool)
	case n.Tool == "":
		h.Add("agent", n.Agent, n.RawTool) // another agent's tool of that name is another tool
	}
	relative := func(name string) bool { return !path.IsAbs(name) }
	once = n.At.Dir == "" && (n.Command != "" || slices.ContainsFunc(n.Paths, relative))
	if once { // the same words mean other files in another workspace
		h.Add("roots")
		h.Add(n.At.Roots...)
	}
	h.Add(n.At.Dir, n.Command, fmt.Sprint(n.Dialect), fmt.Sprint(n.StdinUnseen), plainInput(n))
	h.Add(n.Paths...)
	for _, d := range n.Report.Definitions {
		h.Add("definition", d.Path, d.SHA256)
		once = once || d.SHA256 == ""
	}
	for _, c := range n.Report.Commands {
		h.Add("program", c.Program)
		once = once || slices.ContainsFunc(c.Words, func(w shell.Word) bool { return !w.Known })
	}
	for _, e := range n.Report.Read {
		h.Add("read", e.Path, e.SHA256)
	}
	return h.Sum(), once
}

// plainInput is a call's arguments, in the order of their names; of a command's without the command,
// which stands elsewhere, the description that some agents give it, and a time-out.
func plainInput(n *place.Call) string {
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

// Key hashes texts so that none can pose as two.
type Key struct{ h hash.Hash }

// NewKey begins a key; keys of two purposes are never the same.
func NewKey(purpose string) Key {
	k := Key{sha256.New()}
	k.Add(purpose)
	return k
}

// Add adds texts, in this order.
func (k Key) Add(parts ...string) {
	fmt.Fprintf(k.h, "%d\n", len(parts))
	for _, p := range parts {
		fmt.Fprintf(k.h, "%d:%s", len(p), p)
	}
}

// Sum is the hash of all that was added, in hexadecimal.
func (k Key) Sum() string { return hex.EncodeToString(k.h.Sum(nil)) }
