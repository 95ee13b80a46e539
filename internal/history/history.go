// Package history reads what a person's coding agents did before, and says what nod would have made of it.
//
// It reads the transcripts of [Agents], where package hosts says that they lie, by the agents' own adapters: of a
// very long file, the end. Links are not followed.
//
// Each call becomes the payload that the agent's hook would have been sent, and is judged by the gate that the hook
// would make for that session: the settings that hold there today, a person who could be asked, no model, no memory.
// Nothing is run, recorded or sent. The files that a call names are those of today. Where the session's directory is
// gone, its calls are counted and not judged. A call with an id that was read before is passed over: a session that
// is resumed is copied into a new file.
package history

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/transcript"
)

// File is one transcript.
type File struct {
	Path  string
	Agent string // the adapter's name
	Size  int64
}

// Agents are the names of the agents whose transcripts are read.
func Agents() []string { return []string{"claude-code", "codex", "copilot", "gemini", "qwen"} }

// Find lists the transcripts in a home directory. getenv reads the variables by which the agents
// move theirs. What cannot be listed is passed over and told in problems.
func Find(home string, getenv func(string) string) (files []File, problems []string) {
	if !filepath.IsAbs(home) {
		return nil, nil
	}
	for _, name := range Agents() {
		a := hosts.ByName(name)
		base := filepath.Join(home, a.Home[0])
		if moved := getenv(a.HomeVariable); filepath.IsAbs(moved) {
			base = moved
		}
		for _, dir := range a.Sessions {
			found, wrong := below(filepath.Join(base, dir), name)
			files, problems = append(files, found...), append(problems, wrong...)
		}
	}
	return files, problems
}

// below walks one directory. It does not follow links.
func below(dir, agent string) (files []File, problems []string) {
	filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name != dir {
				problems = append(problems, err.Error())
			}
			return nil
		}
		if info, err := d.Info(); err == nil && d.Type().IsRegular() && strings.HasSuffix(name, ".jsonl") {
			files = append(files, File{Path: name, Agent: agent, Size: info.Size()})
		}
		return nil
	})
	return files, problems
}

// session is the id by which the agent knows the session of a file.
func (f File) session() string {
	if f.Agent == "copilot" {
		return filepath.Base(filepath.Dir(f.Path))
	}
	return strings.TrimSuffix(filepath.Base(f.Path), ".jsonl")
}

const headLimit = 256 << 10 // how far into a file its session's directory is looked for

// root is where the session began, "" where its file does not say.
func (f File) root() string {
	if f.Agent == "gemini" { // the host writes it beside the chats
		text, _ := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(f.Path)), ".project_root"))
		return strings.TrimSpace(string(text))
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return ""
	}
	defer file.Close()
	head, _ := io.ReadAll(io.LimitReader(file, headLimit))
	// The quotes of a text within a line are escaped, so a key is a key.
	found := regexp.MustCompile(`"cwd": ?"(/[^"\\]*)"`).FindSubmatch(head)
	if found == nil {
		return ""
	}
	return string(found[1])
}

// calls yields the calls of a file, newest first. An error ends them.
func (f File) calls(ctx context.Context) iter.Seq2[transcript.Turn, error] {
	return func(yield func(transcript.Turn, error) bool) {
		for turn, err := range f.turns(ctx) {
			// What Codex types into a program reaches no hook.
			if err == nil && (turn.Tool == "" || turn.Tool == "write_stdin") {
				continue
			}
			if f.Agent == "codex" {
				turn.Tool, turn.Input = asCodexHook(turn.Tool, turn.Input)
			}
			if !yield(turn, err) || err != nil {
				return
			}
		}
	}
}

// turns is the conversation of a file, newest first, as the agent's adapter reads it.
func (f File) turns(ctx context.Context) iter.Seq2[transcript.Turn, error] {
	home, _, _ := strings.Cut(f.Path, "/.copilot/") // no payload of Copilot's names the file
	e, err := agent.Host(f.Agent).Decode(f.payload(transcript.Turn{Tool: "none", Input: json.RawMessage("{}")}, "/"),
		[]string{"PWD=/", "HOME=" + home})
	if err != nil || e.Call.Transcript == nil {
		return func(yield func(transcript.Turn, error) bool) { yield(transcript.Turn{}, err) }
	}
	return e.Call.Transcript(ctx)
}

// event is a call as the hook of the session would read it, in a person's environment.
func (f File) event(c transcript.Turn, root string, person []string) (agent.Event, error) {
	e, err := agent.Host(f.Agent).Decode(f.payload(c, root), f.environ(root, person))
	e.Call.Roots, e.Call.Interactive, e.Call.Transcript, e.Call.Opening = []string{root}, true, nil, nil
	e.Call.StdinUnseen = false
	return e, err
}

func (f File) payload(c transcript.Turn, dir string) []byte {
	fields := map[string]any{
		"hook_event_name": "PreToolUse", "session_id": f.session(), "cwd": dir, "permission_mode": "default",
		"tool_name": c.Tool, "tool_input": c.Input, "tool_use_id": "", "transcript_path": f.Path,
	}
	switch f.Agent {
	case "copilot":
		fields = map[string]any{"sessionId": f.session(), "cwd": dir, "toolName": c.Tool, "toolArgs": c.Input}
	case "gemini":
		fields["hook_event_name"] = "BeforeTool"
	}
	raw, _ := json.Marshal(fields) // texts, and what was read as JSON
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

// asCodexHook is a call of Codex's model as its hook is shown it.
func asCodexHook(tool string, input json.RawMessage) (string, json.RawMessage) {
	var args struct{ Cmd, Command string }
	switch runs := tool == "exec_command" || tool == "shell_command"; {
	case tool == "apply_patch" && json.Unmarshal(input, &args.Cmd) == nil:
	case runs && json.Unmarshal(input, &args) == nil:
		tool = "Bash"
	default:
		return tool, input
	}
	raw, _ := json.Marshal(map[string]string{"command": cmp.Or(args.Cmd, args.Command)}) // a text
	return tool, raw
}
