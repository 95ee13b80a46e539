package nod_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/transcript"
)

// kinds are a call of every kind, and of every reason why it may be open.
func kindsOfCall() []nod.Call {
	with := func(c nod.Call, change func(*nod.Call)) nod.Call { change(&c); return c }
	return []nod.Call{
		bash("frobnicate x"), bash("cat ~/.ssh/id_ed25519"), bash("git push origin $B"), bash("git push origin main"),
		bash("curl -d @x https://up.example.com"),
		bash("rm -rf src; python3 tool.py"), bash("npm test"), bash(". ./.env && npm test"), bash("source .env"),
		tool("file_write", "CLAUDE.md"), tool("file_edit", "/etc/x"), tool("file_write", ".env"),
		tool("read_file", "/home/dev/.ssh/id_ed25519"), tool("grep", "/home/dev"),
		with(tool("web_fetch"), func(c *nod.Call) { c.RawTool, c.URL = "WebFetch", "https://docs.example.com/a" }),
		with(tool(""), func(c *nod.Call) {
			c.RawTool, c.MCP = "mcp__db__query",
				&nod.MCP{Server: "db", Tool: "query"}
		}),
		with(tool("agent"), func(c *nod.Call) { c.RawTool = "Agent" }),
		with(tool(""), func(c *nod.Call) { c.RawTool = "Weave" }),
	}
}

// What nod prompt shows is what Check sends, byte for byte, for every kind of call and either profile.
func TestPromptIsWhatIsSent(t *testing.T) {
	for _, profile := range []nod.Profile{nod.Profile{}, nod.Profile{Ledger: true, Stages: 1},
		nod.Profile{Ledger: true, Stages: 2}} {
		asked := 0
		for _, c := range kindsOfCall() {
			c.Transcript = turns(person("go on"), called("Bash", `{"command":"ls"}`), person("hello"))
			var sent nod.Prompt
			o := options(ruled(nod.ListHardDeny, "git push --force"))
			o.Model, o.Profile, o.Memory, o.History = answering{seen: &sent}, profile, remembering{}, &remembers{}
			d := nod.New(o).Check(context.Background(), c)
			if sent.Digest == "" {
				if d.Layer == nod.LayerModel {
					t.Errorf("%s %s: %+v", c.RawTool, c.Command, d)
				}
				continue
			}
			asked++
			shown, err := nod.New(o).Prompt(context.Background(), c)
			if sent.ID = ""; err != nil || cmp.Diff(sent, shown) != "" {
				t.Errorf("%s %s: %v\n%s", c.RawTool, c.Command, err, cmp.Diff(sent, shown))
			}
		}
		if asked < 14 {
			t.Errorf("%+v: only %d kinds of call were asked about", profile, asked)
		}
	}
}

// remembering is what a session remembers.
type remembering struct {
	wrote map[string]bool
	ended map[string]transcript.Ended
}

func (remembering) Standing(nod.Evidence) nod.Standing { return nod.Untouched }
func (w remembering) Wrote(path string) bool           { return w.wrote[path] }
func (remembering) History() []string                  { return nil }
func (remembering) Blocked() []string {
	return []string{"the model blocked Bash: it deletes a remote branch"}
}
func (w remembering) Ended(call string) transcript.Ended { return w.ended[call] }

const marked = "MARKED-7f3a"

// secretWorld is full of secrets, in every kind of file that holds some.
func secretWorld() nod.Files {
	w := newWorld(false)
	for i, name := range []string{
		"/home/dev/.ssh/id_ed25519", "/home/dev/.aws/credentials", "/home/dev/.netrc", "/home/dev/shop/.env",
		"/home/dev/shop/.env.local",
		"/home/dev/.config/nod/anthropic.key", "/home/dev/.config/nod/nod.toml", "/home/dev/shop/server.key",
	} {
		w.File(name, fmt.Sprintf(
			"KEY=%[1]s-a%[2]d %[1]s-b%[2]d\nURL=https://x.example.com/%[1]s\nPATH=$PATH:/%[1]s\ncurl https://x.example.com/%[1]s\nrm -rf /srv/%[1]s\nexport Z=${Q:?%[1]s}\nprint('%[1]s')\n", marked, i), 0o600)
	}
	w.File("/home/dev/shop/run.sh", ". ./.env\ncurl $URL\n$KEY\n", 0o755)
	w.File("/home/dev/shop/Makefile", "include .env\nup:\n\tcurl $(URL)\n\t. ./.env; $(KEY)\n", 0o644)
	w.File("/home/dev/shop/package.json",
		`{"scripts":{"test":". ./.env && curl $URL","start":"node --env-file=.env x.js"}}`, 0o644)
	w.Link("/home/dev/shop/key.py", "/home/dev/.ssh/id_ed25519")
	for _, name := range []string{"make", "perl", "node", "ruby", "php", "source", "just", "docker", "awk", "sed",
		"sort", "base64", "xargs"} {
		w.File("/usr/bin/"+name, "", 0o755)
	}
	return w
}

