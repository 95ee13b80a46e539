package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/nodgate/nod/internal/config"
)

func modeCommand() command {
	return command{
		name:    "mode",
		usage:   "mode [--json] [--unattended] [enforce | observe | off]",
		summary: "whether nod's answers count",
		long: `Prints the mode and where it is set, or sets it in your settings file, whose
comments and order stay as they are. A mode in the managed settings holds
whatever yours say.

  enforce   nod's answers count
  observe   everything is decided and logged, and nothing is answered
  off       nothing is decided

  --json         the mode as one JSON object, "v": 1
  --unattended   for provisioning: no terminal is needed; refused when an
                 agent runs this
  --settings F, --managed F   instead of the usual places

Exit status: 0; 2 refused, or settings that cannot be used.`,
		examples: []string{`nod mode`, `nod mode observe`},
		run:      mode,
	}
}

func mode(_ context.Context, p *Process, args []string) int {
	flags := flag.NewFlagSet("mode", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	unattended := flags.Bool("unattended", false, "")
	asJSON := flags.Bool("json", false, "")
	places := config.DefaultPlaces(p.Getenv("HOME"))
	placeFlags(flags, &places)
	if err := flags.Parse(args); err != nil {
		return usageError(p, modeCommand(), err)
	}
	for _, name := range []*string{&places.User, &places.Managed, &places.State} {
		if *name != "" {
			*name = absolute(p, *name)
		}
	}
	var err error
	switch flags.NArg() {
	case 0:
		err = printMode(p, places, *asJSON)
	case 1:
		if err = setMode(p, places, flags.Arg(0), *unattended); err == nil {
			err = printMode(p, places, *asJSON)
		}
	default:
		return usageError(p, modeCommand(), fmt.Errorf("unexpected %q", flags.Arg(1)))
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod mode:", err)
		return ExitBadInput
	}
	return ExitOK
}

// modeOutput is the answer of mode --json. Fields are only ever added.
type modeOutput struct {
	Version int    `json:"v"`
	Mode    string `json:"mode"`
	Origin  string `json:"origin"` // "default", or FILE:LINE
}

func printMode(p *Process, places config.Places, asJSON bool) error {
	settings, err := config.Load(places)
	if err != nil {
		return err
	}
	if asJSON {
		return json.NewEncoder(p.Stdout).Encode(modeOutput{1, settings.Mode.String(), settings.ModeOrigin})
	}
	fmt.Fprintf(p.Stdout, "%s: %s (%s)\n", settings.Mode, aboutMode(settings.Mode), homely(p, settings.ModeOrigin))
	return nil
}

// aboutMode says what a mode comes to.
func aboutMode(m config.Mode) string {
	switch m {
	case config.Observe:
		return "nothing is blocked or asked until nod mode enforce"
	case config.Off:
		return "nothing is decided until nod mode enforce"
	}
	return "nod's answers count"
}

func setMode(p *Process, places config.Places, word string, unattended bool) error {
	mode, ok := config.ParseMode(word)
	if !ok {
		return fmt.Errorf("%q is no mode; write enforce, observe or off", word)
	}
	if err := person(p, unattended); err != nil {
		return err
	}
	if places.User == "" {
		return errors.New("HOME is not set; name your settings file with --settings")
	}
	managed := places
	managed.User = ""
	above, err := config.Load(managed)
	if err != nil {
		return err
	}
	if above.ModeOrigin != "default" {
		return fmt.Errorf("the managed settings say mode %s (%s), and they hold; ask who manages this machine",
			above.Mode, above.ModeOrigin)
	}
	return config.SetMode(places, mode)
}
