package nod

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// Approvals are calls that a person approved from outside of the agent. They
// are asked about what an ask rule leaves to a person, what layers 0 to 3 leave
// open, and about nothing else: no approval clears what layer 0 denies or the
// irrecoverable. It is safe for concurrent use.
type Approvals interface {
	// Approved says how the call of that key was approved, in a few words, ""
	// if it was not. An approval that holds once is used up: of several calls
	// at the same time exactly one gets it. An error approves nothing.
	Approved(key string) (how string, err error)
	// LetRun reports whether a person let a call of that key run when the
	// agent's host asked them, earlier in the session. A model is told; it
	// approves nothing.
	LetRun(key string) bool
}

// Approvable names an open call for the person who may approve it.
type Approvable struct {
	// Key is a hash of what the call would do and of the files that it would
	// run; "" where no approval clears it. It says nothing of the agent or the
	// session.
	Key string `json:"key"`
	// Once says that an approval holds for one call only: something that would
	// run is not read and hashed, what the command does is not known, a word is
	// known only when the command runs (a variable, the output of another
	// command, a glob), or nobody says in which directory it runs.
	Once bool `json:"once,omitempty"`
}

// approved answers a call that a person approved. ok is false where nobody did,
// and then notice says, for the person, why that could not be found out.
func (t *trial) approved() (d Decision, notice string, ok bool) {
	if t.gate.approvals == nil {
		return Decision{}, "", false
	}
	how, err := t.gate.approvals.Approved(t.approvable().Key)
	switch {
	case err != nil:
		return Decision{}, "nod could not look for an approval: " + printable.Line(err.Error(), reasonLimit), false
	case how == "":
		return Decision{}, "", false
	}
	return t.allowed(LayerApproval, clearance{"a person approved this very call: " + how, t.soft}), "", true
}

// approvable names the call: the tool, its arguments, the command as it is
// parsed, its directory, what it does and to what, and everything that was read
// to know that, with the hashes of what would run. Neither the agent nor the
// session is part of it, nor a time-out, nor words that only describe.
func (t *trial) approvable() Approvable {
	if t.name != nil {
		return *t.name
	}
	h, c := newKey("approval 2"), t.call
	h.add(c.Tool, c.URL)
	switch {
	case c.MCP != nil:
		h.add("mcp", c.MCP.Server, c.MCP.Tool)
	case c.Tool == "":
		h.add("agent", c.Agent, c.RawTool) // another agent's tool of that name is another one
	}
	nowhere := c.Dir == "" && (c.Command != "" || slices.ContainsFunc(c.Paths, func(name string) bool { return !path.IsAbs(name) }))
	if nowhere { // the same words mean other files in another workspace
		h.add("roots")
		h.add(t.at.Roots...)
	}
	t.addCall(h)
	t.addPaths(h)
	t.addReport(h)
	whole := t.addInputs(h)
	t.name = &Approvable{Key: h.sum(), Once: nowhere || !whole || !t.bindsAll()}
	return *t.name
}

const (
	inputBytes = 1 << 20 // the largest file that a line reads and that is hashed
	inputFiles = 32      // how many of them
)

