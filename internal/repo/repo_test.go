package repo_test

import (
	"crypto/sha1"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/testworld"
	"github.com/nodgate/nod/internal/view"
)

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = testworld.Started(dir, "GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x", "GIT_COMMITTER_NAME=x",
		"GIT_COMMITTER_EMAIL=x")
	out, err := cmd.Output()
	if _, isExit := err.(*exec.ExitError); err != nil && (!isExit || args[0] != "check-ignore") {
		t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

func put(t testing.TB, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func newRepo(t testing.TB, args ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, append([]string{"init", "-q"}, args...)...)
	return dir
}

// What the index lists as tracked and unchanged is restorable, and nothing else is.
func TestAgainstGit(t *testing.T) {
	dir := newRepo(t)
	names := []string{"a", "b/x", "b/c.d", "b/c/d/" + strings.Repeat("long", 60), "b-c", "über", "z z"}
	for i, n := range names {
		put(t, dir+"/"+n, n+strings.Repeat("x", i*1000))
	}
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "x")
	put(t, dir+"/extra", "x")
	git(t, dir, "add", "-N", "extra") // version 3 entries
	for _, packed := range []bool{false, true} {
		if packed {
			git(t, dir, "gc", "-q", "--prune=now")
		}
		for _, n := range names {
			r := repo.Around(view.Disk{}, path.Dir(dir+"/"+n))
			if r == nil || r.Top != dir || r.Lost(dir+"/"+n) != "" || !r.Tracks(dir+"/"+n) {
				t.Errorf("packed %v: %s is lost: %s", packed, n, r.Lost(dir+"/"+n))
			}
		}
	}
	r := repo.Around(view.Disk{}, dir)
	for _, n := range []string{"extra", "none", "b", "B/x", "a/b", ".git/config"} {
		if r.Lost(dir+"/"+n) == "" {
			t.Errorf("%s could be restored", n)
		}
	}
	put(t, dir+"/a", "A")
	if why := r.Lost(dir + "/a"); why != "differs from what git has" {
		t.Errorf("a changed file: %q", why)
	}
	git(t, dir, "update-index", "--index-version", "4")
	r = repo.Around(view.Disk{}, dir)
	for _, n := range names[1:] {
		if why := r.Lost(dir + "/" + n); why != "" {
			t.Errorf("version 4: %s is lost: %s", n, why)
		}
	}
}

// TestPassesOverAgainstGit lays what is sure beside what git says of files under ignore files drawn from numbers.
func TestPassesOverAgainstGit(t *testing.T) {
	names := []string{"b.py", ".env", "a/b.py", "a/.env", "a/c/.env", "d/b", "d/a/x", "d/e/a/b.pyc"}
	pieces := []string{"a", "*", "**", "/", "/", ".env", "b.py", "[cd]", "?", "!", "\\", "[!a]", "[^b]", "*.py", "d",
		" ", "#", "[a-c]", "c", "."}
	asked, agreed := 0, 0
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 3))
		file := func() (text string) {
			for range 1 + random.IntN(3) {
				for range 1 + random.IntN(4) {
					text += pieces[random.IntN(len(pieces))]
				}
				text += "\n"
			}
			return text
		}
		dir := newRepo(t)
		for _, name := range names {
			put(t, dir+"/"+name+"_", "")
		}
		top, below := file(), file()
		put(t, dir+"/.gitignore", top)
		put(t, dir+"/d/.gitignore", below)
		r := repo.Around(view.Disk{}, dir)
		if r == nil {
			t.Fatal("no repository")
		}
		ignored := strings.Split(git(t, dir, append([]string{"check-ignore", "--no-index"}, names...)...), "\n")
		for _, name := range names {
			is := slices.Contains(ignored, name)
			surely := r.PassesOver(dir+"/"+name, false)
			if is {
				asked++
			}
			if surely {
				agreed++
			}
			if surely && !is {
				t.Errorf("seed %d, %q and %q below d ignore %s here, not in git", seed, top, below, name)
			}
		}
	}
	if agreed < asked/2 {
		t.Errorf("of %d names that git ignores %d are known to be", asked, agreed)
	}
}

func TestAroundFollowsWorktrees(t *testing.T) {
	dir := newRepo(t)
	put(t, dir+"/a", "a")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "x")
	git(t, dir, "worktree", "add", "-q", dir+"/wt")
	if repo.Around(view.Disk{}, "") != nil || repo.Around(view.Disk{}, "nowhere") != nil {
		t.Error("a name that is not absolute lies in a repository")
	}
	r := repo.Around(view.Disk{}, dir+"/wt")
	if r == nil || r.Top != dir+"/wt" || r.Common != dir+"/.git" || r.Lost(dir+"/wt/a") != "" {
		t.Errorf("%+v", r)
	}
	if err := os.Remove(dir + "/wt/.git"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir+"/.git", dir+"/wt/.git"); err != nil {
		t.Fatal(err)
	}
	if repo.Around(view.Disk{}, dir+"/wt") != nil {
		t.Error("a .git that is a link is followed")
	}
	put(t, dir+"/.git/commondir", dir+"/nowhere\n")
	if repo.Around(view.Disk{}, dir) != nil {
		t.Error("git goes by commondir, and nod does not")
	}
}

// Reading any index ends, and git has nothing that the index does not name.
func FuzzIndex(f *testing.F) {
	dir := newRepo(f)
	put(f, dir+"/a", "a")
	put(f, dir+"/b/c", "c")
	git(f, dir, "add", ".")
	for _, version := range []string{"2", "4"} {
		git(f, dir, "update-index", "--index-version", version)
		data, err := os.ReadFile(dir + "/.git/index")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, data string) {
		m := view.NewMemory(false)
		m.File("/r/.git/config", "", 0o644).File("/r/.git/index", data, 0o644).File("/r/a", "a", 0o644)
		r := repo.Around(m, "/r")
		id := sha1.Sum([]byte("blob 1\x00a"))
		if r == nil || r.Lost("/r/a") == "" && !strings.Contains(data, string(id[:])) {
			t.Error("git is said to have what the index does not name")
		}
		r.Tracks("/r/b")
		r.MayBeStaged()
	})
}

func TestRemotes(t *testing.T) {
	for url, want := range map[string]string{
		"https://github.com/Acme/shop.git":            "github.com/acme/shop",
		"https://ada:secret@github.com:443/acme/shop": "github.com/acme/shop",
		"git@github.com:acme/shop.git":                "github.com/acme/shop",
		"github.com:acme/group/shop.git/":             "github.com/acme/group/shop",
		"ssh://git@gitlab.example:2222/a/b/c.git":     "gitlab.example/a/b/c",
		"git@host:/srv/shop.git":                      "host/srv/shop",
		"/srv/shop.git":                               "",
		"../shop":                                     "",
		"file:///srv/shop.git":                        "",
		"":                                            "",
	} {
		text := "[core]\n\tbare = false\n[remote \"o\"]\n\tfetch = +refs/heads/*\n\tpushurl = " + url + "\n"
		files := view.NewMemory(false).File("/r/.git/config", text, 0o644)
		got, known := repo.Around(files, "/r").Remotes()
		if strings.Join(got, " ") != want || !known {
			t.Errorf("%q is %q, want %q; known: %v", url, got, want, known)
		}
	}
}
