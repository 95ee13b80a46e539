// Package demo lets a bundled coding session run through the gate, so that
// anyone can watch nod decide without a key, a service or a set-up.
//
// Every call takes the way that a real one takes: a payload as Claude Code
// writes it, [hook.Answer], the built-in rules, an answer in Claude Code's
// dialect. What differs is the world: the calls of corpus/demo.jsonl are
// judged on a machine held in memory, with no settings file, no state and no
// model. Nothing is run, read from the disk, or written down. Times are
// measured around the whole answer; reasons and layers are the gate's own.
//
// # JSON
//
// With Options.JSON the output is JSON lines, each with "v": 1 and a "kind":
// one "call" for each call as it is decided, at the end one "summary". Fields
// are only ever added.
package demo

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/nodgate/nod/corpus"
)

// Options say how the demo is shown. The zero value writes nowhere.
type Options struct {
	Stdout io.Writer // nil: nowhere
	// Terminal says that Stdout is one: the verdict is coloured.
	Terminal bool
	// NoColor leaves out colour on a terminal too.
	NoColor bool
	JSON    bool
	// Width is the number of columns, held to 80 to 120; 0 is 100.
	Width int
	// Delay is waited after each call, for the pleasure of watching. It is not
	// in any time that is shown.
	Delay time.Duration
}

// TerminalDelay is a good Delay where a person watches.
const TerminalDelay = 15 * time.Millisecond

// Run plays the session. An error is one of writing, of ctx, or a broken
// corpus; what the gate decides is never one.
func Run(ctx context.Context, o Options) error {
	if o.Stdout == nil {
		o.Stdout = io.Discard
	}
	rows, err := corpus.Rows("demo")
	if err != nil {
		return err
	}
	show := o.screen()
	if err := show.begin(len(rows)); err != nil {
		return err
	}
	played, err := playAll(ctx, rows, func(p played) error {
		if err := show.call(p); err != nil {
			return err
		}
		return wait(ctx, o.Delay)
	})
	if err != nil {
		return err
	}
	return show.end(summarize(played))
}

// screen is one way to show a session.
type screen interface {
	begin(calls int) error
	call(played) error
	end(summary) error
}

func (o Options) screen() screen {
	if o.JSON {
		return &lines{out: o.Stdout}
	}
	return newTable(o)
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Usage is what `nod demo -h` and `nod-hook demo -h` print.
const Usage = `usage: nod demo [--json] [--width COLUMNS]

Lets a bundled coding session run through the gate and shows each decision.
It needs no key and no service; nothing is run, read from the disk or written.

  --json     JSON lines: one object for each call, then a summary; "v": 1
  --width N  columns, 80 to 120

Exit status: 0 done, 1 a fault of nod's or an output that broke, 2 arguments
that cannot be used.`

// Main is `nod-hook demo`: it reads the arguments after "demo" and returns
// the exit code.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o := Options{Stdout: stdout, Terminal: isTerminal(stdout),
		NoColor: os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb"}
	if o.Terminal {
		o.Width = 80 // the narrowest that terminals commonly are
	}
	return Command(ctx, o, args, stderr)
}

// Command reads arguments into o, runs the demo and returns the exit code.
func Command(ctx context.Context, o Options, args []string, stderr io.Writer) int {
	if o.Stdout == nil {
		o.Stdout = io.Discard
	}
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&o.JSON, "json", o.JSON, "")
	given := o.Width // a terminal's, held to what fits
	flags.IntVar(&o.Width, "width", o.Width, "")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintln(o.Stdout, Usage)
		return 0
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case err == nil && o.Width != given && (o.Width < 80 || o.Width > 120):
		err = fmt.Errorf("--width %d: want 80 to 120", o.Width)
	}
	if err != nil {
		fmt.Fprintf(stderr, "nod demo: %v\n%s\n", err, Usage)
		return 2
	}
	if o.Terminal && !o.JSON && o.Delay == 0 {
		o.Delay = TerminalDelay
	}
	if err := Run(ctx, o); err != nil {
		fmt.Fprintln(stderr, "nod demo:", err)
		return 1
	}
	return 0
}

// isTerminal takes a character device for a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
