package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nodgate/nod/corpus"
	"github.com/nodgate/nod/internal/printable"
)

// What else a hook makes of a row than [Allowed] and [Denied].
const (
	Asked  Outcome = "ask"
	Silent Outcome = "silent" // Claude Code decides as it does without the hook
	Failed Outcome = "failed" // an exit code that Claude Code does not heed, or an answer that it cannot read
)

// scoreboard judges rows by the hooks of gates, each a command line that Claude Code would start.
type scoreboard struct {
	commands []string
	rows     []*Row
	took     []time.Duration // of each gate, in all
	answers  [][]Outcome     // of each gate, of each row
}

// hookWorld is what each hook sees: an empty home, and a clean repository in it. A row's own directory and home are
// replaced by these two in all that the row says.
type hookWorld struct{ home, dir string }

func newHookWorld(base string) (w hookWorld, err error) {
	w = hookWorld{home: base, dir: filepath.Join(base, "project")}
	for name, content := range cleanRepository() {
		full := filepath.Join(w.dir, ".git", name)
		err := os.MkdirAll(filepath.Dir(full), 0o755)
		if err = errors.Join(err, os.WriteFile(full, []byte(content), 0o644)); err != nil {
			return w, err
		}
	}
	return w, os.MkdirAll(filepath.Join(w.dir, ".git/refs/tags"), 0o755)
}

// payload is what Claude Code would send of a row.
func (w hookWorld) payload(r *Row) ([]byte, error) {
	moved := strings.NewReplacer(r.dir(), w.dir, HomeOf(r.dir()), w.home).Replace(string(r.Input))
	return json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "session_id": cmp.Or(r.Session, "none"),
		"cwd": w.dir, "permission_mode": "default", "tool_name": claudeTool(r), "tool_use_id": r.ID,
		"tool_input": json.RawMessage(moved)})
}

// claudeTool is a row's tool by Claude Code's name, "" for what it does not have.
func claudeTool(r *Row) string {
	if r.Agent == "claude-code" && r.ToolName != "" {
		return r.ToolName
	}
	return map[string]string{"bash": "Bash", "edit": "Edit", "write": "Write", "read": "Read", "search": "Grep",
		"fetch": "WebFetch"}[r.Tool]
}

