package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/confine/behind"
	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/rewriting"
	"github.com/nodgate/nod/internal/rewriting/trial"
	"github.com/nodgate/nod/internal/version"
)

func (in installer) doctor(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p)
	asJSON := a.Bool("json", false, "")
	root := a.String("root", "", "")
	quick := a.Bool("quick", false, "")
	if err := a.parse(args, len(args)); err != nil {
		return err
	}
	for _, name := range a.Args() {
		if !slices.Contains(install.Agents(), name) {
			return usage(fmt.Errorf("%q is not one of the agents: %s", name, strings.Join(install.Agents(), ", ")))
		}
	}
	dir := absolute(p, *root)
	switch info, err := os.Stat(dir); {
	case err != nil || !info.IsDir():
		return usage(fmt.Errorf("--root: %s is no directory", printable.Text(dir)))
	case p.Getenv("HOME") == "":
		return usage(errors.New("HOME is not set, so no settings can be found"))
	}
	var agents []string // all that are found
	if a.NArg() > 0 {
		agents = a.Args()
	}
	o := in.examination(p, dir, agents)
	blocks, err := doctor.Examine(ctx, o)
	o.Progress("")
	if err != nil {
		return internal(err)
	}
	var own []doctor.Block
	if len(o.Agents) == 0 {
		own = []doctor.Block{settingsBlock(p), confineBlock(ctx, p, *quick), logBlock(p, time.Now())}
	}
	if *asJSON {
		if err := printJSON(p, examined{Version: 1, Agents: blocks, Nod: own}); err != nil {
			return err
		}
	} else {
		printBlocks(p, blocks, own)
	}
	return ended(doctor.Worst(append(blocks, own...)))
}

// examination is what doctor looks at for an agent that works in dir.
func (in installer) examination(p *Process, dir string, agents []string) doctor.Options {
	self, _ := in.program() // where that is unknown nothing is started
	return doctor.Options{Agents: agents, Home: p.Getenv("HOME"), Path: p.Getenv("PATH"), Dir: dir, Environ: p.Environ,
		Root: in.root, Self: self, Progress: trying(p)}
}

// examined is the answer of doctor --json. Fields are only ever added.
type examined struct {
	Version int            `json:"v"`
	Agents  []doctor.Block `json:"agents"`
	Nod     []doctor.Block `json:"nod,omitempty"` // what is not of an agent, where no agent was named
}

// trying shows on a terminal what is being done, on one line that is gone in the end.
func trying(p *Process) func(string) {
	if !isTerminal(p.Stderr) {
		return func(string) {}
	}
	return func(what string) { fmt.Fprint(p.Stderr, "\r\x1b[K", printable.Line(what, 70)) }
}

