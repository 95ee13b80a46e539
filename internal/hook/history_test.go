package hook_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// judging is a model that costs something.
type judging struct {
	block bool
	cost  float64
	asked int
}

func (m *judging) Classify(_ context.Context, p nod.Prompt) (nod.Classification, error) {
	m.asked++
	return nod.Classification{Digest: p.Digest, ShouldBlock: m.block, Reason: "not asked for", Model: "m", Cost: m.cost,
		Usage: nod.Usage{In: 10, Out: 1}}, nil
}

// interactively puts a person in front of the agent.
func (p *place) interactively() {
	for i, v := range p.options.Environ {
		if strings.HasPrefix(v, "CLAUDE_CODE_ENTRYPOINT=") {
			p.options.Environ[i] = "CLAUDE_CODE_ENTRYPOINT=cli"
		}
	}
}

// From one process to the next: the third denial in a row is a question, and what the person let run ends the row.
func TestDenialsOfASession(t *testing.T) {
	p := newPlace(t)
	p.interactively()
	p.options.Model = &judging{block: true}
	call := func(n int) said {
		return p.run(bytes.NewReader(p.payload("PreToolUse", "Bash",
			map[string]string{"command": fmt.Sprintf("npm publish --tag v%d", n)},
			map[string]any{"tool_use_id": fmt.Sprint("c", n)})))
	}
	for n, want := range []string{"deny", "deny", "ask"} {
		if s := call(n); s.verdict != want || want == "ask" && !strings.Contains(s.reason, "3 calls in a row") {
			t.Errorf("%d: %+v", n, s)
		}
	}
	p.run(bytes.NewReader(p.payload("PostToolUse", "Bash", map[string]string{"command": "npm publish --tag v2"},
		map[string]any{"tool_use_id": "c2", "tool_response": map[string]any{}})))
	if s := call(3); s.verdict != "deny" {
		t.Errorf("after a yes: %+v", s)
	}
	if p.session = "s2"; call(4).verdict != "deny" {
		t.Error("another session is asked about")
	}
}

// Each ceiling ends the questions, the session's for it and the day's for all.
func TestCeilings(t *testing.T) {
	for _, row := range []struct {
		settings, says string
		elsewhere      bool // whether another session still asks
	}{
		{"max_cost_session = 0.5", "max_cost_session", true},
		{"max_cost_day = 0.5", "max_cost_day", false},
	} {
		p := newPlace(t)
		p.interactively()
		p.settings("[model]\n" + row.settings + "\n")
		m := &judging{cost: 0.3}
		p.options.Model = m
		for n, want := range []string{"allow", "allow", "ask"} {
			s := p.run(bytes.NewReader(p.bash(fmt.Sprint("npm publish --tag v", n))))
			if s.verdict != want || want == "ask" && !strings.Contains(s.reason, row.says) {
				t.Errorf("%s, %d: %+v", row.settings, n, s)
			}
		}
		if entries := p.log(); entries[len(entries)-1].Error == nil ||
			entries[len(entries)-1].Error.Kind != fault.CostCeiling {
			t.Errorf("%+v", entries[len(entries)-1])
		}
		p.session = "s2"
		if s := p.run(bytes.NewReader(p.bash("npm publish"))); (s.verdict == "allow") != row.elsewhere {
			t.Errorf("%s, another session: %+v", row.settings, s)
		}
		p.options.Environ = append(p.options.Environ, "CLAUDE_CODE_ENTRYPOINT=sdk-cli")
		p.session = "s1"
		if s := p.run(bytes.NewReader(p.bash("npm publish"))); s.verdict != "deny" || !strings.Contains(s.reason,
			row.says) {
			t.Errorf("headless: %+v", s)
		}
	}
}

// A model whose price is not known is not counted, and the person is told.
func TestACeilingWithoutAPrice(t *testing.T) {
	p := newPlace(t)
	p.settings("[model]\nmax_cost_day = 1\n")
	p.options.Model = &judging{}
	if s := p.run(bytes.NewReader(p.bash("npm publish"))); s.verdict != "allow" || !strings.Contains(s.system,
		"[[price]]") {
		t.Errorf("%+v", s)
	}
}
