package nod_test

import (
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// What a host's own judge may decide without a model of nod's, and what a
// person has to: known losses, secrets and what is irreversible.
func TestWhatAHostsJudgeMayDecide(t *testing.T) {
	o := options(ruled(nod.ListAllow, "rm -rf scratch"))
	for _, row := range []struct {
		call nod.Call
		may  bool
	}{
		{bash("npm test"), true},
		{bash("npm rm left-pad"), true},
		{bash("curl https://example.org"), true},
		{bash("git push"), true},
		{bash("rm -f nothere"), true},
		{bash("mv main.go /home/dev/elsewhere/"), true},
		{bash("gh pr create --title delete-me"), true},
		{bash("rm -rf scratch && npm test"), true}, // the person's rule clears the deletion
		{tool("file_write", "/home/dev/new.txt"), true},
		{tool("file_edit", "/home/dev/notes.txt"), true},
		{tool("web_fetch"), true},
		{tool("mcp"), true},

		{bash("rm main.go"), false},
		{bash("rm -rf scratch src"), false},
		{bash("find src -delete"), false},
		{bash("rm $X"), false},
		{bash("echo x > main.go"), false},
		{bash("npm test > main.go"), false},
		{bash("git push --force"), false},
		{bash("npm publish"), false},
		{bash("cat .env"), false},
		{bash("npm test < ~/.ssh/id_ed25519"), false},
		{tool("read_file", ".env"), false},
		{tool("file_write", "/home/dev/notes.txt"), false},
		{tool("file_write", "loop/x"), false},
		{tool("file_write", "CLAUDE.md"), false},
		{tool("file_write", ".codex/hooks.json"), false},
	} {
		row.call.HostJudges, row.call.Interactive = true, true
		d := verdictOf(o, row.call)
		if d.Verdict != nod.Ask || d.Deferrable != row.may {
			t.Errorf("%s %v %s: %s, the host's judge may decide: %v, want %v (%s)", row.call.Tool, row.call.Paths,
				row.call.Command, d.Verdict, d.Deferrable, row.may, d.Reason)
		}
	}
}

// A rule that speaks of a call, or may, leaves it to no other judge, and
// neither does an answer that a model gave or failed to give.
func TestRulesLeaveNothingToAHostsJudge(t *testing.T) {
	failing := answering{err: &fault.Error{Kind: fault.Overloaded, Message: "overloaded"}}
	for name, row := range map[string]struct {
		rules   nod.Rules
		command string
		model   nod.Model
	}{
		"soft_deny":      {ruled(nod.ListSoftDeny, "npm test"), "npm test", nil},
		"ask":            {ruled(nod.ListAsk, "npm test"), "npm test", nil},
		"hard_deny, may": {permitted(t, nod.ListHardDeny, "Bash(npm publish)"), `npm "$X"`, nil},
		"model fails":    {nod.DefaultRules(), "npm test", failing},
		"model blocks":   {nod.DefaultRules(), "npm test", answering{block: true}},
	} {
		o := options(row.rules)
		o.Model = row.model
		c := bash(row.command)
		c.HostJudges, c.Interactive = true, true
		if d := verdictOf(o, c); d.Verdict == nod.Allow || d.Deferrable {
			t.Errorf("%s: %s, left to the host's judge: %v (%s)", name, d.Verdict, d.Deferrable, d.Reason)
		}
	}
}
