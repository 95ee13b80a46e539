package nod_test

import (
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// Rules about the tools of MCP servers, in each list that holds rules.
func TestRulesForTools(t *testing.T) {
	poke := func(more ...func(*nod.Call)) nod.Call {
		c := tool("mcp")
		c.Agent, c.RawTool, c.MCP = "claude-code", "mcp__lab__poke", &nod.MCP{Server: "lab", Tool: "poke", Named: true}
		for _, f := range more {
			f(&c)
		}
		return c
	}
	named := func(server, tool string) func(*nod.Call) {
		return func(c *nod.Call) {
			c.MCP.Server, c.MCP.Tool, c.RawTool = server, tool, "mcp__"+strings.ReplaceAll(server, " ", "_")+"__"+tool
		}
	}
	guessed := func(c *nod.Call) { c.MCP.Named = false }
	brought := func(c *nod.Call) { c.MCP.Brought = true }
	for _, row := range []struct {
		list nod.RuleList
		rule string
		call nod.Call
		want nod.Verdict
	}{
		{nod.ListAllow, "mcp__lab__poke", poke(), nod.Allow},
		{nod.ListAllow, "mcp__lab", poke(), nod.Allow},
		{nod.ListAllow, "mcp__lab__*", poke(), nod.Allow},
		{nod.ListAllow, "mcp__lab__po*", poke(), nod.Allow},
		{nod.ListAllow, "mcp__my_lab__poke", poke(named("my lab", "poke")), nod.Allow},
		{nod.ListAllow, "mcp__lab__poke", poke(guessed), nod.Allow},
		{nod.ListAllow, "mcp__lab", poke(guessed), nod.Allow},
		{nod.ListAllow, "mcp__lab__other", poke(), nod.Ask},
		{nod.ListAllow, "mcp__la", poke(), nod.Ask},
		{nod.ListAllow, "mcp__lab", poke(named("lab__x", "poke")), nod.Ask},
		{nod.ListAllow, "mcp__lab", poke(named("lab", "x__poke"), guessed), nod.Ask}, // may be lab__x's
		{nod.ListAllow, "mcp__lab__poke", poke(brought), nod.Ask},
		{nod.ListAllow, "mcp__lab__poke", tool("mcp"), nod.Ask},
		{nod.ListAsk, "mcp__lab__poke", poke(), nod.Ask},
		{nod.ListAsk, "mcp__*__poke", poke(), nod.Ask},
		{nod.ListHardDeny, "mcp__lab", poke(), nod.Deny},
		{nod.ListHardDeny, "mcp__lab__poke", poke(guessed, brought), nod.Deny},
		{nod.ListSoftDeny, "mcp__lab__poke", poke(), nod.Deny},
	} {
		row.call.Interactive = true
		if d := verdictOf(options(ruled(row.list, row.rule)), row.call); d.Verdict != row.want {
			t.Errorf("%s %s, %s: %s, want %s: %s", row.list, row.rule, row.call.RawTool, d.Verdict, row.want, d.Reason)
		}
	}
	both := ruled(nod.ListAllow, "mcp__lab")
	both.Ask = ruled(nod.ListAsk, "mcp__lab__poke").Ask
	if d := verdictOf(options(both), poke(func(c *nod.Call) { c.Interactive = true })); d.Verdict != nod.Ask {
		t.Errorf("an ask rule beside an allow rule: %s", d.Verdict)
	}
}

// What is asked about names the allow rule that clears it, and none where no rule does.
func TestTheRuleThatLasts(t *testing.T) {
	o := options(nod.DefaultRules())
	o.Approvals = onlyLetRun(false)
	poke := tool("mcp")
	poke.MCP, poke.RawTool = &nod.MCP{Server: "my lab", Tool: "poke", Named: true}, "mcp__my_lab__poke"
	brought := poke
	brought.MCP = &nod.MCP{Server: "my lab", Tool: "poke", Named: true, Brought: true}
	for _, row := range []struct {
		call nod.Call
		want string
	}{
		{bash("npm test"), "npm test"},
		{bash("ls && npm test"), "npm test"},
		{bash("npm run build 2>&1"), "npm run build"},
		{bash("npm install --force"), "npm install --force"}, // a word alone is no loss
		{bash("npm test && make lint"), ""},                  // two rules
		{bash("rm -rf src"), ""},                             // a known loss
		{bash("cat .env"), ""},
		{bash("python3 $X"), ""},
		{bash("bash"), ""},
		{poke, "mcp__my_lab__poke"},
		{brought, ""},
		{tool("file_write", "/home/dev/new.txt"), ""},
		{tool("web_fetch"), ""},
	} {
		row.call.Interactive = true
		if d := verdictOf(o, row.call); d.Verdict != nod.Ask || d.Lasting != row.want {
			t.Errorf("%s: %s, %q, want %q (%s)", row.call.Command, d.Verdict, d.Lasting, row.want, d.Reason)
		}
	}
}
