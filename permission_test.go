package nod_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// claudeDir is where the settings of the tests' permission rules lie.
const claudeDir = "/home/dev/.claude"

// permitted returns the default rules with permission rules of Claude Code's.
func permitted(t *testing.T, list nod.RuleList, texts ...string) nod.Rules {
	t.Helper()
	rules := nod.DefaultRules()
	for _, text := range texts {
		r, err := nod.ParsePermission(text, "settings.json:1", claudeDir)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		switch list {
		case nod.ListHardDeny:
			rules.HardDeny = append(rules.HardDeny, r)
		case nod.ListAsk:
			rules.Ask = append(rules.Ask, r)
		}
	}
	return rules
}

func of(agent string, c nod.Call) nod.Call {
	c.Agent = agent
	return c
}

func sent(c nod.Call, raw, input string) nod.Call {
	c.RawTool, c.Input = raw, json.RawMessage(input)
	return c
}

func fetch(url string) nod.Call {
	c := tool("web_fetch")
	c.URL = url
	return c
}

func server(name, tool string) nod.Call {
	return nod.Call{RawTool: "mcp__" + name + "__" + tool, MCP: &nod.MCP{Server: name, Tool: tool},
		Input: json.RawMessage(`{"owner":"me","force":true}`), Dir: shop, Roots: []string{shop}}
}

// TestPermissionDeny: what a deny rule names is denied by layer 0, whatever a
// model would say; what it may name is not settled without one.
func TestPermissionDeny(t *testing.T) {
	const denied, open, untouched = "denied", "open", "untouched"
	for _, row := range []struct {
		rule string
		call nod.Call
		want string
	}{
		{"Bash(run_in_background:true)", of(nod.ClaudeCode, sent(bash("ls"), "Bash",
			`{"command":"ls","run_in_background":true}`)), denied},
		{"Bash(run_in_background:true)", of(nod.ClaudeCode, sent(bash("ls"), "Bash",
			`{"command":"ls","run_in_background":false,"x":{"run_in_background":true}}`)), untouched},

		{"Bash", of(nod.ClaudeCode, sent(bash("ls"), "Bash", `{}`)), denied},
		{"Bash", of("codex", bash("ls")), untouched},
		{"TodoWrite", of(nod.ClaudeCode, sent(tool("todo_write"), "TodoWrite", `{}`)), denied},
		{"Todo*", of(nod.ClaudeCode, sent(tool("todo_write"), "TodoWrite", `{}`)), denied},
		{"Edit", of(nod.ClaudeCode, sent(tool("file_write", "main.go"), "Write", `{}`)), denied},
		{"Edit", of(nod.ClaudeCode, bash("sed -i s/a/b/ main.go")), denied},
		{"Write", of(nod.ClaudeCode, bash("echo x > new.txt")), denied},
		{"Edit", of(nod.ClaudeCode, bash("cat main.go")), untouched},
		{"Edit", of(nod.ClaudeCode, bash("git rm -q main.go")), denied},
		{"Edit", of(nod.ClaudeCode, bash("ls 2> /dev/null")), untouched},
		{"Agent(Explore)", of(nod.ClaudeCode, sent(tool("agent"), "Task", `{"subagent_type":"Explore"}`)), denied},
		{"Skill(deploy *)", of(nod.ClaudeCode, sent(tool("skill"), "Skill", `{"skill":"deploy prod"}`)), denied},

		{"Read(~/notes.txt)", tool("read_file", "/home/dev/notes.txt"), denied},
		{"Read(~/notes.txt)", tool("read_file", "out.txt"), denied},
		{"Read(./main.go)", of("codex", bash("cat main.go")), denied},
		{"Read(**/*.go)", tool("read_file", "src/a.go"), denied},
		{"Read(main.go)", tool("file_edit", "main.go"), denied},
		{"Read(main.go)", tool("read_file", "src/a.go"), untouched},
		{"Read(src)", tool("read_file", "/home/dev/elsewhere/src/a.go"), untouched},
		{"Read(//home/dev/shop/src/**)", tool("grep", "/home/dev/shop"), open},
		{"Edit(src/**)", tool("file_edit", "src/a.go"), denied},
		{"Write(new.txt)", tool("file_write", "new.txt"), denied},

		{"WebFetch(domain:example.com)", fetch("https://example.com/x"), denied},
		{"WebFetch(domain:*.example.com)", fetch("https://example.org/x"), untouched},

		{"mcp__github", server("github", "get_issue"), denied},
		{"mcp__github__get_*", server("github", "get_issue"), denied},
		{"mcp__*", server("github", "delete"), denied},
		{"mcp__my_server__x", of("codex", nod.Call{RawTool: "my.server/x", MCP: &nod.MCP{Server: "my.server",
			Tool: "x"}, Input: json.RawMessage(`{}`)}), denied},
		{"mcp__github__push(force:true)", server("github", "push"), denied},
	} {
		o := options(permitted(t, nod.ListHardDeny, row.rule))
		o.Rules.Hosts = append(o.Rules.Hosts, "example.com")
		bare := options(nod.DefaultRules())
		bare.Rules.Hosts = o.Rules.Hosts
		d := verdictOf(o, row.call)
		name := row.rule + ": " + row.call.Command + row.call.RawTool + strings.Join(row.call.Paths, " ")
		if before := verdictOf(bare, row.call); became(d, before, row.rule) != row.want {
			t.Errorf("%s: %s by %s (%s), without the rule %s (%s)", name, d.Verdict, d.Layer, d.Reason, before.Verdict,
				before.Reason)
		}
	}
}

