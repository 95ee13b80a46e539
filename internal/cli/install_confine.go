package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/confine"
	"github.com/nodgate/nod/internal/confine/behind"
	"github.com/nodgate/nod/internal/install"
)

// boundary is what install sees of confinement. The zero value is the real one;
// tests set the rest.
type boundary struct {
	places   func(environ []string) config.Places
	obstacle func(context.Context) string
	try      func(context.Context, *Process) error
}

// real returns b with the real machine where nothing stands in for it.
func (b boundary) real() boundary {
	if b.places == nil {
		b.places = behind.Places
	}
	if b.obstacle == nil {
		b.obstacle = knownObstacle
	}
	if b.try == nil {
		b.try = tryConfine
	}
	return b
}

// knownObstacle is what is known to stand against the boundary, without a try.
func knownObstacle(ctx context.Context) string {
	version := bubblewrapVersion(ctx)
	if known := confine.Obstacle(os.DirFS("/"), version); known != "" || version != "" {
		return known
	}
	return "the boundary is Linux's"
}

// maxObstacle is how long an obstacle may be to be named; nod doctor says more.
const maxObstacle = 80

const aboutConfinement = `
Code that nod has not read, such as tests and builds, can run where it can do no
harm: no network, no home directory, no secrets; what it writes into the
workspace is kept, but for what runs later (nod help confine). It works here.
Later: nod confine on, nod confine off.
Switch it on? [y/N] `

// offerConfinement asks a person once whether unread code is to run confined,
// where that works and nobody has set it yet. Where nobody can be asked it names
// the command, and so it does where nod was installed before: the person was asked then.
func (in installer) offerConfinement(
	ctx context.Context, p *Process, f installFlags, level install.Level, first bool,
) {
	b := in.boundary.real()
	places := b.places(p.Environ)
	settings, err := config.Load(places)
	if err != nil || settings.Confine.Origin != "" {
		return
	}
	if known := b.obstacle(ctx); known != "" {
		if len(known) <= maxObstacle && f.asks(p) {
			fmt.Fprintln(p.Stdout, "nod confine does not work here:", known)
		}
		return
	}
	// The answer goes into the person's own settings, which is where the hook must look.
	own := level != install.Managed && f.settings == "" && f.state == ""
	if !first || !own || !f.asks(p) {
		fmt.Fprintln(p.Stdout, "To have code that nod has not read run without network and home: nod confine on")
		return
	}
	if b.try(ctx, p) != nil {
		return
	}
	if !confirmed(ctx, p, aboutConfinement) {
		return
	}
	if settings, err = writeConfine(places, true); err != nil {
		fmt.Fprintln(p.Stderr, "nod install: not switched on:", strings.TrimPrefix(err.Error(), "config: "))
		return
	}
	printConfine(p, settings.Confine)
}

// asks reports whether a person is there to be asked.
func (f *levelFlags) asks(p *Process) bool {
	return !f.unattended && !f.dryRun && !f.json && isTerminal(p.Stdin)
}
