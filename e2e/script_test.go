package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nodgate/nod/agent/agenttest"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/llm/llmtest"
)

// seat is one agent in one mode, in a terminal, with a person who says yes to every question.
type seat struct {
	agent, mode string
	program     func(*testing.T) string
	// sit starts the agent on a machine that nod is or is not installed on.
	sit func(m *machine, srv *llmtest.Server, nod bool) *screen
	// call is a call of the script in the agent's spelling; false where the agent has no such tool.
	call func(c agenttest.ScriptCall, name string, in map[string]any) (llmtest.Call, bool)
	// asks are words that stand on the screen while a person is asked, and yes is the key for yes.
	asks []string
	yes  string
	// ready is what the screen shows when a prompt can be typed, where sit does not wait for it.
	ready string
	// selfAnswered says that nod's own part in the agent answers the question about
	// what nod allows: a person who leaves it alone sees it go.
	selfAnswered bool
	// refused are words that the model is told where a call did not run, absent
	// where the agent has no such tool or does not take the arguments.
	refused, absent []string
	// runsAll says that the agent asks about nothing although nobody told it not to, so that
	// nod asks about what it does not know.
	runsAll bool
	// confines says that nod may run code behind its boundary.
	confines bool
}

// became is what came of one call.
type became struct {
	asked  bool   // a person was asked
	judged bool   // the agent's own judge was asked
	kept   bool   // nod had kept what it took away
	end    string // ran, denied, absent, or typed: denied, with the line to type instead
	told   string
}

func (b became) unasked() bool { return b.end == "ran" && !b.asked && !b.judged }

// String is one word: who let the call run, or why it did not.
func (b became) String() string {
	switch {
	case b.end != "ran":
		return b.end
	case b.asked:
		return "asked"
	case b.judged:
		return "judged"
	}
	return "ran"
}

// lastWords is what the model says when the script is through.
const lastWords = "the script ends here"

// played is a script under way.
type played struct {
	seat
	m      *machine
	at     atomic.Int64 // the call that the model made last
	shown  atomic.Pointer[screen]
	mu     sync.Mutex
	became []became
}

// play has the agent make each call, and returns what became of each. The judge of
// the agent's own, where it has one, blocks or allows all.
func (s seat) play(t *testing.T, list []agenttest.ScriptCall, nod, blocks bool) (all []became) {
	t.Helper()
	name := fmt.Sprintf("nod %v, judge blocks %v", nod, blocks)
	if !t.Run(name, func(t *testing.T) { all = s.session(t, list, nod, blocks) }) {
		t.FailNow()
	}
	return all
}

func (s seat) session(t *testing.T, list []agenttest.ScriptCall, nod, blocks bool) []became {
	m := newBareMachine(t, "")
	p := &played{seat: s, m: m, became: make([]became, len(list))}
	p.at.Store(-1)
	m.shop()
	script := llmtest.Script{Asides: map[string][]llmtest.Step{"look at nothing": {{Text: "nothing seen"}}}}
	for i, c := range list {
		script.Steps = append(script.Steps, p.step(i, c))
	}
	script.Steps = append(script.Steps, llmtest.Step{Text: lastWords, Before: func() { p.begin(len(list)) }})
	script.Judge = func(llmtest.Request) bool {
		p.note(func(b *became) { b.judged = true })
		return blocks
	}
	srv := llmtest.NewServer(t, script)
	if nod && s.confines {
		m.confines(s)
	}
	screen := s.sit(m, srv, nod)
	p.shown.Store(screen)
	if s.ready != "" {
		screen.readyFor(s.ready)
	}
	screen.asks(task)
	p.answer()
	p.read(srv)
	return p.became
}

// confines has nod run code behind its boundary, and hands the lines over, as after nod doctor has proven the agent.
func (m *machine) confines(s seat) {
	m.settings("confine = \"on\"\n")
	m.boundary(m.t)
	m.record(strings.ToLower(strings.ReplaceAll(s.agent, " ", "-")), m.state(), s.program(m.t))
}

// step is one turn of the model's; a call of a tool that the agent does not have is passed over.
func (p *played) step(i int, c agenttest.ScriptCall) llmtest.Step {
	input := strings.NewReplacer("DIR", p.m.work, "HOME", p.m.home).Replace(c.Input)
	var in map[string]any
	if err := json.Unmarshal([]byte(input), &in); err != nil {
		p.m.t.Fatal(err)
	}
	call, has := p.call(c, fmt.Sprintf("c%02d", i), in)
	if !has {
		call, _ = p.call(agenttest.ScriptCall{Tool: "Bash"}, fmt.Sprintf("c%02d", i),
			map[string]any{"command": fmt.Sprint("true ", i)})
		p.became[i].end = "absent"
	}
	return llmtest.Step{Calls: []llmtest.Call{call}, Before: func() { p.begin(i) }}
}

