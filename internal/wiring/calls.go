package wiring

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// PluginMark is how a file begins that nod install has written as a whole.
const PluginMark = "// nod-hook: "

// Lines returns what of an agent's settings calls nod: every hook entry that
// names nod-hook, with the event and matcher it stands under. Two files with
// the same wiring call nod in the same way. Of TOML it is all that stands
// under hooks, where Codex also keeps what the person trusts. A file that is
// neither is taken line by line: each that names nod-hook, and the few around
// it. Of a file that nod has written itself every byte counts.
func Lines(real string, content []byte) string {
	if bytes.HasPrefix(content, []byte(PluginMark)) {
		return string(content)
	}
	tree, ok := Tree(real, content)
	if !ok {
		return wiringLines(Unescape(string(content)))
	}
	var found []string
	if table, _ := tree.(map[string]any); IsTOML(real) {
		hooks, _ := json.Marshal(table["hooks"])
		found = append(found, string(hooks))
		delete(table, "hooks")
	}
	collect(tree, "", &found)
	slices.Sort(found)
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

// collect walks a JSON tree. above is the object keys on the way, with what
// stands beside them; positions in lists do not count, so that other hooks may
// come and go. Of the hook itself every member counts.
func collect(tree any, above string, found *[]string) {
	switch x := tree.(type) {
	case string:
		if strings.Contains(x, "nod-hook") {
			*found = append(*found, above+" = "+x)
		}
	case []any:
		for _, v := range x {
			collect(v, above, found)
		}
	case map[string]any:
		here := above
		if above != "" {
			here += besides(x)
		}
		for k, v := range x {
			collect(v, here+"/"+k, found)
		}
	}
}

// besides renders what of an object is neither a list of objects nor leads to
// nod's hook.
func besides(object map[string]any) string {
	var values []string
	for k, v := range object {
		text, err := json.Marshal(v)
		_, nested := v.(map[string]any)
		if err != nil || holdsObject(v) || nested && bytes.Contains(text, []byte("nod-hook")) {
			continue
		}
		values = append(values, k+":"+string(text))
	}
	slices.Sort(values)
	return "{" + strings.Join(values, ",") + "}"
}

func holdsObject(v any) bool {
	list, ok := v.([]any)
	return ok && slices.ContainsFunc(list, func(e any) bool { _, nested := e.(map[string]any); return nested })
}

func wiringLines(text string) string {
	const around = 6
	lines := strings.Split(text, "\n")
	var kept []string
	last := -1
	for i, line := range lines {
		if !strings.Contains(line, "nod-hook") {
			continue
		}
		for j := max(last+1, i-around); j <= min(i+around, len(lines)-1); j++ {
			kept, last = append(kept, strings.TrimSpace(lines[j])), j
		}
	}
	return strings.Join(kept, "\n")
}

// MentionsHook reports whether a text names nod's hook, escapes resolved.
func MentionsHook(text string) bool { return strings.Contains(Unescape(text), "nod-hook") }
