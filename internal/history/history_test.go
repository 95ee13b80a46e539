package history

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/propose"
)

// TestLines: each line once, whatever the buffer's borders; what is too long is
// counted and its bytes are.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", LineLimit)
	wide := strings.Repeat("y", 200_000)
	for _, test := range []struct {
		name, text string
		want       []string
		long       int
	}{
		{"empty", "", nil, 0},
		{"no end", "a\nb", []string{"a\n", "b"}, 0},
		{"wider than the buffer", wide + "\nb\n", []string{wide + "\n", "b\n"}, 0},
		{"too long", "a\n" + long + "\nb\n", []string{"a\n", "b\n"}, 1},
		{"too long at the end", "a\n" + long + long, []string{"a\n"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			read := 0
			n, err := lines(strings.NewReader(test.text), func(line []byte) { got = append(got, string(line)) },
				func(n int) { read += n })
			if err != nil || n != test.long || read != len(test.text) {
				t.Errorf("%v, %d long, %d of %d bytes", err, n, read, len(test.text))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCommandLine: a command that is given as words is the line that a shell
// would read as these words.
func TestCommandLine(t *testing.T) {
	for raw, want := range map[string]string{
		`"ls -la"`:                         "ls -la",
		`["bash","-lc","ls | wc"]`:         "ls | wc",
		`["rm","-rf","it's"]`:              `'rm' '-rf' 'it'\''s'`,
		`["bash","-lc","ls","x"]`:          `'bash' '-lc' 'ls' 'x'`,
		`7`:                                "",
		`["powershell.exe","-c","Get-It"]`: "'powershell.exe' '-c' 'Get-It'",
	} {
		if got := commandLine([]byte(raw)); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

// TestClaudeResult: the fast way says what parsing says.
func TestClaudeResult(t *testing.T) {
	for _, test := range []struct {
		text string
		want []past
	}{
		{`{"message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}}`,
			[]past{{id: "a", outcome: propose.Ran}}},
		{`{"message": {"content": [{"type": "tool_result", "tool_use_id": "a", "content": "say \"tool_use_id\":\"b\""}]}}`, []past{{id: "a", outcome: propose.Ran}}},
		{`{"message":{"content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"x"}]}}`,
			[]past{{id: "a", outcome: propose.Failed}}},
		{`{"message":{"content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"The user doesn't want to proceed with this tool use."}]}}`, []past{{id: "a", outcome: propose.Refused}}},
		{`{"message":{"content":"tool_use_id"}}`, nil},
	} {
		r := &claudeReader{began: "/w"}
		got, _ := r.line([]byte(test.text))
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(past{})); diff != "" {
			t.Errorf("%s\n%s", test.text, diff)
		}
	}
}

// TestReaders: the lines that each agent's release wrote, and what they hold.
func TestReaders(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".project_root"), []byte("/w\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := json.RawMessage(`{"command":"ls"}`)
	for _, test := range []struct {
		agent string
		lines []string
		want  []past
	}{
		{"gemini", []string{
			`{"sessionId":"s","projectHash":"h","startTime":"2026-11-22T20:27:31.295Z","kind":"main"}`,
			`{"id":"m","timestamp":"2026-11-22T20:27:33.034Z","type":"gemini","content":"","toolCalls":[{"id":"c1","name":"run_shell_command","args":{"command":"ls"},"status":"success","result":[]}]}`,
			`{"$set":{"messages":[{"id":"m","type":"gemini","toolCalls":[{"id":"c2","name":"run_shell_command","args":{"command":"ls"},"status":"cancelled"}]}]}}`,
		}, []past{
			{id: "c1", tool: "run_shell_command", input: command, dir: "/w"}, {id: "c1", outcome: propose.Ran},
			{id: "c2", tool: "run_shell_command", input: command, dir: "/w"}, {id: "c2", outcome: propose.Refused},
		}},
		{"copilot", []string{
			`{"type":"session.start","data":{"sessionId":"s","context":{"cwd":"/w","gitRoot":"/w"}},"timestamp":"2026-11-22T20:27:57.995Z"}`,
			`{"type":"assistant.message","data":{"content":"","toolRequests":[{"toolCallId":"c1","name":"bash","arguments":{"command":"ls"}}]},"timestamp":"2026-11-22T20:27:58.646Z"}`,
			`{"type":"tool.execution_start","data":{"toolCallId":"c1","toolName":"bash","arguments":{"command":"ls"}},"timestamp":"2026-11-22T20:27:58.648Z"}`,
			`{"type":"tool.execution_complete","data":{"toolCallId":"c1","success":false,"error":{"message":"Denied","code":"denied"}},"timestamp":"2026-11-22T20:27:58.659Z"}`,
		}, []past{{id: "c1", tool: "bash", input: command, dir: "/w"}, {id: "c1", outcome: propose.Failed}}},
		{"pi", []string{
			`{"type":"session","version":3,"id":"s","timestamp":"2026-11-22T20:27:57.995Z","cwd":"/w"}`,
			`{"type":"message","id":"a","parentId":null,"timestamp":"2026-11-22T20:27:58.995Z","message":{"role":"user","content":"do it"}}`,
			`{"type":"message","id":"b","parentId":"a","timestamp":"2026-11-22T20:27:59.995Z","message":{"role":"assistant","content":[{"type":"text","text":"yes"},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls"}}],"stopReason":"toolUse"}}`,
			`{"type":"message","id":"c","parentId":"b","timestamp":"2026-11-22T20:28:00.995Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[],"isError":false}}`,
		}, []past{{id: "c1", tool: "bash", input: command, dir: "/w"}, {id: "c1", outcome: propose.Ran}}},
	} {
		t.Run(test.agent, func(t *testing.T) {
			r, adapter := readerOf(File{Agent: test.agent, Path: filepath.Join(dir, "chats", "a.jsonl")})
			var got []past
			for _, text := range test.lines {
				list, _ := r.line([]byte(text))
				got = append(got, list...)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(past{})); diff != "" || r.root() != "/w" {
				t.Errorf("began in %q\n%s", r.root(), diff)
			}
			e, err := adapter.Decode(payload(adapter, got[0], "s"), environ(adapter, "/w"))
			if err != nil || e.Kind != agent.Decide || e.Call.Tool != "bash" || e.Call.Command != "ls" ||
				e.Call.Dir != "/w" {
				t.Errorf("the hook reads %v %+v", err, e.Call)
			}
		})
	}
}

// FuzzReaders: no line of any agent's ends a reader, and what is found has an
// id or a name.
func FuzzReaders(f *testing.F) {
	f.Add([]byte(`{"cwd":"/w","message":{"content":[{"type":"tool_use","id":"a","name":"Bash","input":{}}],"parts":[{"functionCall":{}}]}}`))
	f.Add([]byte(`{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"a\"]}"}}`))
	f.Add([]byte(`"tool_use_id":`))
	f.Add([]byte(`{"type":"tool.execution_start","data":{"toolName":"bash"},"toolCalls":[{"name":"x"}],"$set":{"messages":[{"toolCalls":[{}]}]}}`))
	f.Add([]byte(`{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","name":"bash"}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range Agents() {
			r, adapter := readerOf(File{Agent: name})
			list, _ := r.line(bytes.Clone(text))
			for _, c := range list {
				if c.tool != "" && payload(adapter, c, "s") != nil {
					adapter.Decode(payload(adapter, c, "s"), environ(adapter, r.root()))
				}
			}
		}
	})
}
