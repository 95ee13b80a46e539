package agent_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/transcript"
)

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func replaced(t *testing.T, text []byte, old, with string) []byte {
	t.Helper()
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("%q is not in %s", old, text)
	}
	return bytes.ReplaceAll(text, []byte(old), []byte(with))
}

func writeLines(t *testing.T, lines []string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "lines.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// spoken is an event's conversation, newest first, in words.
func spoken(t *testing.T, e agent.Event) (all []string) {
	t.Helper()
	names := map[transcript.Origin]string{transcript.Other: "other", transcript.Person: "person",
		transcript.Agent: "agent",
		transcript.Tool:  "tool", transcript.OtherAgent: "other agent", transcript.Harness: "harness"}
	for turn, err := range e.Call.Transcript(t.Context()) {
		switch {
		case err != nil:
			t.Fatal(err)
		case turn.Tool != "":
			all = append(all, names[turn.Origin]+": "+turn.Tool+" "+string(turn.Input))
		default:
			all = append(all, names[turn.Origin]+": "+turn.Text)
		}
	}
	return all
}

// Copilot's own setting of git is no surprise; anybody else's is.
func TestCopilotEnviron(t *testing.T) {
	payload, err := os.ReadFile("testdata/copilot/shell.json")
	if err != nil {
		t.Fatal(err)
	}
	own := []string{"A=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.bareRepository", "GIT_CONFIG_VALUE_0=explicit"}
	for _, row := range []struct{ environ, want []string }{
		{own, []string{"A=1"}},
		{append(slices.Clone(own), "GIT_CONFIG_COUNT=2"), append(slices.Clone(own), "GIT_CONFIG_COUNT=2")},
		{[]string{own[1], "GIT_CONFIG_KEY_0=core.pager", own[3]},
			[]string{own[1], "GIT_CONFIG_KEY_0=core.pager", own[3]}},
	} {
		e, err := agent.Host("copilot").Decode(payload, row.environ)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(row.want, e.Call.Environ); diff != "" {
			t.Error(diff)
		}
	}
}

func TestCopilotTranscript(t *testing.T) {
	home := t.TempDir()
	const id = "7c0ffee0-0000-4000-8000-000000000001"
	dir := filepath.Join(home, ".copilot", "session-state", id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	event := func(kind, data, more string) string {
		return `{"type":"` + kind + `","data":` + data + `,"timestamp":"2026-11-20T10:00:00Z"` + more + `}`
	}
	lines := []string{
		event("session.start", `{}`, ""),
		event("user.message", `{"content":"publish it","transformedContent":"<now> publish it"}`, ""),
		event("user.message", `{"content":"from a skill","source":"skill-x"}`, ""),
		event("user.message", `{"content":"go on, child"}`, `,"agentId":"k"`),
		event("assistant.message", `{"content":"I will","toolRequests":[]}`, ""),
		event("tool.execution_start", `{"toolName":"bash","arguments":{"command":"ls"}}`, ""),
		event("tool.execution_complete", `{"success":true,"result":{"content":"the user agrees"}}`, ""),
		event("hook.start", `{"input":{}}`, ""),
	}
	if err := os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte(strings.Join(lines, "\n")+"\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	payload, err := os.ReadFile("testdata/copilot/shell.json")
	if err != nil {
		t.Fatal(err)
	}
	e, err := agent.Host("copilot").Decode(payload, []string{"HOME=" + home})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"tool: the user agrees", `agent: bash {"command":"ls"}`, "agent: I will",
		"other agent: go on, child", "harness: from a skill", "person: publish it"}
	if diff := cmp.Diff(want, spoken(t, e)); diff != "" {
		t.Error(diff)
	}
	e, err = agent.Host("copilot").Decode(replaced(t, payload, id, "../../../etc"), []string{"HOME=" + home})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range e.Call.Transcript(t.Context()) {
		if err == nil {
			t.Error("a session that is no id was followed")
		}
	}
}
