package repo_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/view"
)

// Where histories parted is what git merge-base says, of histories with merges and with
// clocks that went wrong; where git knows of several, or of none, nothing is said.
func TestMergeBaseAgainstGit(t *testing.T) {
	const commits = 40
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 9))
		dir := newRepo(t)
		cmd := exec.Command("git", "fast-import", "--quiet", "--force")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(randomHistory(random, commits))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
		r, _ := repo.Around(view.Disk{}, filepath.Join(dir, "x"))
		answered := 0
		for range 150 {
			a, b := fmt.Sprintf("b%d", random.IntN(commits)), fmt.Sprintf("b%d", random.IntN(commits))
			all := exec.Command("git", "merge-base", "--all", a, b)
			all.Dir = dir
			out, _ := all.Output()
			bases := strings.Fields(string(out))
			got, ok := repo.MergeBase(r, a, b)
			if ok && (len(bases) == 0 || got != bases[0] || len(bases) > 1) {
				t.Errorf("seed %d: %s and %s: %s, git says %q", seed, a, b, got, bases)
			}
			if ok {
				answered++
			}
		}
		if answered < 60 {
			t.Errorf("seed %d: %d of 150 were answered", seed, answered)
		}
	}
}

// randomHistory is a history for git fast-import, each commit with a branch of its own.
func randomHistory(random *rand.Rand, commits int) string {
	var b strings.Builder
	for i := range commits {
		at := 1_700_000_000 + i*60 - random.IntN(4)*random.IntN(2)*100
		fmt.Fprintf(&b, "commit refs/heads/b%d\nmark :%d\ncommitter x <x@x> %d +0000\ndata 1\nx\n", i, i+1, at)
		for k := range min(i, 1+random.IntN(2)*random.IntN(2)) {
			fmt.Fprintf(&b, "%s :%d\n", [...]string{"from", "merge"}[k], 1+max(0, i-1-random.IntN(6)))
		}
		fmt.Fprintf(&b, "M 100644 inline f%d\ndata 2\n%02d\n\n", i, i)
	}
	return b.String()
}
