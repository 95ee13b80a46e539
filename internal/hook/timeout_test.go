package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/transcript"
)

// lengthy is Claude Code with a conversation that is read until the deadline: calls that each name many files.
type lengthy struct{ agent.Host }

func (l lengthy) Decode(payload []byte, environ []string) (agent.Event, error) {
	e, err := l.Host.Decode(payload, environ)
	e.Call.Transcript = func(ctx context.Context) iter.Seq2[transcript.Turn, error] {
		return func(yield func(transcript.Turn, error) bool) {
			for n := 0; ctx.Err() == nil; n++ {
				turn := transcript.Turn{Origin: transcript.Agent, Tool: "mcp__files__move", Input: files(n)}
				if !yield(turn, nil) {
					return
				}
			}
		}
	}
	return e, err
}

// files is the input of a call that names files which no other call names.
func files(call int) json.RawMessage {
	one := `{"path":"/srv/%d/notes.txt"},`
	var list strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&list, one, call*1000+i)
	}
	return json.RawMessage("[" + list.String() + "0]")
}

// A question that nobody waits for any more goes on beside the answer, and both look
// at files through what one run remembers of them.
func TestAQuestionThatOutlivesItsDeadline(t *testing.T) {
	p := newPlace(t)
	p.options.Adapter, p.options.Model = lengthy{"claude-code"}, &judging{}
	p.settings("[model]\ntimeout = \"1s\"\n")
	edit := map[string]string{"file_path": filepath.Join(p.home, "other", "new.txt"), "content": "x"}
	s := p.run(bytes.NewReader(p.payload("PreToolUse", "Write", edit, nil)))
	if s.verdict != "deny" || !strings.Contains(s.reason, "no answer within 1s") {
		t.Errorf("%+v", s)
	}
}
