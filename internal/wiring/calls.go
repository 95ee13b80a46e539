package wiring

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// PluginMark is how a file begins that nod install has written as a whole.
const PluginMark = "// nod-hook: "

// Lines returns what of an agent's settings calls nod: each entry of hooks that
// names nod-hook, with the event it stands under; where another key holds it, all
// of that. Two files with the same wiring call nod in the same way. Of TOML it is
// all that stands under hooks, where Codex also keeps what the person trusts. A
// file that is neither is taken as a whole, and so is one that nod has written
// itself.
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
