package corpus_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/corpus"
	"github.com/nodgate/nod/fault"
)

// recorded is a row of ../shared/corpus/sessions: a tool call of a real coding
// session. Nothing of it is run.
type recorded struct {
	ID      string          `json:"id"`
	RawTool string          `json:"tool_name"`
	Input   json.RawMessage `json:"input"`
	Dir     string          `json:"cwd"`
	Session string          `json:"session"`
	Agent   string          `json:"agent"`
}

// Calls of real sessions of Claude Code replay through its adapter and the gate without
// a failure. What each layer settles eval says.
func TestRecordedSessionsReplay(t *testing.T) {
	gates, roots := map[string]*nod.Gate{}, map[string]string{}
	for r := range recordedRows(t) {
		if roots[r.Session] == "" {
			roots[r.Session] = r.Dir // the first directory seen, as the hook fixes it
		}
		root := roots[r.Session]
		if gates[root] == nil {
			gates[root] = gateAt(root)
		}
		c, err := r.call(root)
		if err != nil {
			t.Errorf("%s: %v", r.ID, err)
			continue
		}
		d := gates[root].Check(t.Context(), c)
		if d.Err != nil && d.Err.Kind != fault.NoModel {
			t.Errorf("%s: %s: %v\n%s", r.ID, d.Err.Kind, d.Err, clip(string(r.Input)))
		}
	}
}

// recordedRows yields the rows, or skips the test where there are none.
func recordedRows(t *testing.T) func(yield func(recorded) bool) {
	t.Helper()
	name := filepath.Join("..", "..", "shared", "corpus", "sessions.jsonl.gz") // beside the repository
	file, err := os.Open(name)
	if err != nil {
		t.Skip("../shared/corpus/sessions.jsonl.gz absent: skipped")
	}
	t.Cleanup(func() { file.Close() })
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(recorded) bool) {
		lines, n := bufio.NewScanner(unzipped), 0
		lines.Buffer(nil, 16<<20)
		for ; lines.Scan(); n++ {
			var r recorded
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatalf("%s:%d: %v", name, n+1, err)
			}
			if r.Agent == "claude-code" && !yield(r) {
				return
			}
		}
		if err := lines.Err(); err != nil || n < 1000 {
			t.Fatalf("%s: %d rows, %v", name, n, err)
		}
	}
}

// gateAt is a gate in the world of the corpus, to which a workspace is added.
func gateAt(root string) *nod.Gate {
	world := corpus.World()
	world.Dir(root, 0o755).File(root+"/.git/HEAD", "ref: refs/heads/main\n", 0o644)
	world.File(root+"/.git/config", "[core]\n\tbare = false\n", 0o644)
	return nod.New(nod.Options{Rules: nod.DefaultRules(), Files: world, Home: homeOf(root)})
}

// homeOf is the home directory that a workspace lies in, by its name.
func homeOf(root string) string {
	if parts := strings.Split(root, "/"); len(parts) > 3 && (parts[1] == "Users" || parts[1] == "home") {
		return strings.Join(parts[:3], "/")
	}
	return corpus.Home
}

// call sends the row as Claude Code sends a call.
func (r recorded) call(root string) (nod.Call, error) {
	environ := []string{"HOME=" + homeOf(root), "PATH=/usr/local/bin:/usr/bin:/bin", "CLAUDE_PROJECT_DIR=" + root}
	payload, err := json.Marshal(map[string]any{
		"session_id": r.Session, "cwd": r.Dir, "permission_mode": "default", "hook_event_name": "PreToolUse",
		"tool_name": r.RawTool, "tool_input": r.Input, "tool_use_id": r.ID,
	})
	if err != nil {
		return nod.Call{}, err
	}
	e, err := agent.ClaudeCode{}.Decode(bytes.Clone(payload), environ)
	if err == nil && e.Kind != agent.Decide {
		err = fmt.Errorf("it is an event of kind %d", e.Kind)
	}
	e.Call.Roots = []string{root}
	return e.Call, err
}
