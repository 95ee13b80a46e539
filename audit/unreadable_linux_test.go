package audit

import (
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// A log of another user is an error, not an empty log.
func TestUnreadable(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to become another user: skipped")
	}
	dir := stateDir(t)
	write(t, dir, Entry{ID: "1"})
	done := make(chan []string)
	go func() { // this goroutine's thread alone becomes another user, and ends with it
		runtime.LockOSThread()
		syscall.RawSyscall(syscall.SYS_SETRESUID, 65534, 65534, 65534)
		done <- readings(Read(dir, Filter{}))
	}()
	got := <-done
	if len(got) == 0 || !strings.Contains(got[0], "permission denied") {
		t.Errorf("read %q", got)
	}
}
