package shell

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// hookDirs are the directories that git may take hooks from: its own, and those that
// the settings name. Which of several counts is not asked.
func (m *machine) hookDirs(r *repository) (dirs []string, known bool) {
	dirs, known = []string{path.Join(r.common, "hooks")}, true
	for _, text := range r.hooks {
		switch below, home := strings.CutPrefix(text, "~/"); {
		case text == "" || text == "/dev/null":
		case home && m.env.Home != "":
			dirs = append(dirs, m.env.Home+"/"+below)
		case strings.ContainsAny(text[:1], "%:~") || strings.ContainsAny(text, `"\#;`):
			known = false
		case path.IsAbs(text):
			dirs = append(dirs, path.Clean(text))
		default:
			dirs = append(dirs, path.Join(cmp.Or(r.top, r.dir), text))
		}
	}
	return dirs, known
}

// runHooks reports the hooks that exist, or that the line may make, and that the
// subcommand starts.
func (g *repositories) runHooks(r *repository, sub string, inv *invocation) {
	dirs, known := g.machine.hookDirs(r)
	hooks := strings.Fields(hooksOf(sub))
	if !known && len(hooks) > 0 {
		g.out.does(Run, "hooks", inv.raw)
	}
	for _, dir := range dirs {
		for _, hook := range hooks {
			name := dir + "/" + hook
			info, err := g.machine.env.Files.Lstat(name)
			if err != nil && g.out.mayMake(dir, name) {
				g.out.does(Run, hook, inv.raw)
			}
			if err != nil || info.Mode.IsRegular() && info.Mode.Perm()&0o111 == 0 || info.Mode&fs.ModeDir != 0 {
				continue
			}
			g.defs.defined(name)
			if path.Base(dir) == "_" {
				g.defs.defined(path.Dir(dir) + "/" + hook) // what husky's own files run
			}
			real, place := g.machine.place(name)
			g.out.effect(Effect{Kind: Run, Target: real, Place: place, Words: inv.raw, Part: PartWords})
		}
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
