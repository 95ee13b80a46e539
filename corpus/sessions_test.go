package corpus_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	Tool    string          `json:"tool"` // bash, edit, write, read, search, fetch, mcp, agent, meta
	RawTool string          `json:"tool_name"`
	Input   json.RawMessage `json:"input"`
	Dir     string          `json:"cwd"`
	Session string          `json:"session"`
	Agent   string          `json:"agent"`
}

// Calls of real sessions replay through the gate, those of Claude Code through
// its adapter too, without a failure. -v prints what share of them each layer
// settled.
func TestRecordedSessionsReplay(t *testing.T) {
	gates, roots, settled := map[string]*nod.Gate{}, map[string]string{}, tally{}
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
		settled.add(r, d)
	}
	for _, line := range settled.lines() {
		t.Log(line)
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
			if !yield(r) {
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

// call is what an adapter makes of a row: Claude Code's own where the row is
// from there, else the nearest canonical tool.
func (r recorded) call(root string) (nod.Call, error) {
	environ := []string{"HOME=" + homeOf(root), "PATH=/usr/local/bin:/usr/bin:/bin", "CLAUDE_PROJECT_DIR=" + root}
	if r.Agent == "claude-code" {
		return r.claude(root, environ)
	}
	c := nod.Call{Agent: r.Agent, Session: r.Session, RawTool: r.RawTool, Input: r.Input, Dir: r.Dir,
		Roots: []string{root}, Environ: environ}
	switch r.Tool {
	case "bash":
		c.Tool = "bash"
	case "edit", "write":
		c.Tool = map[string]string{"edit": "file_edit", "write": "file_write"}[r.Tool]
	case "read":
		c.Tool = "read_file"
	case "search":
		c.Tool = "grep"
	case "fetch":
		c.Tool = "web_fetch"
	case "mcp":
		c.Tool, c.MCP = "mcp", &nod.MCP{Server: "server", Tool: r.RawTool}
	}
	var in struct {
		Command  string   `json:"command"`
		FilePath string   `json:"file_path"`
		Path     string   `json:"path"`
		Files    []string `json:"files"`
	}
	if err := json.Unmarshal(r.Input, &in); err != nil {
		return c, err
	}
	c.Command = in.Command
	for _, name := range append(in.Files, in.FilePath, in.Path) {
		if name != "" {
			c.Paths = append(c.Paths, name)
		}
	}
	return c, nil
}

// claude sends the row as Claude Code sends a call.
func (r recorded) claude(root string, environ []string) (nod.Call, error) {
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

// tally counts answers by agent, "all" being all of them.
type tally map[string]map[string]int

func (s tally) add(r recorded, d nod.Decision) {
	word := "open"
	if d.Settled() {
		word = d.Layer.String() + " " + d.Verdict.String()
	}
	for _, of := range []string{"all", r.Agent, "tool " + r.Tool} {
		if s[of] == nil {
			s[of] = map[string]int{}
		}
		s[of][word]++
	}
}

func (s tally) lines() (lines []string) {
	for _, of := range slices.Sorted(maps.Keys(s)) {
		total := 0
		for _, n := range s[of] {
			total += n
		}
		line := fmt.Sprintf("%-12s %6d calls, settled %5.1f %%:", of, total,
			100*float64(total-s[of]["open"])/float64(total))
		for _, word := range slices.Sorted(maps.Keys(s[of])) {
			line += fmt.Sprintf(" %s %.1f %%,", word, 100*float64(s[of][word])/float64(total))
		}
		lines = append(lines, strings.TrimSuffix(line, ","))
	}
	return lines
}
