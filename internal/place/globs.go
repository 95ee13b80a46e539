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

// ThroughLinks are the names, and where those that are links lead.
func (m *Machine) ThroughLinks(names []string) []string {
	for _, name := range slices.Clone(names) {
		if info, err := m.Files.Lstat(name); err != nil || info.Mode&fs.ModeSymlink != 0 { // or a link is on the way
			names = append(names, m.Real(name))
		}
	}
	return names
}

const (
	MaxMatches  = 10_000 // names of one directory, and of one glob
	maxListings = 100    // directories that are listed for one glob
)

// Matches returns what a pattern matches now.
func (m *Machine) Matches(pattern string) (found []string, all bool) {
	found, all = []string{""}, !strings.Contains(pattern, "**")
	listings := 0
	for part := range strings.SplitSeq(pattern, "/") {
		if part == "" || part == "." {
			continue
		}
		var next []string
		for _, dir := range found {
			if part == ".." { // of where a link leads
				next = append(next, strings.TrimSuffix(path.Dir(m.Real(cmp.Or(dir, "/"))), "/"))
				continue
			}
			if !strings.ContainsAny(part, "*?[\\") {
				next = append(next, dir+"/"+part)
				continue
			}
			if listings++; listings > maxListings {
				return found, false
			}
			entries, err := m.Files.List(m.Real(cmp.Or(dir, "/")), MaxMatches)
			all = all && (err == nil || errors.Is(err, fs.ErrNotExist) || !m.mayList(dir))
			for _, entry := range entries {
				if paths.GlobMatch(part, entry) && len(next) < MaxMatches {
					next = append(next, dir+"/"+entry)
				}
			}
			all = all && len(next) < MaxMatches
		}
		found = next
	}
	return found, all
}

// mayList is false for an ordinary file.
func (m *Machine) mayList(name string) bool {
	info, err := m.Files.Lstat(cmp.Or(name, "/"))
	return err != nil || info.Mode&fs.ModeType != 0
}
