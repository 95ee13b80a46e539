package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// gitLine is a command line of git: what its arguments name, and what it does only after all its options are known.
type gitLine struct{ *use }

func (u *use) git() *gitLine { return &gitLine{u} }

// runGit reads the options before the subcommand, judges the settings that git would
// use, and goes on with the data for the subcommand.
func runGit(a *analysis, s *sheet, inv *invocation) {
	gl := newUse(a, s, inv).git()
	args := inv.args
	for len(args) > 0 && args[0].dashed() && args[0].known {
		n := gl.gitOption(args[0], args[1:])
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
func (gl *gitLine) gitOption(w word, rest []word) int {
	var next word
	if len(rest) > 0 {
		next = rest[0]
	}
	name, _, attached := strings.Cut(w.text, "=")
	switch name {
	case "-C":
		dir := ""
		if next.known && next.glob == 0 {
			dir = gl.out.enterDir(next, gl.inv.st)
		}
		gl.inv.st.dir = dir
		return min(2, len(rest)+1)
	case "-c":
		if key, _, _ := strings.Cut(next.text, "="); !plainKey(key) {
			gl.out.unknown(PartWords, gl.inv.raw,
				"this sets "+grammar.Escaped(key)+" for git, and nod does not know where that leads")
		}
		return min(2, len(rest)+1)
	case "--no-pager", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects", "-P", "--no-lazy-fetch",
		"--no-advice", "--version", "-v", "-p", "--paginate":
		return 1
	}
	gl.unknownOption(name)
	if !attached && slices.Contains([]string{"--git-dir", "--work-tree", "--namespace", "--config-env"}, name) {
		return min(2, len(rest)+1)
	}
	return 1
}

// tracked reports the file that an argument of git show, git diff and their kin names:
// REV:path, or a path, as git reads it outside of a repository.
func (gl *gitLine) tracked(w word) {
	_, below, ok := strings.Cut(w.text, ":")
	if r := gl.out.repository(gl.inv.st.dir); w.known && ok && !gl.named(w) { // REV:path, or a pattern of git's
		if r != nil && r.top != "" && !strings.HasPrefix(below, "./") && !strings.HasPrefix(below, "../") {
			below = r.top + "/" + strings.TrimLeft(below, ":0123456789")
		}
		gl.out.path(Read, word{value: constant(below), raw: w.raw}, gl.inv.st, 0)
		return
	}
	if !w.known || w.glob > 0 || w.many || gl.ended || path.IsAbs(w.text) || strings.HasPrefix(w.text, "..") ||
		gl.named(w) {
		reads(gl.use, w, 0)
	}
}

// searched reports what an argument of git grep makes it look into: a place with all
// below it, for a revision or a pattern of git's own the place where git runs.
func (gl *gitLine) searched(w word) {
	if w.known && !path.IsAbs(w.text) && !strings.HasPrefix(w.text, "..") && !gl.named(w) {
		if strings.HasPrefix(w.text, ":") {
			gl.doubt(w)
		}
		w = word{value: constant("."), raw: w.raw}
	}
	reads(gl.use, w, recursive)
}

// named reports whether there is a file of that name.
func (gl *gitLine) named(w word) bool {
	abs, ok := gl.machine.absolute(w, gl.inv.st)
	return ok && gl.machine.env.Files != nil && gl.machine.exists(abs)
}

// finishGit does what a subcommand of git does only after all its options are known.
func (gl *gitLine) finishGit() {
	opens := gl.marks.has(markOpens)
	switch gl.code {
	case "gitcommit":
		opens = opens || !gl.marks.has(markMessage)
	case "gitask":
		gl.asks()
	case "gittag":
		opens = opens && !gl.marks.has(markMessage)
	case "gitbranch":
		if gl.marks.has(markDeletion) && gl.marks.has(markRemotes) {
			gl.marks |= markLoses // whether it is merged is not asked
		}
		if len(gl.pos) == 2 && gl.marks&(markDeletion|markNamed) == 0 && strings.Contains(gl.pos[1].text, "/") {
			gl.out.unknown(PartWords, gl.inv.raw, "this may change what a branch follows, in git's settings")
		}
	case "gitcheckout":
		gl.marks |= markKeeps
		// A new branch that starts where the working tree stands leaves its files alone.
		if !gl.marks.has(markNamed) || gl.marks.has(markLoses) || gl.ended || len(gl.pos) > 0 {
			gl.marks |= markOvertree
		}
		if gl.ended || slices.ContainsFunc(gl.pos, func(w word) bool { return w.text == "." }) {
			gl.out.trait(Discards, 0)
		}
	case "gitrestore":
		gl.marks |= markKeeps
		if !gl.marks.has(markStaged) || gl.marks.has(markWorktree) {
			gl.marks |= markOvertree
			gl.out.trait(Discards, 0)
		}
	case "gitclean":
		if !gl.marks.has(markLists) || gl.flags&forced != 0 {
			gl.effects("!delete:.", gl.inv.raw)
		}
	}
	if opens {
		gl.out.unknown(PartWords, gl.inv.raw, gl.sheet.name+" opens an editor")
	}
	if gl.marks.has(markKeeps) {
		gl.finishKept()
	}
}

// finishKept reports that git writes to its database, and whether it keeps what was
// there: under a name, or for some weeks in its reflog and among its objects. What it
// puts into the working tree may be any file, an agent's settings among them.
func (gl *gitLine) finishKept() {
	r := gl.out.repository(gl.inv.st.dir)
	if r == nil || !r.found {
		gl.out.path(Write, word{value: constant(".git/index"), raw: gl.inv.raw}, gl.inv.st, 0)
		return
	}
	ends := Lists("git", "ends-merge", gl.sheet.heading) && gl.stopped(r)
	gl.gitWrites(r.dir, r.fault == "" && r.top != "" && !gl.marks.has(markLoses) && !ends)
	if gl.marks.has(markOvertree) {
		gl.gitWrites(cmp.Or(r.top, r.dir), false)
		gl.out.makesLink() // the commit may hold some
	}
}

// stopped reports whether a merge, a rebase or the like has stopped, or is to be committed: what was begun, the message
// for it and the sides of the conflict in the index are kept nowhere else.
func (gl *gitLine) stopped(r *repository) bool {
	return slices.ContainsFunc([]string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "MERGE_MSG", "SQUASH_MSG",
		"AUTO_MERGE", "rebase-merge", "rebase-apply", "sequencer"}, func(name string) bool {
		return gl.machine.exists(r.dir + "/" + name)
	})
}

func (gl *gitLine) gitWrites(target string, kept bool) {
	gl.out.effect(Effect{Kind: Write, Target: target, Place: gl.machine.placeOf(target), Words: gl.inv.raw,
		Part: PartWords, Kept: kept})
}

// asks reports the fetch from the remote that the arguments name.
func (gl *gitLine) asks() {
	e := Effect{Kind: Fetch, Target: "a remote", Place: Network, Words: gl.inv.raw, Part: PartWords,
		Note: "a remote, and nod does not know where that leads"}
	known := func(w word) bool { return w.known && !w.many && w.glob == 0 && !strings.HasPrefix(w.text, "+") }
	if r := gl.out.repository(gl.inv.st.dir); r != nil && r.found && r.fault == "" &&
		!slices.ContainsFunc(gl.pos, func(w word) bool { return !known(w) }) {
		if url, ok := r.remote(gl.pos); ok {
			e.Target, e.Note, e.Declared = url, "", "the repository's configuration"
		}
	}
	// Without + git refuses an update that does not continue the branch; what * names may be pruned.
	if slices.ContainsFunc(gl.pos, func(w word) bool {
		return strings.HasPrefix(w.text, "+") || strings.Contains(w.text, ":") && strings.Contains(w.text, "*")
	}) {
		gl.marks |= markLoses
	}
	if len(gl.pos) > 0 && strings.Contains(gl.pos[0].text, "://") && !strings.Contains(gl.pos[0].text, "::") {
		url(gl.use, gl.pos[0])
		return
	}
	gl.out.effect(e)
}

// finishPush reports where git push goes, and whether it may rewrite history.
func (gl *gitLine) finishPush() {
	if gl.marks.has(markLists) {
		gl.asks()
		return
	}
	target := "origin"
	for i, w := range gl.pos {
		if i == 0 && w.known {
			target = w.text
		}
		if i > 0 && (!w.known || strings.HasPrefix(w.text, "+") || strings.HasPrefix(w.text, ":")) {
			gl.flags |= forced
		}
	}
	gl.out.effect(Effect{
		Kind: Remote, Target: target, Place: Network, Words: gl.inv.raw, Part: PartWords,
		Forced: gl.flags&forced != 0, Recursive: gl.flags&recursive != 0,
	})
}
