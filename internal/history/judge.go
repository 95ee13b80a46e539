package history

import (
	"cmp"
	"context"
	"encoding/json"
	"hash/fnv"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/propose"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// Options say how calls are judged.
type Options struct {
	// Gate makes the gate of a session that began in root, with rules added to
	// those that hold there. An error leaves the session's calls unjudged.
	Gate func(root string, files view.Files, with []propose.Rule) (*nod.Gate, error)
	// Home and Environ are the person's.
	Home    string
	Environ []string
	// Read is told of bytes that were read, from several goroutines. nil: nobody
	// asks.
	Read func(bytes int)
	// Workers is how many files are read at once; 0 is one for each core.
	Workers int
}

// KeptCalls bounds the calls that rules are tried on.
const KeptCalls = 10_000

// Read reads the files and judges their calls. The error is ctx's.
func Read(ctx context.Context, files []File, o Options) (Report, error) {
	if o.Read == nil {
		o.Read = func(int) {}
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	t := newTally()
	queue := make(chan File)
	var all sync.WaitGroup
	for range o.Workers {
		all.Go(func() {
			for f := range queue {
				(&session{file: f, options: &o, tally: t}).read(ctx)
			}
		})
	}
	for _, f := range largestFirst(files) {
		queue <- f
	}
	close(queue)
	all.Wait()
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	r := t.report()
	return r, t.try(ctx, &r, o)
}

// largestFirst lets no worker begin with the largest file when the others end.
func largestFirst(files []File) []File {
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b File) int { return int(b.Size - a.Size) })
	return files
}

// session is one transcript being read.
type session struct {
	file    File
	options *Options
	tally   *tally
	origin  origin
	adapter agent.Adapter
	gates   map[string]*nod.Gate // by root; nil where none can be made
	files   view.Files
	waiting map[string]propose.Call // calls whose outcome is not read yet
	calls   int
}

func (s *session) read(ctx context.Context) {
	reader, adapter := readerOf(s.file)
	s.origin, s.adapter = reader, adapter
	s.gates, s.files, s.waiting = map[string]*nod.Gate{}, view.NewMemo(view.Disk{}), map[string]propose.Call{}
	long, err := s.file.lines(ctx, func(text []byte) {
		if ctx.Err() != nil {
			return
		}
		list, at := reader.line(text)
		for _, c := range list {
			s.take(ctx, c)
		}
		if len(list) > 0 {
			s.tally.at(at)
		}
	}, s.options.Read)
	if err != nil {
		s.tally.problem(err.Error())
	}
	s.learn()
	s.tally.file(s.file, s.calls, long)
}

// learn hands over what waits.
func (s *session) learn() {
	for _, c := range s.waiting {
		s.tally.learn(c)
	}
	clear(s.waiting)
}

func (s *session) take(ctx context.Context, c past) {
	if c.tool == "" {
		if call, ok := s.waiting[c.id]; ok {
			call.Outcome = c.outcome
			s.tally.learn(call)
			delete(s.waiting, c.id)
		}
		return
	}
	s.calls++
	if !s.tally.first(s.file.Agent, c.id) {
		return
	}
	e, gate, missed := s.event(c, nil)
	if missed != "" {
		s.tally.missed(missed)
		return
	}
	d := gate.Check(ctx, e.Call)
	s.tally.judged(s.file.Agent, d, shown(e.Call))
	if d.Verdict != nod.Ask {
		return
	}
	s.tally.keep(asked{agent: s.file.Agent, root: e.Call.Roots[0], past: c, tool: e.Call.Tool, shown: shown(e.Call)})
	if len(s.waiting) >= 1000 {
		s.learn()
	}
	s.waiting[c.id] = propose.Call{Session: cmp.Or(c.session, s.file.Path), Report: s.report(e.Call)}
}

// event is the call as the hook would read it, with the gate that would judge
// it. missed says why nothing can be judged.
func (s *session) event(c past, with []propose.Rule) (e agent.Event, gate *nod.Gate, missed string) {
	root := s.origin.root()
	if info, err := s.files.Lstat(c.dir); c.dir == "" || err != nil || !info.Mode.IsDir() {
		return e, nil, Gone
	}
	if _, err := s.files.Lstat(root); root == "" || err != nil {
		return e, nil, Gone
	}
	gate, known := s.gates[root]
	if !known {
		var err error
		if gate, err = s.options.Gate(root, s.files, with); err != nil {
			s.tally.problem(err.Error())
			gate = nil
		}
		s.gates[root] = gate
	}
	if gate == nil {
		return e, nil, NoSettings
	}
	e, err := s.adapter.Decode(payload(s.adapter, c, cmp.Or(c.session, filepath.Base(s.file.Path))), s.environ(root))
	if err != nil {
		return e, nil, Unread
	}
	e.Call.Roots, e.Call.Interactive, e.Call.Transcript, e.Call.Opening = []string{root}, true, nil, nil
	if e.Call.StdinUnseen = c.typed; c.foreign {
		e.Call.Dialect = nod.PowerShell
	}
	return e, gate, ""
}

