package history

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/view"
)

// home is a home directory with one session of each agent that is read, begun in work.
func home(t *testing.T) (dir, work string) {
	t.Helper()
	dir = t.TempDir()
	work = filepath.Join(dir, "work")
	for name, text := range map[string]string{
		"work/README": "",
		".claude/projects/-w/s1.jsonl": `{"type":"user","cwd":"@","sessionId":"s1","uuid":"a","timestamp":"2026-11-20T12:00:00Z","message":{"role":"user","content":"do it"}}
{"type":"assistant","cwd":"@","uuid":"b","timestamp":"2026-11-20T12:00:01Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"ls -la"}},{"type":"tool_use","id":"c2","name":"Bash","input":{"command":"rm -rf ~"}}]}}
{"type":"user","cwd":"@","uuid":"c","timestamp":"2026-11-20T12:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2","is_error":true,"content":"The user doesn't want to proceed with this tool use. The tool use was rejected"}]}}
`,
		".codex/sessions/2026/rollout-1.jsonl": `{"timestamp":"2026-11-20T13:00:00Z","type":"session_meta","payload":{"id":"c","cwd":"@"}}
{"timestamp":"2026-11-20T13:00:01Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"git status\"}","call_id":"c1"}}
{"timestamp":"2026-11-20T13:00:03Z","type":"response_item","payload":{"type":"function_call","name":"shell_command","arguments":"{\"command\":\"rm -rf /\"}","call_id":"c3"}}
`,
		".copilot/session-state/e0b6/events.jsonl": `{"type":"session.start","data":{"sessionId":"e0b6","context":{"cwd":"@","gitRoot":"@"}},"timestamp":"2026-11-22T20:27:57.995Z"}
{"type":"tool.execution_start","data":{"toolCallId":"c1","toolName":"bash","arguments":{"command":"ls -la"}},"timestamp":"2026-11-22T20:27:58.648Z"}
`,
		".gemini/tmp/w/.project_root": "@",
		".gemini/tmp/w/chats/one.jsonl": `{"sessionId":"s","projectHash":"h","startTime":"2026-11-22T20:27:31.295Z","kind":"main"}
{"id":"m","timestamp":"2026-11-22T20:27:33.034Z","type":"gemini","content":"","toolCalls":[{"id":"g1","name":"run_shell_command","args":{"command":"ls"},"status":"success"}]}
`,
		".qwen/projects/-w/chats/a.jsonl": `{"type":"user","cwd":"@","uuid":"a","sessionId":"s","timestamp":"2026-11-20T14:00:00Z","message":{"role":"user","parts":[{"text":"do it"}]}}
{"type":"assistant","cwd":"@","uuid":"b","sessionId":"s","timestamp":"2026-11-20T14:00:01Z","message":{"role":"model","parts":[{"functionCall":{"id":"q1","name":"run_shell_command","args":{"command":"ls"}}}]}}
`,
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "@", work)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, work
}

func unset(string) string { return "" }

// TestCallsOfEveryAgent: what the agents' own readers find, as their hooks would be told.
func TestCallsOfEveryAgent(t *testing.T) {
	dir, work := home(t)
	files, problems := Find(dir, unset)
	if len(problems) > 0 || len(files) != len(Agents()) {
		t.Fatalf("%v, %v", files, problems)
	}
	want := map[string][]string{"claude-code": {"rm -rf ~", "ls -la"}, "codex": {"rm -rf /", "git status"},
		"copilot": {"ls -la"}, "gemini": {"ls"}, "qwen": {"ls"}}
	for _, f := range files {
		var got []string
		for c, err := range f.calls(t.Context()) {
			if err != nil {
				t.Errorf("%s: %v", f.Agent, err)
				break
			}
			e, err := f.event(c, f.root(), nil)
			if err != nil || e.Kind != agent.Decide || e.Call.Tool != "bash" || e.Call.Dir != work {
				t.Errorf("%s: the hook reads %v %+v", f.Agent, err, e.Call)
			}
			got = append(got, e.Call.Command)
		}
		if diff := cmp.Diff(want[f.Agent], got); diff != "" {
			t.Errorf("%s: %s", f.Agent, diff)
		}
	}
}

// TestRead: the calls are counted once, by agent and verdict; where the directory is gone nothing is judged.
func TestRead(t *testing.T) {
	dir, work := home(t)
	files, _ := Find(dir, unset)
	files = append(files, files[0]) // resumed
	o := Options{Gate: func(root string, files view.Files) (*nod.Gate, error) {
		if root != work {
			t.Errorf("judged in %s", root)
		}
		return nod.New(nod.Options{Rules: nod.DefaultRules(), Files: files, Home: dir}), nil
	}}
	r, err := Read(t.Context(), files, o)
	if err != nil || r.Calls != 7 || r.Denied != 2 || len(r.DeniedFor) == 0 || len(r.Agents) != 5 ||
		len(r.Problems) > 0 {
		t.Errorf("%v %+v", err, r)
	}
	if r.First.Hour() != 12 || r.Last.Day() != 22 {
		t.Errorf("%s to %s", r.First, r.Last)
	}
	if err := os.RemoveAll(work); err != nil {
		t.Fatal(err)
	}
	if r, err = Read(t.Context(), files, o); err != nil || r.Calls != 0 || r.Unjudged[Gone] != 7 {
		t.Errorf("gone: %v %+v", err, r)
	}
}

// TestClass: reasons that differ in what they speak of are one.
func TestClass(t *testing.T) {
	for reason, want := range map[string]string{
		"this runs code that nod has not read: npm test": "this runs code that nod has not read",
		"it writes /w/a, outside":                        "it writes ... outside",
	} {
		if got := Class(reason); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if !slices.IsSorted(Agents()) {
		t.Error("the agents are in no order")
	}
}
