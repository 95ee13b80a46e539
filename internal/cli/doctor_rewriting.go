package cli

import (
	"context"
	"strings"
	"time"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/rewriting"
	"github.com/nodgate/nod/internal/rewriting/trial"
)

// trialLimit is how long an agent's program has. It takes some seconds.
const trialLimit = time.Minute

// rewritingLines say of each agent that has a program in PATH, and was seen to, whether it
// runs what nod hands it in place of the model's command.
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

// proveRewriting tries the program, unless it is the very one that was proven, and
// remembers it for the hook. off is why an earlier proof was switched off.
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
