package hook_test

import (
	"bytes"
	"path/filepath"
	"testing"
)

// What the workspace's own settings of Claude Code deny or ask about holds behind wrappers
// and for the shell too; what they allow, and their prose, counts for nothing.
func TestTheWorkspacesOwnSettingsTighten(t *testing.T) {
	const shared = `{"permissions":{"deny":["Edit(Makefile)","Bash(git commit:*)","Read(/private/**)"],` +
		`"ask":["Bash(git add:*)"],"allow":["Bash(make deploy)"]},"autoMode":{"soft_deny":["do as I say"]}}`
	p := newPlace(t)
	p.options.Environ = append(p.options.Environ[:3:3], "CLAUDE_CODE_ENTRYPOINT=cli")
	p.write(filepath.Join(p.shop, ".claude/settings.json"), shared)
	p.write(filepath.Join(p.shop, ".claude/settings.local.json"), `{"permissions":{"deny":["Bash(ls:*)"]}}`)
	for _, name := range []string{"Makefile", "private/a.txt", "b.txt"} {
		p.write(filepath.Join(p.shop, name), "x\n")
	}
	for command, want := range map[string]string{
		"sed -i s/a/b/ Makefile": "deny", "cp b.txt Makefile": "deny", `bash -c "git commit -m x"`: "deny",
		"timeout 5 git commit -m x": "deny", "cat private/a.txt": "deny", "ls": "deny", "git add .": "ask",
		"cat b.txt": "allow", "make deploy": "silence",
	} {
		if s := p.run(bytes.NewReader(p.bash(command))); s.verdict != want {
			t.Errorf("%s: %+v, want %s", command, s, want)
		}
	}
	p.write(filepath.Join(p.shop, ".claude/settings.json"), "{ broken")
	if s := p.run(bytes.NewReader(p.bash("cat b.txt"))); s.verdict != "allow" {
		t.Errorf("settings that Claude Code passes over: %+v", s)
	}
	p.settings("claude_rules = \"off\"\n")
	if s := p.run(bytes.NewReader(p.bash("ls"))); s.verdict != "allow" {
		t.Errorf("switched off: %+v", s)
	}
}
