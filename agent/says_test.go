package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/fault"
)

// What each host is told in each of its seats: to an allow, an allow under Reinforce, an ask, and a denial.
func TestSays(t *testing.T) {
	for _, row := range table(t, "says.txt") { // the host and its seat, what it is told; why
		name, want, _ := strings.Cut(row[0], ": ")
		host, prompt := strings.CutSuffix(name, " prompt")
		a, _ := agent.ByName(host)
		e := agent.Event{Kind: agent.Decide, Name: "PreToolUse", Mode: "default"}
		if prompt {
			e = agent.Event{Kind: agent.Prompt, Name: "PermissionRequest", Mode: "default", PromptFollows: true}
		}
		e.Call.RawTool, e.Call.Tool, e.Call.Interactive = "Bash", "bash", true
		said := func(v nod.Verdict, p agent.Profile) string {
			return a.Encode(e, nod.Decision{Verdict: v, Reason: "because"}, p, false).Said
		}
		if got := strings.Join([]string{said(nod.Allow, agent.Replace), said(nod.Allow, agent.Reinforce),
			said(nod.Ask, agent.Replace), said(nod.Deny, agent.Replace)}, " "); got != want {
			t.Errorf("%s is told %s, want %s", name, got, want)
		}
	}
}

// What is left open goes to a prompt that follows and to a host that judges by itself, but
// not what is known to lose something.
func TestSaysWhatIsOpen(t *testing.T) {
	open := nod.Decision{Verdict: nod.Ask, Reason: "because", Err: &fault.Error{Kind: fault.NoModel, Message: "none"},
		Deferrable: true}
	loss := open
	loss.Deferrable = false
	auto := agent.Event{Kind: agent.Decide, Mode: "auto"}
	auto.Call.HostJudges, auto.Call.Interactive = true, true
	for _, row := range []struct {
		a    agent.Adapter
		e    agent.Event
		d    nod.Decision
		p    agent.Profile
		want string
	}{
		{agent.Host("codex"), agent.Event{Kind: agent.Decide, PromptFollows: true}, open, agent.Replace, "abstained"},
		{agent.Host("qwen"), auto, open, agent.Default, "abstained"},
		{agent.Host("qwen"), auto, open, agent.Replace, "ask"},
		{agent.Host("qwen"), auto, loss, agent.Default, "ask"},
	} {
		if a := row.a.Encode(row.e, row.d, row.p, false); a.Said != row.want {
			t.Errorf("%s, mode %q, profile %d: %s, want %s", row.a.Name(), row.e.Mode, row.p, a.Said, row.want)
		}
	}
}

// table reads rows of testdata, whose fields stand between tabs.
func table(t *testing.T, name string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows
}
