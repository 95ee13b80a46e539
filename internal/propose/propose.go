// Package propose finds rules that a person may want to write for one repository, from what its sessions did. It
// decides nothing; a proposal is worth what the person who accepts it makes of it.
//
// Proposed are the repository's own test, build, lint and format commands, by words.txt: whoever changes the
// repository changes what they run, the agent included, so such a rule says that its code may run. And git add and
// git commit. Nothing else is: no interpreter, no runner of any package or command, nothing that was seen to delete,
// to send or to change something elsewhere, no call that was refused, and nothing that [nod.ParseRule] refuses.
//
// A pattern is the program and the words that name its subcommand or task. It ends in " *" only where the arguments
// varied and further ones can make it do no more than it may do anyhow. Where further words would be further tasks
// (make, just ...) each command that was seen often is proposed as it stands.
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
	Seen *Seen  `json:"seen,omitempty"`
}

// Seen counts the calls that a proposal rests on.
type Seen struct {
	Calls    int `json:"calls"`
	Sessions int `json:"sessions"`
	Ran      int `json:"ran"`    // and succeeded
	Failed   int `json:"failed"` // ran, and failed
	Refused  int `json:"refused"`
}

// String is the proposal on one line.
func (s Seen) String() string {
	text := fmt.Sprintf("%d calls in %d sessions", s.Calls, s.Sessions)
	if s.Sessions == 1 {
		text = fmt.Sprintf("%d calls in 1 session", s.Calls)
	}
	for _, part := range []struct {
		n    int
		what string
	}{{s.Ran, "ran"}, {s.Failed, "failed"}, {s.Refused, "refused"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	return text
}

// Outcome is what became of a call. The zero value says that nobody knows.
type Outcome uint8

const (
	Unknown Outcome = iota
	Ran
	Failed
	Refused
)

// Call is one call that layers 0 to 3 left open.
type Call struct {
	Session string
	Report  shell.Report
	Outcome Outcome
}

// Twice may be chance, and one session may be one odd task, unless what it ran was the same again and again.
const (
	leastCalls    = 3
	leastSessions = 2
	leastRuns     = 5
)

// Learn proposes rules from calls, those first that were seen most.
func Learn(calls []Call) (rules []Rule) {
	l := learner{}
	for _, c := range calls {
		l.add(c)
	}
	return l.rules()
}

// learner holds the patterns by their words.
type learner map[string]*tally

// tally counts what falls under one pattern.
type tally struct {
	shape    shape
	seen     Seen
	sessions map[string]bool
	exact    map[string]*tally // by all words
	tainted  bool              // once did what no rule may allow
}

// at is the tally of a key, made where it is missing.
func at(m map[string]*tally, key string, s shape) *tally {
	if m[key] == nil {
		m[key] = &tally{shape: s, sessions: map[string]bool{}, exact: map[string]*tally{}}
	}
	return m[key]
}

func (t *tally) add(c Call) {
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
}

// often reports whether it was seen often enough and seldom refused.
func (t *tally) often() bool {
	return t.seen.Refused*10 <= t.seen.Calls &&
		(t.seen.Calls >= leastCalls && t.seen.Sessions >= leastSessions || t.seen.Ran+t.seen.Failed >= leastRuns)
}

// varied reports whether the arguments were not the same every time.
func (t *tally) varied() bool {
	for _, e := range t.exact {
		return e.seen.Calls < t.seen.Calls
	}
	return true
}

func (l learner) add(c Call) {
	seen := map[string]bool{} // a line that says it twice is one call
	for i, command := range c.Report.Commands {
		s, ok := shapeOf(command)
		if !ok {
			continue
		}
		key := strings.Join(s.words, " ")
		all := strings.TrimSpace(key + " " + strings.Join(s.rest, " "))
		t := at(l, key, s)
		harmful, fits := did(c.Report, i, s)
		t.tainted = t.tainted || harmful
		if !fits || seen[all] {
			continue
		}
		seen[all] = true
		t.add(c)
		if s.constant {
			at(t.exact, all, s).add(c)
		}
	}
}

func (l learner) rules() (rules []Rule) {
	for key, t := range l {
		switch {
		case t.tainted:
		case t.shape.open && t.varied() && t.often():
			rules = append(rules, allow(key+" *", t)...)
		default:
			for all, e := range t.exact {
				if e.often() {
					rules = append(rules, allow(all, e)...)
				}
			}
		}
	}
	slices.SortStableFunc(rules, func(a, b Rule) int {
		return cmp.Or(b.Seen.Calls-a.Seen.Calls, cmp.Compare(a.Text, b.Text))
	})
	return rules
}

// allow is a pattern, unless the gate would not take it for one.
func allow(text string, t *tally) []Rule {
	if _, err := nod.ParseRule(nod.ListAllow, text, "proposed"); err != nil {
		return nil
	}
	return []Rule{{List: "allow", Text: text, Why: t.shape.why, Seen: &t.seen}}
}
