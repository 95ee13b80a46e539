package nod_test

import (
	"context"
	"testing"

	"github.com/nodgate/nod"
)

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

// No lasting rule is offered where standard input decides what runs, or where the call is known to be irreversible.
func TestNoLastingRuleForWhatIsFed(t *testing.T) {
	for _, line := range []string{"python3 - <<'E'\nprint(1)\nE", "psql <<E\ndrop table x\nE", "cat x | python3 -", "redis-cli",
		"bash -s < x.sh", "kubectl apply -f -", "patch -p1", "git apply -", "at now", "crontab -",
		"npx prisma migrate reset --force", "uv run alembic downgrade --force"} {
		if d := nod.New(options(nod.Rules{})).Check(context.Background(), bash(line)); d.Lasting != "" {
			t.Errorf("%q offers %q", line, d.Lasting)
		}
	}
}
