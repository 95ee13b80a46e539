//go:build unix

package keep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// version is that of the manifest. Fields are only ever added under it.
const version = 1

// Kept is a call with what is kept of it.
type Kept struct {
	Version int `json:"v"`
	Call
	Held  int64                  `json:"held"` // bytes
	Files []KeptFile             `json:"files"`
	Dirs  map[string]fs.FileMode `json:"dirs"` // those above the files, as they were
	name  string                 // of its directory
}

// KeptFile is a file, link or directory that is kept.
type KeptFile struct {
	Path string      `json:"path"`
	Mode fs.FileMode `json:"mode"`
	Time time.Time   `json:"time"` // when it was written last
	Size int64       `json:"size,omitempty"`
	Link string      `json:"link,omitempty"` // what a link says
	In   string      `json:"in,omitempty"`   // the file of the call's directory that has the bytes
	At   int64       `json:"at,omitempty"`   // where they begin there
}

// read returns the call of an entry.
func (s *Store) read(e entry) (k Kept, err error) {
	name := filepath.Join(s.dir, e.name, manifestName)
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	switch {
	case err != nil:
		return k, fmt.Errorf("%s cannot be read: %w; that call cannot be undone, remove its directory", name, err)
	case k.Version != version:
		return k, fmt.Errorf("%s has version %d, not %d; use the nod that wrote it", name, k.Version, version)
	case k.ID != e.id:
		return k, fmt.Errorf("%s is of another call, %q; remove its directory", name, k.ID)
	}
	k.name = e.name
	return k, nil
}

// bytes opens the file that has the bytes of a kept one, where they begin. It refuses
// what is no longer that.
func (s *Store) bytes(k Kept, f KeptFile) (*os.File, error) {
	file, err := os.Open(filepath.Join(s.dir, k.name, filepath.Base(f.In)))
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case info.Size() < f.At+f.Size:
		err = errors.New("its kept bytes are cut off; they are lost")
	default:
		_, err = file.Seek(f.At, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return file, nil
}
