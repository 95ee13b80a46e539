package lines

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nodgate/nod/internal/system"
)

// Read reads a whole file of this user's alone, and never makes it. The error wraps fs.ErrNotExist for a missing file.
func Read(name string, limit int64) ([]byte, error) {
	file, err := system.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := checkFile(name, file); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s is longer than %d KiB; shorten it, or remove it", name, limit>>10)
	}
	return text, err
}

// Replace writes a new file beside name and renames it into place, so that a reader sees the old text or the new
// one. A group of -1 is that of the process.
func Replace(name string, text []byte, mode fs.FileMode, group int) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone once it is renamed
	_, err = f.Write(text)
	if group >= 0 && group != os.Getegid() {
		err = errors.Join(err, f.Chown(-1, group))
	}
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	return system.Sync(filepath.Dir(name))
}
