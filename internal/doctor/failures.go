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
	for _, f := range failures() {
		if !in.Guarded() {
			e.measured(b, f)
			continue
		}
		e.Progress(b.Title + ": nod-hook " + f.name)
		seconds := int((e.Hang + time.Second - 1) / time.Second)
		got, err := e.tryFailure(ctx, in, r, f, seconds)
		if err != nil {
			b.add(NotTried, f.name, err.Error())
			continue
		}
		e.judgeFailure(b, f, got, seconds)
	}
}

// measured says what the host itself does with a hook that fails.
func (e *examination) measured(b *Block, f failure) {
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

// tryFailure starts a copy of the line whose program fails.
func (e *examination) tryFailure(ctx context.Context, in *install.Installed, r install.Registered, f failure,
	seconds int) (install.Ran, error) {
	t, err := e.prepare(r.Event, harmless)
	if err != nil {
		return install.Ran{}, err
	}
	program := filepath.Join(t.dir, install.HookName)
	if f.script != "" {
		if err := standIn(ctx, program, f.script); err != nil {
			return install.Ran{}, err
		}
	}
	return e.start(ctx, in, r, t, program, seconds, time.Duration(seconds+5)*time.Second)
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
		b.add(Open, f.name,
			"the line does not end: timeout(1) is missing here, so the agent's own limit ends the hook, "+
				"and the call may run").Basis = "tried"
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
func standIn(ctx context.Context, path, script string) error {
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexit 7\n"), 0o700); err != nil {
		return err
	}
	if got := install.Start(ctx, install.Command{Words: []string{path}}, filepath.Dir(path), nil, nil); got.Exit != 7 {
		return fmt.Errorf("no program can be started in %s, so this was not tried; name another place with TMPDIR",
			filepath.Dir(path))
	}
	return os.WriteFile(path, []byte(script), 0o700)
}
