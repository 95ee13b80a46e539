package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Whoever holds the lock for ever does not stop the person for ever.
func TestALockThatIsHeld(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trust.lock")
	holder, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	if err := syscall.Flock(int(holder.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if unlock, err := lock(name); err == nil || !strings.Contains(err.Error(), "held by another process") {
		t.Errorf("%v", err)
		if err == nil {
			unlock()
		}
	}
	if err := syscall.Flock(int(holder.Fd()), syscall.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	unlock, err := lock(name)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}