// No byte of a secret store leaves in a question, a reason or what is recorded, in any use that a call makes of it.
func TestNoSecretLeaves(t *testing.T) {
	var calls []nod.Call
	for _, file := range []string{".env", "~/.ssh/id_ed25519", "~/.aws/credentials", "~/.netrc",
		"~/.config/nod/anthropic.key", "~/.config/nod/nod.toml", "server.key", "key.py", "./.env.local"} {
		for _, use := range []string{
			"source %s", ". %s && npm test", "sh %s", "bash -x %s", "python3 %s", "perl %s", "node %s", "ruby %s",
			"cat %s", "cat %s | sh", "sh < %s", "bash -c '. %s'", "export $(cat %s | xargs)",
			"env $(cat %s) npm test", "set -a; . %s; set +a; curl $URL", ". %s; $KEY", ". %s; rm -rf \"$Z\"",
			"eval \"$(cat %s)\"", "docker run --env-file %s x", "node --env-file=%s x.js",
			"make -f %s up", "cp %s run2.sh && sh run2.sh", "awk -f %s x", "sed -f %s x", "find . -exec sh %s \\;",
			"xargs -a %s rm", "git config --file %s -l",
		} {
			calls = append(calls, bash(fmt.Sprintf(use, file)))
		}
	}
	for _, command := range []string{"sh run.sh", "./run.sh", "make up", "npm test", "npm start",
		"bash run.sh; frobnicate"} {
		calls = append(calls, bash(command))
	}
	for _, name := range []string{"file_edit", "file_write", "multi_edit"} {
		c := tool(name, ".env")
		c.Input, _ = json.Marshal(map[string]any{"file_path": "/home/dev/shop/.env", "old_string": "KEY=" + marked,
			"new_string": "KEY=" + marked + "2",
			"edits":      []map[string]string{{"old_string": marked, "new_string": "x"}}})
		c.Edits = []nod.Edit{{Path: ".env", Old: "KEY=" + marked, New: "x"}}
		calls = append(calls, c)
	}
	patch := tool("file_edit", ".env")
	patch.Input, _ = json.Marshal(map[string]string{"input": "*** Begin Patch\n*** Update File: .env\n-KEY=" + marked +
		"\n+KEY=x\n*** End Patch"})
	calls = append(calls, patch)
	hunk := "\n@@ -1 +1 @@\n KEY=" + marked + "\n-KEY=" + marked + "\n+KEY=x\n"
	for _, heading := range []string{"--- a/.env\n+++ b/.env", "--- a/.env\n+++ b/x", "--- a/x\n+++ .env\t2026-01-01",
		"*** Begin Patch\n*** Update File: .env\n*** Move to: x"} {
		calls = append(calls, bash("git apply <<'EOF'\n"+heading+hunk+"EOF\n"),
			fromServer(map[string]any{"diff": heading + hunk}))
	}
	for _, place := range []any{map[string]any{"path": ".env"}, map[string]any{"uri": "file:///home/dev/shop/.env"},
		map[string]any{"dest": "./.env"}} {
		calls = append(calls, fromServer(map[string]any{"steps": []any{place, map[string]any{"text": marked}}}))
	}
	asked := 0
	for _, profile := range []nod.Profile{nod.Profile{}, nod.Profile{Ledger: true, Stages: 2}} {
		for _, c := range calls {
			c.Transcript = turns(
				called("Write", `{"file_path":"/home/dev/shop/.env","content":"KEY=`+marked+`"}`),
				called("Edit", `{"file_path":".env","old_string":"`+marked+`","new_string":"`+marked+`"}`),
				called("apply_patch", `{"input":"*** Begin Patch\n*** Add File: .env\n+KEY=`+marked+
					`\n*** End Patch"}`), called("Bash", `{"command":"ls"}`), person("go on"))
			var sent nod.Prompt
			o := options(nod.DefaultRules())
			o.Files, o.Model, o.Profile, o.Memory = secretWorld(), answering{seen: &sent}, profile, remembering{}
			d := nod.New(o).Check(context.Background(), c)
			request, _ := json.Marshal(sent)
			recorded, _ := json.Marshal(d)
			if strings.Contains(string(request), marked) {
				i := strings.Index(string(request), marked)
				t.Errorf("%s %s: it is sent: %s", c.RawTool, c.Command, request[max(0, i-200):i+20])
			}
			if strings.Contains(string(recorded), marked) || strings.Contains(d.Reason, marked) {
				t.Errorf("%s %s: it is recorded: %s", c.RawTool, c.Command, recorded)
			}
			if sent.Digest != "" {
				asked++
			}
		}
	}
	if asked < len(calls) {
		t.Errorf("only %d of %d questions were put", asked, 2*len(calls))
	}
}

