package keep

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	partPrefix = "part-" // a call that is being kept
	gonePrefix = "gone-" // one that is being removed
	// abandoned is how old a directory is that no living run works on.
	abandoned = 10 * time.Minute
)

// prune removes what is too old or too much, oldest first, and what killed runs left
// behind. What it cannot remove stays for the next run: that is no reason to stop a
// call whose files are kept.
func (s *Store) prune() {
	list, rest, _ := s.entries()
	for _, name := range rest {
		if strings.HasPrefix(name, partPrefix) || strings.HasPrefix(name, gonePrefix) {
			s.sweep(filepath.Join(s.dir, name))
		}
	}
	held := int64(0)
	for _, e := range list {
		held += e.held
	}
	for _, e := range list {
		if held <= s.o.Held && s.o.Now().Sub(e.time) <= s.o.Age {
			return
		}
		held -= e.held
		s.remove(e)
	}
}

// remove takes the call's name away first, so that nobody sees half of it.
func (s *Store) remove(e entry) {
	gone := filepath.Join(s.dir, gonePrefix+e.name)
	s.step()
	if os.Rename(filepath.Join(s.dir, e.name), gone) != nil {
		return // another process was faster
	}
	s.step()
	os.RemoveAll(gone)
}

func (s *Store) sweep(dir string) {
	if info, err := os.Lstat(dir); err == nil && s.o.Now().Sub(info.ModTime()) > abandoned {
		os.RemoveAll(dir)
	}
}
