//go:build unix

package keep

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/nodgate/nod/internal/lines"
)

// noWait: a FIFO that has come in the place of a file stops nobody.
const noWait = syscall.O_NONBLOCK

// private makes the directory, or refuses one that others may use.
func private(dir string) error { return lines.PrivateDir(dir) }

// syncDir brings the names in a directory to the disk.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// lock lets one process restore at a time. It ends with the process.
func lock(dir string) (unlock func(), err error) {
	f, err := lines.Open(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	for range 500 {
		if f.Lock() {
			return func() { f.Close() }, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	f.Close()
	return nil, fmt.Errorf("another nod undo has been at work for ten seconds; wait for it (%s)", f.Name())
}
