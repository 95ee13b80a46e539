package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/daemon"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/resident"
	"github.com/nodgate/nod/internal/version"
)

func daemonCommand() command {
	return command{
		name:    "daemon",
		usage:   "daemon [--settings FILE] [--managed FILE] [--state DIR] [status [--json] | stop]",
		summary: "keep connections to the model warm, or look at what does",
		long: `Runs the process that answers side queries for nod-hook: it keeps connections
warm, remembers verdicts and holds the limits of a key. nod-hook starts it
when it needs a model, and it ends after 15 minutes without a question; there
is no need to run it. Without it nod works, more slowly.

It serves settings whose key lies in a key_file, or that need none. A key in
the environment is for nod classify only, since a repository could put it
there.

  status   what it has done: requests, failures, verdicts from memory
  stop     ends it; answers that are under way are still given
  --json   status as JSON
  --settings F, --managed F, --state DIR   instead of the usual places

Exit status: 0; 1 it could not run, or none runs; 2 bad arguments.`,
		examples: []string{`nod daemon status`, `nod daemon stop`},
		run:      runDaemon,
	}
}

func runDaemon(ctx context.Context, p *Process, args []string) int {
	flags := flag.NewFlagSet("daemon", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	places := config.DefaultPlaces(p.Getenv("HOME"))
	placeFlags(flags, &places)
	asJSON := flags.Bool("json", false, "")
	if err := flags.Parse(args); err != nil {
		return usageError(p, daemonCommand(), err)
	}
	word := flags.Arg(0)
	if flags.NArg() > 1 {
		if err := flags.Parse(flags.Args()[1:]); err != nil || flags.NArg() > 0 {
			return usageError(p, daemonCommand(), fmt.Errorf("unexpected %q", flags.Arg(0)))
		}
	}
	var err error
	switch word {
	case "":
		if *asJSON {
			return usageError(p, daemonCommand(), errors.New("--json goes with status"))
		}
		err = serveDaemon(ctx, places)
	case "status":
		err = daemonStatus(p, places, *asJSON)
	case "stop":
		if *asJSON {
			return usageError(p, daemonCommand(), errors.New("--json goes with status"))
		}
		err = stopDaemon(p, places)
	default:
		return usageError(p, daemonCommand(), fmt.Errorf("unexpected %q", word))
	}
	if errors.Is(err, resident.ErrNone) {
		err = errors.New("no daemon runs; nod-hook starts it when it needs a model")
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod daemon:", printable.Line(err.Error(), 300))
		return ExitInternal
	}
	return ExitOK
}

func serveDaemon(ctx context.Context, places config.Places) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return daemon.Run(ctx, daemon.Options{
		Places: places, Program: program, Version: version.String(),
		Build: func(s config.Settings, limits *daemon.Limits) (nod.Model, error) {
			notes := &notices{}
			model, err := newModel(modelSource{places: places, notice: notes.add, limits: limits}, s)
			return noticing{model, notes}, err
		},
	})
}

// notices are what models say beside their answers.
type notices struct {
	mu    sync.Mutex
	lines []string
}

func (n *notices) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, line)
}

// noticing is a model with what it reported.
type noticing struct {
	nod.Model
	notes *notices
}

// Notices returns what was reported, once.
func (n noticing) Notices() []string {
	n.notes.mu.Lock()
	defer n.notes.mu.Unlock()
	lines := n.notes.lines
	n.notes.lines = nil
	return lines
}

func daemonStatus(p *Process, places config.Places, asJSON bool) error {
	_, answer, err := resident.Say(places.State, resident.Status)
	if err != nil {
		return err
	}
	if asJSON {
		fmt.Fprintf(p.Stdout, "%s\n", answer)
		return nil
	}
	var s daemon.State
	if err := json.Unmarshal(answer, &s); err != nil {
		return fmt.Errorf("the daemon's answer cannot be read: %w", err)
	}
	fmt.Fprintf(p.Stdout, "nod %s runs as process %d since %s\n%d requests, %d of them failed, %d answered from "+
		"memory; %d verdicts remembered\n",
		printable.Line(s.Version, 40), s.PID, s.Since.Local().Format("2006-01-02 15:04:05"), s.Requests, s.Failures,
		s.Remembered, s.Verdicts)
	return nil
}

// stopDaemon asks the daemon to end, and waits until nothing listens.
func stopDaemon(p *Process, places config.Places) error {
	if _, _, err := resident.Say(places.State, resident.Stop); err != nil {
		return err
	}
	for range 100 {
		if _, _, err := resident.Say(places.State, resident.Status); errors.Is(err, resident.ErrNone) {
			fmt.Fprintln(p.Stdout, "stopped")
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.New("it was asked to end and still listens")
}
