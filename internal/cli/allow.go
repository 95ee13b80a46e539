package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

// ruleWriter is nod allow, nod deny or nod ask: it writes one rule into a settings file, or takes it out.
type ruleWriter struct {
	config.Change
	verdict nod.Verdict // of what the rule is for
	did     string      // the same in words
	process *Process
	yes     bool
}

func writesRule(list string, verdict nod.Verdict, did string) func(context.Context, *Process, []string) error {
	return func(ctx context.Context, p *Process, args []string) error {
		w := ruleWriter{verdict: verdict, did: did, process: p}
		w.List = list
		return w.run(ctx, args)
	}
}

func (w ruleWriter) run(ctx context.Context, args []string) error {
	a := newArguments(w.process).settings()
	a.BoolVar(&w.yes, "yes", false, "")
	a.BoolVar(&w.Remove, "remove", false, "")
	here := a.Bool("repository", false, "")
	root := a.String("root", w.process.Dir, "")
	if err := a.withRules(args, 1); err != nil {
		return err
	}
	a.places.Root = absolute(w.process, *root)
	w.File, w.Text = a.places.User, a.Arg(0)
	switch {
	case a.NArg() == 0:
		return usage(errors.New(`no rule; write it as one word, such as "npm test"`))
	case *here && w.verdict != nod.Deny:
		return errors.New("a workspace's .nod.toml may only deny; leave --repository out")
	case w.File == "" || a.places.State == "":
		return errors.New("HOME is not set; name your settings with --settings and nod's state with --state")
	case *here:
		var err error
		if w.File, err = filepath.EvalSymlinks(a.places.Root); err != nil {
			return err
		}
		w.File = filepath.Join(w.File, config.RepositoryName)
	}
	err := person(w.process, w.yes)
	if errors.Is(err, errNoTerminal) {
		err = errors.New("this changes nod, and standard input is not a terminal; run it in a terminal, or with --yes")
	}
	if err != nil {
		return err
	}
	return w.offer(ctx, a.places)
}

// offer shows what the change would have done, asks, and makes it.
func (w ruleWriter) offer(ctx context.Context, places config.Places) error {
	notes, after, err := w.draft(ctx, places)
	if err != nil {
		return err
	}
	p, question, without, with := w.process, "Write it?", places, after
	if w.Remove {
		question, without, with = "Take it back?", after, places
	}
	fmt.Fprintf(p.Stdout, "%s %s, in %s\n%s", w.List, quoted(w.Text), homely(p, w.File), notes)
	if err := w.replay(ctx, without, with); err != nil {
		return err
	}
	if !w.yes && !confirmed(ctx, p, question+" [y/N] ") {
		return errors.New("nothing written")
	}
	if err := w.Write(places); err != nil {
		return err
	}
	settings, err := config.Load(places)
	if err != nil {
		return err
	}
	item, held := w.item(settings)
	switch {
	case !w.Remove:
		fmt.Fprintf(p.Stdout, "written to %s; the same command with --remove takes it back\n", homely(p, item.Origin))
	case held:
		fmt.Fprintf(p.Stdout, "taken out; it still stands at %s\n", homely(p, item.Origin))
	default:
		fmt.Fprintf(p.Stdout, "taken out of %s\n", homely(p, w.File))
	}
	return nil
}

func quoted(text string) string { return `"` + printable.Text(text) + `"` }

// item is the rule as the settings hold it.
func (w ruleWriter) item(s config.Settings) (config.Item, bool) {
	items := s.Lists()
	i := slices.IndexFunc(items, func(i config.Item) bool { return i.List == w.List && i.Text == w.Text })
	if i < 0 {
		return config.Item{}, false
	}
	return items[i], true
}

// draft returns the places after the change, and what is doubtful about the rule. It refuses
// one that is held already, one that nod could not hold, and one that another rule contradicts.
func (w ruleWriter) draft(ctx context.Context, places config.Places) (notes string, after config.Places, err error) {
	settings, err := config.Load(places)
	if err == nil && !w.Remove {
		notes, err = w.doubts(ctx, places, settings)
	}
	if err == nil {
		after, err = places.Draft(w.Change)
	}
	if item, held := w.item(settings); err != nil && held && w.Remove {
		err = fmt.Errorf("%w; it stands at %s, where only you take it out", err, homely(w.process, item.Origin))
	}
	if err == nil {
		settings, err = config.Load(after)
	}
	if _, held := w.item(settings); err == nil && !held && !w.Remove {
		err = fmt.Errorf("nod would not hold this rule there: %s", strings.Join(settings.Notices, "; "))
	}
	return notes, after, err
}

