package nod

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// pluginMark is how a file begins that nod install has written as a whole.
const pluginMark = "// nod-hook: "

// wiring returns what of an agent's settings calls nod: every hook entry that
// names nod-hook, with the event and matcher it stands under. Two files with
// the same wiring call nod in the same way. A file that is not JSON is taken
// line by line: each that names nod-hook, and the few around it. Of a file
// that nod has written itself every byte counts.
func wiring(content []byte) string {
	if bytes.HasPrefix(content, []byte(pluginMark)) {
		return string(content)
	}
	var tree any
	if json.Unmarshal(content, &tree) != nil {
		return wiringLines(unescape(string(content)))
	}
	var found []string
	collect(tree, "", &found)
	slices.Sort(found)
	return strings.Join(found, "\n")
}

// permissionsIn returns what of Claude Code's settings says which calls are
// permitted; of a text that is not plain JSON, all of it.
func permissionsIn(content []byte) string {
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

// collect walks a JSON tree. above is the object keys on the way, with the
// plain values beside them; positions in lists do not count, so that other
// hooks may come and go.
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
			here += plainValues(x)
		}
		for k, v := range x {
			collect(v, here+"/"+k, found)
		}
	}
}

// plainValues renders what of an object is not an object itself.
func plainValues(object map[string]any) string {
	var values []string
	for k, v := range object {
		if _, nested := v.(map[string]any); nested || holdsObject(v) {
			continue
		}
		if text, err := json.Marshal(v); err == nil {
			values = append(values, k+":"+string(text))
		}
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
