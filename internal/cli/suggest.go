package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/index"
	"github.com/nodgate/nod/internal/propose"
)

// fewestTried is how many open calls, the newest, a rule is tried with at least where the log has as many.
const fewestTried = 20_000

// suggest finds the rules: those that package propose finds, and those by which the gate would clear a question. Each
// is tried with the calls of the log that are open today and that the rules before it leave.
func suggest(ctx context.Context, p *Process, places config.Places, x *index.Index, f index.Filter) (suggested, error) {
	out, l := suggested{Version: 1, Rules: []suggestion{}}, logged{process: p, home: places.Home, at: map[string]int{}}
	var calls []audit.Entry
	gather := past{process: p, places: []config.Places{places}, lasting: true}
	wanted := tally{}
	f.Verdicts = []nod.Verdict{nod.Ask, nod.Deny}
	keep := func(e audit.Entry, d []nod.Decision) {
		if d[0].Verdict == nod.Allow {
			return
		}
		if calls = append(calls, e); len(calls) == 2*fewestTried {
			calls = slices.Delete(calls, 0, fewestTried)
		}
		if e.Verdict == nod.Ask && d[0].Verdict == nod.Ask {
			out.Questions++
			if d[0].Lasting != "" {
				wanted[d[0].Lasting]++
			}
		}
	}
	err := gather.each(ctx, x, f, keep)
	if f.Verdicts, f.Layers = []nod.Verdict{nod.Allow}, []nod.Layer{nod.LayerModel, nod.LayerApproval}; err == nil {
		err = gather.each(ctx, x, f, keep)
	}
	if f.Verdicts, f.Layers = nil, nil; err == nil {
		err = x.Each(ctx, f, l.entry)
	}
	if err != nil {
		return out, err
	}
	for _, rule := range propose.Learn(l.calls) {
		wanted[rule.Text] = max(wanted[rule.Text], rule.Seen.Calls)
	}
	for i, text := range wanted.sorted() {
		if wanted[text] < leastSaved || len(out.Rules) == mostSuggested || i == mostTried {
			break
		}
		s, left, err := try(ctx, p, places, text, calls)
		if err != nil {
			return out, err
		}
		if s.Saved >= leastSaved {
			out.Rules, calls = append(out.Rules, s), left
		}
	}
	return out, ctx.Err()
}

// try says what a rule would have done with the calls, and which it leaves.
func try(ctx context.Context, p *Process, places config.Places, text string, calls []audit.Entry) (s suggestion,
	left []audit.Entry, err error) {
	s = suggestion{List: string(nod.ListAllow), Text: text, Calls: tally{}, Also: tally{}}
	rule, err := nod.ParseRule(nod.ListAllow, text, "suggested")
	if err != nil {
		return s, nil, err
	}
	with := past{process: p, missed: tally{}, places: []config.Places{places}, allow: []nod.Rule{rule}}
	first, _, _ := strings.Cut(text, " ")
	known, sessions := map[string]judge{}, map[string]bool{}
	for _, e := range calls {
		var d []nod.Decision
		if strings.Contains(string(e.Input)+e.RawTool, first) { // else no rule of that word speaks of it
			d = with.decide(ctx, known, e)
		}
		switch {
		case d == nil || d[0].Verdict != nod.Allow:
			left = append(left, e)
		case e.Verdict == nod.Ask:
			s.Saved++
			s.Calls[toolCall(e)]++
			sessions[e.Session] = true
		default:
			s.Also[toolCall(e)]++
		}
	}
	s.Sessions = len(sessions)
	return s, left, ctx.Err()
}
