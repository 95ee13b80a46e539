package nod_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// A guarded name below the top may be a link: what it leads to is what is obeyed.
func TestGuardedLinksBelowTheTop(t *testing.T) {
	p := newProject(t)
	p.check(kept, "echo x >> docs/deep.md", "echo x > cl/settings.json")
	p.write("docs/deep.md", "d\n")
	p.write("env/dev", "e\n")
	p.write("conf/attrs", "a\n")
	for _, dir := range []string{"sub/x", "cl"} {
		p.must(os.MkdirAll(p.dir+"/"+dir, 0o755))
	}
	for name, to := range map[string]string{"sub/x/CLAUDE.md": "../../docs/deep.md", "sub/.envrc": "../env/dev",
		"sub/.gitattributes": "../conf/attrs", "sub/.claude": "../cl", "sub/AGENTS.md": "../docs/new.md",
		"sub/plain.md": "../docs/plain.md"} {
		p.must(os.Symlink(to, p.dir+"/"+name))
	}
	p.git("add", ".")
	p.git("commit", "-qm", "links")
	p.check(lost, "echo x >> docs/deep.md", "rm docs/deep.md", "git mv docs/deep.md docs/d.md", "echo x >> env/dev",
		"echo x >> conf/attrs", "echo x > cl/settings.json", "echo x > docs/new.md", "cp a.txt docs/new.md")
	p.check(kept, "echo x > docs/plain.md", "echo x >> docs/other.md", "mkdir docs/in")
}

// What settings name is guarded by whatever name it is reached, and so is where it will
// be.
func TestWhatSettingsNameIsReachedOtherwise(t *testing.T) {
	p := newProject(t)
	for _, name := range []string{"scr/fmt.sh", "scr/server.js", "scr/other.sh", "gh/copilot-instructions.md",
		"hk/git/pre-commit", "real/status.sh", "z/cl/settings.json"} {
		p.write(name, "x\n")
	}
	p.write(".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"tools/fmt.sh"},`+
		`{"type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/Lnk/status.sh"},{"command":"bash d/one.sh"},`+
		`{"command":"\"$CLAUDE_PROJECT_DIR\"/'q'//a.sh"},{"command":"\tq/./b.sh"}]}]}}`)
	p.write(".mcp.json", `{"mcpServers":{"a":{"command":"node","args":["srv/in/server.js"]}}}`)
	p.must(os.MkdirAll(p.dir+"/d", 0o755))
	p.must(os.Symlink("../scr/fmt.sh", p.dir+"/d/one.sh"))
	p.must(os.Symlink("real", p.dir+"/Lnk"))
	p.must(os.Symlink("conf/cl", p.dir+"/.cursor"))
	p.git("add", ".")
	p.git("commit", "-qm", "tools")
	p.check(lost, "mkdir tools && mv scr/* tools", "mkdir tools && install scr/* tools",
		"mkdir .github && mv gh/* .github", "mkdir -p .github && mv -t .github gh/c*",
		"mkdir .github && git mv gh/* .github", "mkdir .github && install gh/* .github",
		"ln -s scr tools", "ln -s z/tools", "ln -st . z/tools", "ln -s /tmp tools", "ln -s scr srv",
		"mkdir srv && ln -s ../scr srv/in", "ln -s z conf", "ln Lnk tools",
		"echo x > q/a.sh", "echo x > q/b.sh", "ln -s scr q",
		"echo x > real/status.sh", "echo x > Lnk/status.sh", "rm -r real", "mv real r2", "echo x > scr/fmt.sh")
	p.check(kept, "mkdir docs2 && mv gh/* docs2", "ln -s scr docs2", "echo x > scr/other.sh", "echo x > real/x.sh",
		"mkdir tools", "echo x >> README.md")
	p.write(".codex/config.toml", `notify = ["sh", "not\u0069fy/x.sh"]`+"\n")
	p.write(".claude/commands/c.md", "see !`take/up.sh -x` and\n```!\ntake/block.sh\n```\nnot take/text.sh\n")
	p.check(lost, "echo x > notify/x.sh", "echo x > take/up.sh", "echo x > take/block.sh", "ln -s scr take")
	p.check(kept, "echo x > notify/y.sh", "echo x > take/text.sh")
	p.git("config", "core.hooksPath", "hooks/git")
	p.git("config", "include.path", "../inc/git.cfg")
	p.check(lost, "ln -s hk hooks", "ln -s hk inc", "mkdir hooks && mv hk/* hooks")
}

