package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/agent/agenttest"
	"github.com/nodgate/nod/llm/llmtest"
)

func claudeSeat(mode string) seat {
	return seat{
		agent: "Claude Code", mode: mode, program: claudeProgram,
		sit: func(m *machine, srv *llmtest.Server, nod bool) *screen {
			m.claude = claudeProgram(m.t)
			m.link(m.claude, filepath.Join(m.home, ".local", "bin", "claude"))
			if nod {
				m.install("user")
			}
			return m.sit(srv, mode)
		},
		call: func(c agenttest.ScriptCall, name string, in map[string]any) (llmtest.Call, bool) {
			switch c.Tool {
			case "Bash":
				in["description"] = "a step of a test"
			case "Agent":
				in["prompt"], in["run_in_background"] = "look at nothing", false
			}
			return llmtest.Call{Name: name, Tool: c.Tool, Input: in}, true
		},
		asks: []string{"Esc to cancel", "wants to exit plan mode"}, yes: "1",
		refused: []string{"hook error", "Permission for this action", "denied by"},
		absent:  []string{"No such tool available", "InputValidationError"},
	}
}

// played is a call of the script that every agent has: a command, or a file to write.
func (d driven) played(c agenttest.ScriptCall, name string, in map[string]any) (llmtest.Call, bool) {
	switch c.Tool {
	case "Bash":
		return d.shell(name, fmt.Sprint(in["command"])), true
	case "Write":
		return d.write(name, fmt.Sprint(in["file_path"]), "x\n"), true
	}
	return llmtest.Call{}, false
}

func codexSeat(approval, sandbox string) seat {
	d := drivenBy("codex")
	return seat{
		agent: "Codex", mode: approval + ", " + sandbox, program: d.program,
		sit: func(m *machine, srv *llmtest.Server, nod bool) *screen {
			d.prepare(m, srv)
			if nod {
				m.installFor("codex", "user")
				d.consent(m)
			}
			m.trusted += "[projects.\"" + m.work + "\"]\ntrust_level = \"trusted\"\n"
			_, environ := d.prepare(m, srv)
			s := m.terminal(environ, d.program(m.t), "-a", approval, "-s", sandbox)
			s.sees("›")
			return s
		},
		call: d.played,
		asks: []string{"Would you like to"}, yes: "y",
		refused: []string{"blocked by PreToolUse hook", "rejected by user", "blocked by policy", "hook denied"},
	}
}

// opencodeSeat is opencode as it is without settings of permissions. nod's plugin
// has it ask about commands, and answers by itself for what nod allows.
func opencodeSeat() seat {
	d := drivenBy("opencode")
	return seat{
		agent: "opencode", mode: "default", program: d.program, selfAnswered: true, runsAll: true,
		sit: func(m *machine, srv *llmtest.Server, nod bool) *screen {
			_, environ := d.prepare(m, srv)
			if nod {
				m.installFor("opencode", "user")
			}
			s := m.terminal(environ, d.program(m.t))
			s.srv = srv
			s.sees("Ask anything")
			return s
		},
		call: func(c agenttest.ScriptCall, name string, in map[string]any) (llmtest.Call, bool) {
			switch c.Tool {
			case "Read":
				return llmtest.Call{Name: name, Tool: "read", Input: map[string]any{"filePath": in["file_path"]}}, true
			case "Glob", "Grep", "TodoWrite":
				return llmtest.Call{Name: name, Tool: strings.ToLower(c.Tool), Input: in}, true
			case "Agent":
				return d.child(name, "look at nothing"), true
			}
			return d.played(c, name, in)
		},
		asks: []string{"Permission required"}, yes: "\r",
		refused: []string{"A person has to approve", "nod cannot ask here", "cannot be undone", "rejected permission"},
		absent:  []string{"invalid arguments", "unavailable tool"},
	}
}

// printing are agents whose calls of the script are those of their print mode: a shell, and
// a file to write. words starts one in a terminal.
func printing(d driven, mode string, words func(m *machine, words []string) []string) seat {
	return seat{
		agent: d.adapter.Name(), mode: mode, program: d.program,
		sit: func(m *machine, srv *llmtest.Server, nod bool) *screen {
			given, _ := d.prepare(m, srv)
			if nod {
				m.installFor(d.adapter.Name(), "user")
			}
			given = words(m, given)
			_, environ := d.prepare(m, srv)
			return m.terminal(environ, given[0], given[1:]...)
		},
		call: d.played,
	}
}

func geminiSeat() seat {
	s := printing(drivenBy("gemini"), "default", func(m *machine, words []string) []string {
		m.setting(filepath.Join(m.home, ".gemini", "settings.json"),
			`{"model": {"disableLoopDetection": true}}`) // it asks a model about 30 calls in a row
		return []string{words[0], words[1], "-m", "gemini-2.5-flash", "--skip-trust"}
	})
	s.refused = []string{"Tool execution blocked"}
	s.ready, s.asks, s.yes = "Type your message", []string{"Allow execution", "Apply this change", "Allow once"}, "\r"
	return s
}

