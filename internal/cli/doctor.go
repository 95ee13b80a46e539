package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
)

func doctorCommand() command {
	return command{
		name:    "doctor",
		usage:   "doctor [--json] [--root DIR] [AGENT...]",
		summary: "try the hooks that are installed, and say what does not hold",
		long: `For each agent that is found, or named: starts the very command line that
stands in its settings, with calls whose answers are known, and copies of it
whose nod-hook is missing, killed, slow or garbled. What cannot be tried
from here (what the agent itself does with an answer) is said to be measured,
on which version; docs/agents.md has those measurements. It also says whether
the agent starts the hooks at all (Codex wants them trusted) and names settings
in this directory and above it that would keep nod from being asked. Claude
Code's hook is tried in the permission mode in which it starts for you
(permissions.defaultMode, else auto), and the line says who decides there.

Where no agent is named it also tries confinement, and reads the decision log of
the last 7 days: a call that nod blocked because nod itself failed is failed.
Where confinement is on, the programs of Claude Code, Codex, Copilot CLI, Gemini
CLI and opencode that are in PATH are started once each, in a home that is
thrown away and with a model of nod's, to see whether they run the command that
a hook hands them in place of the model's.

It changes nothing but what nod remembers of these two trials. The line gets a
--state that is thrown away; nothing goes into nod's log. A line is started only
if it is what this nod writes, and names the programs beside this nod or ones
that are root's.

Each line is one of

  ok          holds
  note        good to know, nothing to do here
  not tried   nothing is known of it, and why
  open        calls may run that nod was not asked about, and what to do
  failed      does not do what it should

  --json       the same as JSON
  --root DIR   look at the settings of this directory and those above it,
               instead of the current one

Exit status: 0 all is well; 3 something is open or was not tried;
4 something failed; 2 arguments that cannot be used; 1 a fault of nod's.`,
		examples: []string{`nod doctor`, `nod doctor codex`, `nod doctor --json --root ~/src/shop`},
		run:      installer{}.doctor,
	}
}

func (in installer) doctor(ctx context.Context, p *Process, args []string) int {
	flags := flag.NewFlagSet("doctor", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	asJSON := flags.Bool("json", false, "")
	root := flags.String("root", "", "")
	err := flags.Parse(args)
	for _, name := range flags.Args() {
		if err == nil && !slices.Contains(install.Agents(), name) {
			err = fmt.Errorf("%q is none of the agents: %s", name, strings.Join(install.Agents(), ", "))
		}
	}
	if info, statErr := os.Stat(absolute(p, *root)); err == nil && (statErr != nil || !info.IsDir()) {
		err = fmt.Errorf("--root: %s is no directory", printable.Text(absolute(p, *root)))
	}
	home := p.Getenv("HOME")
	if err == nil && home == "" {
		err = errors.New("HOME is not set, so no settings can be found")
	}
	if err != nil {
		return usageError(p, doctorCommand(), err)
	}
	self := in.self
	if self == nil {
		self = os.Executable
	}
	program, err := self()
	if err != nil {
		return refuse(p, "doctor", err)
	}
	o := doctor.Options{
		Agents: flags.Args(), Home: home, Path: p.Getenv("PATH"), Dir: absolute(p, *root), Environ: p.Environ,
		Root: in.root, Self: program, Progress: trying(p),
	}
	if len(o.Agents) == 0 {
		o.Agents = nil
	}
	blocks, err := doctor.Examine(ctx, o)
	o.Progress("")
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod doctor:", err)
		return ExitInternal
	}
	var own []doctor.Block
	if len(o.Agents) == 0 {
		own = []doctor.Block{settingsBlock(p), confineBlock(ctx, p), logBlock(p, time.Now())}
	}
	if *asJSON {
		if err := json.NewEncoder(p.Stdout).Encode(examined{Version: 1, Agents: blocks, Nod: own}); err != nil {
			return ExitInternal
		}
	} else {
		printBlocks(p, blocks)
		for _, b := range own {
			fmt.Fprintln(p.Stdout)
			printBlock(p, b)
		}
	}
	return doctor.Worst(append(blocks, own...))
}

// examined is the answer of doctor --json. Fields are only ever added.
type examined struct {
	Version int            `json:"v"`
	Agents  []doctor.Block `json:"agents"`
	Nod     []doctor.Block `json:"nod,omitempty"` // what is no agent's, where none was named
}

// trying shows on a terminal what is being done, on one line that is gone
// in the end.
func trying(p *Process) func(string) {
	if !isTerminal(p.Stderr) {
		return func(string) {}
	}
	return func(what string) { fmt.Fprint(p.Stderr, "\r\x1b[K", printable.Line(what, 70)) }
}

func printBlocks(p *Process, blocks []doctor.Block) {
	if len(blocks) == 0 {
		noneFound(p.Stdout)
	}
	for i, b := range blocks {
		if i > 0 {
			fmt.Fprintln(p.Stdout)
		}
		printBlock(p, b)
	}
}

func printBlock(p *Process, b doctor.Block) {
	title := strings.TrimSpace(b.Title + " " + b.Version)
	if b.Level != "" {
		title += ", " + b.Level + " level: " + homely(p, b.Path)
	}
	fmt.Fprintln(p.Stdout, title)
	width := 0
	for _, l := range b.Lines {
		width = max(width, len(l.What))
	}
	for _, l := range b.Lines {
		text := printable.Near(printable.Text(l.Text), nil, p.Getenv("HOME"))
		if l.Basis != "" {
			text += " (" + l.Basis + ")"
		}
		fmt.Fprintf(p.Stdout, "  %-9s  %-*s  %s\n", l.State, width, l.What, text)
		if l.Next != "" {
			fmt.Fprintf(p.Stdout, "  %-9s  %-*s  -> %s\n", "", width, "", printable.Text(l.Next))
		}
	}
}
