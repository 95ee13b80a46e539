package install

import (
	"bytes"
	"embed"
	"fmt"
)

// plugins are the lines of JavaScript for agents that start no program before
// a call but load code: what they have in common, and one file for each.
//
//go:embed plugin
var plugins embed.FS

// pluginMark is how a file of nod's own begins. The gate knows it too.
const pluginMark = "// nod-hook: "

// plugin returns the whole of a file that asks nod before every call. Its
// first lines name the program; all else is the same for everybody.
func plugin(name string) func(o Options) []byte {
	return func(o Options) []byte {
		var b bytes.Buffer
		fmt.Fprintf(&b, "%swritten by nod install %s; nod uninstall %s removes it.\n", pluginMark, o.Agent, o.Agent)
		b.WriteString("import { spawn } from \"node:child_process\"\nimport { fstatSync } from " +
			"\"node:fs\"\n\nconst words = ")
		b.Write(encode(o.words()))
		b.WriteByte('\n')
		for _, part := range []string{"shim.js", name} {
			text, err := plugins.ReadFile("plugin/" + part)
			if err != nil {
				panic(err) // it is linked in
			}
			b.Write(text)
		}
		return b.Bytes()
	}
}

// planFile plans for an agent for which nod writes a file of its own. after is
// nil where there is to be none.
func (o Options) planFile(after []byte) (Plan, error) {
	if !o.HasLevel() {
		return Plan{}, o.noLevel()
	}
	f, err := o.read()
	if err != nil {
		return Plan{}, err
	}
	if len(f.data) > 0 && !bytes.HasPrefix(f.data, []byte(pluginMark)) {
		if after == nil {
			after = f.data // not nod's to remove
		} else {
			return Plan{}, fmt.Errorf("%s: nod did not write this file; move it away first, nothing was changed",
				f.path)
		}
	}
	return Plan{Level: o.Level, Path: f.path, Before: f.data, After: after, Findings: f.weaknesses(), file: f}, nil
}
