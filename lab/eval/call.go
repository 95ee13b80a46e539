package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/corpus"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// callOf makes a row what a hook would hand to the gate. The error says why the agent's adapter would not read it.
func callOf(r *Row, own bool) (nod.Call, error) {
	switch {
	case own:
		c := plainCall(r, r.Tool)
		c.Dir, c.Roots, c.Environ = cmp.Or(r.Dir, corpus.Project), []string{corpus.Project}, corpus.Environ()
		return c, nil
	case r.Agent == agent.Host("claude-code").Name() && r.ToolName != "":
		return claudeCall(r)
	}
	c := plainCall(r, canonical(r.Tool, r.ToolName))
	c.Dir, c.Environ = r.dir(), Environ(r.dir())
	c.Roots = []string{c.Dir}
	return c, nil
}

// claudeCall lets the adapter read a payload as Claude Code writes it.
func claudeCall(r *Row) (nod.Call, error) {
	payload, err := json.Marshal(map[string]any{
		"hook_event_name": "PreToolUse", "session_id": cmp.Or(r.Session, "none"), "cwd": r.dir(),
		"permission_mode": "default",
		"tool_name":       r.ToolName, "tool_input": r.Input, "tool_use_id": r.ID,
	})
	if err != nil {
		return nod.Call{}, err
	}
	environ := append(Environ(r.dir()), "CLAUDE_PROJECT_DIR="+r.dir(), "CLAUDE_CODE_ENTRYPOINT=cli")
	e, err := agent.Host("claude-code").Decode(payload, environ)
	if err != nil {
		return nod.Call{}, err
	}
	e.Call.Roots = []string{r.dir()}
	return e.Call, nil
}

// canonical names the tool of a row of an agent that has no adapter. The names are those of Codex, Copilot CLI and pi
// in open session data; "" is a tool that nod does not know.
func canonical(tool, raw string) string {
	byName := map[string]string{"update_plan": "todo_write", "read_bash": "task_get", "stop_bash": "task_stop",
		"apply_patch": "apply_patch", "web_search": "web_search"}
	byKind := map[string]string{"read": "read_file", "search": "grep", "edit": "file_edit", "write": "file_write",
		"fetch": "web_fetch", "bash": "bash", "mcp": "mcp", "agent": "agent"}
	return cmp.Or(byName[raw], byKind[tool])
}

// arguments are the keys that rows spell the same for all tools. Keys are read in their exact case, as an agent would.
type arguments map[string]json.RawMessage

// texts are the values of some keys, in their order: texts and lists of texts.
func (a arguments) texts(names ...string) (list []string) {
	for _, name := range names {
		var text string
		var more []string
		if json.Unmarshal(a[name], &text) == nil {
			more = []string{text}
		} else if json.Unmarshal(a[name], &more) != nil {
			continue
		}
		for _, text := range more {
			if text != "" && !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return list
}

func (a arguments) text(names ...string) string { return strings.Join(a.texts(names...), "") }

// plainCall reads a row by its canonical tool.
func plainCall(r *Row, tool string) nod.Call {
	c := nod.Call{ID: r.ID, Agent: cmp.Or(r.Agent, "eval"), Session: r.Session, Tool: tool,
		RawTool: cmp.Or(r.ToolName, r.Tool), Input: r.Input, Interactive: true}
	var in arguments
	if json.Unmarshal(r.Input, &in) != nil {
		return c
	}
	if rest, ok := strings.CutPrefix(r.ToolName, "mcp__"); ok {
		server, name, _ := strings.Cut(rest, "__")
		c.MCP = &nod.MCP{Server: server, Tool: name}
	}
	switch {
	case c.MCP != nil || tool == "mcp" || tool == "":
		return c
	case tool == "bash":
		c.Command = in.text("command")
		return c
	}
	c.URL, c.Paths = in.text("url"), in.texts("file_path", "notebook_path", "path", "files", "paths")
	if tool == "glob" {
		c.Paths = append(c.Paths, in.text("pattern"))
	}
	if len(c.Paths) > 0 && (tool == "file_edit" || tool == "file_write") {
		c.Edits = []nod.Edit{{Path: c.Paths[0], Whole: tool == "file_write" || in.text("file_text") != "",
			Old: in.text("old_string", "old_str", "oldText"),
			New: in.text("new_string", "new_str", "newText", "content", "file_text")}}
	}
	return c
}

// remember changes the world as the call did, if it ran.
func remember(r *Row, c nod.Call, w *world) {
	if !r.ran() {
		return
	}
	switch c.Tool {
	case "file_edit", "file_write", "notebook_edit", "apply_patch":
		for _, name := range c.Paths {
			if !path.IsAbs(name) {
				name = c.Dir + "/" + name
			}
			if real, err := view.Resolve(w, name); err == nil {
				content, known := wholeContent(c, name)
				w.file(real, content, known)
			}
		}
	case "bash":
		if c.Command != "" {
			rememberCommand(c, w)
		}
	}
}

// wholeContent is what a write left behind. A clipped row does not say.
func wholeContent(c nod.Call, name string) ([]byte, bool) {
	for _, e := range c.Edits {
		if e.Path == name && e.Whole && !strings.Contains(e.New, "…[clipped ") {
			return []byte(e.New), true
		}
	}
	return nil, false
}

// rememberCommand writes down what a command is known to write and delete.
func rememberCommand(c nod.Call, w *world) {
	report := analyze(c, w)
	for _, e := range report.Effects {
		switch {
		case e.Target == "" || !path.IsAbs(e.Target) || e.Pattern != "" || e.Place == shell.Null ||
			e.Place == shell.Device:
		case e.Kind == shell.Delete && !view.Below(w.dir+"/.git", e.Target):
			w.Remove(e.Target)
		case e.Kind == shell.Write:
			if _, err := w.Lstat(e.Target); err == nil {
				break
			}
			if e.Recursive || report.By(e, shell.MakesDirectories) {
				w.Dir(e.Target, 0o755)
			} else {
				w.file(e.Target, nil, false)
			}
		}
	}
}

// analyze asks for the facts that the gate sees, for what it does not return.
func analyze(c nod.Call, w *world) shell.Report {
	return shell.Analyze(c.Command, shell.Env{
		Dialect: c.Dialect, Dir: c.Dir, Home: HomeOf(c.Dir), Roots: c.Roots, Files: w,
		Lookup: func(name string) (string, bool) { return place.Lookup(c.Environ, name) },
	})
}

// shown is a row's input for people, on one line.
func shown(r *Row, width int) string {
	var in arguments
	if json.Unmarshal(r.Input, &in) == nil {
		if command := in.text("command"); command != "" && r.Tool == "bash" {
			return printable.Line(command, width)
		}
	}
	var flat bytes.Buffer
	if json.Compact(&flat, r.Input) != nil {
		return printable.Line(string(r.Input), width)
	}
	return printable.Line(fmt.Sprintf("%s %s", cmp.Or(r.ToolName, r.Tool), flat.String()), width)
}
