// Package wiring reads what the settings of an agent say about nod: which lines call nod ([Lines], [Calls]), and what
// silences hooks ([Silenced]). It is handed names and texts; it looks at no file system and decides nothing.
//
// A host may read its settings more loosely than any standard says: with comments, with a key twice, in another case,
// in another spelling. So a text counts as silencing where any reading of it may silence. Which files are an agent's
// settings, and which keys silence its hooks, stands in the agent's row in package hosts.
package wiring

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/paths"
)

// PluginMark is how a file begins that nod install has written as a whole.
const PluginMark = "// nod-hook: "

// Lines returns what of an agent's settings calls nod: each entry of hooks that names nod-hook, with the event it
// stands under; where another key holds it, all of that. Two files with the same wiring call nod in the same way. Of
// TOML it is all that stands under hooks, where Codex also keeps what the person trusts. A file of another format is
// taken as a whole, and so is a file that nod has written itself.
func Lines(real string, content []byte) string {
	tree, ok := Tree(real, content)
	top, isObject := tree.(map[string]any)
	if bytes.HasPrefix(content, []byte(PluginMark)) || !ok || !isObject {
		return string(content)
	}
	var found []string
	add := func(key string, value any) {
		if text, _ := json.Marshal(value); bytes.Contains(text, []byte("nod-hook")) || IsTOML(real) && key == "hooks" {
			found = append(found, key+" "+string(text))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(top)) {
		hooks, ofEvents := top[key].(map[string]any)
		if key != "hooks" || !ofEvents || IsTOML(real) {
			add(key, top[key])
			continue
		}
		for _, event := range slices.Sorted(maps.Keys(hooks)) {
			list, isList := hooks[event].([]any)
			if !isList {
				add(event, hooks[event])
			}
			for _, entry := range list {
				add(event, entry)
			}
		}
	}
	return strings.Join(found, "\n")
}

// IsTOML reports whether a file is TOML by its name.
func IsTOML(real string) bool { return strings.HasSuffix(strings.ToLower(real), ".toml") }

// Calls reports whether the content of a settings file has lines that call
// nod, or that say that the person trusts them.
func Calls(real string, content []byte) bool {
	text := Unescape(string(content))
	return strings.Contains(text, "nod-hook") || IsTOML(real) && strings.Contains(text, "trusted_hash")
}

// Permissions returns what of Claude Code's settings says which calls are
// permitted; of a text that is not plain JSON, all of it.
func Permissions(content []byte) string {
	var tree map[string]any
	switch err := json.Unmarshal(content, &tree); {
	case len(bytes.TrimSpace(content)) == 0:
		return "null null"
	case err != nil:
		return string(content)
	}
	permissions, _ := json.Marshal(tree["permissions"])
	mode, _ := json.Marshal(tree["autoMode"])
	return string(permissions) + " " + string(mode)
}

// MentionsHook reports whether a text names nod's hook, escapes resolved.
func MentionsHook(text string) bool { return strings.Contains(Unescape(text), "nod-hook") }

// Tree reads settings: TOML by its name, else JSON with comments or without, as
// the strictest agent does: one value, no key twice.
func Tree(real string, content []byte) (tree any, ok bool) {
	if IsTOML(real) {
		table := map[string]any{}
		err := toml.Unmarshal(content, &table)
		return table, err == nil
	}
	// The parser recurses, and a stack that overflows cannot be caught.
	const most = 10_000
	if bytes.Count(content, []byte("{"))+bytes.Count(content, []byte("[")) > most {
		return nil, false
	}
	v, err := hujson.Parse(content)
	if err != nil {
		return nil, false
	}
	return meaning(v.Value)
}

// meaning is what a value of JSON says; ok is false where a key is there twice.
func meaning(v hujson.ValueTrimmed) (tree any, ok bool) {
	switch x := v.(type) {
	case *hujson.Object:
		object := map[string]any{}
		for _, m := range x.Members {
			key := m.Name.Value.(hujson.Literal).String()
			if _, twice := object[key]; twice {
				return nil, false
			}
			if object[key], ok = meaning(m.Value.Value); !ok {
				return nil, false
			}
		}
		return object, true
	case *hujson.Array:
		list := []any{}
		for _, e := range x.Elements {
			value, ok := meaning(e.Value)
			if !ok {
				return nil, false
			}
			list = append(list, value)
		}
		return list, true
	}
	literal := v.(hujson.Literal)
	switch literal.Kind() {
	case '"':
		return literal.String(), true
	case 't', 'f':
		return literal.Bool(), true
	case 'n':
		return nil, true
	}
	return json.Number(literal), true
}

// pair is a value in a tree and the names on the way to it.
type pair struct {
	path  []string
	value any
}

// pairs lists what is in a tree, as deep as it is made of objects.
func pairs(tree any, at []string) (all []pair) {
	object, is := tree.(map[string]any)
	if !is || len(object) == 0 {
		return []pair{{at, tree}}
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		all = append(all, pairs(object[key], append(slices.Clone(at), key))...)
	}
	return all
}

// NameByte reports whether a byte may be part of a name, so that a name that
// ends before it is not the beginning of a longer name.
func NameByte(c byte) bool {
	return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// settingsNames are where agents are set up, and settingsKeys what silences their hooks, in small letters.
var (
	settingsNames = sync.OnceValue(func() paths.List { return paths.New(hosts.Settings(), "") })
	settingsKeys  = sync.OnceValue(func() (keys []string) {
		for _, a := range hosts.Agents() {
			for _, key := range a.Keys {
				if key = strings.ToLower(key); !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
			}
		}
		return keys
	})
)

// IsSettings reports whether a path is where an agent's hooks are registered or silenced.
func IsSettings(real string) bool {
	last := paths.FoldName(path.Base(real))
	kept := last == "nod.js" || slices.Contains([]string{".json", ".toml", ".jsonc"}, path.Ext(last))
	return kept && settingsNames().Match(real)
}
