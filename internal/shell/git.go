package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// runGit reads the options before the subcommand, judges the settings that git would
// use, and goes on with the data for the subcommand.
func runGit(a *analysis, s *sheet, inv *invocation) {
	u := newUse(a, s, inv)
	args := inv.args
	for len(args) > 0 && args[0].dashed() && args[0].known {
		n := u.gitOption(args[0], args[1:])
		args = args[n:]
	}
	if len(args) == 0 {
		return
	}
	sub := args[0]
	if !sub.known || sub.many || sub.glob > 0 {
		a.out.unknown(PartWords, inv.raw, "this runs git, and nod cannot tell which subcommand")
		return
	}
	a.out.report.Commands[a.out.command].Told = &Told{Dir: inv.st.dir, Verbs: []string{sub.text}}
	r := a.out.repository(inv.st.dir)
	a.out.plainGit(r, inv, sub.text)
	if r != nil && r.secret && a.machine.printsSettings(sub.text, args[1:]) {
		a.out.does(Secret, "git settings", inv.raw)
	}
	next, ok := s.under(sub.text)
	if !ok {
		a.out.unknown(PartWords, inv.raw, "this runs "+grammar.Escaped("git "+sub.text)+", which nod does not know")
		return
	}
	if next.sub && len(args) > 1 && args[1].known {
		if _, found := next.under(args[1].text); !found && next.code == "either" {
			next.sub = false
		}
	}
	inner := *inv
	inner.args = args[1:]
	a.applied(next, &inner)
}

// gitOption reads one option of git itself and returns how many words it is.
func (u *use) gitOption(w word, rest []word) int {
	var next word
	if len(rest) > 0 {
		next = rest[0]
	}
	name, _, attached := strings.Cut(w.text, "=")
	switch name {
	case "-C":
		dir := ""
		if next.known && next.glob == 0 {
			dir = u.out.enterDir(next, u.inv.st)
		}
		u.inv.st.dir = dir
		return min(2, len(rest)+1)
	case "-c":
		if key, _, _ := strings.Cut(next.text, "="); !plainKey(key) {
			u.out.unknown(PartWords, u.inv.raw,
				"this sets "+grammar.Escaped(key)+" for git, and nod does not know where that leads")
		}
		return min(2, len(rest)+1)
	case "--no-pager", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects", "-P", "--no-lazy-fetch",
		"--no-advice", "--version", "-v", "-p", "--paginate":
		return 1
	}
	u.unknownOption(name)
	if !attached && slices.Contains([]string{"--git-dir", "--work-tree", "--namespace", "--config-env"}, name) {
		return min(2, len(rest)+1)
	}
	return 1
}

// tracked reports the file that an argument of git show, git diff and their kin names:
// REV:path, or a path, as git reads it outside of a repository.
func (u *use) tracked(w word) {
	_, below, ok := strings.Cut(w.text, ":")
	if r := u.out.repository(u.inv.st.dir); w.known && ok && !u.named(w) { // REV:path, or a pattern of git's
		if r != nil && r.top != "" && !strings.HasPrefix(below, "./") && !strings.HasPrefix(below, "../") {
			below = r.top + "/" + strings.TrimLeft(below, ":0123456789")
		}
		u.out.path(Read, word{value: constant(below), raw: w.raw}, u.inv.st, 0)
		return
	}
	if !w.known || w.glob > 0 || w.many || u.ended || path.IsAbs(w.text) || strings.HasPrefix(w.text, "..") ||
		u.named(w) {
		reads(u, w, 0)
	}
}

// searched reports what an argument of git grep makes it look into: a place with all
// below it, for a revision or a pattern of git's own the place where git runs.
func (u *use) searched(w word) {
	if w.known && !path.IsAbs(w.text) && !strings.HasPrefix(w.text, "..") && !u.named(w) {
		if strings.HasPrefix(w.text, ":") {
			u.doubt(w)
		}
		w = word{value: constant("."), raw: w.raw}
	}
	reads(u, w, recursive)
}

// named reports whether there is a file of that name.
func (u *use) named(w word) bool {
	abs, ok := u.machine.absolute(w, u.inv.st)
	return ok && u.machine.env.Files != nil && u.machine.exists(abs)
}

