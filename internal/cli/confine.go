package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/confine"
	"github.com/nodgate/nod/internal/confine/behind"
	"github.com/nodgate/nod/internal/confine/proof"
	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/printable"
)

func confineCommand() command {
	return command{
		name:    "confine",
		usage:   "confine [--json] [on | off] | confine -- 'LINE'",
		summary: "run a command line without network and home (Linux)",
		long: `Runs a command line behind a boundary that the kernel holds: no network but a
loopback of its own, no other processes, no home directory but for toolchains,
no file that holds secrets. What it writes into the workspace (the repository
that this directory lies in, else this directory) is applied when all its
processes have ended, but for what changes what runs later or what an agent may
do; what is not applied is named. docs/confine.md has what works and what not.

With confinement on, an agent whose command has no other fault than that it
runs code which nod has not read is told to type this line instead, and that
line is allowed:

  /path/of/nod-hook confine -- 'the whole line'

nod-hook does the same and starts faster.

  on       try the boundary here and switch this on; a person has to
  off      switch it off
           with nothing, say whether it is on, and whether it works here
  --json   that as one JSON object, "v": 1

For named commands only, write patterns into the settings, as in allow; each
command of a line that runs such code has to fit one of them:

  confine = ["npm test", "go test *"]

The managed file can only make it less: "off", then a list, then "on"; of two
lists the managed one holds. A repository's file cannot set it.

Exit status: 0; that of the line; 125 where nothing of it was run; 2 refused, or
arguments that cannot be used.`,
		examples: []string{`nod confine -- 'npm test'`, `nod confine on`},
		run:      runConfine,
	}
}

func runConfine(ctx context.Context, p *Process, args []string) int {
	switch {
	case len(args) == 2 && args[0] == "--" && strings.TrimSpace(args[1]) != "":
		return behind.Main(ctx, behind.Process{Environ: p.Environ, Dir: p.Dir, Stdin: file(p.Stdin),
			Stdout: file(p.Stdout), Stderr: file(p.Stderr)}, args)
	}
	flags := flag.NewFlagSet("confine", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	asJSON := flags.Bool("json", false, "")
	err := flags.Parse(args)
	switch word := flags.Arg(0); {
	case err != nil:
	case flags.NArg() == 0 && len(args) == flags.NFlag():
		return confineStatus(ctx, p, *asJSON)
	case flags.NArg() == 1 && (word == "on" || word == "off"):
		return setConfine(ctx, p, word, *asJSON)
	default:
		err = errors.New("want on, off, or -- and the whole line as one quoted word")
	}
	return usageError(p, confineCommand(), err)
}

// confineOutput is the answer of confine --json. Fields are only ever added.
type confineOutput struct {
	Version  int      `json:"v"`
	Confine  string   `json:"confine"` // on, off, or patterns
	Origin   string   `json:"origin"`  // "default", or FILE:LINE
	Patterns []string `json:"patterns,omitempty"`
	Works    bool     `json:"works"`
	Why      string   `json:"why,omitempty"` // it does not
}

// printConfineJSON says what is confined, and whether the trial of the boundary
// went wrong.
func printConfineJSON(ctx context.Context, p *Process, c config.Confine, tried error) error {
	out := confineOutput{Version: 1, Confine: c.String(), Origin: cmp.Or(c.Origin, "default"), Works: tried == nil}
	for _, item := range c.Items {
		out.Patterns = append(out.Patterns, item.Text)
	}
	if tried != nil {
		out.Why = whyNot(ctx, tried)
	}
	return printJSON(p, out)
}

func file(stream any) *os.File {
	f, _ := stream.(*os.File)
	return f
}

func confineStatus(ctx context.Context, p *Process, asJSON bool) int {
	settings, err := config.Load(behind.Places(p.Environ))
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod confine:", err)
		return ExitBadInput
	}
	tried := tryConfine(ctx, p)
	switch {
	case asJSON:
		err = printConfineJSON(ctx, p, settings.Confine, tried)
	case tried == nil:
		printConfine(p, settings.Confine)
		fmt.Fprintln(p.Stdout, "it works here")
	default:
		printConfine(p, settings.Confine)
		fmt.Fprintln(p.Stdout, "it does not work here:", whyNot(ctx, tried))
	}
	if errors.Join(err, tried) != nil {
		return ExitBadInput
	}
	return ExitOK
}

