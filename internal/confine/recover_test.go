//go:build linux && (amd64 || arm64)

package confine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// KilledWord makes this test's program run a line and be killed while it applies
// what the line wrote.
const KilledWord = "confine-killed"

// MountedWord makes this test's program mount something in its workspace and run a
// line there.
const MountedWord = "confine-mounted"

// RunOverAMount is what a process of that word does: it prints what Run says.
func RunOverAMount(dir, stage string) int {
	o := workspaceIn(dir, stage, "echo ran > ran")
	err := unix.Mount("x", o.Root+"/sub dir", "tmpfs", 0, "")
	if err == nil {
		_, err = Run(context.Background(), o)
	}
	fmt.Println(err)
	return 0
}

// What is mounted inside the workspace cannot be shown: nothing is run, and the
// reason names it.
func TestAMountInsideTheWorkspace(t *testing.T) {
	dir, self := madeWorkspace(t)
	must(t, os.Mkdir(dir+"/home/shop/sub dir", 0o755))
	cmd := exec.Command(self, MountedWord, dir)
	cmd.SysProcAttr = namespace()
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "shop/sub dir is mounted inside the workspace") {
		t.Errorf("%v %s", err, out)
	}
	if _, err := os.Stat(dir + "/home/shop/ran"); err == nil {
		t.Error("it was run")
	}
}

// madeWorkspace is a directory with a workspace in which a line can be run.
func madeWorkspace(t *testing.T) (dir, self string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	self, err = os.Executable()
	must(t, err)
	must(t, os.MkdirAll(dir+"/home/shop", 0o755))
	if _, err := Run(t.Context(), workspaceIn(dir, self, "true")); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	return dir, self
}

// RunAndBeKilled is what a process of that word does in the directory.
func RunAndBeKilled(dir, stage string) int {
	o := workspaceIn(dir, stage, "head -c 9000000 /dev/zero | tr '\\0' n > big; mkdir -p a; echo new > a/other")
	o.Keep = func(name string, _ bool) string {
		if filepath.Base(name) == "big" { // the kernel ends who writes more, as it does where nothing is set
			var nothing [4]uint64
			_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGXFSZ), uintptr(unsafe.Pointer(&nothing)),
				0, 8, 0, 0)
			_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
			_ = unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 4 << 20, Max: 4 << 20})
		}
		return ""
	}
	_, _ = Run(context.Background(), o)
	return 0
}

func workspaceIn(dir, stage, line string) Options {
	return Options{Line: line, Shell: "/bin/bash", Dir: dir + "/home/shop", Root: dir + "/home/shop",
		Home: dir + "/home", Cache: dir + "/home/.cache/nod/confine",
		Environ: []string{"PATH=/usr/bin:/bin"}, Stage: stage, Keep: func(string, bool) string { return "" }}
}

// The next run removes what a run left that was killed while it was applied, and
// says so.
func TestKilledWhileItWasApplied(t *testing.T) {
	dir, self := madeWorkspace(t)
	root := dir + "/home/shop"
	text("old")(t, root+"/big")
	out, err := exec.Command(self, KilledWord, dir).CombinedOutput()
	left, _ := filepath.Glob(root + "/" + ownName + "*")
	if old, _ := os.ReadFile(root + "/big"); err == nil || len(left) != 1 || string(old) != "old" {
		t.Fatalf("it was not killed midway: %v %v %.300s", err, left, out)
	}
	r, err := Run(t.Context(), workspaceIn(dir, self, "true"))
	if err != nil || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], root) {
		t.Errorf("%+v %v", r, err)
	}
	if left, _ := filepath.Glob(root + "/" + ownName + "*"); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
	if r, err := Run(t.Context(), workspaceIn(dir, self, "true")); err != nil || len(r.Notes) != 0 {
		t.Errorf("it is said again: %+v %v", r, err)
	}
}

// What is removed is nod's own, and what the run replaced. What somebody changed
// meanwhile, and what a link leads to, stays.
func TestWhatAKilledRunLeft(t *testing.T) {
	before, after := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for name, row := range map[string]struct {
		make func(t *testing.T, at string)
		when time.Time
		left bool
	}{
		"the beginning of what was written": {make: text("what the run"), when: after},
		"all of what was written":           {make: text("what the run wrote"), when: after},
		"nothing yet":                       {make: text(""), when: after},
		"what was replaced":                 {make: text("old"), when: before},
		"what somebody changed meanwhile":   {make: text("somebody's"), when: after, left: true},
		"more than what was written":        {make: text("what the run wrote, and more"), when: after, left: true},
		"a link": {make: func(t *testing.T,
			at string) {
			must(t, os.Symlink("../../kept", at))
		}},
		"a directory": {make: func(t *testing.T, at string) { must(t, os.Mkdir(at, 0o755)) },
			left: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			run, root := filepath.Join(dir, "run4711"), filepath.Join(dir, "root")
			must(t, os.MkdirAll(filepath.Join(run, workspaceLayer, "a"), 0o755))
			must(t, os.MkdirAll(filepath.Join(root, "a"), 0o755))
			text("what the run wrote")(t, filepath.Join(run, workspaceLayer, "a/file"))
			text(root)(t, filepath.Join(run, rootFile))
			text("kept")(t, filepath.Join(dir, "kept"))
			at := filepath.Join(root, "a", ownName+"run4711")
			row.make(t, at)
			if !row.when.IsZero() {
				must(t, os.Chtimes(at, row.when, row.when))
			}
			notes := recovered(run)
			_, err := os.Lstat(at)
			if row.left != (err == nil) || len(notes) == 0 {
				t.Errorf("left: %v, want %v; %q", err == nil, row.left, notes)
			}
			if _, err := os.Stat(filepath.Join(dir, "kept")); err != nil {
				t.Error(err)
			}
		})
	}
}

func text(s string) func(t *testing.T, at string) {
	return func(t *testing.T, at string) { t.Helper(); must(t, os.WriteFile(at, []byte(s), 0o644)) }
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
