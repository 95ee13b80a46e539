package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/index"
	"github.com/nodgate/nod/internal/printable"
)

// ruleWriter is nod allow, nod deny or nod ask: it writes one rule into a settings file, or takes it out.
type ruleWriter struct {
	list    string
	verdict nod.Verdict // of what the rule is for
	did     string      // the same in words

	config.Change
	process *Process
	yes     bool
	only    string       // the repository that the rule is for, a real path; "" means any
	log     *index.Index // nil: it is opened, and all of it read
	since   time.Time    // older calls are not replayed
}

func (w ruleWriter) run(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	a.BoolVar(&w.yes, "yes", false, "")
	a.BoolVar(&w.Remove, "remove", false, "")
	a.BoolVar(&w.Repository, "repository", false, "")
	root := a.String("root", p.Dir, "")
	if err := a.withRules(args, 1); err != nil {
		return err
	}
	a.places.Root = absolute(p, *root)
	w.process, w.Entry = p, config.Entry{List: w.list, Text: a.Arg(0)}
	switch {
	case a.NArg() == 0 && w.verdict == nod.Ask && !w.yes && !w.Remove && !w.Repository:
		return served("ask", newDesk(p, a.places).queue)(ctx, p, args)
	case a.NArg() == 0:
		return usage(errors.New(`no rule; write it as one word, such as "npm test"`))
	case w.Repository && w.verdict != nod.Deny:
		return errors.New("a workspace's .nod.toml may only deny; leave --repository out")
	case a.places.User == "" || a.places.State == "":
		return errors.New("HOME is not set; name your settings with --settings and nod's state with --state")
	}
	err := person(p, w.yes)
	if err == nil && w.Repository {
		_, err = config.RepositoryOf(a.places, a.places.Root) // where there is none
	}
	if err != nil {
		return err
	}
	return w.offer(ctx, a.places)
}

// offer shows what the change would have done, asks, and makes it.
func (w ruleWriter) offer(ctx context.Context, places config.Places) error {
	question, err := w.preview(ctx, places)
	switch {
	case err != nil:
		return err
	case !w.yes && !confirmed(ctx, w.process, question+" [y/N] "):
		return errors.New("nothing written")
	}
	return w.make(places)
}

// preview shows what the change would have done, and returns the question whether it is made.
func (w ruleWriter) preview(ctx context.Context, places config.Places) (question string, err error) {
	notes, after, err := w.draft(ctx, places)
	if err != nil {
		return "", err
	}
	question, without, with := "Write it into ", places, after
	if w.Remove {
		question, without, with = "Take it out of ", after, places
	}
	fmt.Fprintf(w.process.Stdout, "%s %s\n%s", w.List, quoted(w.Text), notes)
	return question + w.file(places) + "?", w.replay(ctx, without, with)
}

// file is where the change is made, for people.
func (w ruleWriter) file(places config.Places) string {
	file := homely(w.process, places.User)
	switch {
	case w.Repository:
		file = "this workspace's " + config.RepositoryName
	case w.only != "":
		file += ", for " + homely(w.process, w.only) + " alone"
	}
	return file
}

func (w ruleWriter) make(places config.Places) error {
	if w.only != "" {
		if err := config.AddRepository(places, w.only, []config.Entry{w.Entry}); err != nil {
			return err
		}
		fmt.Fprintf(w.process.Stdout, "written to %s\n", w.file(places))
		return nil
	}
	if err := w.Write(places); err != nil {
		return err
	}
	return w.report(places)
}

// report says what stands in the settings now.
func (w ruleWriter) report(places config.Places) error {
	settings, err := config.Load(places)
	item, held := w.item(settings)
	out, at := w.process.Stdout, homely(w.process, item.Origin)
	switch {
	case err != nil:
		return err
	case !w.Remove:
		fmt.Fprintf(out, "written to %s; the same command with --remove takes it back\n", at)
	case held:
		fmt.Fprintf(out, "taken out; it still stands at %s\n", at)
	default:
		fmt.Fprintln(out, "taken out")
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
		err = fmt.Errorf("nod would not hold %s there; write it shorter, and without tabs", quoted(w.Text))
	}
	return notes, after, err
}

