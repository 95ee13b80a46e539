package confine

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// inode is a file, whatever its names.
type inode struct{ device, number uint64 }

// linked are the secrets that have a further name somewhere.
type linked map[inode]bool

// add looks at a secret: a file, or a directory and what lies right in it.
func (l linked) add(name string) {
	info, err := os.Stat(name)
	if err != nil {
		return
	}
	l.file(info)
	if !info.IsDir() {
		return
	}
	entries, _ := os.ReadDir(name)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			l.file(info)
		}
	}
}

func (l linked) file(info fs.FileInfo) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok && info.Mode().IsRegular() && s.Nlink > 1 {
		l[inode{s.Dev, s.Ino}] = true
	}
}

// otherNames takes those names of secrets out of the workspace that no pattern
// knows: hard links. All names are looked at once more, where a secret has
// further names at all.
func (m *masker) otherNames(stores []string) error {
	all := linked{}
	for _, name := range m.names {
		all.add(filepath.Join(m.root, name))
	}
	for _, name := range stores {
		all.add(name)
	}
	if len(all) == 0 {
		return nil
	}
	return filepath.WalkDir(m.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // what cannot be read here cannot be read inside
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if s := info.Sys().(*syscall.Stat_t); s.Nlink > 1 && all[inode{s.Dev, s.Ino}] && !m.hides(name) {
			m.names = append(m.names, below(m.root, name))
			return whiteout(m.root, m.mask, below(m.root, name))
		}
		return nil
	})
}

func (m *masker) hides(name string) bool { return m.hidden != nil && m.hidden(name) }
