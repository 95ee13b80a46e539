package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// report is what a run found out about one agent. It becomes, word for word, that agent's section of docs/agents.md.
type report struct {
	driven
	mu      sync.Mutex
	runs    []string // what nod-hook does where a call runs, with the reason
	blocked int      // how often it does not
}

// cell notes what became of a call. A call that runs must be among those that the host leaves open, and a call that is
// listed there must run: else there is a way to close it.
func (r *report) cell(t *testing.T, name string, ran bool) {
	t.Helper()
	why, open := r.open[name]
	if ran != open {
		t.Errorf("nod-hook %s: the call ran: %v; named as open: %v", name, ran, open)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if ran {
		r.runs = append(r.runs, fmt.Sprintf("- nod-hook %s: the call runs: %s\n", name, why))
	} else {
		r.blocked++
	}
}

func yes(b bool) string { return map[bool]string{true: "yes", false: "no"}[b] }

// section is the text for docs/agents.md. It is asked for only where every test of
// this agent has passed, so what holds on all of them stands at the top of the page.
func (r *report) section() string {
	can := r.adapter.Capabilities()
	var b strings.Builder
	fmt.Fprintf(&b, "## %s %s\n\n", r.title, r.version)
	row := func(what, outcome string) { fmt.Fprintf(&b, "- %s: %s\n", what, outcome) }
	row("a call that nod allows", map[string]string{"allow": "runs; nod's allow skips the prompt",
		"abstained": "runs as far as the host lets it; nod can grant only where the host is about to ask"}[r.granted])
	if r.child == nil {
		row("a sub-agent's call", "not driven here; seen by the hook: "+yes(can.SeesSubagents))
	}
	row("nod can make it ask a person before a call", yes(can.Before.Ask))
	if can.StdinUnseen {
		row("what is typed into a running program", "no hook is shown it")
	}
	for _, line := range r.runs {
		b.WriteString(line)
	}
	fmt.Fprintf(&b, "- blocked: the other %d of %d faults\n", r.blocked, r.blocked+len(r.runs))
	return b.String()
}

// document guards docs/agents.md against agents that end at once.
var document sync.Mutex

// settle compares the section with docs/agents.md, or writes it there where NOD_E2E_WRITE is 1.
func (r *report) settle(t *testing.T) {
	t.Helper()
	document.Lock()
	defer document.Unlock()
	name := filepath.Join("..", "docs", "agents.md")
	raw, err := os.ReadFile(name)
	begin, end := "<!-- "+r.adapter.Name()+" -->\n", "<!-- /"+r.adapter.Name()+" -->\n"
	head, rest, found := strings.Cut(string(raw), begin)
	have, tail, closed := strings.Cut(rest, end)
	if err != nil || !found || !closed {
		t.Fatalf("%s has no %s: %v", name, strings.TrimSpace(begin), err)
	}
	want := r.section()
	switch {
	case have == want:
	case os.Getenv("NOD_E2E_WRITE") == "1":
		if err := os.WriteFile(name, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s says something else than this run showed; NOD_E2E_WRITE=1 writes it:\n%s", name, want)
	}
}
