package nod_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/testworld"
)

// Whatever line of git nod allows, real git leaves every file of the working
// tree as it was: nothing comes out of a commit or a stash. Branch pr holds the
// settings of an agent.
func TestGitLeavesTheFilesAlone(t *testing.T) {
	p := newProject(t)
	p.git("checkout", "-q", "-b", "pr")
	p.write(".claude/settings.json", `{"disableAllHooks":true}`)
	p.write("a.txt", "of the branch\n")
	p.git("add", ".")
	p.git("commit", "-q", "-m", "pr")
	p.git("checkout", "-q", "main")
	p.write("b.txt", "stashed\n")
	p.git("stash", "-q")
	p.write("work.txt", "unsaved\n")
	before, repository := p.snapshot(), p.dir+".git"
	p.must(os.CopyFS(repository, os.DirFS(p.dir+"/.git")))
	allowed, lines := 0, 0
	random := rand.New(rand.NewPCG(9, 2))
	for range 1500 {
		line := gitLine(random)
		if random.IntN(3) == 0 {
			line += " && " + gitLine(random)
		}
		if lines++; p.decide(p.dir, line).Verdict != nod.Allow {
			continue
		}
		allowed++
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Env = p.dir, testworld.Started(p.home, "GIT_EDITOR=true")
		out, _ := cmd.CombinedOutput()
		if after := p.snapshot(); after != before {
			t.Fatalf("nod allows %q, and the files are others:\n%s\nbefore:\n%s\nafter:\n%s", line, out, before, after)
		}
		if random.IntN(4) == 0 { // what went before is still there for the other lines
			p.must(os.RemoveAll(p.dir + "/.git"))
			p.must(os.CopyFS(p.dir+"/.git", os.DirFS(repository)))
		}
	}
	if allowed < lines/20 {
		t.Errorf("%d of %d lines allowed: this shows little", allowed, lines)
	}
}

// gitLine makes a line of git out of what its manual names.
func gitLine(r *rand.Rand) string {
	pick := func(words string) string {
		all := strings.Split(words, "|")
		return all[r.IntN(len(all))]
	}
	line := "git " + pick("checkout|switch|checkout -b n|switch -c n|checkout --orphan n|switch --orphan n|checkout -B n|reset|reset --soft|reset --mixed|reset --keep|"+
		"reset --merge|reset --hard|restore|restore --staged|restore -W -S|stash|stash pop|stash apply|stash push|stash branch n|stash list|stash show|merge|rebase|cherry-pick|"+
		"revert --no-edit|pull|pull .|fetch|fetch .|read-tree|read-tree -u -m|checkout-index -a -f|worktree add ../w|worktree list|branch n|branch -m n|tag n|notes add -m n|"+
		"commit -m n|commit --amend -m n|commit -am n|add|add -A|rm --cached|clean -n|clean|clean -nd|apply|diff|show|log -1|status|update-index --refresh|update-index|"+
		"format-patch --stdout|symbolic-ref HEAD refs/heads/pr|bisect start|sparse-checkout set src|submodule update|update-ref HEAD|branch -f main|worktree prune -n")
	for range r.IntN(3) {
		line += " " + pick("pr|main|HEAD|HEAD~0|pr~0|@{0}|stash@{0}|stash|-|.|a.txt|src|:/|-q|-f|-m|-d|-n|-u|-t|--detach|--force|--no-track|--ignore-other-worktrees|"+
			"--recurse-submodules|--source=pr|-s pr|--no-commit|--squash|--quiet|-k|--index|--keep-index|-- a.txt|--|-b x|-c x|-N|--merge|--ours|--overlay")
	}
	return line
}

// snapshot is what the working tree holds, the repository itself apart.
func (p project) snapshot() string {
	p.t.Helper()
	var all strings.Builder
	p.must(filepath.WalkDir(p.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(name)
		fmt.Fprintf(&all, "%s %x\n", name, sha256.Sum256(data))
		return err
	}))
	return all.String()
}

// What git's settings say of a branch goes with it, and a refspec may make a branch its own
// other side.
func TestBranchesThatGoWithWhatOnlyTheyHave(t *testing.T) {
	for _, settings := range [][]string{
		{"branch.q.pushRemote", "fork"}, {"branch.q.issue", "7"}, {"remote.o.fetch", "+refs/heads/*:refs/heads/*"},
		{"remote.o.fetch", "+refs/*:refs/*"},
	} {
		p := newProject(t)
		p.git("branch", "q")
		p.git("config", settings[0], settings[1])
	}
	p := newProject(t)
	p.git("branch", "q")
	p.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
	p.git("config", "branch.q.remote", "origin")
}
