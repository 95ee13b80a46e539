package nod

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/view"
)

// locate turns a name as written in a call into the real path it leads to.
// Relative names start at dir, "~/" at home. It is an error where nobody can
// say where the name leads.
func (g *Gate) locate(dir, name string) (string, error) {
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		name = g.home + name[1:]
	case !strings.HasPrefix(name, "/"):
		name = dir + "/" + name
	}
	return view.Resolve(g.files, name)
}

// reading is where a name leads.
type reading struct {
	name  string
	reals []string
	err   error
}

// readings returns where a path of the call may lead: as the kernel follows
// it, and, where that differs, with ".." taken out of the text first, as many
// hosts do before they open a file. All of them count; one that nobody can
// say is "", with an error. Several layers ask, and all get one answer.
func (t *trial) readings(name string) ([]string, error) {
	for _, r := range t.named {
		if r.name == name {
			return r.reals, r.err
		}
	}
	reals, err := t.gate.readings(t.call.Dir, name)
	t.named = append(t.named, reading{name, reals, err})
	return reals, err
}

func (g *Gate) readings(dir, name string) ([]string, error) {
	real, err := g.locate(dir, name)
	if !strings.Contains(name, "..") && !strings.Contains(dir, "..") {
		return []string{real}, err
	}
	full := name
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		full = g.home + name[1:]
	case !strings.HasPrefix(name, "/"):
		full = dir + "/" + name
	}
	lexical, lexicalErr := g.locate(dir, path.Clean(full))
	if err == nil {
		err = lexicalErr
	}
	return []string{real, lexical}, err
}

// workspace returns the real paths of the call's usable roots. A root that
// holds the home directory, is one of the system's or is itself a place whose
// files run or are obeyed is no workspace.
func (g *Gate) workspace(c Call) []string {
	var roots []string
	for _, list := range [...][]string{c.Roots, g.roots} {
		for _, root := range list {
			if real, err := view.Resolve(g.files, root); err == nil && g.usableRoot(real) && !g.runByName(c, real) {
				roots = append(roots, real)
			}
		}
	}
	return roots
}

func (g *Gate) usableRoot(root string) bool {
	if root == "/" || g.home == "" || view.Within(g.files, root, g.home) || g.realHome != g.home && view.Within(g.files, root, g.realHome) {
		return false
	}
	info, err := g.files.Lstat(root)
	return err == nil && info.Mode.IsDir() && !systemDir(root) && !g.isSelf(root) && !g.holdsSettings(root) &&
		!g.guards.Match(afterWorktree(root))
}

// runByName reports whether PATH names a directory itself, and not by where
// the call is: what is written there is run by name later.
func (g *Gate) runByName(c Call, root string) bool {
	value, _ := lookup(c.Environ, "PATH")
	for elem := range strings.SplitSeq(value, ":") {
		if path.IsAbs(elem) && g.real(path.Clean(elem)) == root {
			return true
		}
	}
	return false
}

// afterWorktree is a path from where its names count: behind a working tree
// that an agent made below a directory of its own (.claude/worktrees/NAME).
func afterWorktree(real string) string {
	lower := strings.ToLower(real)
	if !strings.Contains(lower, "/worktree") {
		return real
	}
	for _, a := range hosts.Agents() {
		for _, below := range a.Home {
			for _, kind := range [...]string{"/worktrees/", "/worktree/"} {
				mark := "/" + below + kind
				if i := strings.LastIndex(lower, mark); i >= 0 && i+len(mark) < len(real) {
					_, rest, _ := strings.Cut(real[i+len(mark):], "/")
					return "/" + rest
				}
			}
		}
	}
	return real
}

// holdsSettings reports whether a directory is where agents or nod are set up:
// one of an agent's own or below it, or one that such a directory, or nod's
// settings, state or programs, lie in. What else leads there is guarded by agentsOwn.
func (g *Gate) holdsSettings(root string) bool {
	lower := strings.ToLower(root)
	if g.agentsOwn(root) {
		return true
	}
	for _, own := range g.agentDirs() {
		if own.named && view.Below(lower, own.lower) {
			return true
		}
	}
	for _, own := range g.self() {
		info, err := g.files.Lstat(own.name)
		if err == nil && info.Mode.IsDir() && view.Below(lower, own.lower) || path.Dir(own.lower) == lower {
			return true
		}
	}
	return false
}