// A sub-agent whose definition in the repository starts programs is no safe tool, and
// those programs are guarded.
func TestSubagentsThatStartPrograms(t *testing.T) {
	for file, text := range map[string]string{
		".claude/agents/plain.md":     "---\nname: plain\n---\nlook at the hooks\n",
		".claude/agents/helper.md":    "---\nname: Helper\nmcpServers:\n  x:\n    command: scripts/mcp.sh\n---\n",
		".claude/agents/deep/er/a.md": "---\n? name\n: rev\nhooks: {}\n---\n",
		".claude/agents/odd.md":       "---\nname: rev\n\"mcp\\x53ervers\": {}\n---\n",
		".qwen/agents/ext.md":         "\ufeff---\nname: ext\nexecutor:\n  command: ./tools/ext.sh\n---\n",
		".qwen/agents/boxed.md":       "---\nname: b\nexecutionBackend: container\n---\n",
		".gemini/agents/far.md":       "---\nname: f\nkind:\n  remote\nagent_card_url: https://a.example/x\n---\n",
		"src/.claude/agents/sub.md":   "---\nname: s\nisolation: worktree\n---\n",
		".claude/agents/skills/of.md": "---\nname: s\nhooks: {}\n---\n", // no skill, by its name alone
	} {
		p := newProject(t)
		p.write(file, text)
		g := p.gate()
		d := g.Check(t.Context(), nod.Call{Agent: "qwen", Tool: "agent", RawTool: "agent",
			Input: []byte(`{"prompt":"x"}`), Dir: p.dir + "/src", Roots: []string{p.dir}, Interactive: true})
		if plain := strings.HasSuffix(file, "plain.md"); (d.Verdict == nod.Allow) != plain {
			t.Errorf("%s: %s (%s)", file, d.Verdict, d.Reason)
		}
	}
	p := newProject(t)
	p.write(".claude/agents/in/deep.md", "---\nname: Helper\nmcpServers:\n  x:\n    command: scripts/mcp.sh\n---\n")
	p.write(".qwen/agents/ext.md", "---\nname: ext\nexecutor:\n  kind: acp\n  command: ./tools/ext.sh\n---\n")
	p.write(".claude/skills/s/SKILL.md", "---\nhooks:\n  Stop: scripts/skill.sh\n---\n")
	p.must(os.Symlink("../../docs", p.dir+"/.claude/agents/linked"))
	p.check(lost, "echo x > scripts/skill.sh", "echo x > docs/rev.md")
	p.check(lost, "echo x > scripts/mcp.sh", "echo x > tools/ext.sh", "ln -s docs scripts")
	p.check(kept, "echo x > scripts/other.sh")
}

// What is too much to look through is asked about: more names than a glob is looked
// at, more branches and tags.
func TestMoreThanIsLookedThrough(t *testing.T) {
	p := withSecret(t)
	p.must(os.MkdirAll(p.dir+"/many", 0o755))
	for i := range 10_050 {
		p.must(os.WriteFile(fmt.Sprintf("%s/many/f%05d.ts", p.dir, i), nil, 0o644))
	}
	p.must(os.Symlink("../.env", p.dir+"/many/zz"))
	p.check(lost, "cat many/*", "head -n 1 many/*", "cat many/* | tail -2")
	p.check(kept, "cat many/f00001*", "ls many/*")
	for i := range 10_050 {
		p.must(os.WriteFile(fmt.Sprintf("%s/many/g%05d.ts", p.dir, i), nil, 0o644))
	}
	p.check(lost, "cat many/*", "cat many/z*", "cat **/*.ts") // more than are listed at all
	p.check(kept, "git log -p --all")
	id := strings.TrimSpace(p.git("rev-parse", "HEAD"))
	refs := ""
	for i := range 500 {
		refs += fmt.Sprintf("%s refs/tags/t%d\n", id, i)
	}
	p.write(".git/packed-refs", "# pack-refs with: peeled fully-peeled sorted \n"+refs)
	p.check(lost, "git log -p --all", "git log -p --tags", "git log --all -p -3", "git log -p --alternate-refs")
	p.check(kept, "git log -p -1", "git log --all --oneline", "git show")
}
