package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/acp"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/version"
	"github.com/nodgate/nod/internal/view"
)

func acpCommand() command {
	return command{
		name:    "acp",
		usage:   "acp [--name NAME] [--settings FILE] [--managed FILE] [--state DIR] -- AGENT [ARGUMENTS]",
		summary: "stand between an editor and an agent (Agent Client Protocol)",
		long: `Starts the agent and passes on what it and the editor say to each other. Where
the agent asks for a permission, nod answers what it allows or denies; what a
person must decide goes on to the editor, without the options that would keep
the agent from asking again. Everything else passes unchanged.

Write it into the editor's settings in place of the agent's own command line,
and leave the agent in the mode in which it asks: nod sees what is asked about
and nothing else. opencode asks only with "permission": {"bash": "ask", "edit":
"ask"} in its settings.

  --name NAME   the agent's name in the log, instead of its program's

  --settings F, --managed F, --state DIR   instead of the usual places

What it denied, and why, stands in nod log and on standard error, where editors
keep an agent's messages: the protocol has no place for a reason.

Exit status: 0 if the agent's was; else the agent's own, 128 and the number of
the signal that ended it, or 2 if it could not be started.`,
		examples: []string{`nod acp -- gemini --acp`, `nod acp --name opencode -- npx opencode-ai acp`},
		run:      runACP,
	}
}

func runACP(ctx context.Context, p *Process, args []string) int {
	flags := flag.NewFlagSet("acp", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	name := flags.String("name", "", "")
	places, err := parsePlaces(p, flags, args)
	if err == nil && flags.NArg() == 0 {
		err = errors.New("no agent; write its command line after --")
	}
	if err != nil {
		return usageError(p, acpCommand(), err)
	}
	if *name == "" {
		*name = programName(flags.Arg(0))
	}
	o, deadline, err := seat(p, places)
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod acp:", err)
		return ExitBadInput
	}
	code, err := acp.Run(ctx, acp.Options{
		Command: flags.Args(), Name: *name, Hook: o, Deadline: deadline,
		Stdin: p.Stdin, Stdout: p.Stdout, Stderr: p.Stderr,
	})
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod acp:", printable.Line(strings.ReplaceAll(err.Error(), "\n", ": "), 300))
		return ExitBadInput
	}
	return code
}

// programName is the last part of a path, as it may stand in a log.
func programName(program string) string {
	return printable.Line(filepath.Base(program), 60)
}

// seat is what a process that decides many calls hands to the hook's code,
// and how long one decision may take. Settings that cannot be used are said
// at once; each decision reads them again.
func seat(p *Process, places config.Places) (hook.Options, time.Duration, error) {
	places.Known, places.Files = nil, view.Disk{}
	if places.State == "" {
		return hook.Options{}, 0, errors.New("HOME is not set and --state is missing, so there is no place for the log")
	}
	program, beside := hook.Programs()
	o := hook.Options{
		Environ: p.Environ, Places: places, Nod: program, Self: []string{beside + "-hook"}, Version: version.String(),
	}
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
