package place

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// Real is the name with links followed, or, where nobody can say where it leads, the name as it stands.
func (m *Machine) Real(name string) string {
	if real, err := view.Resolve(m.Files, name); err == nil {
		return real
	}
	return name
}

// Locate turns a name as written in a call into the real path it leads to. Relative names start at dir,
// "~/" at home. It is an error where nobody can say where the name leads.
func (m *Machine) Locate(dir, name string) (string, error) {
	return view.Resolve(m.Files, m.full(dir, name))
}

// full is a name that is written in dir, from the root.
func (m *Machine) full(dir, name string) string {
	if view.Windows(m.Files) {
		var ok bool
		if name, ok = view.Slashed(name); !ok {
			return "/:/" + name // which leads nowhere
		}
	}
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		return m.Home + name[1:]
	case !strings.HasPrefix(name, "/"):
		return dir + "/" + name
	}
	return name
}

// Readings returns where a name that is written in dir may lead; see [Workspace.Readings]. With an error it
// is the name as written, so that what must not be touched is known by its name at least.
func (m *Machine) Readings(dir, name string) ([]string, error) {
	reals, err := m.readings(dir, name)
	if bare := strings.TrimFunc(name, func(r rune) bool { // as JavaScript's trim, and what nobody sees
		return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' || r == '\u180e'
	}); bare != name {
		more, other := m.readings(dir, bare)
		return append(reals, more...), cmp.Or(err, other)
	}
	return reals, err
}

func (m *Machine) readings(dir, name string) ([]string, error) {
	full := m.full(dir, name)
	real, err := view.Resolve(m.Files, full)
	switch {
	case err != nil:
		return []string{path.Clean(full)}, err
	case !strings.Contains(full, ".."):
		return []string{real}, nil
	}
	lexical, err := view.Resolve(m.Files, path.Clean(full))
	return []string{real, lexical}, err
}

// UsableRoots returns the real paths of the call's usable roots. A root that holds the home directory, is
// one of the system's or is itself a place whose files run or are obeyed is no workspace.
func (m *Machine) UsableRoots(asked, environ []string) []string {
	var roots []string
	for _, list := range [...][]string{asked, m.Roots} {
		for _, root := range list {
			if real, err := view.Resolve(m.Files, root); err == nil && m.UsableRoot(real) &&
				!m.runByName(environ, real) {
				roots = append(roots, real)
			}
		}
	}
	return roots
}

// IsDirectory reports whether a directory stands at a name, no link.
func (m *Machine) IsDirectory(name string) bool {
	info, err := m.Files.Lstat(name)
	return err == nil && info.Mode.IsDir()
}

// UsableRoot reports whether a real directory may be a workspace: it holds no
// home, is not one of the system's, and nobody is set up there.
func (m *Machine) UsableRoot(root string) bool {
	if root == "/" || m.Home == "" || view.Within(m.Files, root, m.Home) ||
		m.RealHome != m.Home && view.Within(m.Files, root, m.RealHome) {
		return false
	}
	info, err := m.Files.Lstat(root)
	return err == nil && info.Mode.IsDir() && !systemDir(root) && !m.IsSelf(root) && !m.holdsAgents(root) &&
		!m.Guards.Match(afterWorktree(root)) && !m.holdsOwn(root)
}

// runByName reports whether PATH names a directory itself, and not by where
// the call is: what is written there is run by name later.
func (m *Machine) runByName(environ []string, root string) bool {
	value, _ := Lookup(environ, "PATH")
	return slices.ContainsFunc(strings.Split(value, ":"),
		func(elem string) bool { return path.IsAbs(elem) && m.Real(path.Clean(elem)) == root })
}

// afterWorktree is a path from where its names count: behind a working tree
// that an agent made below a directory of its own (.claude/worktrees/NAME).
func afterWorktree(real string) string {
	lower := strings.ToLower(real)
	if !strings.Contains(lower, "/worktree") {
		return real
	}
	for _, below := range hosts.Home() {
		for _, kind := range [...]string{"/worktrees/", "/worktree/"} {
			mark := "/" + below + kind
			if i := strings.LastIndex(lower, mark); i >= 0 && i+len(mark) < len(real) {
				_, rest, _ := strings.Cut(real[i+len(mark):], "/")
				return "/" + rest
			}
		}
	}
	return real
}

// systemDir reports whether dir is the system's own: the top-level
// directories themselves, and everything below those that hold no projects.
func systemDir(dir string) bool {
	parts := paths.Fold(dir)
	if len(parts) <= 1 {
		return true
	}
	switch parts[0] {
	case "usr":
		return parts[1] != "src" && !(len(parts) > 2 && parts[1] == "local" && parts[2] == "src")
	case "etc", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "boot", "dev", "proc", "sys", "run", "system",
		"applications", "library":
		return true
	case "private", "var": // macOS keeps etc, tmp and var in the first
		return len(parts) == 2 && parts[1] != "www"
	}
	return false
}

// Inside reports whether a real path lies in one of the roots, as part of the same repository: a nested
// worktree or submodule counts only when its .git file leads back into the root's own.
func (m *Machine) Inside(roots []string, real string) bool {
	for _, root := range roots {
		if view.Within(m.Files, root, real) {
			return !m.foreignWorktree(root, real)
		}
	}
	return false
}

// foreignWorktree reports whether a directory between root and real has a
// .git file that leads out of root's repository.
func (m *Machine) foreignWorktree(root, real string) bool {
	for dir := path.Dir(real); view.Below(root, dir) && dir != root; dir = path.Dir(dir) {
		info, err := m.Files.Lstat(dir + "/.git")
		if err != nil || info.Mode.IsDir() {
			continue
		}
		own := gitDir(repo.Around(m.Files, root), root)
		if r := repo.Around(m.Files, dir); r == nil || !view.Within(m.Files, own, r.Dir) {
			return true
		}
	}
	return false
}

// gitDir is the directory of git's that root has, or, of a linked worktree, that of all. r is
// the repository around root.
func gitDir(r *repo.Repo, root string) string {
	if r != nil && r.Top == root {
		return r.Common
	}
	return root + "/.git"
}

// Lookup returns the value of a variable; the last one counts.
func Lookup(environ []string, name string) (string, bool) {
	for i := len(environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(environ[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

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
	maxDeep     = 2000   // the same for a glob that goes down all levels
)

// Matches returns what a pattern may match now, in any shell. all says that these
// names are all, and that every shell matches these.
func (m *Machine) Matches(pattern string) (found []string, all bool) {
	found, all, _ = m.matches(pattern)
	return found, all
}

// MatchesTooMuch reports whether a pattern matches more names, or goes down more levels, than are looked at.
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
	match := paths.GlobMatch
	if view.Windows(m.Files) {
		match = paths.FindMatch // PowerShell's * takes any case, and names with a dot before them
	}
	for _, entry := range entries {
		if match(part, entry) {
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

// directoriesBelow are a directory and those below it. all is false where there are more than are looked at.
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