// confineBlock is what nod doctor says of confinement. That it does not work is
// no fault: nod answers as it does without.
func confineBlock(ctx context.Context, p *Process) doctor.Block {
	b := doctor.Block{Title: "Confinement"}
	settings, err := config.Load(behind.Places(p.Environ))
	if err == nil {
		err = tryConfine(ctx, p)
	}
	switch {
	case err == nil && settings.Confine.On():
		b.Lines = append(b.Lines,
			doctor.Line{State: doctor.OK, What: "nod confine", Basis: "tried",
				Text: "it is " + switchedOn(settings.Confine) + ", and works here"})
		b.Lines = append(b.Lines, rewritingLines(ctx, p)...)
	case err == nil:
		b.Lines = append(b.Lines,
			doctor.Line{State: doctor.Note, What: "nod confine", Text: "it works here, and is switched off",
				Basis: "tried", Next: "nod confine on lets agents run code that nod has not read " +
					"without network and home"})
	default:
		b.Lines = append(b.Lines,
			doctor.Line{State: doctor.Note, What: "nod confine", Text: "it does not work here: " + whyNot(ctx, err),
				Basis: "tried", Next: "it takes Linux, bubblewrap (apt install bubblewrap) and user " +
					"namespaces: docs/confine.md"})
	}
	return b
}

// whyNot is what the trial said, and what of this machine is known to stand against
// it.
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

// printConfine says what is confined, and who says so.
func printConfine(p *Process, c config.Confine) {
	fmt.Fprintf(p.Stdout, "confine: %s (%s)\n", c, homely(p, cmp.Or(c.Origin, "default")))
	for _, item := range c.Items {
		fmt.Fprintln(p.Stdout, "  "+printable.Text(item.Text))
	}
}

// switchedOn is the setting in words, where it is on.
func switchedOn(c config.Confine) string {
	if c.All {
		return "switched on"
	}
	var names []string
	for _, item := range c.Items {
		names = append(names, item.Text)
	}
	return "switched on for " + printable.Line(strings.Join(names, ", "), 200)
}

// tryConfine runs a line behind the boundary, in a workspace of its own, and
// remembers for the hook whether that worked.
func tryConfine(ctx context.Context, p *Process) error {
	home, err := filepath.EvalSymlinks(p.Getenv("HOME"))
	if err != nil {
		return err
	}
	state := config.DefaultPlaces(p.Getenv("HOME")).State
	if err := confine.Try(ctx, home, behind.Stage); err != nil {
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

func setConfine(ctx context.Context, p *Process, to string, asJSON bool) int {
	places := behind.Places(p.Environ)
	err := person(p, false)
	if err == nil && to == "on" {
		err = tryConfine(ctx, p)
	}
	var settings config.Settings
	if err == nil {
		settings, err = writeConfine(places, to == "on")
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod confine:", err)
		return ExitBadInput
	}
	if asJSON {
		if printConfineJSON(ctx, p, settings.Confine, tryConfine(ctx, p)) != nil {
			return ExitInternal
		}
		return ExitOK
	}
	printConfine(p, settings.Confine)
	return ExitOK
}

// writeConfine writes the setting, and returns what holds then: the managed file
// may be stricter.
func writeConfine(places config.Places, on bool) (config.Settings, error) {
	if err := config.SetConfine(places, on); err != nil {
		return config.Settings{}, err
	}
	return config.Load(places)
}