// doubts are what is doubtful about a new rule, a line each.
func (w ruleWriter) doubts(ctx context.Context, places config.Places, s config.Settings) (notes string, err error) {
	rule, err := nod.ParseRule(nod.RuleList(w.List), w.Text, "the new rule")
	switch {
	case err != nil:
		return "", err
	case rule.IsPattern(places.Known):
	case w.verdict == nod.Allow || w.Repository:
		return "", fmt.Errorf("%s begins with no program that nod or PATH knows; correct it", quoted(w.Text))
	default:
		notes = "  unknown: nod and PATH know no program of this name\n"
	}
	was := checker{w.process, places, s}
	found := w.found(ctx, was, rule)
	if d := was.judge(ctx, strings.TrimSuffix(w.Text, " *"), s.Rules); d.Verdict == nod.Deny && w.verdict != nod.Allow {
		more := doubt{"redundant", config.Item{List: w.List, Text: w.Text, Origin: rule.Origin},
			"nod denies it anyhow: " + d.Reason}
		if w.verdict == nod.Ask {
			more.kind = "contradiction"
		}
		found = append(found, more)
	}
	for _, d := range found {
		if d.kind == "contradiction" {
			return "", fmt.Errorf("nothing written: %s %s (%s) %s", d.item.List, quoted(d.item.Text),
				homely(w.process, d.item.Origin), d.why)
		}
		notes += fmt.Sprintf("  %s: %s\n", d.kind, d.why)
	}
	return notes, nil
}

// found is what nod rules check finds with the rule, and not without it.
func (w ruleWriter) found(ctx context.Context, was checker, rule nod.Rule) []doubt {
	is, known := was, was.doubts(ctx)
	list := map[string]*[]nod.Rule{"allow": &is.settings.Rules.Allow, "hard_deny": &is.settings.Rules.HardDeny,
		"ask": &is.settings.Rules.Ask}[w.List]
	*list = append(slices.Clip(*list), rule)
	found := is.doubts(ctx)
	if w.verdict == nod.Allow {
		item := config.Item{List: w.List, Text: w.Text, Origin: rule.Origin, Rule: rule}
		found = append(found, is.allow(ctx, item)...)
	}
	return slices.DeleteFunc(found, func(d doubt) bool {
		return slices.ContainsFunc(known, func(k doubt) bool {
			return k.kind == d.kind && k.item.Origin == d.item.Origin && k.item.Text == d.item.Text
		})
	})
}

// replay says what the rule would have done with the calls in the log: what the gate with it does, and the gate without
// it does not.
func (w ruleWriter) replay(ctx context.Context, without, with config.Places) error {
	x, f, err := w.log, index.Filter{Filter: audit.Filter{Since: w.since}}, error(nil)
	if x == nil {
		x, err = openLog(ctx, w.process, strings.TrimPrefix(w.List, "hard_"), with.State)
	}
	if err != nil {
		return err
	}
	if w.only != "" {
		f.Roots = []string{w.only}
	}
	r := past{process: w.process, places: []config.Places{without, with}}
	calls, days, hitDays, hits := 0, map[string]bool{}, map[string]bool{}, tally{}
	err = r.each(ctx, x, f, func(e audit.Entry, d []nod.Decision) {
		day := e.Time.Local().Format(time.DateOnly)
		calls++
		days[day] = true
		if w.does(d[1]) && !w.does(d[0]) {
			hitDays[day] = true
			hits[toolCall(e)]++
		}
	})
	out := w.process.Stdout
	fmt.Fprintf(out, "In the log (%s of %s) it would have %s %s of %s.\n", counted(calls, "call"),
		counted(len(days), "day"), w.did, counted(hits.sum(), "call"), counted(len(hitDays), "day"))
	hits.print(out, mostShown)
	r.missed.print(out, len(r.missed))
	return err
}

// does reports whether a decision is what the rule is for, and not left to a host.
func (w ruleWriter) does(d nod.Decision) bool { return d.Verdict == w.verdict && !d.Deferrable }

// mostShown is how many calls are shown, the most frequent first.
const mostShown = 5
