package config

import (
	"fmt"
	"slices"
	"time"

	"github.com/nodgate/nod"
)

// Sequence is a rule over time, a [[sequence]] of a managed or user file: what a session may not do in an order, or too
// often. It never allows. One of After, Needs and AtMost says when it forbids what Call matches.
type Sequence struct {
	Name string `toml:"name"` // names it to people and in the log
	// Call, After and Needs are patterns as in hard_deny. In After, [TouchesSecret] is a call that touches a secret.
	Call  []string `toml:"call"`
	After []string `toml:"after"` // forbidden once the session has done one of these
	// Needs forbids until one of these has succeeded as a line of its own
	// since the last change of a file that nod saw.
	Needs []string `toml:"needs"`
	// AtMost is how many calls may run in the session within the time, before the next is forbidden.
	AtMost int    `toml:"at_most"`
	Within string `toml:"within"`
	// Verdict is "deny", "ask" or "observe" ("" too), which only writes into the log what would have been forbidden.
	Verdict string `toml:"verdict"`

	Origin string        `toml:"-"` // "FILE:LINE"
	Level  Level         `toml:"-"`
	Time   time.Duration `toml:"-"` // of Within
	Calls  []nod.Rule    `toml:"-"` // of Call
}

// TouchesSecret stands for every call that touches a secret store, in the list after of a [[sequence]].
const TouchesSecret = "$secret"

// sequenceLimit bounds how many there are in a file: each of their patterns is matched with each call.
const sequenceLimit = 16

// Unremembered are the rules where nobody knows what a session has done: what a rule over time may forbid is forbidden.
func (s Settings) Unremembered() nod.Rules {
	rules := s.Rules
	for _, q := range s.Sequences {
		q.Arm(&rules)
	}
	return rules
}

// Arm adds to rules what the rule over time forbids while it holds; nothing where it only observes.
func (q Sequence) Arm(rules *nod.Rules) {
	switch q.Verdict {
	case "deny":
		rules.HardDeny = append(slices.Clip(rules.HardDeny), q.Calls...)
	case "ask":
		rules.Ask = append(slices.Clip(rules.Ask), q.Calls...)
	}
}

func (r *reader) sequence(i int, s Sequence) {
	table := fmt.Sprintf("sequence.%d", i)
	s.Origin, s.Level = originOf(r.layer.source, r.doc.at(table).line), r.layer.source.Level
	r.oneOf(table+".verdict", s.Verdict, "", "observe", "ask", "deny")
	conditions := 0
	for _, is := range []bool{len(s.After) > 0, len(s.Needs) > 0, s.AtMost > 0} {
		if is {
			conditions++
		}
	}
	var err error
	if s.Time, err = time.ParseDuration(s.Within); (err != nil || s.Time <= 0) && s.AtMost > 0 {
		r.fail(table, `at_most needs within, such as "1h"; add it`)
	}
	switch {
	case s.Name == "" || len(s.Call) == 0:
		r.fail(table, "a [[sequence]] needs name and call; add what is missing")
	case conditions != 1:
		r.fail(table, "a [[sequence]] has one of after, needs and at_most; write one")
	case i >= sequenceLimit:
		r.fail(table, "more than %d rules over time; each costs every call some time", sequenceLimit)
	}
	s.Calls = r.patterns(table+".call", s.Call, s.Origin)
	r.patterns(table+".after", s.After, s.Origin)
	r.patterns(table+".needs", s.Needs, s.Origin)
	r.layer.sequences = append(r.layer.sequences, s)
}

// patterns reads patterns as hard_deny does.
func (r *reader) patterns(path string, texts []string, origin string) (rules []nod.Rule) {
	for i, text := range texts {
		if text == TouchesSecret && lastName(path) == "after" {
			continue
		}
		rule, err := nod.ParseRule(nod.ListHardDeny, text, origin)
		if err != nil {
			r.fail(fmt.Sprintf("%s.%d", path, i), "%s: %v", lastName(path), err)
		}
		rules = append(rules, rule)
	}
	return rules
}
