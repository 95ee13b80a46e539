package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// Every built-in of every driven host has a class, and what is idle or the
// person's is on the allow-list and answered by silence.
func TestEveryBuiltinHasAClass(t *testing.T) {
	allowlist := nod.DefaultRules().Allowlist
	seen := map[string]string{}
	for _, a := range All() {
		if strings.HasPrefix(a.Capabilities().Tried, "read: ") {
			continue
		}
		for line := range strings.Lines(section(a.Name())) {
			if words := strings.Fields(line); len(words) > 2 && !strings.Contains("=!#/", words[0][:1]) {
				row := lookUp(a.Name(), words[0])
				seen[row.canonical] = a.Name() + "'s " + row.raw
				if row.raw != words[0] {
					t.Errorf("%s: %s is not found", a.Name(), words[0])
				}
			}
		}
	}
	for tool, whose := range seen {
		class := classOf(tool)
		if class == Unclassified {
			t.Errorf("%s (%s) has no class", whose, tool)
		}
		if c := classOf(tool); (c == Idle || c == Persons) && !slices.Contains(allowlist, tool) {
			t.Errorf("%s (%s) is left to the host, and not on the allow-list", whose, tool)
		}
		if class == Acts && slices.Contains(allowlist, tool) {
			t.Errorf("%s (%s) acts, and is on the allow-list", whose, tool)
		}
	}
	for _, tool := range allowlist {
		if classOf(tool) == Unclassified || classOf(tool) == Acts {
			t.Errorf("%s is on the allow-list and has class %d", tool, classOf(tool))
		}
	}
}

// A host's own tool that changes nothing is answered by silence in every mode,
// with a person and without, so that it never prompts where it does not without
// nod. What is merely not known is left to the host where it has a flow of its own.
func TestIdleToolsAreLeftToTheHost(t *testing.T) {
	for _, row := range []struct {
		tool, input string
		silent      bool
	}{
		{"Agent", `{"prompt":"look","description":"d"}`, true},
		{"Agent", `{"prompt":"look","isolation":"worktree"}`, false},
		{"Agent", `{"prompt":"look","isolation":"remote"}`, false},
		{"TodoWrite", `{"todos":[]}`, true},
		{"ExitPlanMode", `{"plan":"x"}`, true},
		{"AskUserQuestion", `{"questions":[]}`, true},
		{"WebSearch", `{"query":"x"}`, false},
		{"EnterWorktree", `{"name":"x"}`, true},
		{"ExitWorktree", `{"action":"remove","discard_changes":true}`, false},
		{"NobodyKnowsThis", `{}`, false},
	} {
		for _, mode := range []string{"default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "auto",
			"someday"} {
			for _, entry := range []string{"cli", "sdk-cli"} {
				said := saidTo(t, Host("claude-code"), claudePayload(mode, row.tool, row.input),
					"CLAUDE_CODE_ENTRYPOINT="+entry)
				wants := row.silent || mode == "auto" || mode == "dontAsk" || entry == "cli" && mode != "someday"
				if (said == abstained) != wants {
					t.Errorf("%s %s in mode %s of %s: %s", row.tool, row.input, mode, entry, said)
				}
			}
		}
	}
}

func claudePayload(mode, tool, input string) string {
	return `{"session_id":"s","transcript_path":"/nowhere/none.jsonl","cwd":"/work","permission_mode":"` + mode +
		`","hook_event_name":"PreToolUse","tool_name":"` + tool + `","tool_input":` + input + `,"tool_use_id":"t1"}`
}

// saidTo is what the host is told about a call, without a model.
func saidTo(t *testing.T, a Adapter, payload string, environ ...string) string {
	t.Helper()
	e, err := a.Decode([]byte(payload), environ)
	if err != nil {
		t.Fatal(err)
	}
	d := nod.New(nod.Options{Rules: nod.DefaultRules(), Home: "/home/dev"}).Check(t.Context(), e.Call)
	return a.Encode(e, d, Default, false).Said
}
