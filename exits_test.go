package nod_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// TestEveryExit takes each way out of the flow, and holds the diagram of the package comment to them: each question
// of the diagram has a row, and [trial.settle] has no way out more than the rows that name one of its own.
func TestEveryExit(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	diagram := string(source)
	exits := map[string]bool{}
	for _, row := range exitRows() {
		if row.exit != "" {
			exits[row.exit] = true
		}
		if _, behind, ok := strings.Cut(diagram, row.drawn); !ok || !strings.Contains(line1(behind), "-> "+row.leads) {
			t.Errorf("%q does not lead to %q in the diagram", row.drawn, row.leads)
		}
		asked := nod.Prompt{}
		o := options(nod.DefaultRules())
		o.Files = newWorld(false)
		o.Model = answering{seen: &asked, block: row.verdict == nod.Deny}
		c := row.call
		if c.Tool == "" {
			c = bash("ls")
		}
		if row.change != nil {
			row.change(&o, &c)
		}
		d := verdictOf(o, c)
		byModel := asked.Digest != ""
		if d.Verdict != row.verdict || d.Layer != row.layer || byModel != (row.layer == nod.LayerModel) {
			t.Errorf("%s: %s by %s: %s", row.drawn, d.Verdict, d.Layer, d.Reason)
		}
	}
	for line := range strings.Lines(diagram) {
		drawn := func(row exitRow) bool { return strings.Contains(line, row.drawn) }
		if strings.Contains(line, "? ") && strings.Contains(line, "-> ") && !slices.ContainsFunc(exitRows(), drawn) {
			t.Errorf("no row takes this way: %s", line)
		}
	}
	if n := returnsOf(t, "settle"); n != len(exits) {
		t.Errorf("settle returns in %d places, and the rows name %d: draw and try the others", n, len(exits))
	}
}

type exitRow struct {
	exit, drawn, leads string // exit names a return of settle
	call               nod.Call
	change             func(*nod.Options, *nod.Call)
	verdict            nod.Verdict
	layer              nod.Layer
}

func exitRows() []exitRow {
	rule := func(list nod.RuleList, text string) func(*nod.Options, *nod.Call) {
		return func(o *nod.Options, _ *nod.Call) { o.Rules = ruled(list, text) }
	}
	onConfine := func(o *nod.Options, _ *nod.Call) {
		o.Confine = func() string { return confiner }
	}
	server := tool("mcp")
	server.MCP = &nod.MCP{Server: "files", Tool: "list", Named: true}
	return []exitRow{
		{"", "may the host make another call of it", "deny", bash("ls"),
			func(_ *nod.Options, c *nod.Call) { c.Rewritten = "it is rewritten" }, nod.Deny, nod.LayerGuard},
		{"", "a line for nod confine?", "as the line itself", bash(confined(confiner, "python3 x.py")), onConfine,
			nod.Allow, nod.LayerShell},
		{"", "a line for nod confine?", "as the line itself", bash(confined(confiner, "curl https://x.example")), onConfine,
			nod.Deny, nod.LayerShell},
		{"", "a line for nod confine?", "as the line itself", bash(confined(confiner, "rm -rf ~")), onConfine,
			nod.Deny, nod.LayerShell},
		{"guard", "a hard_deny rule, or a change", "deny", bash("git status"), rule(nod.ListHardDeny, "git status"),
			nod.Deny, nod.LayerGuard},
		{"guard", "a hard_deny rule, or a change", "deny", tool("file_write", "/home/dev/.config/nod/nod.toml"), nil,
			nod.Deny, nod.LayerGuard},
		{"irrecoverable", "cannot be undone?", "deny", bash("rm -rf ~"), nil, nod.Deny, nod.LayerShell},
		{"typed", "a program runs what is typed", "deny", bash("bash"),
			func(_ *nod.Options, c *nod.Call) { c.StdinUnseen = true }, nod.Deny, nod.LayerShell},
		{"stays", "does the shell that the host keeps", "deny", bash("cd src"),
			func(_ *nod.Options, c *nod.Call) { c.Keeps = true }, nod.Deny, nod.LayerShell},
		{"reserved", "an ask rule, or a doubt", "ask", bash("git status"), rule(nod.ListAsk, "git status"),
			nod.Ask, nod.LayerGuard},
		{"secret", "a secret store", "4", tool("read_file", ".env"), nil, nod.Allow, nod.LayerModel},
		{"doubt", "a hard_deny rule that may fit", "4", bash("git $X"), rule(nod.ListHardDeny, "git push --force"),
			nod.Allow, nod.LayerModel},
		{"allowlist", "a safe tool", "allow", tool("read_file", "main.go"), nil, nod.Allow, nod.LayerAllowlist},
		{"rule", "an allow rule that names this tool", "allow", server, rule(nod.ListAllow, "mcp__files__list"),
			nod.Allow, nod.LayerAllowlist},
		{"unread", "an unknown argument", "4", tool("read_file", "main.go"),
			func(_ *nod.Options, c *nod.Call) { c.Unread = "an argument" }, nod.Allow, nod.LayerModel},
		{"soft", "a soft_deny rule?", "4", bash("git status"), rule(nod.ListSoftDeny, "git status"),
			nod.Allow, nod.LayerModel},
		{"edit", "a file edit inside the workspace", "allow", tool("file_write", "src/b.go"), nil,
			nod.Allow, nod.LayerEdit},
		{"shell", "all it does is known and harmless?", "allow", bash("ls"), nil, nod.Allow, nod.LayerShell},
		{"", "else runs unread code", "deny, with the line", bash("python3 x.py"), onConfine, nod.Deny, nod.LayerShell},
		{"", "did a person approve this very call", "allow", bash("npm publish"),
			func(o *nod.Options, _ *nod.Call) { o.Approvals = &approvesAll{} }, nod.Allow, nod.LayerApproval},
		{"left", "else a side query to a fast model", "deny, or allow", bash("npm publish"), nil,
			nod.Allow, nod.LayerModel},
		{"left", "else a side query to a fast model", "deny, or allow", bash("npm publish"),
			nil, nod.Deny, nod.LayerModel},
	}
}

func line1(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}

// returnsOf counts the ways out of a function of gate.go.
func returnsOf(t *testing.T, name string) (n int) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "gate.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == name {
			ast.Inspect(f, func(node ast.Node) bool {
				if _, ok := node.(*ast.ReturnStmt); ok {
					n++
				}
				return true
			})
		}
	}
	return n
}
