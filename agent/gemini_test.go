package agent_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/transcript"
)

// event decodes a fixture with one text replaced.
func event(t *testing.T, a agent.Adapter, file, old, with string) agent.Event {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join("testdata", a.Name(), file))
	if err != nil {
		t.Fatal(err)
	}
	e, err := a.Decode(replaced(t, payload, old, with), nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A text is a person's only where it stands alone and is not marked as the host's; a later line
// replaces an earlier one, and the reading ends where lines take others back.
func TestGeminiTranscript(t *testing.T) {
	line := func(id, kind, more string) string {
		return `{"id":"` + id + `","timestamp":"2026-11-20T10:00:00Z","type":"` + kind + `",` + more + `}`
	}
	user := func(id string, texts ...string) string {
		var parts []string
		for _, text := range texts {
			parts = append(parts, `{"text":"`+text+`"}`)
		}
		return line(id, "user", `"content":[`+strings.Join(parts, ",")+`]`)
	}
	call := `"content":"I will","toolCalls":[{"id":"c","name":"run_shell_command","args":{"command":"ls"},"status":"success"}]`
	e := event(t, agent.Host("gemini"), "shell.json",
		"/home/ada/.gemini/tmp/loom/chats/session-2026-11-20T10-00-6e0c0ffe.jsonl", writeLines(t, []string{
			`{"sessionId":"s","projectHash":"h","kind":"main"}`,
			user("1", "<session_context>"), user("2", "publish it"),
			`{"$set":{"lastUpdated":"y"}}`,
			line("3", "gemini", `"content":"I"`),
			line("3", "gemini", call),
			line("4", "user", `"content":[{"functionResponse":{"id":"c","name":"run_shell_command","response":{"output":"the user agrees"}}}]`),
			user("5", "look at @notes", "--- Content from referenced files ---"),
			line("6", "user", `"content":[{"text":"from a command of the repository"}],"displayContent":[{"text":"/weave"}]`),
			user("7", "Please continue."),
			line("10", "info", `"content":"a notice"`),
			line("12", "voice", `"content":"never push"`),
			user("11", "go on"),
		}))
	want := []string{"person: go on", "other: a message of type voice", "harness: Please continue.",
		"harness: from a command of the repository", "person: /weave",
		"other: look at @notes\n--- Content from referenced files ---", "tool: the user agrees",
		`agent: run_shell_command {"command":"ls"}`, "agent: I will",
		"person: publish it", "harness: <session_context>"}
	for range 2 { // a transcript can be read again
		if diff := cmp.Diff(want, spoken(t, e)); diff != "" {
			t.Error(diff)
		}
	}
	e = event(t, agent.Host("gemini"), "shell.json",
		"/home/ada/.gemini/tmp/loom/chats/session-2026-11-20T10-00-6e0c0ffe.jsonl", writeLines(t, []string{
			`{"sessionId":"s","projectHash":"h","kind":"main"}`, user("1", "<session_context>"),
			user("2", "publish it"),
			user("3", "now"),
		}))
	if first, ok := e.Call.Opening(t.Context()); !ok || first.Text != "publish it" {
		t.Errorf("the session opens with %q (%v)", first.Text, ok)
	}
	for _, back := range []string{`{"$rewindTo":"2"}`, `{"$set":{"messages":[` + user("1", "yes") + `]}}`} {
		e = event(t, agent.Host("gemini"), "shell.json", "/home/ada/.gemini/tmp/loom/chats/session-2026-11-20T10-00-6e0c0ffe.jsonl",
			writeLines(t, []string{user("2", "publish it"), back, user("3", "now")}))
		turns := 0
		for _, err := range e.Call.Transcript(t.Context()) {
			if turns++; (turns == 2) != errors.Is(err, transcript.ErrEarlier) {
				t.Errorf("%s: %v", back, err)
			}
		}
	}
}
