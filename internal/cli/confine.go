package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/confine"
	"github.com/nodgate/nod/internal/confine/proof"
	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/view"
)

func confineCommand() command {
	return command{
		name:    "confine",
		usage:   "confine [on | off | -- 'LINE']",
		summary: "run a command line where it can do no harm (Linux)",
		long: `Runs a command line behind a boundary that the kernel holds: no network but a
loopback of its own, no other processes, no home directory but for toolchains,
no file that holds secrets. What it writes into the workspace (the repository
that this directory lies in, else this directory) is applied when all its
processes have ended, but for what changes what runs later or what an agent may
do; what is not applied is named. docs/confine.md has what works and what not.

With confinement on, an agent whose command has no other fault than that it
runs code which nod has not read is told to type this line instead, and that
line is allowed:

  /path/of/nod confine -- 'the whole line'

  on       try the boundary here and switch this on; a person has to
  off      switch it off
           with nothing, say whether it is on, and whether it works here

Exit status: 0; that of the line; 125 where nothing of it was run; 2 refused, or
arguments that cannot be used.`,
		examples: []string{`nod confine -- 'npm test'`, `nod confine on`},
		run:      runConfine,
	}
}

// exitConfine is for what did not run.
const exitConfine = 125

func runConfine(ctx context.Context, p *Process, args []string) int {
	switch {
	case len(args) == 2 && args[0] == "--" && strings.TrimSpace(args[1]) != "":
		return confineLine(ctx, p, args[1])
	case len(args) == 0:
		return confineStatus(ctx, p)
	case len(args) == 1 && (args[0] == "on" || args[0] == "off"):
		return setConfine(ctx, p, args[0])
	}
	return usageError(p, confineCommand(), errors.New("want on, off, or -- and the whole line as one quoted word"))
}

func confineLine(ctx context.Context, p *Process, line string) int {
	o, err := confinement(p)
	var result confine.Result
	if err == nil {
		o.Line = line
		result, err = confine.Run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod confine: nothing was run:", printable.Line(err.Error(), 400)+"; a person can let the line run as it is: nod approve")
		return exitConfine
	}
	if text := explain(o.Root, result); text != "" {
		fmt.Fprintln(p.Stderr, "nod confine:", printable.Line(text, 1200))
	}
	return result.Code
}

// confinement is the boundary for a line of this process's directory.
func confinement(p *Process) (confine.Options, error) {
	dir, err := filepath.EvalSymlinks(p.Dir)
	if err != nil {
		return confine.Options{}, err
	}
	places := confinePlaces(p)
	root := dir
	if r, ok := repo.Around(view.Disk{}, dir+"/x"); ok {
		root = r.Top
	}
	places.Root = root
	settings, err := config.Load(places)
	if err != nil {
		return confine.Options{}, err
	}
	program, beside := hook.Programs()
	gate := hook.NewGate(hook.Options{Environ: p.Environ, Places: places, Files: view.Disk{}, Nod: program, Self: []string{beside + "-hook"}}, settings, nil, nil)
	keep := confine.Keep(gate, root, p.Environ)
	if why := keep(filepath.Join(root, "nod-confine-probe"), false); why != "" {
		return confine.Options{}, fmt.Errorf("%s is no workspace of which nod could say what may be changed in it", printable.Text(root))
	}
	home, _ := filepath.EvalSymlinks(places.Home)
	return confine.Options{
		Dir: dir, Root: root, Home: home, Environ: p.Environ, Cache: filepath.Join(home, ".cache/nod/confine"), Shell: hostShell(p),
		Stores: confine.Stores(settings.Rules.Secrets, home), Hidden: gate.HoldsSecret, Keep: keep, Stage: stageProgram(program),
		Stdin: file(p.Stdin), Stdout: file(p.Stdout), Stderr: file(p.Stderr),
	}, nil
}

// confinePlaces are where the settings lie: those of the user that this process
// is, whatever the environment says of home, where there are some.
func confinePlaces(p *Process) config.Places {
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		places := config.DefaultPlaces(u.HomeDir)
		if _, err := os.Stat(places.User); err == nil {
			return places.WithClaude()
		}
	}
	return config.DefaultPlaces(p.Getenv("HOME")).WithClaude()
}

// stageProgram is nod-hook where it lies beside nod, since it starts faster.
func stageProgram(self string) string {
	beside := filepath.Join(filepath.Dir(self), "nod-hook")
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
		return beside
	}
	return self
}