// TestAskRules: what an ask rule names, or may name, is a person's to decide,
// and no model, no other rule and no layer allows it.
func TestAskRules(t *testing.T) {
	own := ruled(nod.ListAllow, "git status")
	own.Ask = ruled(nod.ListAsk, "git push").Ask
	for _, row := range []struct {
		rules nod.Rules
		call  nod.Call
		want  nod.Verdict
	}{
		{permitted(t, nod.ListAsk, "Bash(git status:*)"), bash("git status"), nod.Ask},
		{permitted(t, nod.ListAsk, "Bash(git status:*)"), bash("git $(cat what)"), nod.Ask},
		{permitted(t, nod.ListAsk, "Read(main.go)"), tool("read_file", "main.go"), nod.Ask},
		{permitted(t, nod.ListAsk, "Read(~/.ssh/**)"), tool("read_file", "~/.ssh/id_ed25519"), nod.Ask},
		{permitted(t, nod.ListAsk, "Bash(rm *)"), bash("rm -rf /"), nod.Deny},
		{own, bash("git push origin main"), nod.Ask},
		{own, bash("git status"), nod.Allow},
	} {
		o := options(row.rules)
		o.Rules.Allow = append(o.Rules.Allow, own.Allow...)
		o.Model = answering{}
		if d := verdictOf(o, row.call); d.Verdict != row.want {
			t.Errorf("%s %v: %s by %s (%s), want %s", row.call.Command, row.call.Paths, d.Verdict, d.Layer, d.Reason,
				row.want)
		}
	}
}

// A rule that nod cannot hold is an error, never a rule that matches nothing.
func TestPermissionsThatCannotBeHeld(t *testing.T) {
	for _, text := range []string{"Cd(/x)", "WebFetch(example.com)", "Read(!x)", "Bash(", "a b", "", "Bash*(ls)",
		"WebSearch(x y)"} {
		if r, err := nod.ParsePermission(text, "x:1", claudeDir); err == nil {
			t.Errorf("%q became %+v", text, r)
		}
	}
}

// TestSourcesOfRulesAreGuarded: an agent changes nothing of what nod's rules
// were read from, and may change the rest of those files as before.
func TestSourcesOfRulesAreGuarded(t *testing.T) {
	const file = claudeDir + "/settings.json"
	const text = `{"permissions":{"deny":["Bash(rm:*)"]},"theme":"dark"}`
	world := newWorld(false).File(file, text, 0o600)
	o := options(nod.DefaultRules())
	o.Files, o.Sources, o.Model = world, []string{file}, answering{}
	edit := func(old, new string) nod.Call {
		c := tool("file_edit", file)
		c.Edits = []nod.Edit{{Path: file, Old: old, New: new, Whole: old == ""}}
		return c
	}
	for _, c := range []nod.Call{
		edit("", `{}`), edit("", `{"permissions":{"deny":[]},"theme":"dark"}`), edit(`"Bash(rm:*)"`, ""),
		edit(`"theme"`, `"autoMode":{"allow":["x"]},"theme"`), edit("not there", "x"), edit(`"dark"`, `"dark",`),
		bash("echo '{}' > ~/.claude/settings.json"), bash("rm ~/.claude/settings.json"), bash("rm -rf ~/.claude"),
		bash("mv ~/.claude ~/old"),
		{RawTool: "x", MCP: &nod.MCP{Server: "fs", Tool: "write"}, Input: json.RawMessage(`{"path":"` + file + `"}`),
			Dir: shop},
	} {
		if d := verdictOf(o, c); d.Verdict != nod.Deny || d.Layer != nod.LayerGuard {
			t.Errorf("%s %+v: %s by %s (%s)", c.Command, c.Edits, d.Verdict, d.Layer, d.Reason)
		}
	}
	for _, c := range []nod.Call{edit(`"dark"`, `"light"`),
		edit("", `{"theme":"light","permissions":{"deny":["Bash(rm:*)"]}}`), tool("read_file", file)} {
		if d := verdictOf(o, c); d.Verdict != nod.Allow {
			t.Errorf("%s %+v: %s (%s)", c.Command, c.Edits, d.Verdict, d.Reason)
		}
	}
}

// FuzzPermission: a rule that denies never makes an answer laxer, one that asks
// never makes it an allow, and no text of a rule breaks the gate.
func FuzzPermission(f *testing.F) {
	for _, rule := range []string{"Bash(git push:*)", "Bash(git * main)", "Read(~/**/x[)", "WebFetch(domain:*.x)",
		"mcp__a__*", "Bash(a:*)", "Edit(../x)", "*", "Bash(\\*)", "Read(//)"} {
		f.Add(rule, "git $x push && cat main.go > new.txt")
	}
	f.Fuzz(func(t *testing.T, rule, command string) {
		for _, list := range []nod.RuleList{nod.ListHardDeny, nod.ListAsk} {
			r, err := nod.ParsePermission(rule, "x:1", claudeDir)
			if err != nil {
				continue
			}
			base := ruled(nod.ListSoftDeny, "git push")
			rules := base
			if list == nod.ListAsk {
				rules.Ask = append(rules.Ask, r)
			} else {
				rules.HardDeny = append(rules.HardDeny, r)
			}
			for _, c := range []nod.Call{of(nod.ClaudeCode, bash(command)), tool("read_file", command), fetch(command),
				server("a", "b")} {
				without, with := verdictOf(options(base), c), verdictOf(options(rules), c)
				asked := list == nod.ListAsk && with.Verdict == nod.Ask
				if with.Verdict > without.Verdict && !asked || with.Err != nil && with.Err.Kind == fault.Internal {
					t.Errorf("%q: %q: %s, without the rule %s: %v", rule, command, with.Verdict, without.Verdict,
						with.Err)
				}
			}
		}
	})
}
