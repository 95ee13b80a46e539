package history

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/propose"
)

// past is one call as it stands in a transcript, or what became of one.
type past struct {
	id      string
	session string          // "" where a file holds one session
	tool    string          // the name that the agent's hook gives it
	input   json.RawMessage // as the hook is sent it
	dir     string          // where the call ran
	outcome propose.Outcome // of an earlier call; then tool is ""
	typed   bool            // an agent may type into it later, unseen
	foreign bool            // a shell reads it that nod does not
}

// reader understands the lines of one agent's files.
type reader interface {
	// line returns what a line holds, and when it was written.
	line(text []byte) ([]past, time.Time)
	origin
}

// origin is where a session began, "" while nobody has said so.
type origin interface{ root() string }

// readerOf returns what reads a file, and the adapter of its agent.
func readerOf(f File) (reader, agent.Adapter) {
	adapter, _ := agent.ByName(f.Agent)
	switch adapter.(type) {
	case agent.Codex:
		return &codexReader{}, adapter
	case agent.Copilot:
		return &copilotReader{}, adapter
	case agent.Gemini:
		return newGeminiReader(f.Path), adapter
	case agent.Opencode:
		return &opencodeReader{}, adapter
	case agent.Pi:
		return &piReader{}, adapter
	case agent.Qwen:
		return &qwenReader{}, adapter
	}
	return &claudeReader{}, agent.ClaudeCode{}
}

// environ is what the agent's hook finds in its environment of the session.
func environ(a agent.Adapter, root string) []string {
	list := []string{"PWD=" + root, "CLAUDE_CODE_ENTRYPOINT=cli"} // only Claude Code heeds the second
	if project := hosts.ByName(a.Name()).Project; project != "" {
		list = append(list, project+"="+root)
	}
	return list
}

