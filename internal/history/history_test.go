package history

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
			n, err := lines(strings.NewReader(test.text), func(line []byte) { got = append(got, string(line)) }, func(n int) { read += n })
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
		{`{"message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}}`, []past{{id: "a", outcome: propose.Ran}}},
		{`{"message": {"content": [{"type": "tool_result", "tool_use_id": "a", "content": "say \"tool_use_id\":\"b\""}]}}`, []past{{id: "a", outcome: propose.Ran}}},
		{`{"message":{"content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"x"}]}}`, []past{{id: "a", outcome: propose.Failed}}},
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

// FuzzReaders: no line of any agent's ends a reader, and what is found has an
// id or a name.
func FuzzReaders(f *testing.F) {
	f.Add([]byte(`{"cwd":"/w","message":{"content":[{"type":"tool_use","id":"a","name":"Bash","input":{}}],"parts":[{"functionCall":{}}]}}`))
	f.Add([]byte(`{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"a\"]}"}}`))
	f.Add([]byte(`"tool_use_id":`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range []string{claudeCode, codex, qwen} {
			r, adapter := readerOf(name)
			list, _ := r.line(bytes.Clone(text))
			for _, c := range list {
				if c.tool != "" && payload(c, "s") != nil {
					adapter.Decode(payload(c, "s"), environ(name, r.root()))
				}
			}
		}
	})
}
