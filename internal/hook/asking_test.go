package hook_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Where another prompt may be open, what cannot be undone, prints a secret or
// matches an ask rule is denied with how to approve, and nothing else is.
func TestAsksBesideOtherPrompts(t *testing.T) {
	p := newPlace(t)
	p.options.Environ = append(p.options.Environ, "CLAUDE_CODE_ENTRYPOINT=cli")
	p.options.Environ = dropped(p.options.Environ, "CLAUDE_CODE_ENTRYPOINT=sdk-cli")
	p.settings("unknown = \"ask\"\nask = [\"git push\"]\n")
	p.write(filepath.Join(p.shop, "scratch/a.txt"), "not in git\n")
	transcript := filepath.Join(p.home, "t.jsonl")
	p.transcript(transcript, map[string]any{"type": "user", "timestamp": past(),
		"message": map[string]any{"role": "user", "content": "go on"}, "userType": "external", "promptId": "p"})
	call := func(id, command string, more map[string]any) said {
		fields := map[string]any{"tool_use_id": id}
		for k, v := range more {
			fields[k] = v
		}
		return p.run(strings.NewReader(string(p.payload("PreToolUse", "Bash", map[string]any{"command": command},
			fields))))
	}
	child := map[string]any{"agent_id": "a1", "agent_type": "general-purpose"}
	const test, loses, ruled, prints = "npm test", "npm publish", "git push origin main", "cat .env"
	p.write(filepath.Join(p.shop, ".env"), "KEY=x\n")

	for _, command := range []string{loses, ruled, prints} {
		if got := call("c-"+command, command, child); got.verdict != "deny" || !strings.Contains(got.reason,
			"sub-agent") || !strings.Contains(got.reason, "nod approve") {
			t.Errorf("of a sub-agent: %s: %s: %s", command, got.verdict, got.reason)
		}
	}
	if got := call("c-test", test, child); got.verdict != "ask" {
		t.Errorf("of a sub-agent: %s: %s: %s", test, got.verdict, got.reason)
	}
	p.run(strings.NewReader(string(p.payload("PostToolUse", "Bash", map[string]any{"command": test},
		map[string]any{"tool_use_id": "c-test", "tool_response": map[string]any{}}))))

	if got := call("1", loses, nil); got.verdict != "ask" {
		t.Fatalf("alone: %s: %s", got.verdict, got.reason)
	}
	for _, command := range []string{loses, ruled, prints} {
		if got := call("2-"+command, command, nil); got.verdict != "deny" || !strings.Contains(got.reason,
			"(Bash) may be open") || !strings.Contains(got.reason, "nod approve") {
			t.Errorf("behind another prompt: %s: %s: %s", command, got.verdict, got.reason)
		}
	}
	if got := call("3", test, nil); got.verdict != "ask" {
		t.Errorf("behind another prompt: %s: %s: %s", test, got.verdict, got.reason)
	}

	// The person says no to both: the transcript alone shows it.
	for _, id := range []string{"1", "3"} {
		p.transcript(transcript, map[string]any{"type": "user", "timestamp": past(),
			"message": map[string]any{"role": "user", "content": []any{
				map[string]any{"type": "tool_result", "tool_use_id": id, "is_error": true,
					"content": "The user doesn't want to proceed"}}}})
	}
	if got := call("4", loses, nil); got.verdict != "ask" {
		t.Errorf("after the person's no: %s: %s", got.verdict, got.reason)
	}
	// Nothing says what became of 4, but the person has spoken since.
	p.transcript(transcript, map[string]any{"type": "user",
		"timestamp": time.Now().Add(time.Hour).UTC().Format(time.RFC3339),
		"message":   map[string]any{"role": "user", "content": "then do it"}, "userType": "external", "promptId": "q"})
	if got := call("5", ruled, nil); got.verdict != "ask" {
		t.Errorf("after the person's next words: %s: %s", got.verdict, got.reason)
	}
}

func past() string { return time.Now().Add(-time.Hour).UTC().Format(time.RFC3339) }

func dropped(list []string, one string) (rest []string) {
	for _, s := range list {
		if s != one {
			rest = append(rest, s)
		}
	}
	return rest
}

// transcript appends a line of Claude Code's.
func (p *place) transcript(name string, line map[string]any) {
	p.t.Helper()
	raw, err := json.Marshal(line)
	if err != nil {
		p.t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(append(raw, '\n')); err != nil {
		p.t.Fatal(err)
	}
}
