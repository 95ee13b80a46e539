package history

import (
	"cmp"
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
	"github.com/nodgate/nod/transcript"
)

// Version is the "v" of a [Report]. Fields are only ever added.
const Version = 1

// Report is what nod would have made of the calls.
type Report struct {
	Version int       `json:"v"`
	Agents  []Agent   `json:"agents"`
	Bytes   int64     `json:"bytes"`
	First   time.Time `json:"first,omitzero"` // of the calls
	Last    time.Time `json:"last,omitzero"`
	Counts
	Unjudged map[string]int `json:"unjudged,omitempty"` // counts calls that could not be judged, by why
	// AskedFor and DeniedFor are the reasons, the most frequent first.
	AskedFor  []Reason `json:"asked_for"`
	DeniedFor []Reason `json:"denied_for"`
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
	Counts
}

// Counts are of calls that were judged.
type Counts struct {
	Calls   int `json:"calls"`
	Allowed int `json:"allowed"`
	Asked   int `json:"asked"`
	Denied  int `json:"denied"`
}

// Add counts one more call.
func (c *Counts) Add(v nod.Verdict) {
	c.Calls++
	switch v {
	case nod.Allow:
		c.Allowed++
	case nod.Ask:
		c.Asked++
	default:
		c.Denied++
	}
}

// Reason is why calls were asked about or denied.
type Reason struct {
	Text    string `json:"text"` // names of files taken out
	Calls   int    `json:"calls"`
	Example string `json:"example"`
}

// Options say how calls are judged.
type Options struct {
	// Gate makes the gate of a session that began in root. An error leaves the session's calls unjudged.
	Gate    func(root string, files view.Files) (*nod.Gate, error)
	Environ []string // the person's
}

// Read reads the files and judges their calls. The error is ctx's.
func Read(ctx context.Context, files []File, o Options) (Report, error) {
	t := &tally{Options: o, agents: map[string]*Agent{}, ids: map[string]bool{},
		reasons: map[nod.Verdict]map[string]*Reason{nod.Ask: {}, nod.Deny: {}},
		out:     Report{Version: Version, Unjudged: map[string]int{}}}
	queue := make(chan File)
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for f := range queue {
				t.file(ctx, f)
			}
		})
	}
	for _, f := range files {
		queue <- f
	}
	close(queue)
	all.Wait()
	return t.report(), ctx.Err()
}

// tally is what is counted while files are read, by many goroutines.
type tally struct {
	Options
	mu      sync.Mutex
	out     Report
	agents  map[string]*Agent
	ids     map[string]bool
	reasons map[nod.Verdict]map[string]*Reason
}

func (t *tally) file(ctx context.Context, f File) {
	s := session{file: f, root: f.root()}
	if info, err := os.Stat(s.root); s.root == "" || err != nil || !info.IsDir() {
		s.missed = Gone
	} else if gate, err := t.Gate(s.root, view.NewMemo(view.Disk{})); err != nil {
		t.problem(err)
		s.missed = NoSettings
	} else {
		s.gate = gate
	}
	calls := 0
	for c, err := range f.calls(ctx) {
		if err != nil {
			if ctx.Err() == nil && !errors.Is(err, transcript.ErrEarlier) {
				t.problem(err)
			}
			break
		}
		calls++
		if t.first(f.Agent, c) {
			t.call(ctx, s, c)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out.Bytes += f.Size
	if calls > 0 {
		t.agent(f.Agent).Transcripts++
	}
}

// session is one transcript, and what judges its calls.
type session struct {
	file   File
	root   string
	gate   *nod.Gate
	missed string // why none can be judged, "" where they can
}

func (t *tally) call(ctx context.Context, s session, c transcript.Turn) {
	e, err := s.file.event(c, s.root, t.Environ)
	if missed := s.missed; missed != "" || err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.out.Unjudged[cmp.Or(missed, Unread)]++
		return
	}
	d := s.gate.Check(ctx, e.Call)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.judged(s.file.Agent, d, c.Time, shown(e.Call))
}

// first reports whether a call was not met before. One without id was not.
func (t *tally) first(agent string, c transcript.Turn) bool {
	if c.Call == "" {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	met := t.ids[agent+" "+c.Call]
	t.ids[agent+" "+c.Call] = true
	return !met
}

const problemLimit = 20 // bounds the problems that are told; one bad disk has thousands

func (t *tally) problem(err error) {
	text := printable.Line(err.Error(), 300)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.out.Problems) < problemLimit && !slices.Contains(t.out.Problems, text) {
		t.out.Problems = append(t.out.Problems, text)
	}
}

func (t *tally) agent(name string) *Agent {
	if t.agents[name] == nil {
		t.agents[name] = &Agent{Name: name}
	}
	return t.agents[name]
}

func (t *tally) judged(agent string, d nod.Decision, at time.Time, shown string) {
	t.agent(agent).Add(d.Verdict)
	t.out.Add(d.Verdict)
	if !at.IsZero() && (t.out.First.IsZero() || at.Before(t.out.First)) {
		t.out.First = at
	}
	if at.After(t.out.Last) {
		t.out.Last = at
	}
	if d.Verdict == nod.Allow {
		return
	}
	list, text := t.reasons[d.Verdict], Class(d.Reason)
	if list[text] == nil {
		list[text] = &Reason{Text: text, Example: shown}
	}
	list[text].Calls++
	if len(shown) < len(list[text].Example) {
		list[text].Example = shown // the shorter example is plainer
	}
}

// Class is a reason without what it speaks of, so that like ones count together.
func Class(reason string) string {
	if head, _, found := strings.Cut(reason, ": "); found && strings.HasPrefix(head, "this ") {
		reason = head
	}
	words := strings.Fields(reason)
	for i, w := range words {
		if strings.ContainsAny(w, "/\"") {
			words[i] = "..."
		}
	}
	return printable.Line(strings.Join(words, " "), 200)
}

func shown(c nod.Call) string {
	text := cmp.Or(c.Command, c.RawTool+" "+slices.Concat(c.Paths, []string{c.URL})[0])
	return printable.Line(strings.TrimSpace(text), 120)
}

func (t *tally) report() Report {
	r := t.out
	r.Agents = []Agent{}
	for _, a := range t.agents {
		r.Agents = append(r.Agents, *a)
	}
	slices.SortFunc(r.Agents, func(a, b Agent) int { return strings.Compare(a.Name, b.Name) })
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