// ask starts a hook for one row. Nothing of the row is run: the hook reads it as a text.
func (w hookWorld) ask(ctx context.Context, command string, r *Row) Outcome {
	payload, err := w.payload(r)
	if err != nil {
		return Failed
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Dir, cmd.Stdin = w.dir, bytes.NewReader(payload)
	cmd.Env = []string{"HOME=" + w.home, "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8",
		"CLAUDE_PROJECT_DIR=" + w.dir, "CLAUDE_CODE_ENTRYPOINT=cli"}
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 2 {
		return Denied
	}
	if err != nil {
		return Failed
	}
	return heard(out)
}

// heard reads the output of a hook that exited with 0, as Claude Code documents it.
func heard(out []byte) Outcome {
	var answer struct {
		Decision string `json:"decision"`
		Output   struct {
			Decision string `json:"permissionDecision"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(out, &answer); err != nil && len(bytes.TrimSpace(out)) > 0 {
		return Failed
	}
	switch cmp.Or(answer.Output.Decision, answer.Decision) {
	case "allow", "approve":
		return Allowed
	case "ask":
		return Asked
	case "deny", "block":
		return Denied
	}
	return Silent
}

// chosen are the rows that are judged: of those that Claude Code could send, so many at most of each label and file,
// chosen by their ids, so that every run and every gate has the same.
func chosen(files []File, agent string, most int) (rows []*Row) {
	lot := func(r *Row) uint32 { return crc32.ChecksumIEEE([]byte(r.ID)) }
	for i := range files {
		byLabel := map[string][]*Row{}
		for j := range files[i].Rows {
			r := &files[i].Rows[j]
			if files[i].Own != nil {
				r.Dir = cmp.Or(r.Dir, corpus.Project)
			}
			if claudeTool(r) != "" && (agent == "" || r.Agent == agent) {
				byLabel[r.Label] = append(byLabel[r.Label], r)
			}
		}
		for _, label := range Labels() {
			list := byLabel[label]
			slices.SortStableFunc(list, func(a, b *Row) int { return cmp.Compare(lot(a), lot(b)) })
			rows = append(rows, list[:min(len(list), most)]...)
		}
	}
	return rows
}

// judgeByHooks asks every gate about every row. Gates take turns, row by row, so that a machine's moods are shared.
func judgeByHooks(ctx context.Context, commands []string, rows []*Row, progress func(done int)) (*scoreboard, error) {
	base, err := os.MkdirTemp("", "nod-scoreboard-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(base)
	b := &scoreboard{commands: commands, rows: rows, took: make([]time.Duration, len(commands))}
	worlds := make([]hookWorld, len(commands))
	for i := range commands {
		if worlds[i], err = newHookWorld(filepath.Join(base, fmt.Sprint("home", i))); err != nil {
			return nil, err
		}
		b.answers = append(b.answers, make([]Outcome, len(rows)))
	}
	var done atomic.Int64
	err = inParallel(ctx, len(rows), func(j int) {
		for i, command := range commands {
			begun := time.Now()
			b.answers[i][j] = worlds[i].ask(ctx, command, rows[j])
			atomic.AddInt64((*int64)(&b.took[i]), int64(time.Since(begun)))
		}
		progress(int(done.Add(1)))
	})
	return b, err
}

// Print writes a table for each gate: what became of harmful rows, and of harmless ones, and how often a person would
// have been asked in a session.
func (b *scoreboard) Print(w io.Writer) error {
	p := &printer{}
	p.line("%s rows, each put to %d hooks; nothing of a row is run\n", count(len(b.rows)), len(b.commands))
	table := [][]string{{"", "rows", "allow", "ask", "deny", "silent", "failed"}}
	for i, command := range b.commands {
		table = append(table, []string{printable.Line(command, 60), "", "", "", "", "", ""})
		for _, label := range Labels() {
			if row := b.count(i, label); row != nil {
				table = append(table, row)
			}
		}
	}
	p.table(table)
	p.line("")
	for i, command := range b.commands {
		p.line("  %-40s %5.1f ms a call", printable.Line(command, 40),
			b.took[i].Seconds()*1000/float64(max(len(b.rows), 1)))
		if asked, sessions := b.questions(i); sessions > 0 {
			p.line("  %-40s %5.1f questions a session (%d sessions; silence at a command or an edit is one)", "",
				float64(asked)/float64(sessions), sessions)
		}
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// count is the line of one label; nil where there is no such row.
func (b *scoreboard) count(gate int, label string) []string {
	n, all := map[Outcome]int{}, 0
	for j, r := range b.rows {
		if r.Label == label {
			n[b.answers[gate][j]]++
			all++
		}
	}
	if all == 0 {
		return nil
	}
	row := []string{"  " + label, count(all)}
	for _, s := range []Outcome{Allowed, Asked, Denied, Silent, Failed} {
		row = append(row, fmt.Sprintf("%d  %5.1f %%", n[s], 100*float64(n[s])/float64(all)))
	}
	return row
}

// questions counts the harmless calls of sessions about which a person is asked: by the hook, or by Claude Code in its
// mode default, where the hook is silent about a command or an edit.
func (b *scoreboard) questions(gate int) (asked, sessions int) {
	seen := map[string]bool{}
	for j, r := range b.rows {
		if r.Session == "" || r.Label == Harmful {
			continue
		}
		seen[r.Session] = true
		silent := b.answers[gate][j] == Silent && slices.Contains([]string{"bash", "edit", "write"}, r.Tool)
		if silent || b.answers[gate][j] == Asked {
			asked++
		}
	}
	return asked, len(seen)
}
