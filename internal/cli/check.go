package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

func check(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	asJSON := a.Bool("json", false, "")
	interactive := a.Bool("interactive", false, "")
	root := a.String("root", p.Dir, "")
	agent := a.String("agent", "nod check", "")
	gate, settings, call, err := a.gateFor(p, args, root)
	if err != nil {
		return err
	}
	for _, notice := range settings.Notices {
		fmt.Fprintln(p.Stderr, "nod check:", notice)
	}
	if settings.Mode != config.Enforce {
		fmt.Fprintf(p.Stderr, "nod check: the mode is %s (%s), so an agent is not told this\n", settings.Mode,
			homely(p, settings.ModeOrigin))
	}
	call.Agent, call.Interactive = *agent, *interactive
	return printDecision(p, gate.Check(ctx, call), *asJSON)
}

// gateFor parses the arguments and makes the gate of the hook's in a workspace, and a call of the command there.
func (a *arguments) gateFor(p *Process, args []string, root *string) (*nod.Gate, config.Settings, nod.Call, error) {
	err := a.withRules(args, len(args))
	command := strings.Join(a.Args(), " ")
	if err == nil && strings.TrimSpace(command) == "" {
		err = usage(errors.New("no command; write it after --"))
	}
	if err != nil {
		return nil, config.Settings{}, nod.Call{}, err
	}
	places := a.places
	places.Known, places.Files = nil, view.Disk{} // as in the hook
	if places.Root, err = view.Resolve(places.Files, absolute(p, *root)); err == nil {
		_, err = os.ReadDir(view.Native(places.Root))
	}
	if err != nil {
		return nil, config.Settings{}, nod.Call{}, fmt.Errorf("--root %s: %w", *root, err)
	}
	settings, err := config.Load(places)
	if err != nil {
		return nil, settings, nod.Call{}, err
	}
	environ := p.Environ
	if view.Windows(places.Files) {
		environ = view.Environ(environ)
	}
	input, err := json.Marshal(map[string]string{"command": command})
	return hookGate(p, places, settings, places.Files), settings, nod.Call{Tool: "bash", RawTool: "bash", Input: input,
		Command: command, Dir: p.Dir, Roots: []string{places.Root}, Environ: environ}, err
}

// hookGate makes the gate that the hook would make, without session or log.
func hookGate(p *Process, places config.Places, s config.Settings, files view.Files) *nod.Gate {
	return hook.NewGate(hook.Options{Environ: p.Environ, Places: places, Files: files, Nod: hook.Beside("nod"),
		Self: hook.Programs()}, s, nil, nil)
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
}

func printDecision(p *Process, d nod.Decision, asJSON bool) error {
	if asJSON {
		out := checked{Version: 1, Verdict: d.Verdict, Layer: d.Layer, Reason: d.Reason,
			Latency: d.Latency.Microseconds(), Cost: d.Cost}
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
	word := strings.TrimRight(printable.Verdict(p.Stdout, d.Verdict.String()), " ")
	fmt.Fprintf(p.Stdout, "%s  %s  %s\n", word, d.Layer, d.Reason)
	if d.Rule.Text != "" {
		fmt.Fprintf(p.Stdout, "      rule %q, %s\n", printable.Text(d.Rule.Text), homely(p, d.Rule.Origin))
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

func showPrompt(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	gate, _, call, err := a.gateFor(p, args, &p.Dir)
	if err != nil {
		return err
	}
	call.Agent, call.Session = nod.ClaudeCode, "nod prompt"
	prompt, err := gate.Prompt(ctx, call)
	if err != nil {
		return err
	}
	for _, part := range promptParts(prompt) {
		if part.text != "" {
			fmt.Fprintf(p.Stdout, "%s\n\n%s\n\n", strings.ToUpper(part.name), printable.Lines(part.text))
		}
	}
	return nil
}

// promptPart is a part of what is sent to a model.
type promptPart struct{ name, text string }

func promptParts(q nod.Prompt) []promptPart {
	tool := nod.AnswerTool()
	return []promptPart{
		{"tool", tool.Name + "\n" + tool.Description + "\n" + string(tool.Schema)},
		{"system", q.System},
		{"session", strings.Join(q.Ledger, "\n\n")},
		{"call", q.User},
		{"quick", q.Quick},
		{"careful", q.Careful},
	}
}
