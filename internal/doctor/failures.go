package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/install"
)

// failure is one way for nod-hook to fail, and the program that stands in for
// it; "" is none at all.
type failure struct{ name, script string }

// slow is the failure that ends by a limit.
const slow = "slow"

func failures() []failure {
	return []failure{
		{"missing", ""},
		{"killed", "#!/bin/sh\nkill -9 $$\n"},
		{slow, "#!/bin/sh\nexec sleep 30\n"},
		{"garbled", "#!/bin/sh\necho all is well\n"},
	}
}

// tryFailures says what becomes of a call where nod-hook fails. Behind the
// guard script that is tried on a copy of the line; without it the agent's own
// doing counts, which cannot be tried from here.
func (e *examination) tryFailures(ctx context.Context, b *Block, in *install.Installed, r install.Registered) {
	if !in.Guarded() {
		e.measured(b)
		return
	}
	for _, f := range failures() {
		e.Progress(b.Title + ": nod-hook " + f.name)
		e.tryFailure(ctx, b, in, r, f)
	}
}

// measured says what the host itself does with a hook that fails.
func (e *examination) measured(b *Block) {
	for _, f := range failures() {
		switch {
		case e.row.Install.Blocks == nil:
			b.add(NotTried, f.name, "what the agent does then is not known")
		case !slices.Contains(e.row.Install.Blocks, f.name):
			b.add(Note, f.name, "the agent takes it for no decision, and its own rules hold; nod-hook prints nothing "+
				"of the kind (docs/agents.md)").Basis = e.basis()
		default:
			text := "the agent blocks the call"
			if how := e.adapter.Capabilities().FailClosed; how != "" {
				text += " (" + how + ")"
			}
			b.add(OK, f.name, text).Basis = e.basis()
		}
	}
}

// tryFailure starts a copy of the line whose program fails.
func (e *examination) tryFailure(ctx context.Context, b *Block, in *install.Installed, r install.Registered,
	f failure) {
	dir, err := e.fresh()
	if err != nil {
		b.add(NotTried, f.name, err.Error())
		return
	}
	o := in.Options
	o.Hook, o.State = filepath.Join(dir, install.HookName), filepath.Join(dir, "state")
	if f.script != "" {
		if why := standIn(ctx, o.Hook, f.script); why != "" {
			b.add(NotTried, f.name, why)
			return
		}
	}
	seconds := int((e.Hang + time.Second - 1) / time.Second)
	line, err := in.Command(r, o, seconds)
	if err != nil {
		b.add(NotTried, f.name, err.Error())
		return
	}
	work := filepath.Join(dir, "work")
	text, _ := payload(e.adapter, r.Event, e.environ(work), work, "nod-doctor-"+f.name, harmless, e.mode.name)
	got := start(ctx, line, work, e.environ(work), text, time.Duration(seconds+5)*time.Second)
	e.judgeFailure(b, f, got, seconds)
}

func (e *examination) judgeFailure(b *Block, f failure, got install.Ran, seconds int) {
	denied, how := e.denial(got)
	switch {
	case denied:
		text := "the line " + how + ", for which the agent blocks the call"
		if f.name == slow {
			text = fmt.Sprintf("ended by the line, here after %d s; then %s", seconds, text)
		}
		b.add(OK, f.name, text).Basis = e.partly()
	case !got.Ended && f.name == slow:
		l := b.add(Open, f.name,
			"the line does not end: timeout(1) is missing here, so the agent's own limit ends the hook, "+
				"and the call may run")
		l.Basis = "tried"
	default:
		b.add(Failed, f.name, "the line should be one that "+how+": "+said(got)).Basis = "tried"
	}
}

// basis says what a statement about the host rests on.
func (e *examination) basis() string {
	tried := e.adapter.Capabilities().Tried
	if strings.HasPrefix(tried, "read: ") {
		return tried + "; not run by nod's tests"
	}
	return "measured on " + tried
}

// partly is the basis of what was tried up to the agent.
func (e *examination) partly() string { return "tried; the agent's part " + e.basis() }

// denial reports whether an answer is the host's denial with a reason, as the
// adapter says it where there is no event, and how that looks.
func (e *examination) denial(got install.Ran) (denied bool, how string) {
	with := e.adapter.Block("nod says why")
	if with.Exit == 2 {
		return got.Exit == 2 && len(got.Stdout) == 0 &&
			strings.TrimSpace(string(got.Stderr)) != "", "exits with 2 and a reason"
	}
	before, after, _ := strings.Cut(string(with.Stdout), "nod says why")
	reason, found := strings.CutPrefix(strings.TrimSpace(string(got.Stdout)), before)
	return found && got.Exit == with.Exit && strings.HasSuffix(reason, after) &&
		reason != after, "prints a denial with a reason"
}

// standIn writes a program, and says why it cannot be started where that is so.
func standIn(ctx context.Context, path, script string) string {
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexit 7\n"), 0o700); err != nil {
		return err.Error()
	}
	if got := start(ctx, install.Command{Words: []string{path}}, filepath.Dir(path), nil, nil,
		patience); got.Exit != 7 {
		return "no program can be started in " + filepath.Dir(path) +
			", so this was not tried; name another place with TMPDIR"
	}
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		return err.Error()
	}
	return ""
}
