package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

type checkFlags struct {
	json, interactive bool
	root, agent, mode string
	places            config.Places
}

func check(ctx context.Context, p *Process, args []string) error {
	var f checkFlags
	a := newArguments(p).settings()
	a.BoolVar(&f.json, "json", false, "")
	a.BoolVar(&f.interactive, "interactive", false, "")
	a.StringVar(&f.root, "root", p.Dir, "")
	a.StringVar(&f.agent, "agent", "", "")
	a.StringVar(&f.mode, "mode", "", "")
	if err := a.withRules(args, len(args)); err != nil {
		return err
	}
	if err := f.settleMode(); err != nil {
		return usage(err)
	}
	command := strings.Join(a.Args(), " ")
	if strings.TrimSpace(command) == "" {
		return usage(errors.New("no command; write it after --"))
	}
	f.places = a.places
	f.places.Known = nil // as in the hook
	d, told, err := f.decide(ctx, p, command)
	if err != nil {
		return err
	}
	return printDecision(p, d, told, f.json)
}

// claudeModes are Claude Code's permission modes, that in which it starts first.
func claudeModes() []string {
	return []string{"auto", "default", "acceptEdits", "bypassPermissions", "dontAsk", "plan"}
}

// settleMode checks --mode, and makes the call Claude Code's.
func (f *checkFlags) settleMode() error {
	if f.mode == "manual" { // as Claude Code's screen has it
		f.mode = "default"
	}
	switch {
	case f.mode == "":
		if f.agent == "" {
			f.agent = "nod check"
		}
		return nil
	case !slices.Contains(claudeModes(), f.mode):
		return fmt.Errorf("--mode %q is no mode of Claude Code; its modes are %s", f.mode,
			strings.Join(claudeModes(), ", "))
	case f.agent != "" && f.agent != nod.ClaudeCode:
		return fmt.Errorf("--mode is a mode of Claude Code, and --agent says %s", f.agent)
	}
	f.agent = nod.ClaudeCode
	return nil
}

// decide runs the gate as the hook would, without session or log.
func (f checkFlags) decide(ctx context.Context, p *Process, command string) (d nod.Decision, t told, err error) {
	f.places.Files = view.Disk{}
	if f.places.Root, err = view.Resolve(f.places.Files, absolute(p, f.root)); err == nil {
		_, err = os.ReadDir(f.places.Root)
	}
	if err != nil {
		return d, t, fmt.Errorf("--root %s: %w", f.root, err)
	}
	settings, err := config.Load(f.places)
	if err != nil {
		return d, t, err
	}
	for _, notice := range settings.Notices {
		fmt.Fprintln(p.Stderr, "nod check:", notice)
	}
	if settings.Mode != config.Enforce {
		fmt.Fprintf(p.Stderr, "nod check: the mode is %s (%s), so an agent is not told this\n", settings.Mode,
			homely(p, settings.ModeOrigin))
	}
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		return d, t, err
	}
	e := agent.Event{Call: nod.Call{
		Agent: f.agent, Tool: "bash", RawTool: "bash", Input: input, Command: command,
		Dir: p.Dir, Roots: []string{f.places.Root}, Environ: p.Environ, Interactive: f.interactive,
	}}
	if f.mode != "" {
		if e, err = f.asClaude(e.Call); err != nil {
			return d, t, err
		}
	}
	d = gateFor(p, f.places, settings, f.places.Files).Check(ctx, e.Call)
	if f.mode != "" {
		model := settings.Model.Provider != ""
		answer := agent.ClaudeCode{}.Encode(e, hook.Left(d, settings), hook.Reach(settings), model)
		t = told{mode: e.Mode, said: answer.Said, profile: settings.Profile}
	}
	return d, t, nil
}

// gateFor makes the gate that the hook would make, without session or log.
func gateFor(p *Process, places config.Places, s config.Settings, files view.Files) *nod.Gate {
	program, beside := hook.Programs()
	return hook.NewGate(hook.Options{Environ: p.Environ, Places: places, Files: files, Nod: program,
		Self: []string{beside + "-hook"}}, s, nil, nil)
}

