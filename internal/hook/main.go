package hook

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/version"
)

// Usage is what `nod-hook help` prints.
const Usage = `nod-hook answers a coding agent's hook; agents start it, people use nod.

  nod-hook claude-code   answer one payload from standard input
  nod-hook demo          watch nod decide a bundled session, no key needed
  nod-hook version

Set it up with: nod install claude-code`

// Main answers one payload for the agent that args[0] names and returns the
// exit code. Arguments that cannot be used block: an agent reads exit 2 with
// a reason as a denial. exit ends the process where the deadline has to.
func Main(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer, exit func(int)) int {
	adapter, ok := agent.ByName(args[0])
	if !ok {
		fmt.Fprintf(stderr, "nod-hook does not know the agent %q; see nod-hook help\n", args[0])
		return 2
	}
	o, err := parse(args[1:], environ)
	if err != nil {
		fmt.Fprintf(stderr, "nod-hook: %v; run nod install %s again\n", err, adapter.Name())
		return 2
	}
	o.Adapter, o.Environ, o.Version = adapter, environ, version.String()
	return Run(ctx, o, stdin, stdout, stderr, exit)
}

// parse reads the flags that the installed command line carries.
func parse(args, environ []string) (Options, error) {
	program, beside := Programs()
	o := Options{Nod: beside, Self: []string{program}}
	home := variable(environ, "HOME")
	o.Places = config.DefaultPlaces(home)
	flags := flag.NewFlagSet("nod-hook", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.Places.User, "settings", o.Places.User, "")
	flags.StringVar(&o.Places.Managed, "managed", o.Places.Managed, "")
	flags.StringVar(&o.Places.State, "state", o.Places.State, "")
	flags.StringVar(&o.Nod, "nod", o.Nod, "")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.Places.State == "" {
		return o, errors.New("HOME is not set and --state is missing, so there is no place for the log")
	}
	for _, name := range []string{o.Places.User, o.Places.Managed, o.Places.State, o.Nod} {
		if name != "" && !filepath.IsAbs(name) {
			return o, fmt.Errorf("%q is not an absolute path", name)
		}
	}
	return o, nil
}

// variable returns an environment variable; the last one counts.
func variable(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(environ[i], "="); ok && k == name {
			return v
		}
	}
	return ""
}