// addInputs adds the files that the line names, by their content: what it
// sends, applies, or reads its options from (-d @FILE, -f FILE, -K FILE). Those
// that an agent may not write without being asked are left out. It reports
// whether all of them could be read.
func (t *trial) addInputs(h key) (whole bool) {
	whole = true
	var seen []string
	for i, c := range t.report.Commands {
		for _, w := range c.Words[min(1, len(c.Words)):] {
			for _, name := range operands(w) {
				real, ok := t.input(c.Dir, name)
				if !ok || slices.Contains(seen, real) {
					continue
				}
				seen = append(seen, real)
				if len(seen) > inputFiles || !t.addInput(h, i, real) {
					whole = false
				}
			}
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
func (t *trial) input(dir, name string) (real string, ok bool) {
	if name == "" || len(name) > 1024 || strings.ContainsAny(name, "\n\x00") || strings.Contains(name, "://") {
		return "", false
	}
	if !path.IsAbs(name) {
		if !path.IsAbs(dir) {
			return "", false
		}
		name = path.Join(dir, name)
	}
	real, err := view.Resolve(t.gate.machine.Files, name)
	if err != nil || !slices.ContainsFunc(append([]string{"/tmp", "/var/tmp"}, t.at.Roots...), func(root string) bool { return view.Below(root, real) }) {
		return "", false
	}
	info, err := t.gate.machine.Files.Lstat(real)
	return real, err == nil && info.Mode.IsRegular()
}

func (t *trial) addInput(h key, command int, real string) bool {
	data, err := t.gate.machine.Files.Read(real, inputBytes)
	if err != nil {
		return false
	}
	sum := sha256.Sum256(data)
	e := Evidence{Path: real, SHA256: hex.EncodeToString(sum[:])}
	h.add("input", strconv.Itoa(command), e.Path, e.SHA256)
	t.inputs = append(t.inputs, e)
	return true
}

// addPaths adds where the files that the call names really are.
func (t *trial) addPaths(h key) {
	for _, name := range t.call.Paths {
		real, err := t.gate.machine.Locate(t.call.Dir, name)
		h.add(name, real, fmt.Sprint(err != nil))
	}
}

// addReport adds what is known of a command.
func (t *trial) addReport(h key) {
	for _, c := range t.report.Commands {
		h.add("command", c.Program, fmt.Sprint(c.Foreign), c.Dir)
		for _, w := range c.Words { // what the environment makes of them
			h.add(w.Value, fmt.Sprint(w.Known))
		}
	}
	for _, e := range t.report.Effects {
		h.add("effect", e.Kind.Name(), e.Target, e.Pattern, fmt.Sprint(e.Recursive, e.Forced, e.Moved))
	}
	for _, u := range t.report.Unknowns {
		h.add("unknown", unspaced(u.What))
	}
	for _, d := range t.report.Definitions {
		h.add("definition", d.Path, d.SHA256)
	}
	for _, e := range t.report.Read {
		if !t.entryOf(e.Path) {
			h.add("read", e.Path, e.SHA256)
		}
	}
}

// entryOf reports whether a file counts by an entry of it alone: of a
// package.json, the script that runs.
func (t *trial) entryOf(file string) bool {
	return slices.ContainsFunc(t.report.Definitions, func(d shell.Definition) bool {
		return d.Path != file && shell.DefinitionFile(d.Path) == file && d.SHA256 != ""
	})
}

// bindsAll reports whether the call's name holds every word of the line and the
// hash of all that it is known to run. What a script makes of variables is the
// script's.
func (t *trial) bindsAll() bool {
	for _, d := range t.report.Definitions {
		if d.SHA256 == "" {
			return false
		}
	}
	for _, c := range t.report.Commands {
		if c.Foreign && c.Program != "" && !t.isBound(c.Program) {
			return false
		}
		if slices.ContainsFunc(c.Words, isOpen) && (c.Caller == 0 || runsItsWords(c)) {
			return false
		}
	}
	return t.report.Exceeded == "" && !slices.ContainsFunc(t.report.Effects, t.meansMoreLater) && !slices.ContainsFunc(t.report.Effects, t.runsUnbound) && !slices.ContainsFunc(t.report.Unknowns, t.unbound)
}

// runsItsWords reports whether a word of a script that nobody knows before it
// runs may name what runs: the program itself, or a file or a text that the
// program runs.
func runsItsWords(c shell.Command) bool {
	if isOpen(c.Words[0]) || len(c.Wrappers) > 0 {
		return true
	}
	return shell.RunsWords(path.Base(c.Words[0].Value))
}

// meansMoreLater reports whether an effect is on something else later, though
// the words stay the same: the files that a glob matches, what a tree holds, or
// what git has by then in its commits, stashes and index.
func (t *trial) meansMoreLater(e shell.Effect) bool {
	switch {
	case t.ofGit(e) && (e.Kind != shell.Read || !e.Names):
		return true
	case e.Kind > shell.Run || e.Place == shell.Network || e.Names:
		return false
	}
	return e.Pattern != "" || e.Recursive || e.Kind == shell.Write && t.loss.CopiesTree(e) || e.Kind != shell.Write && t.gate.machine.IsDirectory(e.Target)
}

// ofGit reports whether an effect comes from what a command of git is told.
func (t *trial) ofGit(e shell.Effect) bool {
	return e.Part != shell.PartRedirection && e.Command >= 0 && e.Command < len(t.report.Commands) && path.Base(t.report.Commands[e.Command].Program) == "git"
}

func isOpen(w shell.Word) bool { return !w.Known }

// runsUnbound reports whether an effect runs what is not wholly in the name: a
// file that is not hashed or may load others, or no file that is known at all
// (a module, inline code that may import, a project's code, a build file).
func (t *trial) runsUnbound(e shell.Effect) bool {
	switch {
	case e.Kind != shell.Run:
		return false
	case path.IsAbs(e.Target):
		return !t.isBound(e.Target) || t.loadsMore(e.Target, t.report.ProgramOf(e))
	}
	return !slices.ContainsFunc(t.report.Definitions, func(d shell.Definition) bool { return d.Command == e.Command })
}

// unbound reports whether something unknown may change what the command does
// though the name stays the same.
func (t *trial) unbound(u shell.Unknown) bool {
	if strings.HasSuffix(u.What, " is not on PATH") {
		return false // where it is found is part of the name
	}
	if u.Command < 0 || u.Command >= len(t.report.Commands) {
		return true
	}
	c := t.report.Commands[u.Command]
	return c.Caller == 0 || !slices.ContainsFunc(c.Words, isOpen) || runsItsWords(c)
}

// loadsMore reports whether a program's text may load or start others, which
// are not read. program runs it, or is the file itself.
func (t *trial) loadsMore(file, program string) bool {
	data, err := t.gate.machine.Files.Read(file, inputBytes)
	if err != nil {
		return true
	}
	if isShellScript(string(data), file, program) && shell.ScriptLoads(string(data)) {
		return true
	}
	text := strings.ToLower(string(data))
	for _, word := range [...]string{"import", "require", "include", "load", "exec", "eval", "source", "from ", "use ", "spawn", "system", "popen", "run", "dofile", "`", "%x",
		"do \"", "do '", "do $", "do(", "do q", "do <", "module", "global", "getattr", "builtins", "constructor", "send(", "invoke"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// isShellScript reports whether a shell reads a file: by the program that is
// given it, by its first line, or since nothing says otherwise.
func isShellScript(text, file, program string) bool {
	switch program {
	case ".", "sh", "bash", "zsh", "dash", "ash", "ksh", "mksh": // . is a builtin
		return true
	}
	first, _, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(first, "#!") {
		return strings.Contains(first, "sh")
	}
	return program == path.Base(file)
}

func (t *trial) isBound(file string) bool {
	return slices.ContainsFunc(t.report.Definitions, func(d shell.Definition) bool {
		return d.SHA256 != "" && (d.Path == file || strings.HasPrefix(d.Path, file+"#"))
	})
}

// letRun is the fact that a person let this very call run before, for the
// model.
func (t *trial) letRun() []string {
	if t.gate.approvals == nil || !t.gate.approvals.LetRun(t.approvable().Key) {
		return nil
	}
	return []string{"the agent's host asked about this same call earlier in the session, and it was then let run; that was for that one time"}
}