// asClaude is the call as Claude Code would send it in the mode.
func (f checkFlags) asClaude(c nod.Call) (agent.Event, error) {
	payload, err := json.Marshal(map[string]any{
		"session_id": "nod-check", "cwd": c.Dir, "permission_mode": f.mode, "hook_event_name": "PreToolUse",
		"tool_name": "Bash", "tool_input": c.Input,
	})
	if err != nil {
		return agent.Event{}, err
	}
	environ := slices.DeleteFunc(slices.Clone(c.Environ), func(kv string) bool {
		return strings.HasPrefix(kv, "CLAUDE_CODE_ENTRYPOINT=")
	})
	if c.Interactive {
		environ = append(environ, "CLAUDE_CODE_ENTRYPOINT=cli")
	}
	e, err := agent.ClaudeCode{}.Decode(payload, environ)
	e.Call.Roots, e.Call.Environ = c.Roots, c.Environ
	return e, err
}

// told is what Claude Code is told in a mode. The zero value is that nobody
// asked for that.
type told struct {
	mode, said string
	profile    config.Profile
}

// outcome is the line below a decision.
func (w told) outcome(v nod.Verdict) string {
	switch {
	case w.said == "allow":
		return "nod allows it, nobody is asked"
	case w.said == "ask":
		return "you are asked"
	case w.said == "deny" && v == nod.Ask && w.mode == "dontAsk":
		return "nod denies it, since this mode asks nobody"
	case w.said == "deny" && v == nod.Ask:
		return "nod denies it, since nobody can be asked; with a person there (--interactive) it asks"
	case w.said == "deny":
		return "nod denies it"
	}
	silent := "nod is silent"
	if v == nod.Allow && w.profile == config.Reinforce {
		silent += ` (profile = "reinforce" never allows)`
	}
	if w.mode == "auto" {
		return silent + ", Claude Code's own judge decides"
	}
	return silent + ", Claude Code's own rules decide"
}

// checked is the answer of check --json. Fields are only ever added.
type checked struct {
	Version int          `json:"v"`
	Verdict nod.Verdict  `json:"verdict"`
	Layer   nod.Layer    `json:"layer"`
	Reason  string       `json:"reason"`
	Rule    *audit.Rule  `json:"rule,omitempty"`
	Error   *audit.Error `json:"error,omitempty"`
	Latency int64        `json:"latency_us"`
	Cost    float64      `json:"cost_usd,omitempty"`
	Mode    string       `json:"mode,omitempty"` // with --mode, and what the agent is told there
	Told    string       `json:"told,omitempty"`
}

func printDecision(p *Process, d nod.Decision, told told, asJSON bool) error {
	if asJSON {
		out := checked{Version: 1, Verdict: d.Verdict, Layer: d.Layer, Reason: d.Reason,
			Latency: d.Latency.Microseconds(), Cost: d.Cost, Mode: told.mode, Told: told.said}
		if d.Rule.Text != "" {
			out.Rule = &audit.Rule{Text: d.Rule.Text, Origin: d.Rule.Origin}
		}
		if d.Err != nil {
			out.Error = &audit.Error{Kind: d.Err.Kind, Message: printable.Line(d.Err.Error(), 300)}
		}
		if err := printJSON(p, out); err != nil {
			return err
		}
		return ended(exitOf(d))
	}
	fmt.Fprintf(p.Stdout, "%s  %s  %s\n", p.paint(d.Verdict, d.Verdict.String()), d.Layer, d.Reason)
	if d.Rule.Text != "" {
		fmt.Fprintf(p.Stdout, "      rule %q, %s\n", printable.Text(d.Rule.Text), homely(p, d.Rule.Origin))
	}
	if told.mode != "" {
		fmt.Fprintf(p.Stdout, "      Claude Code in mode %s: %s\n", told.mode, told.outcome(d.Verdict))
	}
	return ended(exitOf(d))
}

func exitOf(d nod.Decision) int {
	switch {
	case d.Err != nil && d.Err.Kind == fault.Internal:
		return ExitInternal
	case d.Verdict == nod.Allow:
		return ExitOK
	case d.Verdict == nod.Ask:
		return ExitAsk
	}
	return ExitDeny
}
