package nod_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/testworld"
)

// withLongHistory has a secret in its oldest commits alone, with more commits
// after them than nod looks through.
func withLongHistory(t *testing.T) project {
	p := newProject(t)
	var b strings.Builder
	put := func(i int, change string) {
		fmt.Fprintf(&b, "commit refs/heads/main\ncommitter x <x@x.example> %d +0000\ndata 1\nx\n", 1_800_000_000+i)
		if i == 0 {
			b.WriteString("from refs/heads/main^0\n")
		}
		b.WriteString(change)
	}
	file := func(name, text string) string {
		return fmt.Sprintf("M 100644 inline %s\ndata %d\n%s\n", name, len(text), text)
	}
	put(0, file(".env", "SHOP_KEY=first"))
	put(1, "D .env\n")
	for i := range 250 {
		put(2+i, file("src/c.txt", fmt.Sprint(i)))
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = p.dir, strings.NewReader(b.String())
	cmd.Env = testworld.Started(p.home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git fast-import: %v\n%s", err, out)
	}
	p.git("reset", "-q", "--hard")
	return p
}

// A history that is longer than what is looked through may hold a secret
// further back: what prints all of it is open, the rest is not.
func TestHistoryBeyondWhatIsLookedThrough(t *testing.T) {
	p := withLongHistory(t)
	if got := p.output("log", "-p"); !strings.Contains(got, "SHOP_KEY=first") {
		t.Fatal("git does not print the secret: this shows nothing")
	}
	p.check(lost, "git log -p", "git log -p -- src", "git log -p --follow a.txt", "git log -p HEAD~3",
		"git log --all -p", "git format-patch --stdout HEAD~260",
		"git cat-file -p "+p.output("rev-parse", "HEAD:a.txt"))
	p.check(kept, "git log", "git log --stat", "git log -p -5", "git log -p HEAD~5..", "git log -p -- a.txt",
		"git log --oneline -- src", "git show", "git show HEAD~3", "git show HEAD:a.txt", "git diff HEAD~3",
		"git diff --cached", "git status", "git archive HEAD")
}

// A tree that is too large to be looked through may hold a secret that git add
// would take in.
func TestAddOfATreeThatIsTooLarge(t *testing.T) {
	p := newProject(t)
	p.must(os.MkdirAll(p.dir+"/many", 0o755))
	for i := range 20_001 {
		p.must(os.WriteFile(fmt.Sprintf("%s/many/%d.txt", p.dir, i), nil, 0o644))
	}
	p.check(lost, "git add .", "git add -A", "git add many")
	p.check(kept, "git add src", "git add a.txt", "git add many/7.txt")
}
