package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/nodgate/nod/internal/config"
)

func mode(_ context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	unattended := a.Bool("unattended", false, "")
	if err := a.parse(args, 1); err != nil {
		return err
	}
	if a.NArg() > 0 {
		if err := setMode(p, a.places, a.Arg(0), *unattended); err != nil {
			return err
		}
	}
	settings, err := config.Load(a.places)
	if err != nil {
		return err
	}
	about := map[config.Mode]string{config.Enforce: "nod's answers count",
		config.Observe: "nothing is blocked or asked until nod mode enforce",
		config.Off:     "nothing is decided until nod mode enforce"}
	fmt.Fprintf(p.Stdout, "%s: %s (%s)\n", settings.Mode, about[settings.Mode], homely(p, settings.ModeOrigin))
	return nil
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