func printBlocks(p *Process, agents, own []doctor.Block) {
	if len(agents) == 0 {
		noneFound(p.Stdout)
	}
	for i, b := range append(slices.Clip(agents), own...) {
		if i > 0 || len(agents) == 0 {
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

// settingsBlock says whether nod's settings can be used, and which lines are left out.
func settingsBlock(p *Process) doctor.Block {
	b := doctor.Block{Title: "Settings"}
	settings, err := config.Load(behind.Places(p.Environ))
	switch {
	case err != nil:
		l := b.Add(doctor.Failed, "nod.toml", printable.Line(err.Error(), 300))
		l.Next = "no call is allowed until it can be used"
	case len(settings.Notices) == 0:
		b.Add(doctor.OK, "nod.toml", "every line of it counts")
	}
	if settings.Policy != nil {
		state := doctor.OK
		if settings.Policy.Stale {
			state = doctor.Note
		}
		b.Add(state, "team policy", settings.Policy.String())
	}
	for _, notice := range settings.Notices {
		b.Add(doctor.Note, "left out", printable.Line(notice, 300))
	}
	return b
}

// logAge is how far back nod doctor reads the log.
const logAge = 7 * 24 * time.Hour

// logBlock is what nod doctor says of the log: what nod blocked in the last days because nod itself failed, or could
// not read what the agent sent. Nothing else tells a person so. What an older nod failed at is left out.
func logBlock(p *Process, now time.Time) doctor.Block {
	b := doctor.Block{Title: "Decision log, the last 7 days"}
	decided := 0
	var inside, payload, alarms []audit.Line
	state := config.DefaultPlaces(p.Getenv("HOME")).State
	for l, err := range audit.Read(state, audit.Filter{Since: now.Add(-logAge)}) {
		switch {
		case err != nil:
			b.Add(doctor.Note, "log", err.Error())
		case l.Nod != version.String():
		case l.Kind == audit.Alarm:
			alarms = append(alarms, l)
		case l.Kind == audit.BadInput:
			payload = append(payload, l)
		case l.Kind == audit.Decision:
			decided++
			if l.Error != nil && l.Error.Kind == fault.Internal {
				inside = append(inside, l)
			}
		}
	}
	addFailures(&b, inside, "nod failed inside, and blocked", "please report it")
	addFailures(&b, payload, "nod could not read what the agent sent, and blocked",
		"the agent may be newer than this nod: look for a newer nod, else please report it")
	if len(alarms) > 0 {
		b.Add(doctor.Failed, "alarm", printable.Line(alarms[len(alarms)-1].Reason, 300)).Next = "nod log --kind alarm"
	}
	if len(b.Lines) == 0 {
		b.Add(doctor.OK, "log", counted(decided, "call")+", nod itself failed at none")
	}
	return b
}

// addFailures adds a finding about the lines of the log that say one failure.
func addFailures(b *doctor.Block, list []audit.Line, what, next string) {
	if len(list) == 0 {
		return
	}
	last := list[len(list)-1]
	text := fmt.Sprintf("%s %s, the last on %s with %s", what, counted(len(list), "call"),
		last.Time.Local().Format("2006-01-02 15:04"), last.Agent)
	show := "nod log --kind " + string(last.Kind)
	if last.ID != "" {
		show = "nod log " + last.ID
	}
	b.Add(doctor.Failed, "log", text).Next = show + "; " + next
}

// trialLimit is how long an agent's program has. It takes some seconds.
const trialLimit = time.Minute

// rewritingLines say of each agent in PATH whether it runs what nod hands it in place of a command.
func rewritingLines(ctx context.Context, p *Process) (lines []doctor.Line) {
	for _, found := range install.Find(p.Getenv("HOME"), p.Getenv("PATH")) {
		host, known := agent.ByName(found.Agent)
		if known && host.Capabilities().Rewrites && found.Program != "" {
			lines = append(lines, rewritingLine(ctx, p, found))
		}
	}
	return lines
}

func rewritingLine(ctx context.Context, p *Process, found install.Presence) doctor.Line {
	version, off, err := proveRewriting(ctx, p, found)
	title := strings.TrimSpace(install.Title(found.Agent) + " " + version)
	l := doctor.Line{State: doctor.OK, What: "rewriting", Text: title + " runs what nod hands it", Basis: "tried"}
	switch {
	case err != nil:
		l.State = doctor.Note
		l.Text = "not proven of " + title + ": " + printable.Line(err.Error(), 300) + ", so the line has to be typed"
	case off != "":
		l.Text += "; that had been switched off: " + printable.Line(off, 200)
	}
	return l
}

// proveRewriting tries the program, unless it was proven. off is why an earlier proof was switched off.
func proveRewriting(ctx context.Context, p *Process, found install.Presence) (version, off string, err error) {
	v, err := install.ProgramVersion(ctx, found.Program, p.Getenv("PATH"))
	if err != nil {
		return "", "", err
	}
	state := config.DefaultPlaces(p.Getenv("HOME")).State
	known, off := rewriting.Recorded(state, found.Agent, found.Program)
	if known {
		return v.String(), "", nil
	}
	seen, err := rewriting.Look(found.Program, v.String())
	if err != nil {
		return "", "", err
	}
	trying(p)(install.Title(found.Agent) + ": whether it runs what a hook hands it")
	defer trying(p)("")
	ctx, stop := context.WithTimeout(ctx, trialLimit)
	defer stop()
	asker, err := trial.Prove(ctx, found.Agent, found.Program)
	if err == nil {
		err = rewriting.Record(state, found.Agent, seen, asker)
	}
	return v.String(), off, err
}
