package llmtest

import (
	"fmt"
	"strings"
	"testing"
)

// The same script is played in every vendor's API: a step, then what came of it, then the next.
func TestVendors(t *testing.T) {
	script := Script{
		Steps:  []Step{{Calls: []Call{{Name: "look", Tool: "sh", Input: map[string]any{"cmd": "ls"}}}}, {Text: "fin"}},
		Asides: map[string][]Step{"the child's task": {{Text: "child is done"}}},
	}
	id := callID(0, "look")
	for _, row := range []struct{ name, path, first, second, aside string }{
		{"messages", "/v1/messages", `{"model":"m","tools":[{}],"messages":[{"role":"user","content":"go"}]}`,
			`{"model":"m","tools":[{}],"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"%s","name":"sh","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":"a b"}]}]}`,
			`{"model":"m","tools":[{}],"messages":[{"role":"user","content":"the child's task"}]}`},
		{"responses", "/v1/responses",
			`{"model":"m","tools":[{}],"input":[{"type":"message","role":"user","content":"go"}]}`,
			`{"model":"m","tools":[{}],"input":[{"type":"function_call","call_id":"%s"},{"type":"function_call_output","call_id":"%s","output":"a b"}]}`,
			`{"model":"m","tools":[{}],"input":[{"type":"message","role":"user","content":"the child's task"}]}`},
		{"chat", "/v1/chat/completions", `{"model":"m","tools":[{}],"messages":[{"role":"user","content":"go"}]}`,
			`{"model":"m","tools":[{}],"messages":[{"role":"assistant","tool_calls":[{"id":"%s"}]},{"role":"tool","tool_call_id":"%s","content":"a b"}]}`,
			`{"model":"m","tools":[{}],"messages":[{"role":"user","content":"the child's task"}]}`},
		{"gemini", "/v1beta/models/m:generateContent",
			`{"tools":[{}],"contents":[{"role":"user","parts":[{"text":"go"}]}]}`,
			`{"tools":[{}],"contents":[{"role":"model","parts":[{"functionCall":{"name":"sh","id":"%s"}}]},{"role":"user","parts":[{"functionResponse":{"id":"%s","response":{"output":"a b"}}}]}]}`,
			`{"tools":[{}],"contents":[{"role":"user","parts":[{"text":"the child's task"}]}]}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			srv := NewServer(t, script)
			for _, step := range []struct{ body, holds string }{
				{row.first, `ls`}, {fmt.Sprintf(row.second, id, id), "fin"}, {row.aside, "child is done"},
			} {
				status, text, err := post(t, srv.URL+row.path, step.body)
				if status != 200 || err != nil || !strings.Contains(text, step.holds) {
					t.Errorf("%s: %d %v %s, want %q in it", step.body, status, err, text, step.holds)
				}
			}
			if got, ok := srv.Result("look"); !ok || !strings.Contains(got, "a b") {
				t.Errorf("the result is %+v %v", got, ok)
			}
			if n := len(srv.Requests(Turn)); n != 3 {
				t.Errorf("%d turns, want 3", n)
			}
		})
	}
}

// Streams end the way each vendor's do.
func TestVendorStreams(t *testing.T) {
	srv := NewServer(t, Script{Steps: []Step{{Calls: []Call{{Name: "p", Tool: "sh",
		Input: map[string]any{"cmd": "ls"}}}}}})
	for _, row := range []struct{ path, body, holds, end string }{
		{"/v1/responses", `{"stream":true,"tools":[{}],"input":[]}`, `"function_call"`,
			`"type":"response.completed"`},
		{"/v1/chat/completions", `{"stream":true,"tools":[{}],"messages":[]}`, `"type":"function"`, "data: [DONE]"},
		{"/v1beta/models/m:streamGenerateContent", `{"tools":[{}],"contents":[]}`, `"functionCall"`,
			`"finishReason":"STOP"`},
	} {
		_, text, err := post(t, srv.URL+row.path, row.body)
		if err != nil || !strings.Contains(text, row.holds) || !strings.Contains(text,
			row.end) || !strings.HasPrefix(text, "data: ") {
			t.Errorf("%s: %v %s", row.path, err, text)
		}
	}
}