// payload is what the agent's hook would have been sent.
func payload(a agent.Adapter, c past, session string) []byte {
	fields := map[string]any{
		"hook_event_name": "PreToolUse", "session_id": session, "cwd": c.dir, "permission_mode": "default",
		"tool_name": c.tool, "tool_input": c.input, "tool_use_id": c.id,
	}
	switch a.(type) {
	case agent.Copilot:
		fields = map[string]any{"sessionId": session, "cwd": c.dir, "toolName": c.tool, "toolArgs": c.input}
	case agent.Opencode:
		fields = pluginCall("tool.execute.before", c, session)
	case agent.Pi:
		fields = pluginCall("tool_call", c, session)
	case agent.Gemini:
		fields["hook_event_name"] = "BeforeTool"
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	return raw
}

// pluginCall is what nod's own plugin sends.
func pluginCall(hook string, c past, session string) map[string]any {
	return map[string]any{"hook": hook, "session": session, "call": c.id, "directory": c.dir, "interactive": true,
		"tool": c.tool, "args": c.input}
}

// claudeReader reads Claude Code's lines.
type claudeReader struct{ began string }

func (r *claudeReader) root() string { return r.began }

func (r *claudeReader) line(text []byte) (list []past, at time.Time) {
	if !bytes.Contains(text, []byte(`"tool_use"`)) && r.began != "" {
		if c, plain := claudeResult(text); plain {
			return c, at
		}
	}
	var line struct {
		Dir     string    `json:"cwd"`
		Time    time.Time `json:"timestamp"`
		Message struct {
			Content json.RawMessage `json:"content"`
		} `json:"message"`
	}
	if json.Unmarshal(text, &line) != nil {
		return nil, at
	}
	if r.began == "" {
		r.began = line.Dir
	}
	var blocks []struct {
		Type, ID, Name string
		Input          json.RawMessage
		Result         string          `json:"tool_use_id"`
		Failed         bool            `json:"is_error"`
		Content        json.RawMessage `json:"content"`
	}
	if json.Unmarshal(line.Message.Content, &blocks) != nil {
		return nil, at // a text
	}
	for _, b := range blocks {
		switch b.Type {
		case "tool_use":
			list = append(list, past{id: b.ID, tool: b.Name, input: b.Input, dir: line.Dir})
		case "tool_result":
			list = append(list, past{id: b.Result,
				outcome: outcomeOf(b.Failed, bytes.Contains(b.Content, []byte(claudeRefused)))})
		}
	}
	return list, line.Time
}

// claudeResult reads a line without a call, most of which hold what a tool
// returned, without parsing that. plain is false where the result is an error.
// The quotes of a text within the line are escaped, so a key is a key.
func claudeResult(text []byte) (list []past, plain bool) {
	const id = `"tool_use_id":`
	if bytes.Contains(text, []byte(`"is_error":true`)) || bytes.Contains(text, []byte(`"is_error": true`)) {
		return nil, false
	}
	for {
		_, rest, found := bytes.Cut(text, []byte(id))
		if !found {
			return list, true
		}
		if word := bytes.SplitN(rest[:min(len(rest), 200)], []byte(`"`), 3); len(word) == 3 {
			list = append(list, past{id: string(word[1]), outcome: propose.Ran})
		}
		text = rest
	}
}

// claudeRefused begins the result of a call to which a person said no.
const claudeRefused = "The user doesn't want to proceed with this tool use"

func outcomeOf(failed, refused bool) propose.Outcome {
	switch {
	case refused:
		return propose.Refused
	case failed:
		return propose.Failed
	}
	return propose.Ran
}

// codexReader reads the lines of a rollout.
type codexReader struct{ began, now string }

func (r *codexReader) root() string { return r.began }

func (r *codexReader) line(text []byte) (list []past, at time.Time) {
	var line struct {
		Type    string    `json:"type"`
		Time    time.Time `json:"timestamp"`
		Payload json.RawMessage
	}
	switch {
	case bytes.Contains(text, []byte(`_call"`)), bytes.Contains(text, []byte(`"session_meta"`)), bytes.Contains(text,
		[]byte(`"turn_context"`)):
	default:
		return nil, at
	}
	if json.Unmarshal(text, &line) != nil {
		return nil, at
	}
	var p codexPayload
	if json.Unmarshal(line.Payload, &p) != nil {
		return nil, at
	}
	switch {
	case line.Type == "session_meta", line.Type == "turn_context":
		if r.now = p.Dir; r.began == "" {
			r.began = p.Dir
		}
	case line.Type == "response_item":
		if c, ok := p.call(); ok {
			if c.dir == "" {
				c.dir = r.now
			}
			return []past{c}, line.Time
		}
	}
	return nil, line.Time
}

type codexPayload struct {
	Type, Name, Arguments, Input string
	Dir                          string `json:"cwd"`
	ID                           string `json:"call_id"`
}

// call is a call as the hook is shown it: a shell command is "Bash" whatever
// tool of Codex's runs it. Text that is typed into a running program reaches no
// hook.
func (p codexPayload) call() (past, bool) {
	c := past{id: p.ID, tool: p.Name, input: json.RawMessage(p.Arguments)}
	var args struct {
		Cmd, Workdir, Shell string
		Command             json.RawMessage
		TTY                 bool
	}
	switch {
	case p.Type == "custom_tool_call" && p.Name == "apply_patch":
		c.input, _ = json.Marshal(map[string]string{"command": p.Input})
		return c, true
	case p.Type != "function_call" || p.Name == "write_stdin" || !json.Valid(c.input):
		return c, false
	}
	switch p.Name {
	case "exec_command", "shell", "shell_command", "local_shell", "container.exec":
		if json.Unmarshal(c.input, &args) != nil {
			return c, false
		}
		line := args.Cmd
		if line == "" {
			line = commandLine(args.Command)
		}
		c.tool, c.dir, c.typed = "Bash", args.Workdir, args.TTY
		c.foreign = args.Shell != "" && !shells(path.Base(args.Shell))
		c.input, _ = json.Marshal(map[string]string{"command": line})
		return c, line != ""
	}
	return c, true
}

// shells reports whether nod reads what a program of that name is told to run.
func shells(name string) bool { return slices.Contains([]string{"bash", "zsh", "sh"}, name) }

// commandLine is the text of a command that is given as a string, or as the
// words of a shell that runs one.
func commandLine(raw json.RawMessage) string {
	var text string
	var words []string
	switch {
	case json.Unmarshal(raw, &text) == nil:
		return text
	case json.Unmarshal(raw, &words) != nil:
	case len(words) == 3 && shells(path.Base(words[0])) && (words[1] == "-lc" || words[1] == "-c"):
		return words[2]
	default:
		for i, w := range words {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		return strings.Join(words, " ")
	}
	return ""
}

// qwenReader reads the lines of Qwen Code.
type qwenReader struct{ began string }

func (r *qwenReader) root() string { return r.began }

func (r *qwenReader) line(text []byte) (list []past, at time.Time) {
	var line struct {
		Dir     string    `json:"cwd"`
		Time    time.Time `json:"timestamp"`
		Message struct {
			Parts []struct {
				Call *struct {
					ID, Name string
					Args     json.RawMessage
				} `json:"functionCall"`
				Answer *struct {
					ID       string
					Response struct{ Error string }
				} `json:"functionResponse"`
			}
		}
	}
	if json.Unmarshal(text, &line) != nil {
		return nil, at
	}
	if r.began == "" {
		r.began = line.Dir
	}
	for _, part := range line.Message.Parts {
		switch {
		case part.Call != nil:
			list = append(list, past{id: part.Call.ID, tool: part.Call.Name, input: part.Call.Args, dir: line.Dir})
		case part.Answer != nil:
			wrong := part.Answer.Response.Error
			list = append(list, past{id: part.Answer.ID,
				outcome: outcomeOf(wrong != "", strings.Contains(wrong, "canceled by the user"))})
		}
	}
	return list, line.Time
}
