package nod_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

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
	p.check(lost, "echo x > docs/rev.md")
	p.check(kept, "echo x > scripts/other.sh")
}

// What is too much to look through is asked about: more names than a glob is
// looked at.
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
	p.check(lost, "cat many/*", "cat **/*.ts") // more than are listed at all
}

// A database that is opened by a link is changed by what lies beside the other name.
func TestDatabasesBehindLinks(t *testing.T) {
	p := newProject(t)
	p.write("real/x.db", "SQLite format 3\x00")
	p.must(os.Symlink("real/x.db", p.dir+"/l.db"))
	p.check(lost, "sqlite3 -safe l.db .tables", "sqlite3 -safe real/x.db .tables")
}
