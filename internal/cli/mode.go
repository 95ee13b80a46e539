package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

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
	err := modeIsOurs(places)
	if err == nil {
		err = config.Pause(places, 0)
	}
	if err != nil {
		return err
	}
	return config.SetWord(places, "mode", mode.String())
}

// modeIsOurs refuses to change the mode where the organisation has set it.
func modeIsOurs(places config.Places) error {
	places.User, places.State = "", ""
	above, err := config.Load(places)
	if err == nil && above.ModeOrigin != "default" {
		err = fmt.Errorf("the managed settings say mode %s (%s), and they hold; ask who manages this machine",
			above.Mode, above.ModeOrigin)
	}
	return err
}

func pause(_ context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	end := a.Bool("end", false, "")
	if err := a.withState(args, 1); err != nil {
		return err
	}
	settings, err := config.Load(a.places)
	switch {
	case err != nil:
		return err
	case *end && a.NArg() > 0:
		return usage(errors.New("--end and a time do not go together"))
	case *end || a.NArg() > 0 || settings.Paused.IsZero():
		if err := setPause(p, a.places, settings, cmp.Or(a.Arg(0), "15m"), *end); err != nil {
			return err
		}
		if settings, err = config.Load(a.places); err != nil {
			return err
		}
	}
	if settings.Paused.IsZero() {
		fmt.Fprintf(p.Stdout, "not paused: the mode is %s (%s)\n", settings.Mode, homely(p, settings.ModeOrigin))
		return nil
	}
	fmt.Fprintf(p.Stdout, "paused for %s, until %s: nothing is blocked or asked, but no agent changes nod; "+
		"nod pause --end ends it\n", time.Until(settings.Paused).Round(time.Second),
		settings.Paused.Local().Format(time.DateTime))
	return nil
}

func setPause(p *Process, places config.Places, s config.Settings, word string, end bool) error {
	d, err := time.ParseDuration(word)
	if err != nil || d < time.Second || d > config.MaxPause {
		return usage(fmt.Errorf("%q is no time to pause for; write one up to 24h, such as 20m", word))
	}
	if err = personHere(p); err == nil && !end {
		err = modeIsOurs(places)
	}
	switch {
	case err != nil:
		return err
	case end:
		d = 0
	case s.Mode != config.Enforce && s.Paused.IsZero():
		return fmt.Errorf("the mode is %s (%s), so there is nothing to pause", s.Mode, homely(p, s.ModeOrigin))
	}
	return config.Pause(places, d)
}
