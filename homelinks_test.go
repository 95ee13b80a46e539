package nod_test

import (
	"os"
	"testing"
)

// Where settings of the person's home are links into a repository, its files are
// those settings.
func TestRepositoriesThatHomeLinksTo(t *testing.T) {
	p := newProject(t)
	for _, name := range []string{"zsh/zshrc", "gitsettings", "cloud/credentials", "keys/work", "netlogin",
		"memo.md", "profile",
		"k8s", "plain/notes.txt", "bin/tool"} {
		p.write(name, "KEY\n")
	}
	p.git("add", ".")
	p.git("commit", "-qm", "dotfiles")
	for _, dir := range []string{".claude", ".local", ".kube"} {
		p.must(os.MkdirAll(p.home+"/"+dir, 0o755))
	}
	p.check(kept, "echo x >> zsh/zshrc", "cat cloud/credentials", "cat keys/work", "rm profile")
	for name, to := range map[string]string{".zshrc": "zsh/zshrc", ".gitconfig": "gitsettings", ".aws": "cloud",
		".ssh":   "keys",
		".netrc": "netlogin", ".claude/CLAUDE.md": "memo.md", ".bashrc": "profile", ".kube/config": "k8s",
		".local/bin": "bin", ".here": "."} {
		p.must(os.Symlink(p.dir+"/"+to, p.home+"/"+name))
	}
	p.check(lost, "echo x >> zsh/zshrc", "sed -i s/x/y/ zsh/zshrc", "echo x >> gitsettings", "echo x >> profile",
		"rm profile",
		"mv profile profile2", "echo x >> memo.md", "echo x > bin/newtool",
		"cat cloud/credentials", "cat keys/work", "cat keys/*", "cat netlogin", "cat k8s", "grep KEY netlogin",
		"grep -r KEY .")
	for _, dir := range []string{".config/git", ".codex/skills", ".claude/agents"} {
		p.must(os.MkdirAll(p.home+"/"+dir, 0o755))
	}
	p.write("conf", "[user]\n")
	p.write("skill/run.sh", "x\n")
	p.git("add", ".")
	p.git("commit", "-qm", "more")
	p.check(kept, "echo x >> conf", "echo x > skill/new.md")
	p.must(os.Symlink("../../ws/conf", p.home+"/.config/git/config"))
	p.must(os.Symlink(p.dir+"/skill", p.home+"/.codex/skills/skill"))
	p.check(lost, "echo x >> "+p.dir+"/skill/new.md", "rm skill/run.sh")
	p.check(kept, "echo x >> plain/notes.txt", "cat plain/notes.txt", "cat zsh/zshrc", "grep -r KEY plain",
		"rm plain/notes.txt",
		"cat a.txt")
}