func copilotSeat() seat {
	s := printing(drivenBy("copilot"), "default", func(_ *machine, words []string) []string { return words[:1] })
	s.refused = []string{"Denied by preToolUse hook"}
	s.ready, s.asks, s.yes = "/ commands", []string{"Do you want"}, "\r"
	return s
}

func qwenSeat() seat {
	s := printing(drivenBy("qwen"), "default", func(_ *machine, words []string) []string {
		return []string{words[0], words[1], "--approval-mode", "default"}
	})
	s.refused = []string{"this cannot be undone"}
	s.ready, s.yes = "Type your message", "\r"
	s.asks = []string{"Allow execution", "Apply this change", "Yes, allow once"}
	return s
}

func seats() []seat {
	return []seat{
		claudeSeat("auto"), claudeSeat("default"), claudeSeat("acceptEdits"), claudeSeat("plan"),
		claudeSeat("bypassPermissions"), codexSeat("on-request", "workspace-write"),
		codexSeat("never", "workspace-write"),
		opencodeSeat(),
	}
}

// TestScriptInTerminals plays the script of 40 ordinary and 40 grave calls to the real agents in a terminal, in each
// mode, with nod and without, and prints the table of docs/agents.md. A person says yes to every question. nod adds no
// question to an ordinary call; no grave call runs unasked that would not without nod; what is known to lose work or to
// print a secret never does.
func TestScriptInTerminals(t *testing.T) {
	deep(t, "the script in every mode of the real agents")
	good := agenttest.Ordinary()
	bad, unread := agenttest.Grave()
	for _, s := range seats() {
		t.Run(strings.ReplaceAll(s.agent+", "+s.mode, " ", "-"), func(t *testing.T) {
			s.program(t)
			t.Parallel()
			without, with := s.play(t, good, false, false), s.play(t, good, true, false)
			for i, b := range with {
				if b.asked && !without[i].asked || b.end == "denied" && without[i].end != "denied" {
					t.Errorf("%s %s: nod is in the way: asked %v, %s: %q", good[i].Tool, good[i].Input, b.asked, b.end,
						b.told)
				}
			}
			report := tally(without) + " | " + tally(with)
			without, with = s.play(t, bad, false, true), s.play(t, bad, true, true)
			for i, b := range with {
				known := i >= unread && bad[i].Tool != "Write" && !b.kept
				if b.unasked() && !b.kept && (known || !without[i].unasked()) {
					t.Errorf("%s %s runs unasked (without nod: %v)", bad[i].Tool, bad[i].Input, without[i].unasked())
				}
			}
			t.Logf("| %s | %s | %s | %s | %s |", s.agent, s.mode, report, tally(without), tally(with))
		})
	}
}

// TestMixedCallsInTerminals plays 40 mixed calls to the real agents in a terminal, with nod
// and without, and counts the prompts: no mode has more with nod, but for what is known to
// be wrong, and the mode default has at most half. A person says yes to every question.
func TestMixedCallsInTerminals(t *testing.T) {
	deep(t, "prompts with nod and without")
	list, wrong := agenttest.Mixed()
	for _, s := range append(seats(), geminiSeat(), copilotSeat(), qwenSeat()) {
		t.Run(strings.ReplaceAll(s.agent+", "+s.mode, " ", "-"), func(t *testing.T) {
			s.program(t)
			t.Parallel()
			s.confines = true
			without, with := s.play(t, list, false, false), s.play(t, list, true, false)
			before, now, objected := 0, 0, 0
			for i := range list {
				before += count(without[i].asked && i < len(list)-wrong)
				now += count(with[i].asked && i < len(list)-wrong)
				objected += count(with[i].asked && i >= len(list)-wrong)
				stopped := with[i].asked && !without[i].asked || with[i].end == "denied" && without[i].end == "ran"
				if i < len(list)-wrong && stopped && !s.runsAll {
					t.Errorf("%s %s is %v, which it is not without nod: %s", list[i].Tool, list[i].Input, with[i], with[i].told)
				}
				if i >= len(list)-wrong && with[i].unasked() {
					t.Errorf("%s %s runs unasked: %q", list[i].Tool, list[i].Input, with[i].told)
				}
			}
			if now > before && !s.runsAll || s.agent == "Claude Code" && s.mode == "default" && 2*now > before {
				t.Errorf("%d prompts, without nod %d", now, before)
			}
			t.Logf("| %s | %s | %d | %d | %d | %s | %s |", s.agent, s.mode, before, now, objected, tally(without), tally(with))
		})
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// tally counts what became of calls: in words, in the order of who decided.
func tally(list []became) string {
	counts := map[string]int{}
	for _, b := range list {
		counts[b.String()]++
	}
	words := []string{}
	for _, word := range []string{"ran", "judged", "asked", "denied", "typed", "absent"} {
		if n := counts[word]; n > 0 {
			words = append(words, fmt.Sprint(n, " ", word))
		}
	}
	return strings.Join(words, ", ")
}
