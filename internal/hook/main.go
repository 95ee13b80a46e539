package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/version"
)

// Usage is what `nod-hook help` prints.
const Usage = `nod-hook answers a coding agent's hook; agents start it, people use nod.

  nod-hook AGENT         answer one payload from standard input
  nod-hook demo          watch nod decide a bundled session, no key needed
  nod-hook confine -- 'LINE'
                         run a line without network and home, as nod confine does
  nod-hook version

Set it up with: nod install AGENT, such as claude-code`

// Main answers one payload for the agent that args[0] names and returns the exit code. Arguments that cannot be used
// block: an agent reads exit 2 with a reason as a denial. exit ends the process where the deadline has to.
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
	o.Adapter, o.Environ, o.Version = adapter, startedIn(environ), version.String()
	return Run(ctx, o, stdin, stdout, stderr, exit)
}

// startedIn sets PWD to the directory in which the host started the hook, which is where some hosts say what the
// workspace is. What the environment says of it counts only if it is a name of that directory.
func startedIn(environ []string) []string {
	here, err := os.Getwd()
	out := slices.DeleteFunc(slices.Clone(environ), func(kv string) bool { return strings.HasPrefix(kv, "PWD=") })
	if err != nil {
		return out
	}
	return append(out, "PWD="+here)
}

// parse reads the flags that the installed command line carries.
func parse(args, environ []string) (Options, error) {
	o := Options{Nod: Beside("nod"), Self: Programs()}
	home, _ := place.Lookup(environ, "HOME")
	o.Places = config.DefaultPlaces(home)
	if err := o.flags(args); err != nil {
		return o, err
	}
	o.Places = o.Places.WithClaude()
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

// flags reads "--name value" and "--name=value". Package flag would do, and take longer than the rest of starting.
func (o *Options) flags(args []string) error {
	into := map[string]*string{"--settings": &o.Places.User, "--managed": &o.Places.Managed,
		"--state": &o.Places.State, "--nod": &o.Nod}
	for len(args) > 0 {
		name, value, joined := strings.Cut(args[0], "=")
		args = args[1:]
		if !joined {
			if len(args) == 0 {
				return fmt.Errorf("%s has no value", name)
			}
			value, args = args[0], args[1:]
		}
		if into[name] == nil {
			return fmt.Errorf("unexpected argument %q", name)
		}
		*into[name] = value
	}
	return nil
}
