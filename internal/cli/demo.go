package cli

import (
	"context"
	"os"

	"golang.org/x/term"

	"github.com/nodgate/nod/internal/demo"
)

func demoCommand() command {
	return command{
		name:    "demo",
		usage:   "demo [--json] [--width COLUMNS]",
		summary: "watch nod decide a bundled coding session",
		long: `Lets a bundled coding session run through the gate and shows each decision:
verdict, layer, time, call and reason; then what each layer settled. It needs
no key and no service. Nothing is run, read from the disk or written.

  --json     JSON lines: one object for each call, then a summary; "v": 1
  --width N  columns, 80 to 120; else those of the terminal

Exit status: 0 done, 1 a fault of nod's or an output that broke, 2 arguments
that cannot be used.`,
		examples: []string{`nod demo`, `nod demo --json`},
		run:      runDemo,
	}
}

func runDemo(ctx context.Context, p *Process, args []string) int {
	o := demo.Options{Stdout: p.Stdout, Terminal: p.Terminal, NoColor: !p.colors(), Width: columns(p)}
	return demo.Command(ctx, o, args, p.Stderr)
}

// columns is the width of the terminal, 0 where there is none.
func columns(p *Process) int {
	f, ok := p.Stdout.(*os.File)
	if !ok || !p.Terminal {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}
