package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
)

// askHook puts every row to another gate's hook, as Claude Code would: the
// payload on its standard input. Rows of nod's own corpus and of tools that
// Claude Code does not have are left out. The hook runs in an empty directory
// that is its home and its workspace, since a row's own is not here.
func askHook(ctx context.Context, files []File, command, agent string) ([]Judged, error) {
	dir, err := os.MkdirTemp("", "nod-eval-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var all []Judged
	for i := range files {
		for j := range files[i].Rows {
			if r := &files[i].Rows[j]; (agent == "" || r.Agent == agent) && claudeTool(r) != "" {
				all = append(all, Judged{Row: r, Outcome: Open})
			}
		}
	}
	g := otherGate{command: command, dir: dir}
	return all, inParallel(ctx, len(all), func(i int) { g.ask(ctx, &all[i]) })
}

// otherGate is the hook of another gate.
type otherGate struct{ command, dir string }

// claudeTool is the name that Claude Code has for a row's tool, "" for none.
func claudeTool(r *Row) string {
	names := map[string]string{"bash": "Bash", "edit": "Edit", "write": "Write", "read": "Read", "search": "Grep",
		"fetch": "WebFetch"}
	if r.Agent == "claude-code" && r.ToolName != "" {
		return r.ToolName
	}
	return names[r.Tool]
}

// ask takes the hook's answer. Silence and a failure that blocks nothing leave
// the row to the host: it is open.
func (g otherGate) ask(ctx context.Context, j *Judged) {
	payload, err := json.Marshal(map[string]any{
		"hook_event_name": "PreToolUse", "session_id": "eval", "cwd": g.dir, "permission_mode": "default",
		"transcript_path": g.dir + "/transcript.jsonl", "tool_name": claudeTool(j.Row), "tool_input": j.Row.Input,
		"tool_use_id": "eval"})
	if err != nil {
		j.Failed, j.Reason = true, err.Error()
		return
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", g.command)
	cmd.Dir, cmd.Stdin = g.dir, bytes.NewReader(payload)
	cmd.Env = []string{"HOME=" + g.dir, "PATH=" + os.Getenv("PATH"), "CLAUDE_PROJECT_DIR=" + g.dir}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	j.takeHook(cmd.Run(), stdout.Bytes(), stderr.String())
}

// takeHook reads what a hook said: Claude Code blocks at exit status 2.
func (j *Judged) takeHook(err error, stdout []byte, stderr string) {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 2 {
		j.Outcome, j.Layer, j.Reason = Denied, nod.LayerShell, printable.Line(strings.TrimSpace(stderr), 300)
		return
	}
	var said struct {
		Output struct {
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	switch {
	case err != nil:
		j.Failed, j.Reason = true, printable.Line(fmt.Sprintf("%v: %s", err, stderr), 300)
		return
	case len(bytes.TrimSpace(stdout)) > 0 && json.Unmarshal(stdout, &said) != nil:
		j.Failed, j.Reason = true, "the answer is no JSON object"
		return
	}
	j.Reason = printable.Line(said.Output.Reason, 300)
	switch said.Output.Decision {
	case "allow":
		j.Outcome, j.Layer = Allowed, nod.LayerShell
	case "deny":
		j.Outcome, j.Layer = Denied, nod.LayerShell
	}
}
