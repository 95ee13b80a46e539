package nod

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/judge"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// What a model is not shown. The content of a secret store and of nod's own
// files never becomes part of a question, a reason or a log, by whatever way
// the call would use it; the model is told that something is withheld. What
// looks like a token elsewhere is masked by [Options.Mask].

// isStore reports whether a file's content stays here.
func (g *Gate) isStore(real string) bool {
	return g.machine.TouchesSecret(real, false) || g.machine.IsSelf(real)
}

// shown is a text without tokens of published shapes.
func (g *Gate) shown(text string) string {
	if g.mask == nil {
		return text
	}
	return g.mask(text)
}

// interpreted is the first secret store that the command's meaning rests on: it
// is sourced, included or run. "" where there is none. What a command makes of
// its content may then stand in any target, in any unknown.
func (t *trial) interpreted() string {
	for _, e := range t.report.Read {
		if t.gate.isStore(e.Path) {
			return e.Path
		}
	}
	for _, d := range t.report.Definitions {
		if file := shell.DefinitionFile(d.Path); t.gate.isStore(file) {
			return file
		}
	}
	return ""
}

// spoken reports whether a text that a report holds stands in the call itself,
// so that it is nothing that came out of a file.
func (t *trial) spoken(text string) bool {
	if text == "" || strings.Contains(t.call.Command, text) {
		return true
	}
	for _, base := range []string{t.call.Dir, t.gate.machine.Home} {
		if below, ok := strings.CutPrefix(text, base+"/"); ok && base != "" && below != "" && strings.Contains(t.call.Command, below) {
			return true
		}
	}
	return false
}

// reasonOf is a reason of layers 0 to 3 without what a secret store may have put
// into it. It goes to the agent and into the log.
func (t *trial) reasonOf(why string) string {
	what, words, found := strings.Cut(why, ": ")
	if !found || t.spoken(words) {
		return why
	}
	if store := t.interpreted(); store != "" {
		return what + ", by what " + printable.Text(shortPath(t.call.Dir, store)) + " holds, which may be secrets and is not shown"
	}
	return why
}

// withheldChanges are the files that a call may change, without names that a
// secret store may have given.
func (t *trial) withheldChanges(names []string) []string {
	if len(names) == 0 {
		return names
	}
	store := t.interpreted()
	if store == "" {
		return names
	}
	kept := names[:0:0]
	for _, name := range names {
		if name == store || t.spoken(name) {
			kept = append(kept, name)
		} else if !slices.Contains(kept, "/") {
			kept = append(kept, "/") // somewhere
		}
	}
	return kept
}

// shownInput is a call's input as a model may see it, on one line. What is
// written to a secret store, or replaced in one, is withheld; tokens are masked.
func (t *trial) shownInput(input json.RawMessage) string {
	text := judge.Compact(input)
	if t.namesStore(input) {
		text = withheldStrings(text)
	}
	return t.gate.maskedJSON(text)
}

// namesStore reports whether an edit's input names a secret store.
func (t *trial) namesStore(input json.RawMessage) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		var patch string
		return json.Unmarshal(input, &patch) == nil && t.patchesStore(patch)
	}
	for key, raw := range fields {
		var value string
		if json.Unmarshal(raw, &value) != nil {
			continue
		}
		if isPathKey(key) && t.storeAt(value) || t.patchesStore(value) {
			return true
		}
	}
	return false
}

func isPathKey(key string) bool {
	key = strings.ToLower(key)
	return strings.Contains(key, "path") || strings.Contains(key, "file") || key == "target" || key == "uri"
}

// patchesStore reports whether a text is a patch of a secret store.
func (t *trial) patchesStore(text string) bool {
	if !strings.Contains(text, "*** ") && !strings.Contains(text, "+++ ") {
		return false
	}
	for line := range strings.Lines(text) {
		for _, begin := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ b/", "+++ ", "--- a/"} {
			if name, ok := strings.CutPrefix(line, begin); ok && t.storeAt(strings.TrimSpace(name)) {
				return true
			}
		}
	}
	return false
}

func (t *trial) storeAt(name string) bool {
	reals, err := t.gate.machine.Readings(t.call.Dir, name)
	if err != nil {
		return t.gate.isStore(name)
	}
	return slices.ContainsFunc(reals, t.gate.isStore)
}

// withheldStrings puts a mark in the place of every string of a JSON text but
// keys and the values of keys that name a path.
func withheldStrings(text string) string {
	return judge.EachString(text, func(key, value string) string {
		if isPathKey(key) && !strings.ContainsAny(value, "\n") {
			return value
		}
		return "[content withheld: " + judge.SecretStore + "]"
	})
}

// maskedJSON masks the strings of a JSON text.
func (g *Gate) maskedJSON(text string) string {
	if g.mask == nil {
		return text
	}
	return judge.EachString(text, func(_, value string) string { return g.mask(value) })
}
