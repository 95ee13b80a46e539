package cli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
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

func checkCommand() command {
	return command{
		name:    "check",
		usage:   "check [--json] [--root DIR] [--agent NAME] [--mode MODE] [--interactive] -- COMMAND",
		summary: "decide one shell command and say why",
		long: `Decides a shell command as it would be decided here for an agent that was
started in this directory, under your settings. Nothing is run and nothing is
logged. Several words are one command, as a shell would join them.

  --json         the decision as one JSON object, "v": 1
  --root DIR     the workspace, instead of this directory
  --agent NAME   whose call it is, for rules that speak of one agent's calls
  --mode MODE    a permission mode of Claude Code's (auto, in which it starts,
                 default, acceptEdits, bypassPermissions, dontAsk, plan): says
                 too what Claude Code is told there, and who decides
  --interactive  decide as if a person could be asked
  --settings F, --managed F, --state DIR   instead of the usual places

Exit status: 0 allow, 3 ask, 4 deny, 2 arguments or settings that cannot be
used, 1 a fault of nod's.`,
		examples: []string{`nod check -- git push --force`, `nod check --json -- "rm -rf build && make"`},
		run:      check,
	}
}

type checkFlags struct {
	json, interactive bool
	root, agent, mode string
	places            config.Places
}

func check(ctx context.Context, p *Process, args []string) int {
	var f checkFlags
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&f.json, "json", false, "")
	flags.BoolVar(&f.interactive, "interactive", false, "")
	flags.StringVar(&f.root, "root", p.Dir, "")
	flags.StringVar(&f.agent, "agent", "", "")
	flags.StringVar(&f.mode, "mode", "", "")
	var err error
	if f.places, err = parsePlaces(p, flags, args); err != nil {
		return usageError(p, checkCommand(), err)
	}
	if err := f.settleMode(); err != nil {
		return usageError(p, checkCommand(), err)
	}
	if f.agent == "" {
		f.agent = "nod check"
	}
	f.places.Known = nil // as in the hook
	f.root = absolute(p, f.root)
	words := flags.Args()
	if strings.TrimSpace(strings.Join(words, "")) == "" {
		return usageError(p, checkCommand(), fmt.Errorf("no command; write it after --"))
	}
	d, told, err := decideCommand(ctx, p, f, strings.Join(words, " "))
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod check:", err)
		return ExitBadInput
	}
	return printDecision(p, d, told, f.json)
}

// decideCommand runs the gate as the hook would, without session or log.
func decideCommand(ctx context.Context, p *Process, f checkFlags, command string) (nod.Decision, told, error) {
	f.places.Files = view.Disk{}
	root, err := view.Resolve(f.places.Files, f.root)
	if err == nil {
		_, err = os.ReadDir(root)
	}
	if err != nil {
		return nod.Decision{}, told{}, fmt.Errorf("--root %s: %w", f.root, err)
	}
	f.places.Root = root
	settings, err := config.Load(f.places)
	if err != nil {
		return nod.Decision{}, told{}, err
	}
	o := hook.Options{Environ: p.Environ, Places: f.places, Files: f.places.Files}
	program, beside := hook.Programs()
	o.Nod, o.Self = program, []string{beside + "-hook"}
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		return nod.Decision{}, told{}, err
	}
	for _, notice := range settings.Notices {
		fmt.Fprintln(p.Stderr, "nod check:", notice)
	}
	if settings.Mode != config.Enforce {
		fmt.Fprintf(p.Stderr, "nod check: the mode is %s (%s), so an agent is not told this\n", settings.Mode,
			homely(p, settings.ModeOrigin))
	}
	gate := hook.NewGate(o, settings, nil, nil)
	c := nod.Call{
		Agent: f.agent, Tool: "bash", RawTool: "bash", Input: input, Command: command,
		Dir: p.Dir, Roots: []string{root}, Environ: p.Environ, Interactive: f.interactive,
	}
	if f.mode == "" {
		return gate.Check(ctx, c), told{}, nil
	}
	e, err := modeEvent(f, c)
	if err != nil {
		return nod.Decision{}, told{}, err
	}
	d := gate.Check(ctx, e.Call)
	return d, tell(e, d, settings), nil
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

