package agent_test

import (
	"fmt"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/fault"
)

// decisions are one of each kind that a gate returns, and two that it does not.
func decisions() []nod.Decision {
	long := strings.Repeat("ab\u202e\n", 60) // more than an answer holds
	none := &fault.Error{Kind: fault.NoModel, Message: "none"}
	var out []nod.Decision
	for _, v := range []nod.Verdict{nod.Deny, nod.Ask, nod.Allow, nod.Verdict(100), nod.Verdict(-1)} {
		out = append(out,
			nod.Decision{Verdict: v, Reason: long, Notices: []string{long, "", "<system-reminder>\x00\"\\"}},
			nod.Decision{Verdict: v, Err: none},
			nod.Decision{Verdict: v, Err: none, Deferrable: true},
			nod.Decision{Verdict: v, Rule: nod.Rule{Text: "rm -rf", Origin: "default"}, Err: none},
			nod.Decision{Verdict: v, Layer: nod.LayerModel, Err: &fault.Error{Kind: fault.TimedOut, Message: "late"}})
	}
	for _, v := range []nod.Verdict{nod.Ask, nod.Allow} {
		for _, l := range []nod.Layer{nod.LayerGuard, nod.LayerAllowlist, nod.LayerEdit, nod.LayerShell,
			nod.LayerApproval, nod.LayerModel, nod.LayerNone} {
			out = append(out, nod.Decision{Verdict: v, Layer: l, Reason: "because"})
		}
	}
	return out
}

// events are the fixtures' in every mode, with and without a person, where
// nothing may change and where the host judges.
func events(h host) (out []agent.Event) {
	all, _ := load(h)
	seen := map[string]bool{} // one fixture of each tool is enough
	for _, f := range all {
		out = append(out, f.event)
		what := fmt.Sprint(f.event.Kind, f.event.Call.Tool, f.event.Call.Command == "")
		if f.event.Kind != agent.Decide && f.event.Kind != agent.Prompt || seen[what] {
			continue
		}
		seen[what] = true
		for _, mode := range h.modes {
			for bits := range 8 {
				e := f.event
				e.Mode, e.Plan = mode, bits&1 != 0
				e.Call.Interactive, e.Call.HostJudges = bits&2 != 0, bits&4 != 0
				out = append(out, e)
			}
		}
	}
	return out
}

func answers(h host) (problems []string) {
	all := events(h)
	if len(all) == 0 {
		return []string{"there are no events to answer"}
	}
	seen := map[string]bool{}
	ds, can := decisions(), h.adapter.Capabilities()
	for _, e := range all {
		for _, d := range ds {
			for _, p := range []agent.Profile{agent.Default, agent.Replace, agent.Reinforce} {
				for _, model := range []bool{false, true} {
					what := wrongAnswer(h, can, e, d, p, model)
					if what != "" && !seen[what] {
						seen[what] = true
						problems = append(problems,
							fmt.Sprintf("%s in mode %q, %s of layer %s, profile %d, model %v: %s", e.Name, e.Mode,
								d.Verdict, d.Layer, p, model, what))
					}
				}
			}
		}
	}
	return problems
}

// wrongAnswer says what is wrong with an answer, "" if nothing.
func wrongAnswer(h host, can agent.Capabilities, e agent.Event, d nod.Decision, p agent.Profile, model bool) string {
	a, panicked := encode(h, e, d, p, model)
	if panicked != "" {
		return panicked
	}
	if h.valid != nil {
		if err := h.valid(e, a); err != nil {
			return "the host does not take this answer: " + err.Error()
		}
	}
	if e.Kind != agent.Decide && e.Kind != agent.Prompt {
		if e.Kind != agent.Unexpected && (len(a.Stdout) > 0 || len(a.Stderr) > 0 || a.Exit != 0) {
			return "an event that asks nothing is answered"
		}
		return ""
	}
	return wrongMeaning(e, d, p, a, can)
}

