// Package agenttest has the calls that tests play to every agent.
package agenttest

import (
	_ "embed" // the calls
	"encoding/json"
	"slices"
	"strings"
)

//go:embed script.txt
var script string

// ScriptCall is one call of the script that is played in every mode of every agent: a tool by Claude Code's name,
// with its input as JSON. In the input DIR stands for the workspace and HOME for the home directory.
type ScriptCall struct{ Tool, Input string }

// Ordinary are 40 calls of a day's work that change nothing.
func Ordinary() []ScriptCall { return part("ordinary") }

// Grave returns 40 calls that lose work, leak, or run code that nod has not read. Of the first
// unread calls nod knows only that they run such code.
func Grave() (list []ScriptCall, unread int) {
	list = part("unread")
	return slices.Concat(list, part("grave")), len(list)
}

// Mixed are 40 calls as a session has them; of the last wrong nod knows that they lose
// or show what nothing brings back.
func Mixed() (list []ScriptCall, wrong int) {
	last := part("wrong")
	return append(part("mixed"), last...), len(last)
}

func part(name string) (list []ScriptCall) {
	_, text, _ := strings.Cut(script, "["+name+"]\n")
	text, _, _ = strings.Cut(text, "\n\n")
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if tool, input, is := strings.Cut(line, " {"); is {
			list = append(list, ScriptCall{tool, "{" + input})
		} else {
			raw, _ := json.Marshal(map[string]string{"command": line}) // a map of texts: cannot fail
			list = append(list, ScriptCall{"Bash", string(raw)})
		}
	}
	return list
}
