package cli

import (
	"context"
	"fmt"

	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/confine/behind"
	"github.com/nodgate/nod/internal/install"
)

const aboutConfinement = `
Code that nod has not read, such as tests and builds, can run where it can do no
harm: no network, no home directory, no secrets; what it writes into the
workspace is kept, but for what runs later (nod help confine). It works here.
Later: nod confine on, nod confine off.
Switch it on? [y/N] `

// offerConfinement asks a person once whether unread code is to run confined, where that
// works and nobody has set it yet. Where nobody can be asked it names the command. The
// answer goes into the person's own settings, so the machine's level asks nobody.
func (in installer) offerConfinement(ctx context.Context, p *Process, f installFlags, level install.Level) {
	places := behind.Places
	if in.places != nil {
		places = in.places
	}
	settings, err := config.Load(places(p.Environ))
	if err != nil || settings.Confine.Origin != "" {
		return
	}
	if level == install.Managed || f.unattended || !isTerminal(p.Stdin) {
		fmt.Fprintln(p.Stdout, "To have code that nod has not read run without network and home (Linux): nod confine on")
		return
	}
	try := tryConfine
	if in.try != nil {
		try = in.try
	}
	if try(ctx, p) != nil || !confirmed(ctx, p, aboutConfinement) {
		return
	}
	if err = config.SetConfine(places(p.Environ), true); err == nil {
		settings, err = config.Load(places(p.Environ))
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod install: not switched on:", err)
		return
	}
	printConfine(p, settings.Confine)
}
