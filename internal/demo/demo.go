// Package demo lets a bundled coding session run through the gate, so that
// anyone can watch nod decide without a key, a service or a set-up.
//
// Every call takes the way that a real one takes: a payload as Claude Code writes it, [hook.Answer], the built-in
// rules, an answer in Claude Code's dialect. What differs is the world: the calls of corpus/demo.jsonl are judged on
// a machine held in memory, with no settings file, no state and no model. Nothing is run, read from the disk, or
// written down.
package demo

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/corpus"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

// Main is `nod-hook demo`, which takes no arguments; it returns the exit code.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		fmt.Fprintln(stderr, "usage: nod-hook demo")
		return 2
	}
	if err := Run(ctx, stdout); err != nil {
		fmt.Fprintln(stderr, "nod-hook demo:", err)
		return 1
	}
	return 0
}

// Run plays the session. An error is one of writing, of ctx, or a broken corpus; what the gate decides is never one.
func Run(ctx context.Context, out io.Writer) error {
	rows, err := corpus.Rows("demo")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "nod decides %d tool calls of a coding session in a small web shop.\n"+
		"Built-in rules, no model, no key, no service; nothing is run.\n\n       %-9s %6s  %-40s  reason\n",
		len(rows), "layer", "µs", "call")
	layers, world := map[string][]time.Duration{}, corpus.World()
	for i, row := range rows {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		p, playErr := play(ctx, world, i, row)
		if playErr != nil {
			return playErr
		}
		layer := "open"
		if p.decision.Settled() {
			layer = p.decision.Layer.String()
		}
		layers[layer] = append(layers[layer], p.took)
		err = show(out, p)
	}
	if err == nil {
		err = end(out, len(rows), layers)
	}
	return err
}

// show shows one call. The reason for a call that is not allowed is shown whole.
func show(out io.Writer, p played) error {
	d := p.decision
	reason := printable.Text(d.Reason)
	if d.Verdict == nod.Allow {
		reason = printable.Line(d.Reason, 40)
	}
	_, err := fmt.Fprintf(out, "%s  %-9s %6d  %-40s  %s\n", printable.Verdict(out, d.Verdict.String()), d.Layer,
		p.took.Microseconds(), printable.Line(describe(p.row), 40), reason)
	return err
}

// end says what each layer settled, in the order of the flow.
func end(out io.Writer, calls int, layers map[string][]time.Duration) error {
	text := fmt.Sprintf("\n%-9s %6s %7s %10s\n", "layer", "calls", "%", "median µs")
	for _, layer := range []string{"guard", "allowlist", "edit", "shell", "open"} {
		took := slices.Sorted(slices.Values(layers[layer]))
		median := time.Duration(0)
		if len(took) > 0 {
			median = took[len(took)/2]
		}
		text += fmt.Sprintf("%-9s %6d %7.1f %10d\n", layer, len(took), 100*float64(len(took))/float64(calls),
			median.Microseconds())
	}
	_, err := fmt.Fprintf(out, "%s\n%d were left open. They would go to a model. No model is configured, so a person\n"+
		"is asked where something is known against the call; the agent decides the rest.\n", text, len(layers["open"]))
	return err
}

// describe is a call in a few words: the tool and what it is about, paths relative to the project.
func describe(row corpus.Row) string {
	var in map[string]any
	if err := json.Unmarshal(row.Input, &in); err != nil {
		return printable.Text(row.ToolName)
	}
	for _, key := range []string{"command", "file_path", "pattern", "url", "subject", "title", "description"} {
		if text, ok := in[key].(string); ok {
			return row.ToolName + " " + printable.Near(text, []string{corpus.Project}, corpus.Home)
		}
	}
	return printable.Text(row.ToolName)
}

// played is one call and what the hook did with it.
type played struct {
	row      corpus.Row
	decision nod.Decision
	answer   agent.Answer
	took     time.Duration // from the payload to the answer
}

func play(ctx context.Context, world view.Files, number int, row corpus.Row) (played, error) {
	sent, err := payload(number, row)
	if err != nil {
		return played{}, err
	}
	seen := &watched{Adapter: agent.Host("claude-code")}
	o := options(seen, world)
	start := time.Now()
	answer := hook.Answer(ctx, o, bytes.NewReader(sent))
	p := played{row: row, answer: answer, took: time.Since(start), decision: seen.decision}
	if !seen.decided {
		// The hook answered before there was a decision: it blocks.
		reason := printable.Line(string(answer.Stderr), 300)
		p.decision = nod.Decision{Reason: reason, Err: &fault.Error{Kind: fault.Internal, Message: reason}}
	}
	return p, nil
}

// options are those of a hook that was just installed: no settings, no model.
// Without a state directory nothing is written down.
func options(a agent.Adapter, world view.Files) hook.Options {
	return hook.Options{
		Adapter: a,
		Environ: append(corpus.Environ(), "CLAUDE_PROJECT_DIR="+corpus.Project, "CLAUDE_CODE_ENTRYPOINT=cli"),
		Places:  config.Places{User: corpus.Settings, Home: corpus.Home, Files: world},
		Nod:     corpus.Nod,
		Self:    []string{corpus.Hook, corpus.State},
		Files:   world,
	}
}

// watched is an adapter that keeps the decision which it is to encode.
type watched struct {
	agent.Adapter
	decided  bool
	decision nod.Decision
}

// Encode implements agent.Adapter.
func (w *watched) Encode(e agent.Event, d nod.Decision, p agent.Profile, model bool) agent.Answer {
	w.decided, w.decision = true, d
	return w.Adapter.Encode(e, d, p, model)
}

// payload is what Claude Code 2.1.329 writes to a PreToolUse hook. It names
// no transcript, since without a model nobody reads one.
func payload(number int, row corpus.Row) ([]byte, error) {
	sent := map[string]any{
		"session_id": "00000000-0000-4000-8000-00000000de30", "cwd": cmp.Or(row.Dir, corpus.Project),
		"permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": row.ToolName,
		"tool_input": row.Input, "tool_use_id": fmt.Sprintf("toolu_demo%03d", number+1),
	}
	if rest, ok := strings.CutPrefix(row.ToolName, "mcp__"); ok {
		name, _, _ := strings.Cut(rest, "__")
		sent["mcp_server"] = map[string]string{"name": name, "source": "user"}
	}
	return json.Marshal(sent)
}
