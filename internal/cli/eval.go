package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/eval"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/propose"
	"github.com/nodgate/nod/internal/view"
)

type evalFlags struct {
	rules, without  []string
	models          []string
	answers, replay string
	labels          string
	halves, brief   bool
	confine         bool
	yes             bool
	repeats         int
	by, list, agent string
	json            bool
	files           []string
}

func evaluate(ctx context.Context, p *Process, args []string) int {
	f, err := parseEval(args)
	if err != nil {
		c := command{name: "eval"}
		fmt.Fprintf(p.Stderr, "nod eval: %s\nusage: nod %s\n", c.wrong(err), c.usageLine())
		return ExitBadInput
	}
	report, err := evalReport(ctx, p, f)
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(p.Stderr, "nod eval: interrupted")
		return ExitInternal
	case err != nil:
		fmt.Fprintln(p.Stderr, "nod eval:", printable.Line(err.Error(), 500))
		return ExitBadInput
	}
	switch {
	case f.json:
		err = json.NewEncoder(p.Stdout).Encode(report)
	case f.brief:
		err = report.PrintBrief(p.Stdout)
	default:
		err = report.Print(p.Stdout)
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod eval:", err)
		return ExitInternal
	}
	return ExitOK
}

func parseEval(args []string) (evalFlags, error) {
	var f evalFlags
	flags := flag.NewFlagSet("eval", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Func("rules", "", func(name string) error { f.rules = append(f.rules, name); return nil })
	flags.Func("model", "", func(name string) error { f.models = append(f.models, name); return nil })
	flags.StringVar(&f.answers, "record", "", "")
	flags.StringVar(&f.answers, "answers", "", "") // its name before
	flags.StringVar(&f.replay, "replay", "", "")
	flags.BoolVar(&f.yes, "yes", false, "")
	flags.IntVar(&f.repeats, "repeats", 1, "")
	flags.StringVar(&f.by, "by", "label", "")
	flags.StringVar(&f.list, "list", "", "")
	flags.StringVar(&f.agent, "agent", "", "")
	flags.StringVar(&f.labels, "labels", "", "")
	flags.BoolVar(&f.brief, "brief", false, "")
	flags.BoolVar(&f.confine, "confine", false, "")
	flags.BoolVar(&f.halves, "halves", false, "")
	without := flags.String("without", "", "")
	flags.BoolVar(&f.json, "json", false, "")
	world := flags.String("world", "virtual", "")
	if err := flags.Parse(args); err != nil {
		return f, err
	}
	f.without = strings.FieldsFunc(*without, func(r rune) bool { return r == ',' })
	for _, name := range flags.Args() {
		if name == builtinRules || strings.HasSuffix(name, ".toml") {
			f.rules = append(f.rules, name)
		} else {
			f.files = append(f.files, name)
		}
	}
	if len(f.rules) == 0 {
		f.rules = []string{builtinRules}
	}
	return f, f.check(*world)
}

func (f evalFlags) check(world string) error {
	switch {
	case slices.ContainsFunc(f.files, func(name string) bool { return strings.HasPrefix(name, "--") }):
		return fmt.Errorf("flags come before FILE")
	case len(f.files) == 0:
		return fmt.Errorf("no FILE; name at least one file of labelled calls")
	case world != "virtual":
		return fmt.Errorf("--world %q: there is only virtual", world)
	case !slices.Contains(eval.By(), f.by):
		return fmt.Errorf("--by %q: want one of %s", f.by, strings.Join(eval.By(), ", "))
	case f.list != "" && !slices.Contains(eval.Lists(), f.list):
		return fmt.Errorf("--list %q: want one of %s", f.list, strings.Join(eval.Lists(), ", "))
	case f.halves && len(f.models) > 0:
		return fmt.Errorf("--halves asks no model")
	case len(f.models) > 2:
		return fmt.Errorf("two models at most, to compare them")
	case len(f.models) > 0 && f.answers == "":
		return fmt.Errorf("--model needs --record FILE, which keeps the answers: a run that is " +
			"interrupted goes on there")
	case f.replay != "" && (len(f.models) > 0 || f.answers != "" || f.halves):
		return fmt.Errorf("--replay asks nobody; it does not go with --model, --record and --halves")
	case f.repeats < 1 || f.repeats > 20 || f.repeats > 1 && len(f.models) == 0 && f.replay == "":
		return fmt.Errorf("--repeats is 1 to 20, and goes with --model and --replay")
	case f.halves && len(f.rules) > 1:
		return fmt.Errorf("--halves goes with one rule set")
	case len(f.rules) > 2:
		return fmt.Errorf("two rule sets at most, to compare them")
	case f.list == "changed" && len(f.rules) != 2 && len(f.models) != 2 && f.replay == "":
		return fmt.Errorf("--list changed needs two rule sets or two models")
	}
	return nil
}

// builtinRules is the name of the built-in rule set; a file of that name is
// ./default.
const builtinRules = "default"

func evalReport(ctx context.Context, p *Process, f evalFlags) (eval.Report, error) {
	o, files, rows, err := f.given(p)
	if err != nil {
		return eval.Report{}, err
	}
	labels, err := f.correct(p, files)
	if err != nil {
		return eval.Report{}, err
	}
	left := eval.Leave(files, o)
	asked, err := f.asked(ctx, p, files, &o)
	if err != nil {
		return eval.Report{}, err
	}
	defer asked.close()
	done := progress(p, f, rows, &o)
	runs, halves, err := f.judgeRepeatedly(ctx, files, &o, asked)
	done()
	if err == nil {
		err = asked.failed()
	}
	if err != nil {
		return eval.Report{}, err
	}
	if len(runs[0]) == 0 {
		return eval.Report{}, fmt.Errorf("no rows to judge; the files hold %d", rows)
	}
	r := eval.Summarize(files, runs[0], o, f.by, f.list)
	r.Labels, r.Halves = labels, halves
	r.AddWithout(left)
	asked.addTimes(r)
	if f.repeats > 1 {
		r.Flips(runs)
	}
	return r, nil
}

// given reads the rules and the rows that the flags name.
func (f evalFlags) given(p *Process) (o eval.Options, files []eval.File, rows int, err error) {
	o = eval.Options{Agent: f.agent, Without: f.without, Confine: f.confine}
	for _, name := range f.rules {
		set, err := ruleSet(p, name)
		if err != nil {
			return o, nil, 0, err
		}
		o.Sets = append(o.Sets, set)
	}
	for _, name := range f.files {
		file, err := eval.ReadFile(absolute(p, name))
		if err != nil {
			return o, nil, 0, err
		}
		file.Name = name
		files, rows = append(files, file), rows+len(file.Rows)
	}
	return o, files, rows, nil
}

// judgeRepeatedly judges the rows as often as --repeats says.
func (f evalFlags) judgeRepeatedly(ctx context.Context, files []eval.File, o *eval.Options, asked asking) (
	runs [][]eval.Judged, halves *eval.Halves, err error) {
	all, halves, err := f.judge(ctx, files, o)
	runs = [][]eval.Judged{all}
	for n := 1; n < f.repeats && err == nil; n++ {
		for _, x := range asked.answers {
			x.Repeat(n)
		}
		all, _, err = f.judge(ctx, files, o)
		runs = append(runs, all)
	}
	return runs, halves, err
}

// correct applies --labels.
func (f evalFlags) correct(p *Process, files []eval.File) (*eval.LabelList, error) {
	if f.labels == "" {
		return nil, nil
	}
	list, err := eval.ReadLabels(absolute(p, f.labels))
	if err != nil {
		return nil, err
	}
	list.Name = f.labels
	return list, list.Apply(files)
}

// judge answers for the rows, or for those of the second half. o then names
// what the answers are of.
func (f evalFlags) judge(ctx context.Context, files []eval.File, o *eval.Options) ([]eval.Judged, *eval.Halves, error) {
	if !f.halves {
		all, err := eval.Judge(ctx, files, *o)
		return all, nil, err
	}
	all, halves, err := eval.JudgeHalves(ctx, files, *o, propose.Options{})
	o.Sets = eval.HalvesSets(o.Sets[0])
	return all, &halves, err
}

// ruleSet reads a settings file as the user's, with no other beside it.
func ruleSet(p *Process, name string) (eval.RuleSet, error) {
	if name == builtinRules {
		return eval.RuleSet{Name: "default", Rules: nod.DefaultRules()}, nil
	}
	places := config.DefaultPlaces(p.Getenv("HOME"))
	places.Managed, places.State, places.User = "", "", absolute(p, name)
	if _, err := (view.Disk{}).Lstat(places.User); err != nil {
		return eval.RuleSet{}, fmt.Errorf("--rules %s: %w", name, err)
	}
	settings, err := config.Load(places)
	return eval.RuleSet{Name: name, Rules: settings.Rules}, err
}

// progress shows a line on a terminal for what takes longer than a second. The
// result takes it away.
func progress(p *Process, f evalFlags, rows int, o *eval.Options) (done func()) {
	if !p.Terminal || f.json {
		return func() {}
	}
	var judged atomic.Int64
	o.Done = func(n int) { judged.Add(int64(n)) }
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		showProgress(p.Stderr, time.Second,
			func() string { return fmt.Sprintf("%d of %d rows judged", judged.Load(), rows) }, stop)
	}()
	return func() {
		close(stop)
		<-stopped
	}
}

// showProgress writes a line after a wait, and again five times a second.
func showProgress(w io.Writer, wait time.Duration, line func() string, stop <-chan struct{}) {
	shown := false
	for {
		select {
		case <-stop:
			if shown {
				fmt.Fprint(w, "\r\x1b[K")
			}
			return
		case <-time.After(wait):
			fmt.Fprint(w, "\r"+line()+"\x1b[K")
			wait, shown = 200*time.Millisecond, true
		}
	}
}