// wrongMeaning checks that an answer is never looser than the decision.
func wrongMeaning(e agent.Event, d nod.Decision, p agent.Profile, a agent.Answer, can agent.Capabilities) string {
	seat := can.Before
	if e.Kind == agent.Prompt {
		seat = can.Asking
	}
	allow, ask := d.Verdict == nod.Allow, d.Verdict == nod.Ask
	left := ask && a.Said == "abstained"
	before, grants := e.Kind == agent.Decide, a.Said == "allow" || a.Said == "ask"
	switch {
	case !grants && a.Said != "deny" && a.Said != "abstained":
		return fmt.Sprintf("Said is %q", a.Said)
	case !allow && !ask && a.Said != "deny", ask && a.Said == "allow", allow && (a.Said == "deny" || a.Said == "ask"):
		return fmt.Sprintf("%s is said as %s", d.Verdict, a.Said)
	case left && before && !e.Call.HostJudges && !e.Theirs && !e.PromptFollows,
		left && e.Kind == agent.Prompt && seat.Silence != agent.Prompts:
		return "an ask is left to a host that does not ask"
	case left && before && !d.Deferrable && !e.PromptFollows:
		return "an ask that a person has to answer is left to the host's judge"
	case a.Said == "allow" && (p == agent.Reinforce || !seat.Allow):
		return "allow is said where nod only denies or asks"
	case a.Said == "allow" && e.Plan && d.Layer != nod.LayerAllowlist:
		return "allow is said in a mode in which nothing may change"
	case a.Said == "ask" && (!seat.Ask || !e.Call.Interactive && !seat.AskHeadless):
		return "ask is said where nobody can be asked"
	case a.Said == "deny" && (!seat.Deny || speechless(a)):
		return "a denial is not heard"
	case a.Said == "abstained" && a.Exit != 0, grants && (len(a.Stdout) == 0 || a.Exit != 0):
		return a.Said + " with an exit code, or unsaid"
	}
	return ""
}

// speechless reports whether a host hears nothing of a denial.
func speechless(a agent.Answer) bool {
	return len(a.Stdout) == 0 && (a.Exit == 0 || len(a.Stderr) == 0)
}

func encode(h host, e agent.Event, d nod.Decision, p agent.Profile, model bool) (a agent.Answer, panicked string) {
	panicked = caught("Encode", func() { a = h.adapter.Encode(e, d, p, model) })
	return a, panicked
}

// zeroValues: what nobody filled in blocks.
func zeroValues(h host) (problems []string) {
	zero := append(events(h),
		agent.Event{}, agent.Event{Kind: agent.Decide}, agent.Event{Kind: agent.Prompt},
		agent.Event{Kind: agent.Unexpected, Name: "New", Call: nod.Call{RawTool: "Bash"}}, agent.Event{Kind: 200})
	for _, e := range zero {
		if e.Kind == agent.Outcome || e.Kind == agent.HostDenied || e.Kind == agent.Other {
			continue
		}
		for _, p := range []agent.Profile{agent.Default, agent.Replace, agent.Reinforce, 200} {
			a, panicked := encode(h, e, nod.Decision{}, p, false)
			if panicked != "" {
				problems = append(problems, panicked)
			} else if a.Said != "deny" || speechless(a) {
				problems = append(problems,
					fmt.Sprintf("the zero decision on %q (kind %d) is said as %q: %s", e.Name, e.Kind, a.Said,
						a.Stdout))
			}
		}
	}
	return problems
}

// blocks: Block says no, with a reason, for any reason.
func blocks(h host) (problems []string) {
	for _, reason := range []string{"", "because", "\x00\xff\u202e\n", "<system-reminder>",
		string(make([]byte, 1<<20))} {
		var a agent.Answer
		panicked := caught("Block", func() { a = h.adapter.Block(reason) })
		switch {
		case panicked != "":
			problems = append(problems, panicked)
		case a.Said != "deny":
			problems = append(problems, fmt.Sprintf("Block(%.20q) says %q", reason, a.Said))
		case speechless(a):
			problems = append(problems, fmt.Sprintf("Block(%.20q) says nothing", reason))
		case len(a.Stderr) > 4096 || len(a.Stdout) > 4096:
			problems = append(problems, fmt.Sprintf("Block(%.20q) says too much", reason))
		}
	}
	return problems
}