// fromServer is a call of an MCP server's tool.
func fromServer(input any) nod.Call {
	c := nod.Call{Tool: "mcp", RawTool: "mcp__fs__edit", Dir: "/home/dev/shop",
		MCP: &nod.MCP{Server: "fs", Tool: "edit"}}
	c.Input, _ = json.Marshal(input)
	return c
}

// What is withheld hides no command from the model.
func TestNoCommandIsWithheld(t *testing.T) {
	o := options(nod.DefaultRules())
	o.Files, o.Profile = secretWorld(), nod.Profile{Ledger: true, Stages: 2}
	for _, input := range []map[string]string{
		{"command": "frobnicate --now", "file": ".env"},
		{"command": ": '\n*** Update File: .env\n'\n frobnicate --now"},
		{"command": "cat <<'EOF'\n*** Update File: .env\nEOF\n frobnicate --now"},
	} {
		c := bash(input["command"])
		c.Input, _ = json.Marshal(input)
		p, err := nod.New(o).Prompt(context.Background(), c)
		if call, _, _ := strings.Cut(p.User, "THE FACTS"); err != nil || !strings.Contains(call, "frobnicate --now") {
			t.Errorf("%s: %v %s", c.Command, err, call)
		}
	}
}

// What runs is masked as such, in any argument or file.
func TestWhatRunsIsMaskedAsCode(t *testing.T) {
	const token = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
	o := options(nod.DefaultRules())
	o.Files = newWorld(false).File("/home/dev/shop/x.sh", "node -e \"{token:rm()}\"\n", 0o644)
	o.Profile = nod.Profile{Ledger: true, Stages: 2}
	for _, c := range []nod.Call{
		bash("node -e '{token:rm()}' x " + token), bash("sh x.sh " + token), bash(token + " rm()"),
		{Agent: "claude-code", RawTool: "mcp__db__q", Tool: "mcp", MCP: &nod.MCP{Server: "db", Tool: "q"},
			Input: json.RawMessage(`{"query":"{token:rm()} x ` + token + `"}`), Dir: "/home/dev/shop"},
	} {
		p, err := nod.New(o).Prompt(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		text := p.Text(p.Careful)
		first := strings.HasPrefix(c.Command, token) // the program
		if strings.Contains(text, token) != first || !strings.Contains(text, "rm()") {
			t.Errorf("%s%s: %s", c.Command, c.RawTool, text)
		}
	}
}

// Tokens of published shapes are masked wherever they stand, and the call is still told from another.
func TestTokensAreMasked(t *testing.T) {
	const token = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
	o := options(nod.DefaultRules())
	o.Files = newWorld(false).File("/home/dev/shop/tool.py", "T = '"+token+"'\n", 0o644)
	o.Profile = nod.Profile{Ledger: true, Stages: 2}
	ask := func(command string) nod.Prompt {
		c := bash(command)
		c.Transcript = turns(person("use "+token), called("Bash", `{"command":"x `+token+`"}`))
		p, err := nod.New(o).Prompt(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := ask("python3 tool.py --token " + token)
	if text := p.Text(p.Careful); strings.Contains(text, token) || strings.Count(text, "[masked-") < 4 {
		t.Errorf("%s", text)
	}
	if other := ask("python3 tool.py --token [masked]"); other.Digest == p.Digest {
		t.Error("the masked call has the key of the true one")
	}
}
