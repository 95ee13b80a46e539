package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
	type server struct {
		Name   string `json:"name"`
		Source string `json:"source"`
	}
	sent := struct {
		Session string          `json:"session_id"`
		Dir     string          `json:"cwd"`
		Mode    string          `json:"permission_mode"`
		Event   string          `json:"hook_event_name"`
		Tool    string          `json:"tool_name"`
		Input   json.RawMessage `json:"tool_input"`
		CallID  string          `json:"tool_use_id"`
		Server  *server         `json:"mcp_server,omitempty"`
	}{
		Session: "00000000-0000-4000-8000-00000000de30", Dir: row.Dir, Mode: "default", Event: "PreToolUse",
		Tool: row.ToolName, Input: row.Input, CallID: fmt.Sprintf("toolu_demo%03d", number+1),
	}
	if sent.Dir == "" {
		sent.Dir = corpus.Project
	}
	if rest, ok := strings.CutPrefix(row.ToolName, "mcp__"); ok {
		name, _, _ := strings.Cut(rest, "__")
		sent.Server = &server{Name: name, Source: "user"}
	}
	return json.Marshal(sent)
}