// finishGit does what a subcommand of git does only after all its options are known.
func (u *use) finishGit() {
	opens := u.marks.has(markOpens)
	switch u.code {
	case "gitcommit":
		opens = opens || !u.marks.has(markMessage)
	case "gitask":
		u.asks()
	case "gittag":
		opens = opens && !u.marks.has(markMessage)
	case "gitbranch":
		if u.marks.has(markDeletion) && u.marks.has(markRemotes) {
			u.marks |= markLoses // whether it is merged is not asked
		}
		if len(u.pos) == 2 && u.marks&(markDeletion|markNamed) == 0 && strings.Contains(u.pos[1].text, "/") {
			u.out.unknown(PartWords, u.inv.raw, "this may change what a branch follows, in git's settings")
		}
	case "gitcheckout":
		u.marks |= markKeeps
		// A new branch that starts where the working tree stands leaves its files alone.
		if !u.marks.has(markNamed) || u.marks.has(markLoses) || u.ended || len(u.pos) > 0 {
			u.marks |= markOvertree
		}
		if u.ended || slices.ContainsFunc(u.pos, func(w word) bool { return w.text == "." }) {
			u.out.trait(Discards, 0)
		}
	case "gitrestore":
		u.marks |= markKeeps
		if !u.marks.has(markStaged) || u.marks.has(markWorktree) {
			u.marks |= markOvertree
			u.out.trait(Discards, 0)
		}
	case "gitclean":
		if !u.marks.has(markLists) || u.flags&forced != 0 {
			u.effects("!delete:.", u.inv.raw)
		}
	}
	if opens {
		u.out.unknown(PartWords, u.inv.raw, u.sheet.name+" opens an editor")
	}
	if u.marks.has(markKeeps) {
		u.finishKept()
	}
}

// finishKept reports that git writes to its database, and whether it keeps what was
// there: under a name, or for some weeks in its reflog and among its objects. What it
// puts into the working tree may be any file, an agent's settings among them.
func (u *use) finishKept() {
	r := u.out.repository(u.inv.st.dir)
	if r == nil || !r.found {
		u.out.path(Write, word{value: constant(".git/index"), raw: u.inv.raw}, u.inv.st, 0)
		return
	}
	ends := Lists("git", "ends-merge", u.sheet.heading) && u.stopped(r)
	u.gitWrites(r.dir, r.fault == "" && r.top != "" && !u.marks.has(markLoses) && !ends)
	if u.marks.has(markOvertree) {
		u.gitWrites(cmp.Or(r.top, r.dir), false)
		u.out.makesLink() // the commit may hold some
	}
}

// stopped reports whether a merge, a rebase or the like has stopped, or is to be committed: what was begun, the message
// for it and the sides of the conflict in the index are kept nowhere else.
func (u *use) stopped(r *repository) bool {
	return slices.ContainsFunc([]string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "MERGE_MSG", "SQUASH_MSG",
		"AUTO_MERGE", "rebase-merge", "rebase-apply", "sequencer"}, func(name string) bool {
		return u.machine.exists(r.dir + "/" + name)
	})
}

func (u *use) gitWrites(target string, kept bool) {
	u.out.effect(Effect{Kind: Write, Target: target, Place: u.machine.placeOf(target), Words: u.inv.raw,
		Part: PartWords, Kept: kept})
}

// asks reports the fetch from the remote that the arguments name.
func (u *use) asks() {
	e := Effect{Kind: Fetch, Target: "a remote", Place: Network, Words: u.inv.raw, Part: PartWords,
		Note: "a remote, and nod does not know where that leads"}
	known := func(w word) bool { return w.known && !w.many && w.glob == 0 && !strings.HasPrefix(w.text, "+") }
	if r := u.out.repository(u.inv.st.dir); r != nil && r.found && r.fault == "" &&
		!slices.ContainsFunc(u.pos, func(w word) bool { return !known(w) }) {
		if url, ok := r.remote(u.pos); ok {
			e.Target, e.Note, e.Declared = url, "", "the repository's configuration"
		}
	}
	// Without + git refuses an update that does not continue the branch; what * names may be pruned.
	if slices.ContainsFunc(u.pos, func(w word) bool {
		return strings.HasPrefix(w.text, "+") || strings.Contains(w.text, ":") && strings.Contains(w.text, "*")
	}) {
		u.marks |= markLoses
	}
	if len(u.pos) > 0 && strings.Contains(u.pos[0].text, "://") && !strings.Contains(u.pos[0].text, "::") {
		url(u, u.pos[0])
		return
	}
	u.out.effect(e)
}

// finishPush reports where git push goes, and whether it may rewrite history.
func (u *use) finishPush() {
	if u.marks.has(markLists) {
		u.asks()
		return
	}
	target := "origin"
	for i, w := range u.pos {
		if i == 0 && w.known {
			target = w.text
		}
		if i > 0 && (!w.known || strings.HasPrefix(w.text, "+") || strings.HasPrefix(w.text, ":")) {
			u.flags |= forced
		}
	}
	u.out.effect(Effect{
		Kind: Remote, Target: target, Place: Network, Words: u.inv.raw, Part: PartWords,
		Forced: u.flags&forced != 0, Recursive: u.flags&recursive != 0,
	})
}
