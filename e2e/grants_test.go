package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/llm/llmtest"
)

// Where a host asks a person, what nod allows runs and nobody is asked, what nod denies
// does not run and nobody is asked, and what nod would ask about is asked. opencode asks
// about no line in which it sees no command: such a line does not run.
func TestGrants(t *testing.T) {
	for _, row := range []struct {
		driven
		shell spelling
		ask   func(*driving) (asked []string)
	}{
		{drivenBy("codex"), escalated, (*driving).serve},
		{drivenBy("qwen"), drivenBy("qwen").shell, (*driving).stream},
		{drivenBy("opencode"), drivenBy("opencode").shell, (*driving).refused},
	} {
		t.Run(row.adapter.Name(), func(t *testing.T) {
			row.program(t)
			t.Parallel()
			m := row.ready(t, ruleSettings, oneByOne(row.shell("allowed", "touch allowed"),
				row.shell("denied", "touch forbidden"),
				row.shell("unseen", "cd . > /dev/null; [[ 'a[$(touch unseen)]' -eq 0 ]]"),
				row.shell("asked", "./opaque asked")))
			m.installed(false)
			asked := slices.DeleteFunc(row.ask(m), func(what string) bool { return strings.Contains(what, "unseen") })
			m.holds(t, map[string]bool{"allowed": true, "forbidden": false, "unseen": false, "asked": false})
			if told := m.told(t, "denied"); !strings.Contains(told, "hard_deny") {
				t.Errorf("the model was told %q", told)
			}
			if len(asked) != 1 || !strings.Contains(asked[0], "./opaque asked") {
				t.Errorf("the person was asked about %q", asked)
			}
			for holds, want := range map[string]string{"touch allowed": "allow", "touch forbidden": "deny"} {
				if !slices.ContainsFunc(m.decided(holds), func(e audit.Entry) bool { return e.Answered == want }) {
					t.Errorf("%s: nod's log: %+v", holds, m.decided(holds))
				}
			}
		})
	}
}

// Where opencode asks, nod's plugin answers about the line that it has handed over: code
// runs confined, and nobody is asked.
func TestOpencodeIsHandedALineWithoutAQuestion(t *testing.T) {
	d := drivenBy("opencode")
	d.program(t)
	t.Parallel()
	m := d.ready(t, "confine = \"on\"\n", oneByOne(d.shell("code", "python3 probe.py")))
	m.installed(false)
	m.boundary(t)
	m.probe()
	m.record("opencode", m.state(), d.program(t))
	if asked := m.refused(); len(asked) > 0 {
		t.Errorf("the person was asked about %q", asked)
	}
	m.probed(t, "code")
	m.answered(t, map[string]string{"probe.py": "confined"})
}

// What a rule of the person's in the host's own settings asks about or denies does not run because nod is installed,
// though nod would allow it; and what no rule speaks of nod still allows, where it can, and nobody is asked.
func TestPersonsRulesStay(t *testing.T) {
	touching := []string{"touch ruled", "mkdir free"}
	copilot := drivenBy("copilot") // the person has denied a program beside their leave for all tools
	copilot.words = append(copilot.words, "--deny-tool", "shell(touch)")
	for _, row := range []struct {
		driven
		name, file, rule string
		asked            int // times that the person is asked; -1 where nobody is there
		steps            []string
		run              func(*driving) (asked []string)
	}{
		{driven: drivenBy("codex"), name: "prompt", file: "home/.codex/rules/default.rules",
			rule:  `prefix_rule(pattern=["touch", ["ruled", "other"]], decision="prompt")`,
			steps: []string{"touch ruled", "!touch ruled", "!mkdir free"}, asked: 2, run: (*driving).serve},
		{driven: drivenBy("codex"), name: "no file that nod reads", file: "home/.codex/rules/mine.rules",
			rule:  "name = \"touch\"\nprefix_rule(pattern=[name, \"ruled\"], decision=\"prompt\")",
			steps: []string{"!touch ruled"}, asked: 1, run: (*driving).serve},
		{driven: drivenBy("qwen"), name: "ask", file: "home/.qwen/settings.json",
			rule: `{"permissions":{"ask":["Bash(touch ruled)"]}}`, steps: touching, asked: 1, run: (*driving).stream},
		{driven: drivenBy("qwen"), name: "deny", file: "home/.qwen/settings.json",
			rule: `{"permissions":{"deny":["Bash(touch ruled)"]}}`, steps: touching, run: (*driving).stream},
		{driven: drivenBy("gemini"), name: "ask", file: "home/.gemini/policies/mine.toml", rule: geminiRule("ask_user"),
			steps: touching, asked: -1},
		{driven: drivenBy("gemini"), name: "deny", file: "home/.gemini/policies/mine.toml", rule: geminiRule("deny"),
			steps: touching, asked: -1},
		{driven: copilot, name: "deny", steps: []string{"touch ruled", "mkdir free"}, asked: -1},
		{driven: drivenBy("opencode"), name: "ask", file: "work/opencode.json",
			rule:  `{"permission":{"bash":{"*":"allow","touch ruled*":"ask"}}}`,
			steps: touching, asked: 1, run: (*driving).refused},
		{driven: drivenBy("opencode"), name: "an agent's", file: "work/opencode.json",
			rule:  `{"agent":{"build":{"permission":{"bash":{"touch ruled*":"ask"}}}}}`,
			steps: touching, asked: 1, run: (*driving).refused},
		{driven: drivenBy("opencode"), name: "deny", file: "work/opencode.json",
			rule:  `{"permission":{"bash":{"touch ruled*":"deny"}}}`,
			steps: touching, run: (*driving).refused},
	} {
		t.Run(row.title+" "+row.name, func(t *testing.T) {
			row.program(t)
			t.Parallel()
			var calls []llmtest.Call
			for _, step := range row.steps {
				if command, escalates := strings.CutPrefix(step, "!"); escalates {
					calls = append(calls, escalated(step, command))
				} else {
					calls = append(calls, row.shell(step, step))
				}
			}
			m := row.ready(t, ruleSettings, oneByOne(calls...))
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

// What Codex runs in its own sandbox is left to it where nod knows nothing against the call; without the sandbox the
// same call is denied, and what is known to lose work or to print a secret is denied in both.
func TestCodexSandboxIsAFact(t *testing.T) {
	for sandbox, unread := range map[string]string{"workspace-write": "abstained", "danger-full-access": "deny"} {
		t.Run(sandbox, func(t *testing.T) {
			d := drivenBy("codex")
			d.program(t)
			t.Parallel()
			d.words[slices.Index(d.words, "danger-full-access")] = sandbox
			m := d.ready(t, ruleSettings, oneByOne(d.shell("unread", "./opaque made"),
				d.shell("outside", "./opaque ../outside"), d.shell("loses", "rm -rf ../scratch"),
				d.shell("prints", "cat .env"), d.shell("forbidden", "touch forbidden")))
			m.machine.write(filepath.Join(m.dir, "scratch", "a.txt"), "not in git\n", 0o644)
			m.machine.write(filepath.Join(m.work, ".env"), "KEY=x\n", 0o600)
			m.installed(false)
			m.run()
			m.answered(t, map[string]string{"./opaque made": unread, "./opaque ../outside": unread,
				"rm -rf ../scratch": "deny", "cat .env": "deny", "touch forbidden": "deny"})
			m.holds(t, map[string]bool{"../outside": false, "forbidden": false, "../scratch/a.txt": true})
		})
	}
}
