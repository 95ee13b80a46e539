package history

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/propose"
)

// Version is the "v" of a [Report]. Fields are only ever added.
const Version = 1

// Report is what nod would have made of the calls.
type Report struct {
	Version int       `json:"v"`
	Agents  []Agent   `json:"agents"`
	Bytes   int64     `json:"bytes"`
	First   time.Time `json:"first,omitzero"` // of the lines that hold a call
	Last    time.Time `json:"last,omitzero"`
	Calls   int       `json:"calls"` // judged: Allowed, Asked and Denied
	Allowed int       `json:"allowed"`
	Asked   int       `json:"asked"`
	Denied  int       `json:"denied"`
	// Unjudged counts calls that could not be judged, by why.
	Unjudged map[string]int `json:"unjudged,omitempty"`
	// AskedFor and DeniedFor are the reasons, the most frequent first.
	AskedFor  []Reason `json:"asked_for"`
	DeniedFor []Reason `json:"denied_for"`
	// Rules would have saved questions, the most first. Saved is what all of them
	// would have saved together.
	Rules []Rule `json:"rules"`
	Saved int    `json:"saved"`
	// Untried counts the calls that no rule was tried on, since there were too
	// many; LongLines the lines that were not read.
	Untried   int      `json:"untried,omitempty"`
	LongLines int      `json:"long_lines,omitempty"`
	Problems  []string `json:"problems,omitempty"`
}

// Why a call was not judged.
const (
	Gone       = "directory is gone"
	NoSettings = "settings cannot be used"
	Unread     = "not a call that the hook could read"
)

// Agent counts what was read of one agent.
type Agent struct {
	Name        string `json:"name"`
	Transcripts int    `json:"transcripts"` // that hold a call
	Calls       int    `json:"calls"`       // judged
	Allowed     int    `json:"allowed"`
	Asked       int    `json:"asked"`
	Denied      int    `json:"denied"`
}

// Reason is why calls were asked about or denied.
type Reason struct {
	Text    string `json:"text"` // names of files taken out
	Calls   int    `json:"calls"`
	Example string `json:"example"`
}

// Rule is a rule that would have saved questions.
type Rule struct {
	List string `json:"list"` // a key of the settings
	Text string `json:"text"`
	Why  string `json:"why"`
	// Saves counts the calls that would not have been asked about, Calls how many
	// different ones they are; Examples are the most frequent of them.
	Saves    int      `json:"saves"`
	Calls    int      `json:"calls"`
	Examples []string `json:"examples"`
	// Open says that any further arguments are let through too.
	Open bool `json:"open"`
}

// tally is what is counted while files are read. It is safe for concurrent use.
type tally struct {
	mu      sync.Mutex
	out     Report
	agents  map[string]*Agent
	ids     map[uint64]struct{}
	reasons map[nod.Verdict]map[string]*Reason
	learner *propose.Learner
	kept    map[uint64]*asked
	order   []*asked
}

func newTally() *tally {
	return &tally{
		out: Report{Version: Version, Unjudged: map[string]int{}, Rules: []Rule{}}, agents: map[string]*Agent{},
		ids: map[uint64]struct{}{}, reasons: map[nod.Verdict]map[string]*Reason{nod.Ask: {}, nod.Deny: {}},
		learner: propose.NewLearner(propose.Options{}), kept: map[uint64]*asked{},
	}
}

func (t *tally) agent(name string) *Agent {
	if t.agents[name] == nil {
		t.agents[name] = &Agent{Name: name}
	}
	return t.agents[name]
}

// first reports whether a call with that id was not met before. One without id
// was not.
func (t *tally) first(agent, id string) bool {
	if id == "" {
		return true
	}
	h := fnv.New64a()
	h.Write([]byte(agent + "\x00" + id))
	t.mu.Lock()
	defer t.mu.Unlock()
	_, met := t.ids[h.Sum64()]
	t.ids[h.Sum64()] = struct{}{}
	return !met
}

func (t *tally) file(f File, calls, long int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out.Bytes += f.Size
	t.out.LongLines += long
	if calls > 0 {
		t.agent(f.Agent).Transcripts++
	}
}

func (t *tally) at(when time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if when.IsZero() {
		return
	}
	if t.out.First.IsZero() || when.Before(t.out.First) {
		t.out.First = when
	}
	if when.After(t.out.Last) {
		t.out.Last = when
	}
}

// problemLimit bounds the problems that are told; one bad disk has thousands.
const problemLimit = 20

func (t *tally) problem(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text = printable.Line(text, 300); len(t.out.Problems) < problemLimit && !slices.Contains(t.out.Problems, text) {
		t.out.Problems = append(t.out.Problems, text)
	}
}

func (t *tally) missed(why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out.Unjudged[why]++
}

func (t *tally) learn(c propose.Call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.learner.Add(c)
}

func (t *tally) judged(agent string, d nod.Decision, shown string) {
	class := ReasonClass(d.Reason)
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.agent(agent)
	a.Calls, t.out.Calls = a.Calls+1, t.out.Calls+1
	switch d.Verdict {
	case nod.Allow:
		a.Allowed, t.out.Allowed = a.Allowed+1, t.out.Allowed+1
	case nod.Ask:
		a.Asked, t.out.Asked = a.Asked+1, t.out.Asked+1
		reasonIn(t.reasons[nod.Ask], class, shown)
	default:
		a.Denied, t.out.Denied = a.Denied+1, t.out.Denied+1
		reasonIn(t.reasons[nod.Deny], class, shown)
	}
}

// reasonLimit bounds the reasons that are told apart.
const reasonLimit = 2000

func reasonIn(m map[string]*Reason, text, shown string) {
	if m[text] == nil && len(m) >= reasonLimit {
		text = "other reasons"
	}
	if m[text] == nil {
		m[text] = &Reason{Text: text, Example: shown}
	}
	m[text].Calls++
	if len(shown) < len(m[text].Example) {
		m[text].Example = shown // the shorter one is the plainer one
	}
}

// keptBytes bounds one call that is kept; what is longer is hardly said twice.
const keptBytes = 8 << 10

func (t *tally) keep(a asked) {
	a.key = a.hash()
	t.mu.Lock()
	defer t.mu.Unlock()
	switch kept := t.kept[a.key]; {
	case kept != nil:
		kept.times++
	case len(t.order) >= KeptCalls || len(a.past.input) > keptBytes:
		t.out.Untried++
	default:
		a.times = 1
		a.past.input = slices.Clone(a.past.input)
		t.kept[a.key] = &a
		t.order = append(t.order, &a)
	}
}

// report is what was counted. Nothing is counted any more.
func (t *tally) report() Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.out
	r.Agents = []Agent{}
	for _, a := range t.agents {
		r.Agents = append(r.Agents, *a)
	}
	slices.SortFunc(r.Agents, func(a, b Agent) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(t.order, func(a, b *asked) int {
		return cmp.Or(b.times-a.times, cmp.Compare(a.shown, b.shown), cmp.Compare(a.key, b.key))
	})
	r.AskedFor, r.DeniedFor = sorted(t.reasons[nod.Ask]), sorted(t.reasons[nod.Deny])
	slices.Sort(r.Problems)
	return r
}

func sorted(m map[string]*Reason) []Reason {
	list := []Reason{}
	for _, r := range m {
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b Reason) int { return cmp.Or(b.Calls-a.Calls, strings.Compare(a.Text, b.Text)) })
	return list
}
