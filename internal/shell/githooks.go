package shell

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

func (m *machine) hooksDir(r *repository, text string) string {
	text = strings.Trim(text, `"`)
	switch {
	case strings.HasPrefix(text, "~/") && m.env.Home != "":
		return m.env.Home + text[1:]
	case path.IsAbs(text):
		return path.Clean(text)
	}
	return path.Join(cmp.Or(r.top, r.dir), text)
}

// gitHooks reports the hooks that exist and that the subcommand starts. Those
// in a directory of the working tree may come from what the line did before,
// or from the commit that the subcommand checks out.
func (g *repositories) gitHooks(r *repository, sub string, inv *invocation) {
	dirs, known := g.machine.gitHookDirs(r)
	for _, dir := range dirs {
		inTree := r.top != "" && view.Below(r.top, dir) && !view.Below(r.common, dir)
		known = known && !(inTree && (g.machine.gitIs("changes-tree", sub) || g.out.reworked()))
		g.hooksIn(r, dir, sub, inv)
	}
	if !known && hooksOf(sub) != "" {
		g.out.does(Run, "hooks", inv.raw)
	}
}

func (g *repositories) hooksIn(r *repository, dir, sub string, inv *invocation) {
	for _, hook := range strings.Fields(hooksOf(sub)) {
		name := dir + "/" + hook
		info, err := g.machine.env.Files.Lstat(name)
		if err != nil && g.out.mayMake(dir, name) {
			g.out.does(Run, hook, inv.raw)
			g.out.unknown(PartWords, inv.raw, "this runs the git hook "+hook+", which the same line makes")
		}
		if err != nil || info.Mode.IsRegular() && info.Mode.Perm()&0o111 == 0 || info.Mode&fs.ModeDir != 0 {
			continue
		}
		if path.Base(dir) == "_" {
			g.defs.defined(path.Dir(dir) + "/" + hook) // what husky's own files run
		}
		g.defs.defined(name)
		real, place := g.machine.place(name)
		g.out.effect(Effect{Kind: Run, Target: real, Place: place, Words: inv.raw, Part: PartWords})
	}
}

// IsGitHook reports whether git starts a file of that name from the directory of
// its hooks.
func IsGitHook(name string) bool {
	switch name {
	case "fsmonitor-watchman", "post-receive", "pre-receive", "update", "post-update", "push-to-checkout",
		"proc-receive", "sendemail-validate", "p4-changelist", "p4-prepare-changelist", "p4-post-changelist",
		"p4-pre-submit":
		return true
	}
	return slices.Contains(strings.Fields(hooksOf("commit")+" "+hooksOf("push")+" "+hooksOf("merge")), name)
}

// hooksOf lists the hooks that a subcommand can start.
func hooksOf(sub string) string {
	switch sub {
	case "status", "diff", "diff-index", "diff-files", "describe", "ls-files", "blame", "add", "rm", "mv",
		"update-index", "read-tree":
		return "post-index-change"
	case "commit":
		return "pre-commit prepare-commit-msg commit-msg post-commit post-index-change post-rewrite " +
			"reference-transaction " +
			"pre-auto-gc"
	case "push":
		return "pre-push"
	case "checkout", "switch", "restore", "worktree", "clone":
		return "post-checkout post-index-change reference-transaction"
	case "stash", "bisect":
		return "post-checkout post-index-change reference-transaction"
	case "fetch":
		return "reference-transaction pre-auto-gc"
	case "merge", "pull", "rebase", "cherry-pick", "revert", "am":
		return "pre-auto-gc pre-merge-commit post-merge pre-rebase post-rewrite post-checkout pre-commit " +
			"prepare-commit-msg commit-msg post-commit applypatch-msg pre-applypatch " +
			"post-applypatch post-index-change " +
			"reference-transaction"
	case "log", "show", "grep", "rev-parse", "cat-file", "ls-tree", "rev-list", "merge-base", "for-each-ref",
		"show-ref", "shortlog", "config", "remote", "var":
		return ""
	}
	return "reference-transaction post-index-change"
}
