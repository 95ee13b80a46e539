package cli

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/index"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/system"
)

// arguments are a subcommand's flags, and where settings and state are.
type arguments struct {
	*flag.FlagSet
	process *Process
	places  config.Places
}

// newArguments takes no flag yet.
func newArguments(p *Process) *arguments {
	a := &arguments{FlagSet: flag.NewFlagSet("", flag.ContinueOnError), process: p,
		places: config.DefaultPlaces(p.Getenv("HOME"))}
	a.SetOutput(io.Discard)
	return a
}

func (a *arguments) settings() *arguments {
	a.StringVar(&a.places.User, "settings", a.places.User, "")
	a.StringVar(&a.places.Managed, "managed", a.places.Managed, "")
	return a.state()
}

func (a *arguments) state() *arguments {
	a.StringVar(&a.places.State, "state", a.places.State, "")
	return a
}

// parse reads the arguments. At most so many of them may be other than flags.
func (a *arguments) parse(args []string, most int) error {
	if err := a.Parse(args); err != nil {
		return usage(err)
	}
	if a.NArg() > most {
		return usage(fmt.Errorf("unexpected %q", a.Arg(most)))
	}
	for _, name := range []*string{&a.places.User, &a.places.Managed, &a.places.State} {
		if *name != "" {
			*name = absolute(a.process, *name)
		}
	}
	return nil
}

// withState is parse for what does nothing without a state directory.
func (a *arguments) withState(args []string, most int) error {
	return cmp.Or(a.parse(args, most), a.stated())
}

// stated refuses to go on without a state directory.
func (a *arguments) stated() error {
	if a.places.State == "" {
		return usage(errors.New("HOME is not set; name nod's state directory with --state DIR"))
	}
	return nil
}

// withRules is parse for what goes by the rules. A named settings file that is missing is refused.
func (a *arguments) withRules(args []string, most int) error {
	a.places.Known = programs(a.process)
	if err := a.parse(args, most); err != nil {
		return err
	}
	named := false
	var missing error
	a.Visit(func(f *flag.Flag) {
		named = named || f.Name == "settings"
		if f.Name != "settings" && f.Name != "managed" {
			return
		}
		if _, err := os.Stat(absolute(a.process, f.Value.String())); err != nil {
			missing = fmt.Errorf("--%s: %w", f.Name, err)
		}
	})
	if a.places.User == "" && !named {
		missing = errors.New("HOME is not set, so your settings cannot be found; name them with --settings FILE, " +
			"or --settings= for none")
	}
	a.places = a.places.WithClaude()
	return usage(missing)
}

// since takes the flag that leaves out what is older.
func (a *arguments) since(t *time.Time) {
	a.Func("since", "", func(s string) (err error) {
		*t, err = index.Since(s, time.Now())
		return err
	})
}

func absolute(p *Process, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(p.Dir, name)
}

// programs tells which first words make a rule a command pattern.
func programs(p *Process) func(string) bool {
	dirs := p.Getenv("PATH")
	return func(name string) bool {
		return shell.Known(name) || system.IsProgram(name) || install.FindProgram(name, dirs) != ""
	}
}

// wrong says what is wrong with the arguments as `nod help` spells flags.
func (c command) wrong(err error) string {
	text := strings.Replace(err.Error(), " for flag -", " for --", 1)
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		return "there is no flag --" + printable.Line(strings.TrimPrefix(name, "-"), 60) + "; see nod help " + c.name
	}
	return text
}
