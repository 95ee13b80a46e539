package history

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/transcript"
)

// past is one call as it stands in a transcript.
type past struct {
	id, tool string
	input    json.RawMessage
	time     time.Time
}

// calls yields the calls of a file, newest first. An error ends them.
func (f File) calls(ctx context.Context) iter.Seq2[past, error] {
	return func(yield func(past, error) bool) {
		for turn, err := range f.turns(ctx) {
			if err != nil {
				yield(past{}, err)
				return
			}
			if turn.Tool == "" || turn.Tool == "write_stdin" { // what Codex types into a program reaches no hook
				continue
			}
			c := past{turn.Call, turn.Tool, turn.Input, turn.Time}
			if f.Agent == "codex" {
				c.tool, c.input = asCodexHook(c.tool, c.input)
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

// turns is the conversation of a file, newest first: what the agent's adapter would
// read if a hook of the session were asked about a call now.
func (f File) turns(ctx context.Context) iter.Seq2[transcript.Turn, error] {
	adapter, _ := agent.ByName(f.Agent)
	home, _, _ := strings.Cut(f.Path, "/.copilot/") // no payload of Copilot's names the file
	e, err := adapter.Decode(f.payload(past{tool: "none", input: json.RawMessage("{}")}, "/"),
		[]string{"PWD=/", "HOME=" + home})
	if err != nil || e.Call.Transcript == nil {
		return func(yield func(transcript.Turn, error) bool) { yield(transcript.Turn{}, err) }
	}
	return e.Call.Transcript(ctx)
}

// event is a call as the hook of the session would read it, in a person's environment.
func (f File) event(c past, root string, person []string) (agent.Event, error) {
	adapter, _ := agent.ByName(f.Agent)
	e, err := adapter.Decode(f.payload(c, root), f.environ(root, person))
	e.Call.Roots, e.Call.Interactive, e.Call.Transcript, e.Call.Opening = []string{root}, true, nil, nil
	e.Call.StdinUnseen = false
	return e, err
}

// payload is what the agent's hook would have been sent.
func (f File) payload(c past, dir string) []byte {
	fields := map[string]any{
		"hook_event_name": "PreToolUse", "session_id": f.session(), "cwd": dir, "permission_mode": "default",
		"tool_name": c.tool, "tool_input": c.input, "tool_use_id": "", "transcript_path": f.Path,
	}
	switch f.Agent {
	case "copilot":
		fields = map[string]any{"sessionId": f.session(), "cwd": dir, "toolName": c.tool, "toolArgs": c.input}
	case "gemini":
		fields["hook_event_name"] = "BeforeTool"
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	return raw
}

// environ is the person's, with what tells the agent's hook where it is.
func (f File) environ(root string, person []string) []string {
	own := []string{"PWD=" + root, "CLAUDE_CODE_ENTRYPOINT=cli"} // only Claude Code heeds the second
	if project := hosts.ByName(f.Agent).Project; project != "" {
		own = append(own, project+"="+root)
	}
	rest := slices.DeleteFunc(slices.Clone(person), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, name+"=") })
	})
	return append(rest, own...)
}

// asCodexHook is a call of Codex's model as its hook is shown it: a shell command is "Bash"
// whatever tool runs it, and a patch is a command.
func asCodexHook(tool string, input json.RawMessage) (string, json.RawMessage) {
	var args struct{ Cmd, Command string }
	switch tool {
	case "apply_patch":
		if json.Unmarshal(input, &args.Cmd) != nil {
			return tool, input
		}
	case "exec_command", "shell_command":
		if json.Unmarshal(input, &args) != nil {
			return tool, input
		}
		tool = "Bash"
	default:
		return tool, input
	}
	raw, err := json.Marshal(map[string]string{"command": cmp.Or(args.Cmd, args.Command)})
	if err != nil {
		return tool, nil
	}
	return tool, raw
}