// environ is the person's, with what tells the agent's hook where it is.
func (s *session) environ(root string) []string {
	own := environ(s.adapter, root)
	var list []string
	for _, kv := range s.options.Environ {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, name+"=") }) {
			list = append(list, kv)
		}
	}
	return append(list, own...)
}

// report is what a command does, for the rules that are learned.
func (s *session) report(c nod.Call) shell.Report {
	if c.Tool != "bash" || c.Command == "" {
		return shell.Report{}
	}
	return shell.Analyze(c.Command,
		shell.Env{Dialect: c.Dialect, Dir: c.Dir, Home: s.options.Home, Roots: c.Roots, Files: s.files,
			Lookup: func(name string) (string, bool) {
				for _, kv := range c.Environ {
					if k, v, _ := strings.Cut(kv, "="); k == name {
						return v, true
					}
				}
				return "", false
			}})
}

// shown is a call for people, on one line.
func shown(c nod.Call) string {
	text := c.Command
	if text == "" {
		text = c.RawTool
		if len(c.Paths) > 0 {
			text += " " + c.Paths[0]
		} else if c.URL != "" {
			text += " " + c.URL
		}
	}
	return printable.Line(text, 120)
}

// try judges the calls that were asked about again, with each rule and with all.
func (t *tally) try(ctx context.Context, r *Report, o Options) error {
	rules := t.learner.Rules()
	if len(rules) > triedRules {
		rules = rules[:triedRules]
	}
	for _, rule := range rules {
		tried := Rule{List: rule.List, Text: rule.Text, Why: rule.Why, Open: strings.HasSuffix(rule.Text, " *")}
		for _, c := range t.through(ctx, []propose.Rule{rule}, o) {
			tried.Saves += c.times
			tried.Calls++
			if len(tried.Examples) < 3 && !slices.Contains(tried.Examples, c.shown) {
				tried.Examples = append(tried.Examples, c.shown)
			}
		}
		if tried.Saves > 0 {
			r.Rules = append(r.Rules, tried)
		}
	}
	slices.SortStableFunc(r.Rules, func(a, b Rule) int { return b.Saves - a.Saves })
	for _, c := range t.through(ctx, rules, o) {
		r.Saved += c.times
	}
	return ctx.Err()
}

// triedRules bounds the rules that are tried.
const triedRules = 12

// through are the calls that rules let through.
func (t *tally) through(ctx context.Context, rules []propose.Rule, o Options) (list []*asked) {
	sessions := map[string]*session{}
	for _, c := range t.order {
		if ctx.Err() != nil || !slices.ContainsFunc(rules, func(r propose.Rule) bool { return mayConcern(r, c) }) {
			continue
		}
		s := sessions[c.agent+c.root]
		if s == nil {
			s = &session{file: File{Agent: c.agent}, options: &o, tally: t, gates: map[string]*nod.Gate{},
				files: view.NewMemo(view.Disk{})}
			_, s.adapter = readerOf(s.file)
			s.origin = fixed(c.root)
			sessions[c.agent+c.root] = s
		}
		if e, gate, missed := s.event(c.past, rules); missed == "" && gate.Check(ctx, e.Call).Verdict == nod.Allow {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b *asked) int { return b.times - a.times })
	return list
}

// mayConcern keeps calls from being judged that a rule cannot speak of.
func mayConcern(r propose.Rule, c *asked) bool {
	switch r.List {
	case "allow":
		program, _, _ := strings.Cut(r.Text, " ")
		return c.tool == "bash" && strings.Contains(string(c.past.input), program)
	case "allowlist":
		return c.tool == r.Text
	}
	return c.tool == "bash"
}

// asked is a call that was asked about, and how often.
type asked struct {
	agent, root string
	past        past
	tool        string // canonical
	shown       string
	times       int
	key         uint64 // see [asked.hash]
}

// hash tells calls apart. Descriptions differ where nothing else does.
func (a asked) hash() uint64 {
	h := fnv.New64a()
	var args map[string]json.RawMessage
	if json.Unmarshal(a.past.input, &args) == nil {
		delete(args, "description")
	}
	text, _ := json.Marshal(args)
	for _, s := range []string{a.agent, a.root, a.past.dir, a.past.tool, string(text)} {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// fixed is where a session began that is read no more.
type fixed string

func (f fixed) root() string { return string(f) }
