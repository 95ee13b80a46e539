package shell

import (
	"io/fs"
	"path"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

func (a *analysis) hooksDir(r *repository, text string) string {
	text = strings.Trim(text, `"`)
	switch {
	case strings.HasPrefix(text, "~/") && a.env.Home != "":
		return a.env.Home + text[1:]
	case path.IsAbs(text):
		return path.Clean(text)
	}
	return path.Join(orElse(r.top, r.dir), text)
}

// gitHooks reports the hooks that exist and that the subcommand starts. Those
// in a directory of the working tree may come from what the line did before,
// or from the commit that the subcommand checks out.
func (a *analysis) gitHooks(r *repository, sub string, inv *invocation) {
	dirs, known := a.gitHookDirs(r)
	for _, dir := range dirs {
		inTree := r.top != "" && view.Below(r.top, dir) && !view.Below(r.common, dir)
		known = known && !(inTree && (changesTree(sub) || a.reworked()))
		a.hooksIn(dir, sub, inv)
	}
	if !known && hooksOf(sub) != "" {
		a.does(Run, "hooks", inv.raw)
	}
}

// changesTree lists the subcommands that put other files into the working
// tree and then start a hook.
func changesTree(sub string) bool {
	switch sub {
	case "checkout", "switch", "merge", "pull", "rebase", "cherry-pick", "revert", "am", "stash", "bisect", "worktree", "reset":
		return true
	}
	return false
}

func (a *analysis) hooksIn(dir, sub string, inv *invocation) {
	for _, hook := range strings.Fields(hooksOf(sub)) {
		name := dir + "/" + hook
		info, err := a.env.Files.Lstat(name)
		if err != nil || info.Mode.IsRegular() && info.Mode.Perm()&0o111 == 0 || info.Mode&fs.ModeDir != 0 {
			continue
		}
		real, place := a.place(name)
		a.effect(Effect{Kind: Run, Target: real, Place: place, Words: inv.raw, Part: PartWords})
	}
}

// hooksOf lists the hooks that a subcommand can start.
func hooksOf(sub string) string {
	switch sub {
	case "status", "diff", "diff-index", "diff-files", "describe", "ls-files", "blame", "add", "rm", "mv", "update-index", "read-tree":
		return "post-index-change"
	case "commit":
		return "pre-commit prepare-commit-msg commit-msg post-commit post-index-change post-rewrite reference-transaction pre-auto-gc"
	case "push":
		return "pre-push"
	case "checkout", "switch", "restore", "worktree", "clone":
		return "post-checkout post-index-change reference-transaction"
	case "stash", "bisect":
		return "post-checkout post-index-change reference-transaction"
	case "fetch":
		return "reference-transaction pre-auto-gc"
	case "merge", "pull", "rebase", "cherry-pick", "revert", "am":
		return "pre-auto-gc pre-merge-commit post-merge pre-rebase post-rewrite post-checkout pre-commit prepare-commit-msg commit-msg post-commit applypatch-msg pre-applypatch post-applypatch post-index-change reference-transaction"
	case "log", "show", "grep", "rev-parse", "cat-file", "ls-tree", "rev-list", "merge-base", "for-each-ref", "show-ref", "shortlog", "config", "remote", "var":
		return ""
	}
	return "reference-transaction post-index-change"
}
