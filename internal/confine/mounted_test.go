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

	"golang.org/x/sys/unix"
)

// MountedWord makes this test's program mount something in its workspace and run a line there.
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

// What is mounted inside the workspace cannot be shown: nothing is run, and the reason names it.
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

func workspaceIn(dir, line string) Options {
	return Options{Line: line, Shell: "/bin/bash", Dir: dir + "/home/shop", Root: dir + "/home/shop",
		Home: dir + "/home", Cache: dir + "/home/.cache/nod/confine",
		Environ: []string{"PATH=/usr/bin:/bin"}, Keep: func(string, bool) string { return "" }}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
