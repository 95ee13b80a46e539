package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod/llm/llmtest"
)

// What a rule of the person's in the host's own settings asks about or denies does not run
// because nod is installed, though nod would allow it; and what no rule speaks of nod still
// allows, where it can, and nobody is asked.
func TestPersonsRulesStay(t *testing.T) {
	for _, row := range []struct {
		driven
		name, file, rule string
		asked            int // times that the person is asked; -1 where nobody is there
		steps            []string
		run              func(*driving) (asked []string)
	}{
		{driven: codexDriven(), name: "prompt", file: "home/.codex/rules/default.rules",
			rule:  `prefix_rule(pattern=["touch", ["ruled", "other"]], decision="prompt")`,
			steps: []string{"touch ruled", "!touch ruled", "!mkdir free"}, asked: 2, run: (*driving).serve},
		{driven: codexDriven(), name: "no file that nod reads", file: "home/.codex/rules/mine.rules",
			rule:  "name = \"touch\"\nprefix_rule(pattern=[name, \"ruled\"], decision=\"prompt\")",
			steps: []string{"!touch ruled"}, asked: 1, run: (*driving).serve},
		{driven: qwenDriven(), name: "ask", file: "home/.qwen/settings.json",
			rule:  `{"permissions":{"ask":["Bash(touch ruled)"]}}`,
			steps: []string{"touch ruled", "mkdir free"}, asked: 1,
			run: func(d *driving) []string { return d.stream("deny") }},
		{driven: qwenDriven(), name: "deny", file: "home/.qwen/settings.json",
			rule:  `{"permissions":{"deny":["Bash(touch ruled)"]}}`,
			steps: []string{"touch ruled", "touch free"}, asked: 0,
			run: func(d *driving) []string { return d.stream("deny") }},
		{driven: geminiDriven(), name: "ask", file: "home/.gemini/policies/mine.toml",
			rule:  geminiRule("ask_user"),
			steps: []string{"touch ruled", "touch free"}, asked: -1},
		{driven: geminiDriven(), name: "deny", file: "home/.gemini/policies/mine.toml",
			rule:  geminiRule("deny"),
			steps: []string{"touch ruled", "touch free"}, asked: -1},
		{driven: copilotDenying(), name: "deny", steps: []string{"touch ruled", "mkdir free"}, asked: -1},
		{driven: opencodeDriven(), name: "ask", file: "work/opencode.json",
			rule:  `{"permission":{"bash":{"*":"allow","touch ruled*":"ask"}}}`,
			steps: []string{"touch ruled", "touch free"}, asked: 1, run: (*driving).refused},
		{driven: opencodeDriven(), name: "an agent's", file: "work/opencode.json",
			rule:  `{"agent":{"build":{"permission":{"bash":{"touch ruled*":"ask"}}}}}`,
			steps: []string{"touch ruled", "touch free"}, asked: 1, run: (*driving).refused},
		{driven: opencodeDriven(), name: "deny", file: "work/opencode.json",
			rule:  `{"permission":{"bash":{"touch ruled*":"deny"}}}`,
			steps: []string{"touch ruled", "touch free"}, asked: 0, run: (*driving).refused},
	} {
		t.Run(row.title+" "+row.name, func(t *testing.T) {
			row.program(t)
			t.Parallel()
			var script llmtest.Script
			for _, step := range row.steps {
				call := row.shell(step, step)
				if command, escalates := strings.CutPrefix(step, "!"); escalates {
					call = escalated(step, command)
				}
				script.Steps = append(script.Steps, llmtest.Step{Calls: []llmtest.Call{call}})
			}
			m := row.ready(t, ruleSettings, script)
			if row.file != "" {
				m.machine.write(filepath.Join(m.dir, row.file), row.rule, 0o600)
			}
			m.installed(false)
			var asked []string
			if row.run == nil {
				m.run()
			} else {
				asked = row.run(m)
			}
			if row.asked >= 0 && len(asked) != row.asked || strings.Contains(strings.Join(asked, " "), "free") {
				t.Errorf("the person was asked about %q", asked)
			}
			for _, step := range row.steps {
				file := step[strings.LastIndexByte(step, ' ')+1:]
				if ran := exists(filepath.Join(m.work, file)); ran != (file == "free") {
					t.Errorf("%q ran: %v; the model was told %q", step, ran, m.told(t, step))
				}
			}
		})
	}
}

// geminiRule is a policy of Gemini CLI's about one command.
func geminiRule(decision string) string {
	return "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"touch ruled\"\npriority = 999\n" +
		"decision = \"" + decision + "\"\n"
}

// copilotDenying is Copilot CLI where the person has denied a program on its command line,
// beside their leave for all tools.
func copilotDenying() driven {
	d := copilotDriven()
	prepare := d.prepare
	d.prepare = func(m *machine, srv *llmtest.Server) (words, environ []string) {
		words, environ = prepare(m, srv)
		return append(words, "--deny-tool", "shell(touch)"), environ
	}
	return d
}

// refused lets opencode do one prompt, refuses whatever it asks about, and returns what
// that was.
func (d *driving) refused() (asked []string) {
	d.t.Helper()
	slots <- struct{}{}
	defer func() { <-slots }()
	o := serveOpencode(d)
	var session struct{ ID string }
	o.call("POST", "/session", `{}`, &session)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		o.call("POST", "/session/"+session.ID+"/message", `{"parts":[{"type":"text","text":"do what the test wants"}]}`,
			nil)
	}()
	for {
		var pending []struct {
			ID       string
			Metadata struct{ Command string }
		}
		select {
		case <-finished:
			return asked
		case <-o.ctx.Done():
			d.t.Fatal("the session did not end")
		case <-time.After(300 * time.Millisecond): // what nod answers is pending for a moment
		}
		o.call("GET", "/permission", "", &pending)
		for _, p := range pending {
			asked = append(asked, p.Metadata.Command)
			o.call("POST", "/permission/"+p.ID+"/reply", `{"reply":"reject","message":"the person says no"}`, nil)
		}
	}
}
