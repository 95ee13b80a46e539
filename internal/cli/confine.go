package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/confine"
	"github.com/nodgate/nod/internal/confine/behind"
	"github.com/nodgate/nod/internal/confine/proof"
	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
)

func runConfine(ctx context.Context, p *Process, args []string) error {
	if len(args) == 2 && args[0] == "--" && strings.TrimSpace(args[1]) != "" {
		return ended(behind.Main(ctx, behind.Process{Environ: p.Environ, Dir: p.Dir, Stdin: file(p.Stdin),
			Stdout: file(p.Stdout), Stderr: file(p.Stderr)}, args))
	}
	a := newArguments(p)
	if err := a.parse(args, 1); err != nil {
		return err
	}
	word := a.Arg(0)
	switch {
	case word == "profile" && len(args) == 1:
	case word == "on" || word == "off":
		if err := setConfine(ctx, p, word == "on"); err != nil {
			return err
		}
	case len(args) > 0:
		return usage(errors.New("want on, off, profile, or -- and the whole line as one quoted word"))
	}
	settings, err := config.Load(behind.Places(p.Environ))
	if err != nil {
		return err
	}
	if word == "profile" {
		fmt.Fprint(p.Stdout, confine.Profile(p.Dir, p.Getenv("HOME"), settings.Rules.Secrets, settings.Rules.Guarded))
		return nil
	}
	printConfine(p, settings.Confine)
	if word != "" {
		return nil
	}
	if err := tryConfine(ctx, p); err != nil {
		fmt.Fprintln(p.Stdout, "it does not work here:", whyNot(ctx, err))
		return ended(ExitBadInput)
	}
	fmt.Fprintln(p.Stdout, "it works here")
	return nil
}

func file(stream any) *os.File {
	f, _ := stream.(*os.File)
	return f
}

// confineBlock is what nod doctor says of confinement. That it does not work is no fault.
func confineBlock(ctx context.Context, p *Process, quick bool) doctor.Block {
	b := doctor.Block{Title: "Confinement"}
	settings, err := config.Load(behind.Places(p.Environ))
	if err == nil {
		err = tryConfine(ctx, p)
	}
	switch {
	case err == nil && settings.Confine.On:
		b.Add(doctor.OK, "nod confine", "it is switched on, and works here")
	case err == nil:
		b.Add(doctor.Note, "nod confine", "it works here, and is switched off").Next = "nod confine on lets agents " +
			"run code that nod has not read without network and home"
	default:
		l := b.Add(doctor.Note, "nod confine", "it does not work here: "+whyNot(ctx, err))
		l.Next = confine.Remedy(os.DirFS("/"), bubblewrapVersion(ctx), runtime.GOOS)
	}
	b.Lines[0].Basis = "tried"
	if b.Lines[0].State == doctor.OK && !quick {
		b.Lines = append(b.Lines, rewritingLines(ctx, p)...)
	}
	return b
}

// whyNot is what the trial said, and what of this machine is known to stand against it.
func whyNot(ctx context.Context, tried error) string {
	said := printable.Line(tried.Error(), 300)
	known := confine.Obstacle(os.DirFS("/"), bubblewrapVersion(ctx))
	if known != "" && !strings.Contains(said, "not installed") {
		said += "; " + known
	}
	return said
}

// bubblewrapVersion is what bubblewrap says of itself, "" where it is not there.
func bubblewrapVersion(ctx context.Context) string {
	program, err := confine.Find()
	if err != nil {
		return ""
	}
	text, _ := exec.CommandContext(ctx, program, "--version").Output()
	return string(text)
}

func printConfine(p *Process, c config.Confine) {
	fmt.Fprintf(p.Stdout, "confine: %s (%s)\n", c, homely(p, cmp.Or(c.Origin, "default")))
}

// boundary runs a line behind the boundary.
func boundary(ctx context.Context, p *Process) error {
	home, err := filepath.EvalSymlinks(p.Getenv("HOME"))
	if err == nil {
		err = confine.Try(ctx, home)
	}
	return err
}

// tryConfine is boundary, and remembers for the hook whether that worked.
func tryConfine(ctx context.Context, p *Process) error {
	state := config.DefaultPlaces(p.Getenv("HOME")).State
	if err := boundary(ctx, p); err != nil {
		proof.Forget(state)
		return err
	}
	bubblewrap, err := confine.Find()
	if err == nil {
		err = os.MkdirAll(state, 0o700)
	}
	if err == nil {
		err = proof.Write(state, bubblewrap)
	}
	return err
}

func setConfine(ctx context.Context, p *Process, on bool) error {
	places := behind.Places(p.Environ)
	err := person(p, false)
	if err == nil && on {
		err = tryConfine(ctx, p)
	}
	if err == nil {
		err = config.SetWord(places, "confine", config.Confine{On: on}.String())
	}
	return err
}

const aboutConfinement = `Code that nod has not read, such as tests and builds, will run without network,
home and secrets. That works here (nod help confine). Without it: --no-confine.
`

// mayConfine reports whether unread code is to run confined once a person agrees: where that works and nobody has set
// it yet. The answer goes into the person's own settings, so the machine's level changes nothing.
func (in installer) mayConfine(ctx context.Context, p *Process, f installFlags, level install.Level) bool {
	settings, err := config.Load(in.settings(p))
	if err != nil || settings.Confine.Origin != "" || f.noConfine {
		return false
	}
	if level == install.Managed || f.unattended {
		fmt.Fprintln(p.Stdout, "To run code that nod has not read without network and home: nod confine on")
		return false
	}
	try := boundary
	if in.try != nil {
		try = in.try
	}
	return try(ctx, p) == nil
}

func (in installer) settings(p *Process) config.Places {
	if in.places != nil {
		return in.places(p.Environ)
	}
	return behind.Places(p.Environ)
}

// confineOn switches confinement on where that was agreed, and tries which agents run what nod hands them.
func (in installer) confineOn(ctx context.Context, p *Process) bool {
	var err error
	if in.try == nil {
		err = tryConfine(ctx, p)
	}
	if err == nil {
		err = config.SetWord(in.settings(p), "confine", "on")
	}
	settings, loadErr := config.Load(in.settings(p))
	if err = cmp.Or(err, loadErr); err != nil {
		fmt.Fprintln(p.Stderr, "nod install: confinement is not switched on:", err)
		return false
	}
	printConfine(p, settings.Confine)
	for _, l := range rewritingLines(ctx, p) {
		say(p.Stdout, "  ", l.Text)
	}
	return true
}
