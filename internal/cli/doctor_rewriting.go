package cli

import (
	"context"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/rewriting"
	"github.com/nodgate/nod/internal/rewriting/trial"
)

// provable is the agent that can be tried.
const provable = "claude-code"

// trialLimit is how long the agent's program has. It takes a second or two.
const trialLimit = time.Minute

// rewritingLine says whether the agent's program runs what nod hands it in place
// of the model's command. ok is false where there is no such program.
func rewritingLine(ctx context.Context, p *Process) (l doctor.Line, ok bool) {
	program, err := install.FindClaude(p.Getenv("PATH"))
	if err != nil {
		return l, false
	}
	version, off, err := proveRewriting(ctx, p, program)
	title := strings.TrimSpace(install.Title(provable) + " " + version)
	l = doctor.Line{State: doctor.OK, What: "rewriting", Text: title + " runs what nod hands it", Basis: "tried"}
	switch {
	case err != nil:
		l.State = doctor.Note
		l.Text = "not proven of " + title + ": " + printable.Line(err.Error(), 300) + ", so the line has to be typed"
	case off != "":
		l.Text += "; that had been switched off: " + printable.Line(off, 200)
	}
	return l, true
}

// proveRewriting tries the program, unless it is the very one that was proven, and
// remembers it for the hook. off is why an earlier proof was switched off.
func proveRewriting(ctx context.Context, p *Process, program string) (version, off string, err error) {
	v, err := install.ProgramVersion(ctx, program, p.Getenv("PATH"))
	if err != nil {
		return "", "", err
	}
	state := config.DefaultPlaces(p.Getenv("HOME")).State
	known, off := rewriting.Recorded(state, provable, program)
	if known {
		return v.String(), "", nil
	}
	seen, err := rewriting.Look(program, v.String())
	if err != nil {
		return "", "", err
	}
	trying(p)(install.Title(provable) + ": whether it runs what a hook hands it")
	defer trying(p)("")
	ctx, stop := context.WithTimeout(ctx, trialLimit)
	defer stop()
	if err = trial.Prove(ctx, provable, program); err == nil {
		err = rewriting.Record(state, provable, seen)
	}
	return v.String(), off, err
}
