package confine

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"
)

// inode is a file, whatever its names.
type inode struct{ device, number uint64 }

// linked are the secrets that have a further name somewhere.
type linked map[inode]bool

// maxStored bounds how many names of a store are looked at.
const maxStored = 100_000

// add looks at a secret, which lies at a real path: a file, or a directory and all
// that lies below it. What is not there has no further name.
func (l linked) add(name, real string) error {
	seen := 0
	return filepath.WalkDir(real, func(_ string, d fs.DirEntry, err error) error {
		if seen++; seen > maxStored {
			return fmt.Errorf("%s, which holds secrets, has more than %d names", name, maxStored)
		}
		if err != nil {
			return nil // what cannot be read here cannot be read inside
		}
		if info, err := d.Info(); err == nil {
			l.file(info)
		}
		return nil
	})
}

func (l linked) file(info fs.FileInfo) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok && info.Mode().IsRegular() && s.Nlink > 1 {
		l[inode{s.Dev, s.Ino}] = true
	}
}

// otherNames takes those names of secrets out of the workspace that no pattern
// knows: hard links. All names are looked at once more, where a secret has
// further names at all.
func (m *masker) otherNames(stores []shown) error {
	all, stores := linked{}, slices.Clone(stores)
	for _, name := range m.names {
		name = filepath.Join(m.root, name)
		real, _ := filepath.EvalSymlinks(name)
		stores = append(stores, shown{name, real})
	}
	for _, s := range stores {
		if err := all.add(s.name, s.real); err != nil {
			return err
		}
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