// hostShell is the shell that started this line, else that of the person; one
// of the system's in any case.
func hostShell(p *Process) string {
	parent, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", os.Getppid()))
	for _, name := range []string{parent, p.Getenv("SHELL"), "/bin/bash"} {
		base := filepath.Base(name)
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && slices.Contains([]string{"bash", "zsh", "dash", "sh"}, base) &&
			(strings.HasPrefix(name, "/usr/") || strings.HasPrefix(name, "/bin/")) {
			return name
		}
	}
	return "/bin/sh"
}

func file(stream any) *os.File {
	f, _ := stream.(*os.File)
	return f
}

// explain is one line for the agent: what was not applied, and of a run that
// failed what it may have missed and what to do.
func explain(root string, r confine.Result) string {
	var parts []string
	if r.Stopped != "" {
		parts = append(parts, "the run was ended: "+r.Stopped)
	}
	if len(r.Refused) > 0 {
		parts = append(parts, "left as it was: "+refusals(r.Refused))
	}
	if r.Code != 0 {
		parts = append(parts, whatMissed(r)+". If that is why it failed, do not try again: a person can let the line itself run once (nod approve) or write an allow rule for it")
	}
	return strings.Join(parts, "; ")
}

const maxShown = 6

func refusals(list []confine.Refusal) string {
	var shown []string
	for _, r := range list[:min(len(list), maxShown)] {
		shown = append(shown, r.Name+" ("+r.Why+")")
	}
	if more := len(list) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}

func whatMissed(r confine.Result) string {
	said := "this ran without network, without the rest of the home directory"
	if len(r.Hidden) > 0 {
		said += " and without " + strings.Join(r.Hidden[:min(len(r.Hidden), maxShown)], ", ")
	}
	if len(r.Missed) > 0 {
		said += "; it seems to have wanted " + strings.Join(r.Missed, ", ")
	}
	return said
}

func confineStatus(ctx context.Context, p *Process) int {
	settings, err := config.Load(confinePlaces(p))
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod confine:", err)
		return ExitBadInput
	}
	fmt.Fprintln(p.Stdout, "confine:", onOff(settings.Confine))
	if err := tryConfine(ctx, p); err != nil {
		fmt.Fprintln(p.Stdout, "it does not work here:", printable.Line(err.Error(), 300))
		return ExitBadInput
	}
	fmt.Fprintln(p.Stdout, "it works here")
	return ExitOK
}

// confineBlock is what nod doctor says of confinement. That it does not work is
// no fault: nod answers as it does without.
func confineBlock(ctx context.Context, p *Process) doctor.Block {
	b := doctor.Block{Title: "Confinement"}
	settings, err := config.Load(confinePlaces(p))
	if err == nil {
		err = tryConfine(ctx, p)
	}
	switch {
	case err == nil && settings.Confine:
		b.Lines = append(b.Lines, doctor.Line{State: doctor.OK, What: "nod confine", Text: "it is switched on, and works here", Basis: "tried"})
	case err == nil:
		b.Lines = append(b.Lines, doctor.Line{State: doctor.Note, What: "nod confine", Text: "it works here, and is switched off", Basis: "tried", Next: "nod confine on lets agents run code that nod has not read where it can do no harm"})
	default:
		b.Lines = append(b.Lines, doctor.Line{State: doctor.Note, What: "nod confine", Text: "it does not work here: " + printable.Line(err.Error(), 300), Basis: "tried", Next: "it takes Linux, bubblewrap (apt install bubblewrap) and user namespaces: docs/confine.md"})
	}
	return b
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// tryConfine runs a line behind the boundary, in a workspace of its own, and
// remembers for the hook whether that worked.
func tryConfine(ctx context.Context, p *Process) error {
	home, err := filepath.EvalSymlinks(p.Getenv("HOME"))
	if err != nil {
		return err
	}
	program, _ := hook.Programs()
	state := config.DefaultPlaces(p.Getenv("HOME")).State
	if err := confine.Try(ctx, home, stageProgram(program)); err != nil {
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

func setConfine(ctx context.Context, p *Process, to string) int {
	places := confinePlaces(p)
	err := person(p, false)
	if err == nil && to == "on" {
		err = tryConfine(ctx, p)
	}
	if err == nil {
		err = config.SetConfine(places, to == "on")
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod confine:", err)
		return ExitBadInput
	}
	fmt.Fprintln(p.Stdout, "confine:", to)
	return ExitOK
}
