package proof

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAProofHoldsForWhatWasTried(t *testing.T) {
	state := t.TempDir()
	program := filepath.Join(t.TempDir(), "bwrap")
	if Holds(state) {
		t.Error("nothing was tried")
	}
	if _, err := os.Stat("/proc/sys/kernel/osrelease"); err != nil {
		t.Skip("SKIPPED: no /proc")
	}
	if err := os.WriteFile(program, []byte("x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(state, program); err != nil || !Holds(state) {
		t.Fatal(err)
	}
	if err := os.Chtimes(program, time.Unix(1, 0), time.Unix(1, 0)); err != nil || Holds(state) {
		t.Error("another bubblewrap holds", err)
	}
	if err := Write(state, program); err != nil || !Holds(state) {
		t.Fatal(err)
	}
	if Forget(state); Holds(state) {
		t.Error("what is forgotten holds")
	}
}
