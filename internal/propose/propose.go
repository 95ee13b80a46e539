package propose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/shell"
)

// Rule is one proposal.
type Rule struct {
	List string `json:"list"` // a key of the settings
	Text string `json:"text"`
	Why  string `json:"why"`
	Seen *Seen  `json:"seen,omitempty"` // nil where it comes from a build file
}

// Seen counts the calls that a proposal rests on.
type Seen struct {
	Calls    int `json:"calls"`
	Sessions int `json:"sessions"`
	Ran      int `json:"ran"`    // and succeeded
	Failed   int `json:"failed"` // ran, and failed
	Refused  int `json:"refused"`
	// Model and Person count those that a model or a person let run.
	Model  int `json:"by_model,omitempty"`
	Person int `json:"by_person,omitempty"`
}

// Outcome is what became of a call. The zero value says that nobody knows.
type Outcome uint8

const (
	Unknown Outcome = iota
	Ran
	Failed
	Refused
)

// Judge is who let a call run that layers 0 to 3 left open. The zero value
// says that nobody knows.
type Judge uint8

const (
	Nobody Judge = iota
	Model
	Person
)

// Call is one call that layers 0 to 3 left open.
type Call struct {
	Session string
	Report  shell.Report
	Outcome Outcome
	Judge   Judge
}

// Options say how often something must have been seen. A zero value stands
// for the default.
type Options struct {
	Calls    int // of a program that nod knows; [DefaultCalls]
	Unknown  int // of one that it does not; [DefaultUnknown]
	Sessions int // in how many sessions; [DefaultSessions]
}

// The defaults: twice may be chance, and one session may be one odd task.
const (
	DefaultCalls    = 3
	DefaultUnknown  = 5
	DefaultSessions = 2
)

func (o Options) filled() Options {
	return Options{Calls: cmp.Or(o.Calls, DefaultCalls), Unknown: cmp.Or(o.Unknown, DefaultUnknown),
		Sessions: cmp.Or(o.Sessions, DefaultSessions)}
}

// Learn proposes rules from calls, those first that were seen most.
func Learn(calls []Call, o Options) []Rule {
	l := NewLearner(o)
	for _, c := range calls {
		l.Add(c)
	}
	return l.Rules()
}

// NewLearner returns a learner that was shown nothing.
func NewLearner(o Options) *Learner {
	return &Learner{o: o.filled(), patterns: map[string]*tally{}, hosts: map[string]*tally{}}
}

// Rules proposes rules from the calls that were added, those first that were
// seen most.
func (l *Learner) Rules() []Rule {
	rules := append(l.commands(), l.hostRules()...)
	slices.SortStableFunc(rules, func(a, b Rule) int {
		return cmp.Or(b.Seen.Calls-a.Seen.Calls, cmp.Compare(a.Text, b.Text))
	})
	return rules
}

// Learner is shown calls one by one, and keeps no call: what it holds grows with
// the patterns. Make one with [NewLearner]; it is not safe for concurrent use.
type Learner struct {
	o        Options
	patterns map[string]*tally // by the words of the pattern
	hosts    map[string]*tally
}

// tally counts what falls under one pattern.
type tally struct {
	shape    shape
	seen     Seen
	sessions map[string]bool
	exact    map[string]*tally // by all words
	tainted  bool              // once did what no rule may allow
}

func newTally(s shape) *tally {
	return &tally{shape: s, sessions: map[string]bool{}, exact: map[string]*tally{}}
}

func (t *tally) add(c *Call) {
	t.sessions[c.Session] = true
	t.seen.Sessions = len(t.sessions)
	t.seen.Calls++
	switch c.Outcome {
	case Ran:
		t.seen.Ran++
	case Failed:
		t.seen.Failed++
	case Refused:
		t.seen.Refused++
	}
	switch c.Judge {
	case Model:
		t.seen.Model++
	case Person:
		t.seen.Person++
	}
}

// often reports whether it was seen often enough and seldom refused: a refusal
// of one command in ten may have meant another part of the line.
func (t *tally) often(o Options) bool {
	least := o.Calls
	if !t.shape.known && !t.shape.builder {
		least = o.Unknown
	}
	return t.seen.Calls >= least && t.seen.Sessions >= o.Sessions && t.seen.Refused*10 <= t.seen.Calls
}

// varied reports whether the arguments were not the same every time.
func (t *tally) varied() bool {
	for _, e := range t.exact {
		return e.seen.Calls < t.seen.Calls
	}
	return true
}

func at(m map[string]*tally, key string, s shape) *tally {
	if m[key] == nil {
		m[key] = newTally(s)
	}
	return m[key]
}

// Add shows it a call that layers 0 to 3 left open.
func (l *Learner) Add(call Call) {
	c := &call
	seen := map[string]bool{} // a line that says it twice is one call
	for i, command := range c.Report.Commands {
		f := factsOf(c.Report, i)
		for _, host := range f.hosts {
			if !seen[host] {
				seen[host] = true
				at(l.hosts, host, shape{known: true}).add(c)
			}
		}
		s, ok := shapeOf(command, f)
		if !ok {
			continue
		}
		key := strings.Join(s.words, " ")
		t := at(l.patterns, key, s)
		all := key + " " + strings.Join(s.rest, " ")
		switch {
		case f.harmful:
			t.tainted = true
		case f.fits(s) && !seen[all]:
			seen[all] = true
			t.add(c)
			if s.constant {
				at(t.exact, all, s).add(c)
			}
		}
	}
}

// commands proposes allow patterns.
func (l *Learner) commands() []Rule {
	var rules []Rule
	for key, t := range l.patterns {
		if t.tainted {
			continue
		}
		if t.shape.open && t.varied() && t.often(l.o) {
			rules = append(rules, allow(key+" *", t)...)
			continue
		}
		for all, e := range t.exact {
			if e.often(l.o) {
				rules = append(rules, allow(strings.TrimSpace(all), e)...)
			}
		}
	}
	return rules
}

// allow is a pattern, unless the gate would not take it for one.
func allow(text string, t *tally) []Rule {
	if _, err := nod.ParseRule(nod.ListAllow, text, "proposed"); err != nil {
		return nil
	}
	return []Rule{{List: "allow", Text: text, Why: t.shape.why, Seen: &t.seen}}
}

// hostRules proposes hosts.
func (l *Learner) hostRules() []Rule {
	var rules []Rule
	for host, t := range l.hosts {
		if t.often(l.o) {
			rules = append(rules, Rule{List: "hosts", Text: host, Why: "programs read from it by themselves",
				Seen: &t.seen})
		}
	}
	return rules
}

// String is the proposal on one line.
func (s Seen) String() string {
	text := fmt.Sprintf("%d calls in %d sessions", s.Calls, s.Sessions)
	for _, part := range []struct {
		n    int
		what string
	}{{s.Ran, "ran"}, {s.Failed, "failed"}, {s.Refused, "refused"}, {s.Model, "let by a model"},
		{s.Person, "let by a person"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	return text
}
