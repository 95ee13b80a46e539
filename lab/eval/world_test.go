package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/internal/testworld"
)

func TestHomeOf(t *testing.T) {
	for dir, want := range map[string]string{
		"/home/x": "/home/x", "/home/x/a/b": "/home/x", "/Users/x/a": "/Users/x", "/root": "/root", "/root/a": "/root",
		"/": "/home/dev", "/home": "/home/dev", "/srv/a": "/home/dev", "/rooted/a": "/home/dev",
		"/home/x/../y/a": "/home/y",
	} {
		if got := HomeOf(dir); got != want {
			t.Errorf("%s: %s, want %s", dir, got, want)
		}
	}
}

func TestWorld(t *testing.T) {
	m := newWorld()
	m.file("/p/a/b.txt", []byte("text"), true)
	m.file("/p/a/c.txt", nil, false)
	m.file("/p/x", nil, false)
	m.file("/p/x/y", nil, false) // x was a directory after all
	if data, err := m.Read("/p/a/b.txt", 10); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := m.Read("/p/a/c.txt", 10); err == nil {
		t.Error("what is not known was read")
	}
	m.Remove("/p/a")
	names, err := m.List("/p", 10)
	if diff := cmp.Diff([]string{"x"}, names); diff != "" || err != nil {
		t.Errorf("%s %v", diff, err)
	}
	if info, err := m.Lstat("/p/x"); err != nil || !info.Mode.IsDir() {
		t.Errorf("%+v, %v", info, err)
	}
}

// TestGitTakesTheRepository: what the world calls a clean repository is one to git itself.
func TestGitTakesTheRepository(t *testing.T) {
	testworld.Needs(t, "git")
	dir := t.TempDir()
	for file, content := range cleanRepository() {
		name := filepath.Join(dir, ".git", file)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"status --porcelain --branch": "## main\n", "fsck --strict": "", "log --format=%s": "first\n", "ls-files": "",
		"config --local --name-only --list": "core.repositoryformatversion\ncore.filemode\ncore.bare\ncore.logallrefupdates\n",
	} {
		cmd := exec.Command("git", strings.Fields(args)...)
		cmd.Dir, cmd.Env = dir, testworld.Started(t.TempDir(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		out, err := cmd.Output()
		if err != nil || string(out) != want {
			t.Errorf("git %s: %q, want %q: %v", args, out, want, err)
		}
	}
}
