// Witness lays what nod says of a shell text beside what really happens. It makes texts from numbers and a grammar,
// asks nod, and runs what nod allows in the real bash, zsh and dash, in a namespace without network where nothing of
// this machine can be written. Without a namespace nothing is run.
//
//	go run ./lab/witness -n 50000 -seed 1          shell programs: programs are stubs that write down how they were called
//	go run ./lab/witness -files -n 20000           lines of real file and git commands over repositories
//	go run ./lab/witness -text 'wc a && rm b'      a text of one's own
//
// docs/witness.md says what this shows and what it cannot.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
)

func main() {
	var err error
	if len(os.Args) == 2 && os.Args[1] == insideArg {
		err = inside()
	} else {
		err = run(context.Background(), os.Args[1:], os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "witness:", err)
		os.Exit(1)
	}
}

// errFound says that something happened which nod did not say.
var errFound = errors.New("violations were found")

func run(ctx context.Context, args []string, out io.Writer) error {
	w := &witnessing{out: out}
	flags := flag.NewFlagSet("witness", flag.ContinueOnError)
	flags.BoolVar(&w.files, "files", false, "run lines of file and git commands in place of shell programs")
	flags.Uint64Var(&w.n, "n", 2000, "how many texts to generate")
	flags.Uint64Var(&w.seed, "seed", 1, "number of the first text; each text follows from its own number")
	flags.IntVar(&w.workers, "workers", 4*runtime.NumCPU(), "how many namespaces run at once; each mostly waits")
	flags.StringVar(&w.text, "text", "", "run this text instead of generated ones, if nod allows it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "nod-witness-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := newStage(dir)
	if errors.Is(err, errNoNamespace) {
		fmt.Fprintf(out, "skipped, nothing was run: %v\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	return w.run(ctx, s)
}
