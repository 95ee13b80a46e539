package place

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// Names are the files that an effect may mean: its target by either name, and
// for a glob what it matches now. all is false where that cannot be said.
func (m *Machine) Names(e shell.Effect) (names []string, all bool) {
	if e.Target == "" {
		return nil, false
	}
	names = []string{e.Target}
	if e.Name != "" {
		names = append(names, e.Name)
	}
	if e.Pattern == "" {
		return names, true
	}
	matched, all := m.Matches(e.Pattern)
	return append(append(names, e.Pattern), matched...), all
}

// ThroughLinks are the names, and where those lead that are links or lie behind one.
func (m *Machine) ThroughLinks(names []string) []string {
	reals := map[string]string{} // of directories
	for _, name := range slices.Clone(names) {
		dir := path.Dir(name)
		if _, ok := reals[dir]; !ok {
			reals[dir] = m.Real(dir)
		}
		if info, err := m.Files.Lstat(name); err != nil || info.Mode&fs.ModeSymlink != 0 || reals[dir] != dir {
			names = append(names, m.Real(name))
		}
	}
	return names
}

const (
	MaxMatches  = 10_000 // names of one directory, and of one glob
	maxListings = 100    // directories that are listed for one glob
	maxDeep     = 2000   // the same for one that goes down all levels
)

// Matches returns what a pattern may match now, in any shell. all says that these
// names are all, and that every shell matches these.
func (m *Machine) Matches(pattern string) (found []string, all bool) {
	found, all, _ = m.matches(pattern)
	return found, all
}

// MatchesTooMuch reports whether a pattern matches more names, or goes down more
// levels, than are looked at.
func (m *Machine) MatchesTooMuch(pattern string) bool {
	_, _, cut := m.matches(pattern)
	return cut
}

func (m *Machine) matches(pattern string) (found []string, all, cut bool) {
	deep := strings.Contains(pattern, "**")
	found, all = []string{""}, !deep
	listings := 0
	for part := range strings.SplitSeq(pattern, "/") {
		if part == "" || part == "." {
			continue
		}
		var next []string
		for _, dir := range found {
			if part == ".." {
				next = append(next, m.above(dir))
				continue
			}
			if name, ok := paths.GlobLiteral(part); ok {
				next = append(next, dir+"/"+name)
				continue
			}
			if listings++; listings > maxListings && !deep || listings > maxDeep ||
				!view.Below("/proc", dir) && view.Below("/proc", m.Real(cmp.Or(dir, "/"))) { // another for each process
				return found, false, true
			}
			if part == "**" || part == "***" { // zsh goes down all levels
				below, whole := m.directoriesBelow(dir)
				next, cut = append(next, below...), cut || !whole
			}
			matched, whole, tooMany := m.matchesIn(dir, part)
			next, all, cut = append(next, matched...), all && whole, cut || tooMany
		}
		if found = next; len(found) >= MaxMatches {
			return found[:MaxMatches], false, true
		}
	}
	return found, all, cut
}

// above is the directory that ".." names behind another: of where a link leads.
func (m *Machine) above(dir string) string {
	return strings.TrimSuffix(path.Dir(m.Real(cmp.Or(dir, "/"))), "/")
}

// matchesIn are the names of a directory that one part of a pattern matches. Some shells count "." and ".."
// among them. tooMany says that a shell may see what is not looked at.
func (m *Machine) matchesIn(dir, part string) (names []string, all, tooMany bool) {
	real := m.Real(cmp.Or(dir, "/"))
	entries, err := m.Files.List(real, 2*MaxMatches)
	unseen := err != nil && !errors.Is(err, fs.ErrNotExist)
	tooMany = unseen && !errors.Is(err, fs.ErrPermission) && m.IsDirectory(real)
	info, there := m.Files.Lstat(cmp.Or(dir, "/"))
	all = !unseen || there == nil && info.Mode.IsRegular()
	for _, entry := range entries {
		if paths.GlobMatch(part, entry) {
			names = append(names, dir+"/"+entry)
		}
	}
	for _, other := range [...]string{".", ".."} {
		if part[0] == '.' && paths.GlobMatch(part, other) {
			names, all = append(names, dir), false
			if other == ".." {
				names[len(names)-1] = m.above(dir)
			}
		}
	}
	return names, all, tooMany
}

// directoriesBelow are a directory and those below it. all is false where there are
// more than are looked at.
func (m *Machine) directoriesBelow(start string) (dirs []string, all bool) {
	dirs = []string{start}
	err := view.Walk(m.Files, start, 2*MaxMatches, func(name string, kind fs.FileMode, err error) error {
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission), len(dirs) > maxDeep:
			return fs.SkipAll
		case err != nil || !kind.IsDir() || path.Base(name)[0] == '.':
			return fs.SkipDir
		}
		dirs = append(dirs, name)
		return nil
	})
	return dirs, err == nil
}
