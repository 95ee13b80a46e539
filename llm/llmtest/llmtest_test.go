package llmtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/internal/hang"
)

const (
	turnBody     = `{"model":"m","max_tokens":9,"tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"go"}]}`
	classifyBody = `{"model":"m","max_tokens":256,"system":"s","tools":[{"name":"classify_result"}],` +
		`"tool_choice":{"type":"tool","name":"classify_result"},"messages":[{"role":"user","content":"Tool: Bash"}]}`
	openAIBody = `{"model":"m","instructions":"s","input":"Tool: Bash","tools":[{"type":"function","name":"classify_result"}],` +
		`"tool_choice":{"type":"function","name":"classify_result"}}`
	judgeBody = `{"model":"m","max_tokens":64,"stop_sequences":["</block>"],"messages":[{"role":"user","content":"<transcript>"}]}`
)

// post returns status, body and what went wrong with the connection.
func post(t *testing.T, url, body string) (int, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(hang.Context(t), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	for line := range strings.Lines(string(raw)) {
		data, event := strings.CutPrefix(line, "data: ")
		if event && strings.TrimSpace(data) != "[DONE]" && !json.Valid([]byte(data)) {
			t.Errorf("no JSON: %s", line)
		}
	}
	if resp.Header.Get("Content-Type") == "application/json" && !json.Valid(raw) {
		t.Errorf("no JSON: %s", raw)
	}
	return resp.StatusCode, string(raw), err
}

func exampleScript() Script {
	return Script{
		Steps: []Step{
			{Text: "I look.", Calls: []Call{Bash("look", "ls"), {Name: "read", Tool: "Read",
				Input: map[string]any{"file_path": "/etc/hostname"}}}},
			{Text: "fin"},
		},
		Classifier: func(r Request) Answer { return Block("because " + r.Text()) },
	}
}

// The events of a stream say the same message as the whole answer.
func TestAStreamSaysTheSameMessage(t *testing.T) {
	srv := NewServer(t, exampleScript())
	_, body, _ := post(t, srv.URL+"/v1/messages", turnBody)
	var whole struct {
		Content []struct{ Type, Text, ID, Name string }
	}
	if err := json.Unmarshal([]byte(body), &whole); err != nil || len(whole.Content) != 3 {
		t.Fatalf("%v %s", err, body)
	}
	_, streamed, _ := post(t, srv.URL+"/v1/messages", strings.Replace(turnBody, "{", `{"stream":true,`, 1))
	joined, input := whole, ""
	joined.Content = nil
	for line := range strings.Lines(streamed) {
		data, isData := strings.CutPrefix(line, "data: ")
		var event struct {
			Start *struct{ Type, Text, ID, Name string } `json:"content_block"`
			Delta struct {
				Text string
				JSON string `json:"partial_json"`
				Stop string `json:"stop_reason"`
			}
		}
		if err := json.Unmarshal([]byte(data), &event); isData && err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if event.Start != nil {
			joined.Content = append(joined.Content, *event.Start)
		} else if n := len(joined.Content); n > 0 {
			joined.Content[n-1].Text += event.Delta.Text
		}
		input += event.Delta.JSON + event.Delta.Stop
	}
	if diff := cmp.Diff(whole, joined); diff != "" {
		t.Errorf("stream and whole answer differ (-whole +stream):\n%s", diff)
	}
	if want := `{"command":"ls","description":"a step of a test"}{"file_path":"/etc/hostname"}tool_use`; input != want {
		t.Errorf("the stream has %s, want %s", input, want)
	}
}

func TestKinds(t *testing.T) {
	srv := NewServer(t, exampleScript())
	for _, row := range []struct {
		path, body string
		want       Kind
	}{
		{"/v1/messages", turnBody, Turn},
		{"/v1/messages", classifyBody, Classifier},
		{"/v1/responses", openAIBody, Classifier},
		{"/v1/messages", judgeBody, Judge},
		{"/v1/messages", `{"messages":[{"role":"user","content":"... <block> ..."}]}`, Judge},
		{"/v1/messages", `{"messages":[{"role":"user","content":"... <severity>N</severity> ..."}]}`, Judge},
		{"/v1/messages", `{"messages":[{"role":"user","content":"a title"}]}`, Side},
		{"/v1/messages", `{"tool_choice":"auto","tools":[{}],"messages":[]}`, Turn},
		{"/v1/messages/count_tokens", `{}`, CountTokens},
		{"/v1/models", ``, Models},
		{"/v1/files", ``, Other},
		{"/v1/responses", `{"input":"no tool"}`, Side},
	} {
		post(t, srv.URL+row.path, row.body)
		all := srv.Requests()
		if got := all[len(all)-1]; got.Kind != row.want || string(got.Body) != row.body {
			t.Errorf("%s %s: kind %s, want %s", row.path, row.body, got.Kind, row.want)
		}
	}
	if got := len(srv.Requests(Classifier)); got != 2 {
		t.Errorf("%d classifier requests, want 2", got)
	}
}

func TestJudgeAnswersInTheTagThatIsAskedFor(t *testing.T) {
	for _, row := range []struct {
		stop, asks string
		block      bool
		want       string
	}{
		{`"</severity>"`, "<severity>", false, "<severity>0"},
		{`"</severity>"`, "<severity>", true, "<severity>100"},
		{``, "<severity>", false, "<severity>0</severity>"},
		{`"</block>"`, "<block>", true, "<block>yes"},
		{``, "<block>", false, "<block>no</block>"},
	} {
		srv := NewServer(t, Script{Judge: func(Request) bool { return row.block }})
		_, body, _ := post(t, srv.URL+"/v1/messages",
			`{"stop_sequences":[`+row.stop+`],"messages":[{"role":"user","content":"`+row.asks+`"}]}`)
		var m struct{ Content []struct{ Text string } }
		if err := json.Unmarshal([]byte(body), &m); err != nil || len(m.Content) != 1 || m.Content[0].Text != row.want {
			t.Errorf("%+v: got %s, %v", row, body, err)
		}
	}
}

func TestClassifierTextIsTheUsersPart(t *testing.T) {
	for path, body := range map[string]string{"/v1/messages": classifyBody, "/v1/responses": openAIBody} {
		r := Request{Kind: Classifier, Path: path, Body: []byte(body)}
		if r.Text() != "Tool: Bash" {
			t.Errorf("%s: Text() = %q", path, r.Text())
		}
	}
}

func TestWithoutClassifierQueriesFail(t *testing.T) {
	srv := NewServer(t, Script{})
	if status, _, _ := post(t, srv.URL+"/v1/messages", classifyBody); status != http.StatusInternalServerError {
		t.Errorf("status %d, want 500", status)
	}
}
