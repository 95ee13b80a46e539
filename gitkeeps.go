package nod

import (
	"path"
	"strings"

	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// gitHarm says why a write of git's own is not harmless: it loses something,
// or it is another repository's than the workspace's.
func (t *trial) gitHarm(e shell.Effect) (why string) {
	switch {
	case !e.Kept:
		return "this changes the repository: " + Printable(e.Words)
	case !t.ownRepository(e.Target):
		return "this changes a repository outside the workspace: " + Printable(e.Words)
	case path.Base(e.Target) == ".git" || path.Base(path.Dir(e.Target)) == "worktrees":
		return t.takesIn(e)
	}
	if own := t.wiredIn(e.Target); own != "" {
		return "this may change " + Printable(own) + ", which nod depends on"
	}
	return ""
}

// byGit reports whether git itself writes to its directory or to the working
// tree, not to a file that an argument names.
func (t *trial) byGit(e shell.Effect) bool {
	if t.program(e) != "git" {
		return false
	}
	info, err := t.gate.files.Lstat(e.Target)
	return e.Kept || path.Base(e.Target) == ".git" || err == nil && info.Mode.IsDir()
}

// ownRepository reports whether target is the git directory, or the top of
// the working tree, of a workspace root's repository, or of a worktree of it
// that lies in the workspace.
func (t *trial) ownRepository(target string) bool {
	for _, root := range t.roots {
		r, ok := repo.Around(t.gate.files, root+"/.")
		if !ok || !t.gate.usableRoot(r.Top) {
			continue
		}
		if target == r.Top || target == r.Dir || t.worktreeOf(r, root, target) {
			return true
		}
	}
	return false
}

// worktreeOf reports whether target belongs to a linked worktree of r that
// lies in the workspace.
func (t *trial) worktreeOf(r *repo.Repo, root, target string) bool {
	top := target
	if path.Dir(target) == r.Common+"/worktrees" {
		data, err := t.gate.files.Read(target+"/gitdir", 4096)
		if err != nil {
			return false
		}
		top = path.Dir(strings.TrimSpace(string(data)))
	}
	linked, ok := repo.Around(t.gate.files, top+"/.")
	return ok && linked.Top == top && linked.Common == r.Common && view.Below(root, top) && t.gate.inside(t.roots, top+"/.")
}

// wiredIn finds what nod itself depends on in a working tree that git would
// change: nod's own files, agent settings that call it, a project's rules.
func (t *trial) wiredIn(top string) string {
	if t.gate.holdsSelf(top) {
		return top
	}
	if name := top + "/.nod.toml"; !t.missing(name) {
		return name
	}
	for _, dir := range [...]string{".", ".claude", ".codex", ".copilot", ".gemini", ".qwen", ".cursor", ".crush", ".opencode", ".opencode/plugin", ".pi/extensions", ".github/hooks"} {
		dir = path.Join(top, dir)
		names, err := t.gate.files.List(dir, maxMatches)
		if err != nil && !t.missing(dir) {
			return dir
		}
		for _, n := range names {
			if name := dir + "/" + n; isAgentSettings(name) && t.gate.callsNod(name) {
				return name
			}
		}
	}
	return ""
}

func (t *trial) missing(name string) bool {
	_, err := t.gate.files.Lstat(name)
	return isMissing(err)
}
