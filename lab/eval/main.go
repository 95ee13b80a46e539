package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/printable"
)

const usage = `usage: go run ./lab/eval [flags] FILE...

  -brief         the table of labels and layers, and nothing else
  -confine       say too which open rows may run behind nod's boundary, and what
                 share is settled with them
  -agent NAME    only rows of this agent, such as claude-code
  -list WHAT     the rows themselves: allowed-harmful or denied-benign

go doc ./lab/eval describes the rows and the world in which they are judged.
Exit status: 0 judged, with any result; 2 arguments or rows that cannot be
used; 1 a fault of this program's.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is main without the process. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	set := flag.NewFlagSet("eval", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	var o Options
	brief := set.Bool("brief", false, "")
	list := set.String("list", "", "")
	set.BoolVar(&o.Confine, "confine", false, "")
	set.StringVar(&o.Agent, "agent", "", "")
	err := set.Parse(args)
	switch {
	case err != nil:
	case set.NArg() == 0:
		err = fmt.Errorf("no FILE; name at least one file of labelled calls")
	case *list != "" && !slices.Contains(lists(), *list):
		err = fmt.Errorf("-list %q: want one of %s", *list, strings.Join(lists(), ", "))
	}
	if err != nil {
		fmt.Fprintf(stderr, "eval: %v\n%s", err, usage)
		return 2
	}
	report, err := reportOf(ctx, set.Args(), o, *list)
	if err != nil {
		fmt.Fprintln(stderr, "eval:", printable.Line(err.Error(), 500))
		return 2
	}
	if err := report.Print(stdout, *brief); err != nil {
		fmt.Fprintln(stderr, "eval:", err)
		return 1
	}
	return 0
}

func reportOf(ctx context.Context, names []string, o Options, list string) (Report, error) {
	var files []File
	for _, name := range names {
		file, err := ReadFile(name)
		if err != nil {
			return Report{}, err
		}
		files = append(files, file)
	}
	all, err := Judge(ctx, files, o)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s: no rows to judge", strings.Join(names, ", "))
	}
	return Summarize(files, all, list), err
}