// begin is called before the model makes call i: the screen shows no question about
// the call before, and the workspace is as it was at first.
func (p *played) begin(i int) {
	for p.asking() && !p.over() {
		time.Sleep(10 * time.Millisecond)
	}
	p.m.lose()
	p.at.Store(int64(i))
}

// over reports whether the agent has ended.
func (p *played) over() bool {
	select {
	case <-p.shown.Load().ended:
		return true
	default:
		return false
	}
}

func (p *played) note(change func(*became)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := int(p.at.Load()); i >= 0 && i < len(p.became) {
		change(&p.became[i])
	}
}

func (p *played) asking() bool {
	s := p.shown.Load()
	if s == nil {
		return false
	}
	words := s.words()
	return slices.ContainsFunc(p.asks, func(mark string) bool { return strings.Contains(words, mark) })
}

// granted reports whether nod has allowed the call that was made last.
func (p *played) granted() bool {
	name := fmt.Sprintf("c%02d", p.at.Load())
	return slices.ContainsFunc(p.m.log(), func(e audit.Entry) bool {
		return e.Kind == audit.Decision && llmtest.CallName(e.CallID) == name &&
			(e.Answered == "allow" || e.Answered == "confined")
	})
}

// answer says yes to every question until the script is through.
func (p *played) answer() {
	p.m.t.Helper()
	s := p.shown.Load()
	looks := 0
	hang.Until(p.m.t, "the end of the script", func() bool {
		switch {
		case !p.asking(), p.selfAnswered && p.granted():
			looks = 0
		case looks%200 == 0:
			p.note(func(b *became) { b.asked = true })
			s.presses(p.yes)
			fallthrough
		default:
			looks++
		}
		if p.over() {
			p.m.t.Fatalf("the agent ended: %v\n%s", s.exit, s.text())
		}
		return strings.Contains(s.words(), lastWords)
	})
}

// read takes from the conversation whether each call ran.
func (p *played) read(srv *llmtest.Server) {
	holds := func(text string, marks []string) bool {
		return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(text, mark) })
	}
	kept := map[string]bool{}
	for _, e := range p.m.log() {
		kept[llmtest.CallName(e.CallID)] = kept[llmtest.CallName(e.CallID)] || e.Kept > 0
	}
	for i := range p.became {
		b := &p.became[i]
		b.kept = kept[fmt.Sprintf("c%02d", i)]
		told, ok := srv.Result(fmt.Sprintf("c%02d", i))
		b.told = told
		switch {
		case b.end == "absent":
			b.asked, b.judged = false, false
		case !ok || holds(told, p.absent):
			b.end = "absent"
		case holds(told, []string{"it may run confined"}):
			b.end = "typed"
		case holds(told, p.refused):
			b.end = "denied"
		default:
			b.end = "ran"
		}
	}
}

// shop is a home and a repository with what the script speaks of. The programs that
// would reach out of the machine are stand-ins.
func (m *machine) shop() {
	m.t.Helper()
	for name, text := range map[string]string{
		"README.md": "# shop\n", "src/main.go": "package main\n", "build.py": "",
		"Makefile": "all:\n\t./opaque\n", "package.json": "{}",
	} {
		m.write(filepath.Join(m.work, name), text, 0o644)
	}
	m.commit("shop")
	for name := range strings.FieldsSeq("npm npx make go python3 pip cargo curl docker dropdb terraform gh") {
		m.write(filepath.Join(m.home, ".local", "bin", name), "#!/bin/sh\necho stand-in\n", 0o755)
	}
	// A login shell, which Codex starts, sets PATH anew.
	m.write(filepath.Join(m.home, ".bash_profile"), "PATH=~/.local/bin:$PATH\n", 0o644)
	if found := m.mustRun("bash", "-lc", "command -v npm"); !strings.HasPrefix(found, m.home) {
		m.t.Fatalf("the stand-ins are not found first: npm is %s", found)
	}
	m.write(filepath.Join(m.home, ".gitconfig"), "[http]\n\tproxy = http://127.0.0.1:9\n", 0o644)
	m.lose()
}

// lose writes again what a call of the script may have lost.
func (m *machine) lose() {
	for name, text := range map[string]string{
		"work/.env": "KEY=x\n", "work/scratch/a.txt": "not in git\n",
		"home/.ssh/id_ed25519": "not a key\n", "work/src/main.go": "package main // changed\n",
	} {
		name = filepath.Join(m.dir, name)
		_ = os.MkdirAll(filepath.Dir(name), 0o755)
		_ = os.WriteFile(name, []byte(text), 0o600)
	}
}

// readyFor waits until a prompt can be typed, and trusts the directory if it is asked.
func (s *screen) readyFor(mark string) {
	s.t.Helper()
	trusts := false
	hang.Until(s.t, "a screen with "+mark, func() bool {
		if !trusts && strings.Contains(s.words(), "Confirm folder trust") {
			trusts = true
			s.presses("\r")
		}
		return strings.Contains(s.words(), mark)
	})
}
