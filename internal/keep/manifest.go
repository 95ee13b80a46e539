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

	"github.com/nodgate/nod/internal/jsonline"
)

// version is that of the manifest. Fields are only ever added under it.
const version = 1

// Kept is a call with what is kept of it.
type Kept struct {
	Version int `json:"v"`
	Call
	Held  int64       `json:"held"` // bytes
	Files []KeptFile  `json:"files"`
	Dirs  []Directory `json:"dirs"` // those above the files, as they were
	name  string      // of its directory
}

// KeptFile is a file, link or directory that is kept.
type KeptFile struct {
	Path string      `json:"path"`
	Mode fs.FileMode `json:"mode"`
	Time time.Time   `json:"time"` // when it was written last
	Size int64       `json:"size"`
	Link string      `json:"link"` // what a link says
	In   string      `json:"in"`   // the file of the call's directory that has the bytes
	At   int64       `json:"at"`   // where they begin there
}

// Directory is one above a kept file.
type Directory struct {
	Path string      `json:"path"`
	Mode fs.FileMode `json:"mode"`
}

// encode writes the manifest. The hook keeps at each call, and encoding/json would
// learn these types each time.
func encode(k Kept) []byte {
	o := jsonline.Sized(512 + 160*len(k.Files))
	o.Int("v", version)
	o.Text("id", k.ID)
	o.Text("agent", k.Agent)
	o.Text("session", k.Session)
	o.Text("tool", k.Tool)
	o.Text("words", k.Words)
	o.Text("dir", k.Dir)
	o.Time("time", k.Time)
	o.List("objects", len(k.Objects), func(i int) {
		o.Text("repo", k.Objects[i].Repo)
		o.Text("name", k.Objects[i].Name)
		o.Text("what", k.Objects[i].What)
	})
	o.Int("held", k.Held)
	o.List("files", len(k.Files), func(i int) { encodeFile(o, k.Files[i]) })
	o.List("dirs", len(k.Dirs), func(i int) {
		o.Text("path", k.Dirs[i].Path)
		o.Int("mode", int64(k.Dirs[i].Mode))
	})
	return append(o.Bytes(), '\n')
}

func encodeFile(o *jsonline.Object, f KeptFile) {
	o.Text("path", f.Path)
	o.Int("mode", int64(f.Mode))
	o.Time("time", f.Time)
	o.IntIf("size", f.Size)
	o.TextIf("link", f.Link)
	o.TextIf("in", f.In)
	o.IntIf("at", f.At)
}

// maxManifest bounds what is read: 5000 long names fit.
const maxManifest = 64 << 20

// read returns the call of an entry.
func (s *Store) read(e entry) (k Kept, err error) {
	name := filepath.Join(s.dir, e.name, manifestName)
	f, err := os.Open(name)
	if err != nil {
		return k, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxManifest))
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

// Read returns the kept bytes of a file, or an error where there are more than limit.
func (s *Store) Read(k Kept, f KeptFile, limit int64) ([]byte, error) {
	if f.Size > limit {
		return nil, fmt.Errorf("%s has %d bytes, more than %d; restore it, or look at a copy", f.Path, f.Size, limit)
	}
	from, err := s.bytes(k, f)
	if err != nil {
		return nil, err
	}
	defer from.file.Close()
	return io.ReadAll(from)
}

// source are the kept bytes of one file.
type source struct {
	io.Reader
	file *os.File
}

// bytes opens what is kept of a file, and refuses what is no longer that.
func (s *Store) bytes(k Kept, f KeptFile) (source, error) {
	if f.In != filepath.Base(f.In) || f.In == "" {
		return source{}, fmt.Errorf("%s: no bytes are kept of it", f.Path)
	}
	file, err := os.Open(filepath.Join(s.dir, k.name, f.In))
	if err != nil {
		return source{}, err
	}
	info, err := file.Stat()
	whole := f.In != packName
	switch {
	case err != nil:
	case whole && (info.Size() != f.Size || !info.ModTime().Equal(f.Time)):
		err = errors.New("its kept bytes were changed through another name of the file; look for that one")
	case info.Size() < f.At+f.Size:
		err = errors.New("its kept bytes are cut off; they are lost")
	}
	if err != nil {
		file.Close()
		return source{}, fmt.Errorf("%s: %w", f.Path, err)
	}
	return source{io.NewSectionReader(file, f.At, f.Size), file}, nil
}
