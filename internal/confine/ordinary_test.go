//go:build linux && (amd64 || arm64)

package confine_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is a user that no list of users has.
const nobody = 64321

// What holds for root holds for anybody: where root tests, the tests of the
// boundary run once more as another user, in a directory of that user's.
func TestAsAnOrdinaryUser(t *testing.T) {
	switch {
	case os.Getuid() != 0:
		t.Skip("SKIPPED: the other tests ran as an ordinary user")
	case testing.Short():
		t.Skip("left to the deep run: the same as an ordinary user")
	}
	dir, err := os.MkdirTemp("", "nod-ordinary-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program := filepath.Join(dir, "confine.test")
	copySelf(t, program)
	must(t, os.Chown(dir, nobody, nobody))
	cmd := exec.Command(program, "-test.v", "-test.run",
		"TestNobodyGetsOut|TestWhatIs|TestALine|TestALinked|TestTheRepository|TestChanged|TestNothing|TestADirectory|TestWhatARun")
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "TMPDIR=" + dir, "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	switch text := string(out); {
	case len(out) == 0 && err != nil:
		t.Skipf("SKIPPED: no program can be started as another user: %v", err)
	case err != nil:
		t.Errorf("%v\n%s", err, text)
	case strings.Contains(text, "--- SKIP"):
		t.Skipf("SKIPPED: %s", text)
	case strings.Count(text, "--- PASS") < 12:
		t.Errorf("few tests ran:\n%s", text)
	}
}