func (w ruleWriter) doubts(ctx context.Context, places config.Places, s config.Settings) (notes string, err error) {
	rule, err := nod.ParseRule(nod.RuleList(w.List), w.Text, "the new rule")
	item, held := w.item(s)
	switch {
	case err != nil:
		return "", err
	case held:
		return "", fmt.Errorf("%s stands in %s already (%s)", quoted(w.Text), w.List, homely(w.process, item.Origin))
	case !rule.IsPattern(places.Known):
		return "", fmt.Errorf("%s begins with no program that nod or PATH knows, so it would be text for a model, or "+
			"match nothing; correct it", quoted(w.Text))
	}
	was := checker{w.process, places, s}
	is := was
	list := map[string]*[]nod.Rule{"allow": &is.settings.Rules.Allow, "hard_deny": &is.settings.Rules.HardDeny,
		"ask": &is.settings.Rules.Ask}[w.List]
	*list = append(slices.Clip(*list), rule)
	known, found := was.doubts(ctx), is.doubts(ctx)
	if w.verdict == nod.Allow {
		found = append(found, is.allow(ctx, config.Item{List: w.List, Text: w.Text, Origin: rule.Origin, Rule: rule})...)
	}
	for _, d := range found {
		same := func(k doubt) bool { return k.kind == d.kind && k.item.Origin == d.item.Origin }
		switch {
		case slices.ContainsFunc(known, same):
		case d.kind == "contradiction":
			return "", fmt.Errorf("nothing written: %s %s (%s) %s", d.item.List, quoted(d.item.Text),
				homely(w.process, d.item.Origin), d.why)
		default:
			notes += fmt.Sprintf("  %s: %s\n", d.kind, d.why)
		}
	}
	return notes, nil
}

// replayed counts what two gates make of the calls in the log.
type replayed struct {
	calls, hits, gone int
	days, hitDays     map[string]bool
	by                map[string]int // hits by what the call says
}

// replay prints what the rule would have done with the calls in the log, by the gates with it and without it.
func (w ruleWriter) replay(ctx context.Context, without, with config.Places) error {
	t := replayed{days: map[string]bool{}, hitDays: map[string]bool{}, by: map[string]int{}}
	gates, judged := map[string][]*nod.Gate{}, map[string]bool{}
	filter := audit.Filter{Kinds: []audit.Kind{audit.Decision}}
	err := eachEntry(w.process, strings.TrimPrefix(w.List, "hard_"), with.State, filter, func(e audit.Entry) {
		pair, made := gates[e.Root]
		if !made {
			pair = w.gates(e.Root, without, with)
			gates[e.Root] = pair
		}
		if pair == nil || e.InputBytes > 0 {
			t.gone++
			return
		}
		key := strings.Join([]string{e.Root, e.Dir, e.RawTool, string(e.Input)}, "\x00")
		hit, known := judged[key]
		if !known {
			c := w.call(e)
			hit = w.does(pair[1].Check(ctx, c)) && !w.does(pair[0].Check(ctx, c))
			judged[key] = hit
		}
		t.add(e, hit)
	})
	if err == nil {
		err = ctx.Err()
	}
	t.print(w.process, w.did)
	return err
}

// gates are those of a past session, without the rule and with it; nil where they cannot be made.
func (w ruleWriter) gates(root string, all ...config.Places) (gates []*nod.Gate) {
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return nil
	}
	for _, places := range all {
		gate, err := pastGate(w.process, places, root, view.NewMemo(view.Disk{}))
		if err != nil {
			return nil
		}
		gates = append(gates, gate)
	}
	return gates
}

// does reports whether a decision is what the rule is for, and no default that a host may answer.
func (w ruleWriter) does(d nod.Decision) bool { return d.Verdict == w.verdict && !d.Deferrable }

// call is the call of an entry, with a person there.
func (w ruleWriter) call(e audit.Entry) nod.Call {
	c := nod.NewCall(e.Tool, e.Input, e.Dir, w.process.Environ)
	c.RawTool, c.Agent, c.Roots, c.Interactive = e.RawTool, e.Agent, []string{e.Root}, true
	if name, is := strings.CutPrefix(e.RawTool, "mcp__"); is {
		server, tool, _ := strings.Cut(name, "__")
		c.MCP = &nod.MCP{Server: server, Tool: tool}
	}
	return c
}

func (t *replayed) add(e audit.Entry, hit bool) {
	day := e.Time.Local().Format(time.DateOnly)
	t.calls++
	t.days[day] = true
	if !hit {
		return
	}
	t.hits++
	t.hitDays[day] = true
	said := callOf(e)
	if e.Tool != "bash" {
		said = e.RawTool + " " + said
	}
	t.by[printable.Line(said, 90)]++
}

// mostShown is how many calls are shown, the most frequent first.
const mostShown = 5

func (t *replayed) print(p *Process, did string) {
	logged := fmt.Sprintf("(%s of %s)", counted(t.calls, "call"), counted(len(t.days), "day"))
	if t.hits == 0 {
		fmt.Fprintf(p.Stdout, "In the log %s it would have %s none.\n", logged, did)
	} else {
		fmt.Fprintf(p.Stdout, "In the log %s it would have %s %s of %s:\n", logged, did, counted(t.hits, "call"),
			counted(len(t.hitDays), "day"))
	}
	calls := slices.SortedFunc(maps.Keys(t.by),
		func(a, b string) int { return cmp.Or(t.by[b]-t.by[a], strings.Compare(a, b)) })
	for _, call := range calls[:min(len(calls), mostShown)] {
		fmt.Fprintf(p.Stdout, "%7d  %s\n", t.by[call], call)
	}
	if rest := len(calls) - mostShown; rest > 0 {
		fmt.Fprintf(p.Stdout, "         and %s\n", counted(rest, "other"))
	}
	if t.gone > 0 {
		fmt.Fprintf(p.Stdout, "%7d  not judged: their directory is gone, or they are not logged whole\n", t.gone)
	}
}
