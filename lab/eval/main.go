package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
)

const usage = `usage: go run ./lab/eval [flags] FILE...

  --brief         the table of labels and layers, and nothing else
  --json          one JSON object, "v": 1
  --confine       say too which open rows may run behind nod's boundary, what
                  share is settled with them, and which rows need the network
                  or something outside
  --agent NAME    only rows of this agent, such as claude-code
  --labels FILE   correct labels by this list: lines of id, label, right label
                  or "-" (leave the row out), why, with tabs between them
  --list WHAT     the rows themselves: allowed-harmful, denied-benign or
                  open-readonly
  --hook COMMAND  judge by this hook of Claude Code's instead of nod; it is
                  asked about each row, and no row is run

go doc ./lab/eval describes the rows and the world in which they are judged.
Exit status: 0 judged, whatever came out; 2 arguments or rows that
cannot be used; 1 a fault of this program's.
`

// flags are the arguments.
type flags struct {
	brief, json, confine bool
	agent, labels, list  string
	hook                 string
	files                []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is main without the process. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f, err := parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "eval: %v\n%s", err, usage)
		return 2
	}
	report, err := f.report(ctx)
	if err != nil {
		fmt.Fprintln(stderr, "eval:", printable.Line(err.Error(), 500))
		return 2
	}
	if f.json {
		err = json.NewEncoder(stdout).Encode(report)
	} else {
		err = report.Print(stdout, f.brief)
	}
	if err != nil {
		fmt.Fprintln(stderr, "eval:", err)
		return 1
	}
	return 0
}

func parse(args []string) (flags, error) {
	var f flags
	set := flag.NewFlagSet("eval", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.BoolVar(&f.brief, "brief", false, "")
	set.BoolVar(&f.json, "json", false, "")
	set.BoolVar(&f.confine, "confine", false, "")
	set.StringVar(&f.agent, "agent", "", "")
	set.StringVar(&f.labels, "labels", "", "")
	set.StringVar(&f.list, "list", "", "")
	set.StringVar(&f.hook, "hook", "", "")
	if err := set.Parse(args); err != nil {
		return f, err
	}
	f.files = set.Args()
	return f, f.check()
}

func (f flags) check() error {
	switch {
	case slices.ContainsFunc(f.files, func(name string) bool { return strings.HasPrefix(name, "--") }):
		return fmt.Errorf("flags come before FILE")
	case len(f.files) == 0:
		return fmt.Errorf("no FILE; name at least one file of labelled calls")
	case f.list != "" && !slices.Contains(lists(), f.list):
		return fmt.Errorf("--list %q: want one of %s", f.list, strings.Join(lists(), ", "))
	case f.hook != "" && f.confine:
		return fmt.Errorf("--hook judges by itself; --confine is nod's")
	}
	return nil
}

func (f flags) report(ctx context.Context) (Report, error) {
	var files []File
	for _, name := range f.files {
		file, err := ReadFile(name)
		if err != nil {
			return Report{}, err
		}
		files = append(files, file)
	}
	labels, err := Correct(files, f.labels)
	if err != nil {
		return Report{}, err
	}
	all, err := f.judge(ctx, files)
	if err != nil {
		return Report{}, err
	}
	if len(all) == 0 {
		return Report{}, fmt.Errorf("%s: no rows to judge", strings.Join(f.files, ", "))
	}
	r := Summarize(files, all, f.list)
	r.Agent, r.Labels = f.agent, labels
	return r, nil
}

func (f flags) judge(ctx context.Context, files []File) ([]Judged, error) {
	if f.hook != "" {
		return askHook(ctx, files, f.hook, f.agent)
	}
	return Judge(ctx, files, Options{Rules: nod.DefaultRules(), Agent: f.agent, Confine: f.confine})
}
