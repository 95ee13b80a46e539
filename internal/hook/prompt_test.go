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
		payload := p.payload("PreToolUse", "Bash", map[string]string{"command": command}, map[string]any{"tool_use_id": fmt.Sprint("c", n), "transcript_path": file})
		event, err := p.options.Adapter.Decode(payload, p.options.Environ)
		if err != nil {
			t.Fatal(err)
		}
		var shown nod.Prompt
		if n > 0 { // before the hook has learned of this call
			if shown, err = hook.PromptOf(context.Background(), p.options, event, ""); err != nil {
				t.Fatal(err)
			}
		}
		p.run(bytes.NewReader(payload))
		if sent.ID = ""; n > 0 && cmp.Diff(sent, shown) != "" {
			t.Errorf("%s:\n%s", command, cmp.Diff(sent, shown))
		}
	}
	if text := sent.Text(""); !strings.Contains(text, `"ended":"blocked; it was not done"`) || !strings.Contains(text, "was blocked and not done: not asked for") {
		t.Errorf("the denial is not told: %s", text)
	}
}