func printDecision(p *Process, d nod.Decision, told told, asJSON bool) int {
	if asJSON {
		out := checked{Version: 1, Verdict: d.Verdict, Layer: d.Layer, Reason: d.Reason,
			Latency: d.Latency.Microseconds(), Cost: d.Cost, Mode: told.mode, Told: told.said}
		if d.Rule.Text != "" {
			out.Rule = &audit.Rule{Text: d.Rule.Text, Origin: d.Rule.Origin}
		}
		if d.Err != nil {
			out.Error = &audit.Error{Kind: d.Err.Kind, Message: printable.Line(d.Err.Error(), 300)}
		}
		if err := json.NewEncoder(p.Stdout).Encode(out); err != nil {
			return ExitInternal
		}
		return exitOf(d)
	}
	fmt.Fprintf(p.Stdout, "%s  %s  %s\n", paint(p, d.Verdict), d.Layer, d.Reason)
	if d.Rule.Text != "" {
		fmt.Fprintf(p.Stdout, "      rule %q, %s\n", printable.Text(d.Rule.Text), homely(p, d.Rule.Origin))
	}
	if told.mode != "" {
		fmt.Fprintln(p.Stdout, "      "+told.line(d.Verdict))
	}
	return exitOf(d)
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

// colors reports whether output may be coloured: on a terminal that has colours,
// and where nobody asked for none (no-color.org).
func (p *Process) colors() bool {
	return p.Terminal && p.Getenv("NO_COLOR") == "" && p.Getenv("TERM") != "dumb"
}

// paint colours a verdict on a terminal.
func paint(p *Process, v nod.Verdict) string {
	if !p.colors() {
		return v.String()
	}
	color := map[nod.Verdict]string{nod.Allow: "32", nod.Ask: "33", nod.Deny: "31"}[v]
	return "\x1b[" + color + "m" + v.String() + "\x1b[0m"
}

// placeFlags adds the flags that say where settings and state are.
func placeFlags(flags *flag.FlagSet, places *config.Places) {
	flags.StringVar(&places.User, "settings", places.User, "")
	flags.StringVar(&places.Managed, "managed", places.Managed, "")
	flags.StringVar(&places.State, "state", places.State, "")
}

// usageError says what is wrong with the arguments and where to look.
func usageError(p *Process, c command, err error) int {
	fmt.Fprintf(p.Stderr, "nod %s: %s\nusage: nod %s\n", c.name, c.wrong(err), c.usage)
	return ExitBadInput
}

// wrong says what is wrong with the arguments in the words of `nod help`, where
// package flag says it in its own.
func (c command) wrong(err error) string {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		return c.noFlag("--" + strings.TrimPrefix(name, "-"))
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return "--" + strings.TrimPrefix(name, "-") + " wants a value behind it"
	}
	value, rest, ok := strings.Cut(strings.TrimPrefix(text, "invalid value "), " for flag -")
	name, why, told := strings.Cut(rest, ": ")
	if !ok || !told || !strings.HasPrefix(text, "invalid value ") {
		return text
	}
	if _, short, named := strings.Cut(why, value+": "); named {
		why = short
	}
	return "--" + name + " " + value + ": " + why
}

// noFlag says that a command has no such flag, and which flag is like it.
func (c command) noFlag(flag string) string {
	flag = printable.Line(flag, 60)
	var names []string
	for _, known := range c.flags() {
		names = append(names, strings.TrimPrefix(known, "--"))
	}
	if near, ok := config.Nearest(strings.TrimPrefix(flag, "--"), names); ok && flag != "--json" {
		return "there is no flag " + flag + "; did you mean --" + near + "?"
	}
	return "there is no flag " + flag + "; see nod help " + c.name
}
