package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/acp"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/version"
	"github.com/nodgate/nod/internal/view"
)

func runACP(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	name := a.String("name", "", "")
	err := a.withRules(args, len(args))
	if err == nil && a.NArg() == 0 {
		err = usage(errors.New("no agent; write its command line after --"))
	}
	if err != nil {
		return err
	}
	o, deadline, err := seat(p, a.places)
	if err != nil {
		return err
	}
	code, err := acp.Run(ctx, acp.Options{
		Command: a.Args(), Name: cmp.Or(*name, printable.Line(filepath.Base(a.Arg(0)), 60)), Hook: o,
		Deadline: deadline, Stdin: p.Stdin, Stdout: p.Stdout, Stderr: p.Stderr,
	})
	if err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), "\n", ": "))
	}
	return ended(code)
}

// seat is what a process that decides many calls hands to the hook's code, and how long one decision may take.
// Settings that cannot be used are said at once; each decision reads them again.
func seat(p *Process, places config.Places) (hook.Options, time.Duration, error) {
	places.Known, places.Files = nil, view.Disk{}
	if places.State == "" {
		return hook.Options{}, 0, errors.New("HOME is not set and --state is missing, so there is no place for the log")
	}
	o := hook.Options{Environ: p.Environ, Places: places, Nod: hook.Beside("nod"), Self: hook.Programs(),
		Version: version.String()}
	timeout := nod.DefaultTimeout
	settings, err := config.Load(places)
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod: the settings cannot be used, so nothing will be allowed:",
			printable.Line(err.Error(), 300))
	} else if settings.Model.Timeout > 0 {
		timeout = settings.Model.Timeout
	}
	return o, timeout + 5*time.Second, nil
}

func serveMCP(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	if err := a.withRules(args, 0); err != nil {
		return err
	}
	o, deadline, err := seat(p, a.places)
	if err != nil {
		return err
	}
	o.Adapter = agent.ClaudePrompt{Project: p.Dir, Session: p.Getenv("CLAUDE_CODE_SESSION_ID")}
	return internal(p.Views.MCP(ctx, o, deadline, p.Stdin, p.Stdout))
}
