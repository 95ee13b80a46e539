//go:build linux && (amd64 || arm64)

package confine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
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
func RunOverAMount(dir string) int {
	o := workspaceIn(dir, "echo ran > ran")
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
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
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
	if _, err := Run(t.Context(), workspaceIn(dir, "true")); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	return dir, self
}

// RunAndBeKilled is what a process of that word does in the directory.
func RunAndBeKilled(dir string) int {
	o := workspaceIn(dir, "head -c 9000000 /dev/zero | tr '\\0' n > big; mkdir -p a; echo new > a/other")
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

func workspaceIn(dir, line string) Options {
	return Options{Line: line, Shell: "/bin/bash", Dir: dir + "/home/shop", Root: dir + "/home/shop",
		Home: dir + "/home", Cache: dir + "/home/.cache/nod/confine",
		Environ: []string{"PATH=/usr/bin:/bin"}, Keep: func(string, bool) string { return "" }}
}

// The next run says what a run left that was killed while it was applied, once, and
// removes nothing of the workspace: it may be what somebody changed meanwhile.
func TestKilledWhileItWasApplied(t *testing.T) {
	dir, self := madeWorkspace(t)
	t.Cleanup((&lease{run: dir}).end) // of a killed run the kernel leaves directories that only root may enter
	root := dir + "/home/shop"
	must(t, os.WriteFile(root+"/big", []byte("old"), 0o644))
	out, err := exec.Command(self, KilledWord, dir).CombinedOutput()
	left, _ := filepath.Glob(root + "/" + ownName + "*")
	if old, _ := os.ReadFile(root + "/big"); err == nil || len(left) != 1 || string(old) != "old" {
		t.Fatalf("it was not killed midway: %v %v %.300s", err, left, out)
	}
	r, err := Run(t.Context(), workspaceIn(dir, "true"))
	if err != nil || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], root) ||
		!strings.Contains(r.Notes[0], filepath.Base(left[0])) || !exists(left[0]) {
		t.Errorf("%+v %v", r, err)
	}
	if r, err := Run(t.Context(), workspaceIn(dir, "true")); err != nil || len(r.Notes) != 0 {
		t.Errorf("it is said again: %+v %v", r, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
