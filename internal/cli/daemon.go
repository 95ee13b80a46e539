package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/daemon"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/resident"
	"github.com/nodgate/nod/internal/version"
)

func runDaemon(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	asJSON := a.Bool("json", false, "")
	err := a.parse(args, len(args))
	word := a.Arg(0)
	if err == nil && a.NArg() > 1 { // flags may stand behind the word
		err = a.parse(a.Args()[1:], 0)
	}
	if err != nil {
		return err
	}
	switch {
	case *asJSON && word != "status":
		return usage(errors.New("--json goes with status"))
	case word == "":
		err = serveDaemon(ctx, a.places)
	case word == "status":
		err = daemonStatus(p, a.places.State, *asJSON)
	case word == "stop":
		err = stopDaemon(p, a.places.State)
	default:
		return usage(fmt.Errorf("unexpected %q", word))
	}
	if errors.Is(err, resident.ErrNone) {
		err = errors.New("no daemon runs; nod-hook starts it when it needs a model")
	}
	return internal(err)
}

func serveDaemon(ctx context.Context, places config.Places) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return daemon.Run(ctx, daemon.Options{Places: places, Program: program, Version: version.String(),
		Build: func(s config.Settings) (nod.Model, error) { return newModel(modelSource{places: places}, s) }})
}

func daemonStatus(p *Process, state string, asJSON bool) error {
	answer, err := resident.Say(state, resident.Status)
	if err != nil {
		return err
	}
	var s daemon.State
	if err := json.Unmarshal(answer, &s); err != nil {
		return fmt.Errorf("the daemon's answer cannot be read: %w", err)
	}
	if asJSON {
		return printJSON(p, s)
	}
	fmt.Fprintf(p.Stdout, "nod %s runs as process %d since %s; %d requests\n",
		printable.Line(s.Version, 40), s.PID, s.Since.Local().Format(time.DateTime), s.Requests)
	return nil
}

// stopDaemon asks the daemon to end, and waits until nothing listens.
func stopDaemon(p *Process, state string) error {
	if _, err := resident.Say(state, resident.Stop); err != nil {
		return err
	}
	for range 100 {
		if _, err := resident.Say(state, resident.Status); errors.Is(err, resident.ErrNone) {
			fmt.Fprintln(p.Stdout, "stopped")
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.New("it was asked to end and still listens")
}
