package nod

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// memoryKey names the call and all that its answer may depend on: the session,
// the rules and the wording of the questions, what the call would do and
// where, the facts, the files that were read for them, and what the person has
// said so far. What the agent called before is not part of it, nor are words
// that only describe the call.
func (t *trial) memoryKey(p Prompt, facts, consent string) string {
	h := newKey("verdict")
	c := t.call
	h.add(c.Agent, c.Session, p.System, p.Quick, p.Careful, c.Tool, c.RawTool, c.Dir, c.Command, fmt.Sprint(c.Dialect), fmt.Sprint(c.StdinUnseen), plainInput(c), facts, consent)
	h.add(t.places.roots...)
	h.add(t.places.path...)
	for _, e := range t.report.Read {
		h.add(e.Path, e.SHA256)
	}
	for _, e := range t.bound {
		h.add(e.Path, e.SHA256)
	}
	return h.sum()
}

// plainInput is a call's arguments, in the order of their names, without the
// description that some agents give a command.
func plainInput(c Call) string {
	var fields map[string]json.RawMessage
	if c.Command == "" || json.Unmarshal(c.Input, &fields) != nil {
		return compact(c.Input)
	}
	delete(fields, "description")
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		b.WriteString(jsonLine(name) + compact(fields[name]))
	}
	return b.String()
}

// effectKey names what a call does, whatever tool and words it does it with,
// at this point of the conversation. It is "" where that is not wholly known,
// or where nothing but reading is known.
func (t *trial) effectKey(consent string) string {
	if t.call.MCP != nil || t.call.Command != "" && len(t.report.Unknowns) > 0 {
		return ""
	}
	var effects []string
	for _, e := range t.report.Effects {
		switch {
		case e.Place == shell.Null || e.Kind == shell.Read || e.Kind == shell.Run && e.Target != "":
		case e.Target == "":
			return ""
		default:
			effects = append(effects, fmt.Sprintf("%s %t %q", kindName(e.Kind), e.Recursive, e.Target))
		}
	}
	if isEdit(t.call.Tool) {
		for _, name := range t.call.Paths {
			real, err := t.gate.locate(t.call.Dir, name)
			if err != nil {
				return ""
			}
			effects = append(effects, fmt.Sprintf("%s %t %q", kindName(shell.Write), false, real))
		}
	}
	if len(effects) == 0 {
		return ""
	}
	slices.Sort(effects)
	h := newKey("effects")
	h.add(consent)
	h.add(slices.Compact(effects)...)
	return h.sum()
}

// key hashes texts so that none can pose as two.
type key struct{ hash.Hash }

func newKey(purpose string) key {
	k := key{sha256.New()}
	k.add(purpose)
	return k
}

func (k key) add(parts ...string) {
	fmt.Fprintf(k, "%d\n", len(parts))
	for _, p := range parts {
		fmt.Fprintf(k, "%d:%s", len(p), p)
	}
}

func (k key) sum() string { return hex.EncodeToString(k.Sum(nil)) }
