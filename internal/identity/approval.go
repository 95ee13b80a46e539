package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// Approval names the call: the tool, its arguments, the command as it is
// parsed, its directory, what it does and to what, and everything that was read
// to know that, with the hashes of what would run. Neither the agent nor the
// session is part of it, nor a time-out, nor words that only describe.
func (n *Call) Approval() (name string, once bool) {
	h := NewKey("approval 2")
	h.Add(n.Tool, n.URL)
	switch {
	case n.MCP != nil:
		h.Add("mcp", n.MCP.Server, n.MCP.Tool)
	case n.Tool == "":
		h.Add("agent", n.Agent, n.RawTool) // another agent's tool of that name is another one
	}
	nowhere := n.At.Dir == "" &&
		(n.Command != "" || slices.ContainsFunc(n.Paths, func(name string) bool { return !path.IsAbs(name) }))
	if nowhere { // the same words mean other files in another workspace
		h.Add("roots")
		h.Add(n.At.Roots...)
	}
	n.AddCall(h)
	n.addPaths(h)
	n.addReport(h)
	whole := n.addInputs(h)
	return h.Sum(), nowhere || !whole || !n.bindsAll()
}

const (
	inputBytes = 1 << 20 // the largest file that a line reads and that is hashed
	inputFiles = 32      // how many of them
)

// addInputs adds the files that the line names or is given, by their content:
// what it sends, applies, or reads its options from (-d @FILE, -f FILE, < FILE).
// Those that an agent may not write without being asked are left out. It
// reports whether all of them are there and could be read.
func (n *Call) addInputs(h Key) (whole bool) {
	whole = true
	for i, c := range n.Report.Commands {
		for _, w := range c.Words[min(1, len(c.Words)):] {
			for _, name := range operands(w) {
				whole = n.addInput(h, i, c.Dir, name) && whole
			}
		}
	}
	for _, e := range n.Report.Effects {
		if e.Kind == shell.Read && path.IsAbs(e.Target) {
			_, err := n.At.Machine.Files.Lstat(e.Target)
			whole = err == nil && n.addInput(h, e.Command, "", e.Target) && whole
		}
	}
	return whole
}

// operands are the names of files that a word may hold: FILE, @FILE, X=FILE,
// X=@FILE, -XFILE.
func operands(w shell.Word) []string {
	if !w.Known || w.Pattern || w.Value == "" {
		return nil
	}
	var names []string
	if _, value, ok := strings.Cut(w.Value, "="); ok {
		names = append(names, value, strings.TrimLeft(value, "@<"))
	}
	if len(w.Value) > 2 && w.Value[0] == '-' && w.Value[1] != '-' {
		names = append(names, strings.TrimLeft(w.Value[2:], "@<"))
	}
	return append(names, w.Value, strings.TrimLeft(w.Value, "@<"))
}

// input is the regular file in a workspace or a temporary directory that a name
// leads to.
func (n *Call) input(dir, name string) (real string, ok bool) {
	if name == "" || len(name) > 1024 || strings.ContainsAny(name, "\n\x00") || strings.Contains(name, "://") {
		return "", false
	}
	if !path.IsAbs(name) {
		if !path.IsAbs(dir) {
			return "", false
		}
		name = path.Join(dir, name)
	}
	real, err := view.Resolve(n.At.Machine.Files, name)
	if err != nil || !slices.ContainsFunc(append([]string{"/tmp", "/var/tmp"}, n.At.Roots...),
		func(root string) bool { return view.Below(root, real) }) {
		return "", false
	}
	info, err := n.At.Machine.Files.Lstat(real)
	return real, err == nil && info.Mode.IsRegular()
}

// addInput adds the file that a name leads to, if it leads to such a file, and
// reports whether the file could be read.
func (n *Call) addInput(h Key, command int, dir, name string) bool {
	real, ok := n.input(dir, name)
	if !ok || slices.ContainsFunc(n.Inputs, func(f File) bool { return f.Path == real }) {
		return true
	}
	data, err := n.At.Machine.Files.Read(real, inputBytes)
	if err != nil || len(n.Inputs) >= inputFiles {
		return false
	}
	sum := sha256.Sum256(data)
	e := File{Path: real, SHA256: hex.EncodeToString(sum[:])}
	h.Add("input", strconv.Itoa(command), e.Path, e.SHA256)
	n.Inputs = append(n.Inputs, e)
	return true
}

// File is a file and the hash of its content.
type File struct{ Path, SHA256 string }

// addPaths adds where the files that the call names really are.
func (n *Call) addPaths(h Key) {
	for _, name := range n.Paths {
		real, err := n.At.Machine.Locate(n.At.Dir, name)
		h.Add(name, real, fmt.Sprint(err != nil))
	}
}

// addReport adds what is known of a command.
func (n *Call) addReport(h Key) {
	for _, c := range n.Report.Commands {
		h.Add("command", c.Program, fmt.Sprint(c.Foreign), c.Dir)
		for _, w := range c.Words { // what the environment makes of them
			h.Add(w.Value, fmt.Sprint(w.Known))
		}
	}
	for _, e := range n.Report.Effects {
		h.Add("effect", e.Kind.Name(), e.Target, e.Pattern, fmt.Sprint(e.Recursive, e.Forced, e.Moved))
	}
	for _, u := range n.Report.Unknowns {
		h.Add("unknown", Unspaced(u.What))
	}
	for _, d := range n.Report.Definitions {
		h.Add("definition", d.Path, d.SHA256)
	}
	for _, e := range n.Report.Read {
		if !n.entryOf(e.Path) {
			h.Add("read", e.Path, e.SHA256)
		}
	}
}

// entryOf reports whether a file counts by an entry of it alone: of a
// package.json, the script that runs.
func (n *Call) entryOf(file string) bool {
	return slices.ContainsFunc(n.Report.Definitions, func(d shell.Definition) bool {
		return d.Path != file && shell.DefinitionFile(d.Path) == file && d.SHA256 != ""
	})
}