// agentDir is a directory of an agent's own.
type agentDir struct {
	ownPath
	named bool // as it is named below home, not as it leads
}

// ownDirs lists the agents' own directories below home, and where they lead.
func (g *Gate) ownDirs() (dirs []agentDir) {
	for _, a := range hosts.Agents() {
		for _, below := range a.Home {
			for _, home := range [...]string{g.home, g.realHome} {
				if name := home + "/" + below; home != "" && !slices.ContainsFunc(dirs, func(d agentDir) bool { return d.name == name }) {
					dirs = append(dirs, agentDir{ownPath{name, strings.ToLower(name)}, true})
				}
			}
		}
	}
	for _, d := range dirs {
		if real := g.real(d.name); real != d.name {
			dirs = append(dirs, agentDir{ownPath{real, strings.ToLower(real)}, false})
		}
	}
	return dirs
}

// agentsOwn reports whether a real path is a directory of an agent's own, or
// below one, but for the working trees that some agents keep there.
func (g *Gate) agentsOwn(real string) bool {
	lower := strings.ToLower(real)
	return slices.ContainsFunc(g.agentDirs(), func(d agentDir) bool {
		if !view.Below(d.lower, lower) {
			return false
		}
		first, rest, _ := strings.Cut(strings.TrimPrefix(lower[len(d.lower):], "/"), "/")
		return first != "worktrees" && first != "worktree" || rest == ""
	})
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
	case "etc", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "boot", "dev", "proc", "sys", "run", "system", "applications", "library":
		return true
	case "private": // macOS keeps etc, tmp and var there
		return len(parts) == 2
	case "home", "users":
		return false
	case "var":
		return len(parts) == 2 && parts[1] != "www"
	}
	return false
}

// inside reports whether a real path lies in one of the roots, as part of the
// same repository: a nested worktree or submodule counts only when its .git
// file leads back into the root's own.
func (g *Gate) inside(roots []string, real string) bool {
	for _, root := range roots {
		if view.Within(g.files, root, real) {
			return !g.foreignWorktree(root, real)
		}
	}
	return false
}

// foreignWorktree reports whether a directory between root and real has a
// .git file that leads out of root.
func (g *Gate) foreignWorktree(root, real string) bool {
	for dir := path.Dir(real); view.Below(root, dir) && dir != root; dir = path.Dir(dir) {
		info, err := g.files.Lstat(dir + "/.git")
		if err != nil || info.Mode.IsDir() {
			continue
		}
		if !g.leadsBack(root, dir) {
			return true
		}
	}
	return false
}

func (g *Gate) leadsBack(root, dir string) bool {
	data, err := g.files.Read(dir+"/.git", 4096)
	if err != nil {
		return false
	}
	target, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if !ok {
		return false
	}
	real, err := g.locate(dir, target)
	return err == nil && view.Within(g.files, g.gitDir(root), real)
}

// gitDir returns the repository that root belongs to: root/.git, or what a
// linked worktree's .git file names as its common directory.
func (g *Gate) gitDir(root string) string {
	own := root + "/.git"
	data, err := g.files.Read(own, 4096)
	if err != nil {
		return own
	}
	target, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if !ok {
		return own
	}
	real, err := g.locate(root, target)
	if err != nil {
		return own
	}
	// <common>/worktrees/<name>
	if parent := path.Dir(real); path.Base(parent) == "worktrees" {
		return path.Dir(parent)
	}
	return real
}

// pathDirs returns the PATH directories of the call that lie in a root. Most
// calls ask nothing of them, so they are found when they are.
func (t *trial) pathDirs() []string {
	if t.looked || len(t.roots) == 0 {
		return t.path
	}
	t.looked = true
	value, _ := lookup(t.call.Environ, "PATH")
	for elem := range strings.SplitSeq(value, ":") {
		real, err := t.gate.locate(t.call.Dir, elem)
		if err != nil {
			continue
		}
		for _, root := range t.roots {
			if real != root && view.Below(root, real) {
				t.path = append(t.path, real)
			}
		}
	}
	return t.path
}

// lookup returns the value of a variable; the last one counts.
func lookup(environ []string, name string) (string, bool) {
	for i := len(environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(environ[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}
