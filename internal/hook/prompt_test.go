package hook_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/hook"
)

// seeing is a model that keeps what it was asked.
type seeing struct{ last *nod.Prompt }

func (m seeing) Classify(_ context.Context, p nod.Prompt) (nod.Classification, error) {
	*m.last = p
	return nod.Classification{Digest: p.Digest, ShouldBlock: true, Reason: "not asked for"}, nil
}

// What nod prompt shows of a payload is what the hook sends, with what the
// session remembers: that an earlier call was blocked.
func TestPromptOfIsWhatTheHookSends(t *testing.T) {
	p := newPlace(t)
	var sent nod.Prompt
	p.options.Model = seeing{&sent}
	file := filepath.Join(p.home, "t.jsonl")
	p.write(file, `{"type":"user","message":{"role":"user","content":"publish nothing"}}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"c0","name":"Bash","input":{"command":"npm publish --tag v0"}}]}}
`)
	for n, command := range []string{"npm publish --tag v0", "npm publish --tag v1", "frobnicate x"} {
		payload := p.payload("PreToolUse", "Bash", map[string]string{"command": command},
			map[string]any{"tool_use_id": fmt.Sprint("c", n), "transcript_path": file})
		event, err := p.options.Adapter.Decode(payload, p.options.Environ)
		if err != nil {
			t.Fatal(err)
		}
		shown, err := hook.PromptOf(context.Background(), p.options, event,
			"") // before the hook has learned of this call
		if err != nil {
			t.Fatal(err)
		}
		p.run(bytes.NewReader(payload))
		if sent.ID = ""; cmp.Diff(sent, shown) != "" {
			t.Errorf("%s:\n%s", command, cmp.Diff(sent, shown))
		}
	}
	if text := sent.Text(""); !strings.Contains(text, `"ended":"blocked; it was not done"`) || !strings.Contains(text,
		"was blocked and not done: not asked for") {
		t.Errorf("the denial is not told: %s", text)
	}
}

// What stands in a secret store is not in the log either, before and after the
// call; which call it was, its hash says.
func TestNoStoreIsLogged(t *testing.T) {
	const marked = "MARKED-7f3a"
	p := newPlace(t)
	p.options.Model = seeing{new(nod.Prompt)}
	file := filepath.Join(p.home, ".aws", "credentials")
	p.write(file, marked)
	input := map[string]any{"file_path": file, "old_string": marked, "new_string": "x"}
	for _, name := range []string{"PreToolUse", "PostToolUse"} {
		p.run(bytes.NewReader(p.payload(name, "Edit", input,
			map[string]any{"tool_use_id": "c1", "tool_response": map[string]any{}})))
	}
	entries := p.log()
	if len(entries) != 3 {
		t.Errorf("%d entries", len(entries))
	}
	for _, e := range entries {
		if text := string(e.Input); strings.Contains(text, marked) || !strings.Contains(text,
			"content withheld") || e.InputSHA256 != entries[0].InputSHA256 {
			t.Errorf("%s: %s %s", e.Kind, text, e.InputSHA256)
		}
	}
}
