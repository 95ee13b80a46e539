package shell

import (
	"cmp"
	"slices"
	"strings"
)

// gitLine is a command line of git: what its arguments name, and what it does
// only after all its options are known.
type gitLine struct{ *use }

func (u *use) git() *gitLine { return &gitLine{u} }

// finishGit does what a subcommand of git does only after all its options are
// known.
func (gl *gitLine) finishGit() {
	switch gl.code {
	case "gitcommit":
		if rewords(gl.inv.args) {
			gl.marks |= markOpens
		}
		gl.needsMessage()
	case "gittag":
		if gl.marks.has(markWordy) {
			gl.needsMessage()
		}
	case "gitbranch":
		if gl.marks.has(markDeletion) && gl.marks.has(markRemotes) {
			gl.marks |= markLoses // whether it is merged is not asked
		}
		if len(gl.pos) == 2 && !gl.marks.has(markDeletion|markNamed) && strings.Contains(gl.pos[1].text, "/") {
			gl.out.unknown(PartWords, gl.inv.raw, "this may change what a branch follows, in git's settings")
		}
	case "gitcheckout":
		gl.finishCheckout()
	case "gitrestore":
		gl.marks |= markKeeps
		if !gl.marks.has(markStaged) || gl.marks.has(markWorktree) {
			gl.marks |= markOvertree
			gl.out.trait(Discards, 0)
		}
	case "gitlook":
		gl.finishLook()
	case "gitask":
		gl.asksRemote(false)
	case "gitfetch":
		gl.finishFetch()
	}
	if gl.marks.has(markOpens) {
		gl.marks &^= markMessage
		gl.needsMessage()
	}
	if gl.marks.has(markKeeps) {
		gl.finishKept()
	}
}

// rewords reports whether --fixup may be one that opens an editor: --fixup=reword:HEAD.
func rewords(args []word) bool {
	fixes := func(w word) bool { return strings.HasPrefix(w.text, "--fix") }
	return slices.ContainsFunc(args, fixes) && slices.ContainsFunc(args, func(w word) bool {
		return !w.known || strings.Contains(w.text, "amend:") || strings.Contains(w.text, "reword:")
	})
}

// needsMessage reports the editor that git starts for want of a message.
func (gl *gitLine) needsMessage() {
	if !gl.marks.has(markMessage) && !gl.inv.quiet {
		gl.out.unknown(PartWords, gl.inv.raw, gl.sheet.name+" opens an editor")
	}
}

// finishLook reports what a subcommand does that only looks where an option
// says so.
func (gl *gitLine) finishLook() {
	switch {
	case gl.marks.has(markLists) && gl.flags&forced == 0:
	case strings.HasSuffix(gl.sheet.name, " clean"):
		gl.effects("!delete:.", gl.inv.raw)
	default:
		gl.out.unknown(PartWords, gl.inv.raw, gl.sheet.name+" writes where it is not told to print")
	}
}

// finishKept reports that git writes to its database, and whether it keeps
// what was there: under a name, or for some weeks in its reflog and among its
// objects. Options that skip git's own checks left the mark loses. What git
// puts into the working tree from a commit or a stash may be any file, settings
// of an agent among them, which nobody has looked at: that is never kept.
func (gl *gitLine) finishKept() {
	r := gl.repos.repository(gl.inv.st.dir)
	if r == nil || !r.found || gl.out.away != "" {
		gl.out.path(Write, word{value: constant(".git/index"), raw: gl.inv.raw}, gl.inv.st, 0)
		return
	}
	ends := gl.machine.gitIs("ends-merge", gl.sheet.heading) && gl.stopped(r)
	gl.gitWrites(r.dir, r.fault == "" && r.top != "" && !gl.marks.has(markLoses) && !ends)
	if gl.marks.has(markOvertree) {
		gl.gitWrites(cmp.Or(r.top, r.dir), false)
		gl.out.makesLink() // the commit may hold some
	}
}

// stopped reports whether a merge, a rebase or the like has stopped, or is to be
// committed: what was begun, the message for it and the sides of the conflict in the index are kept
// nowhere else.
func (gl *gitLine) stopped(r *repository) bool {
	return slices.ContainsFunc([]string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "MERGE_MSG", "SQUASH_MSG",
		"AUTO_MERGE", "rebase-merge", "rebase-apply", "sequencer"}, func(name string) bool {
		return gl.machine.exists(r.dir + "/" + name)
	})
}

func (gl *gitLine) gitWrites(target string, kept bool) {
	gl.out.effect(Effect{Kind: Write, Target: target, Place: gl.machine.placeOf(target), Words: gl.inv.raw,
		Part: PartWords,
		Kept: kept})
}

// finishCheckout tells a new branch that starts where the working tree stands,
// which leaves its files alone, from everything else.
func (gl *gitLine) finishCheckout() {
	gl.marks |= markKeeps
	if !gl.marks.has(markNamed) || gl.marks.has(markLoses) || gl.ended || len(gl.pos) > 0 {
		gl.marks |= markOvertree
	}
	if gl.ended || slices.ContainsFunc(gl.pos, func(w word) bool { return w.text == "." }) {
		gl.out.trait(Discards, 0)
	}
}

// finishFetch reports where git fetch and git pull ask, and whether what they
// overwrite is kept: remote branches are, tags and a shallow history are not.
func (gl *gitLine) finishFetch() {
	several := gl.marks.has(markSeveral)
	gl.asksRemote(several)
	gl.marks |= markKeeps
	for i, w := range gl.pos {
		if i > 0 && !several && (!w.known || w.many || strings.HasPrefix(w.text, "+") || gl.marks.has(markPrunes)) {
			gl.marks |= markLoses
		}
	}
}

// asksRemote reports the fetch from the remote that the arguments name, the
// first or with several all of them, or from that of the current branch.
func (gl *gitLine) asksRemote(several bool) {
	if len(gl.pos) == 0 {
		gl.asks("")
	}
	for i, w := range gl.pos {
		if i > 0 && !several {
			return
		}
		if w.known && !w.many && w.glob == 0 && !strings.Contains(w.text, "://") {
			gl.asks(w.text)
			continue
		}
		url(gl.use, w)
	}
}

func (gl *gitLine) asks(remote string) {
	e := Effect{Kind: Fetch, Target: cmp.Or(remote, "origin"), Place: Network, Words: gl.inv.raw, Part: PartWords}
	url, ok := gl.declaredRemote(remote)
	if !ok {
		e.Note = "nod does not know where that leads"
	} else {
		e.Target, e.Declared = url, "the repository's configuration"
		if !strings.HasPrefix(url, "https://") && gl.machine.find("ssh", gl.inv.st).foreign {
			gl.out.does(Run, "ssh", gl.inv.raw)
		}
	}
	gl.out.effect(e)
}

// declaredRemote returns the address of a remote that the repository's
// configuration names, or of all if none is asked for and they are plain.
// false where anything in it may lead elsewhere.
func (gl *gitLine) declaredRemote(remote string) (url string, ok bool) {
	r := gl.repos.repository(gl.inv.st.dir)
	if r == nil || !r.found || r.fault != "" || gl.machine.exists(r.common+"/modules") {
		return "", false
	}
	for _, g := range r.remotes {
		if remote == "" || remote == g.remote {
			if !plainRemote(g.url) {
				return "", false
			}
			if url == "" || g.remote == "origin" {
				url = g.url
			}
		}
	}
	return url, url != ""
}

// finishPush reports where git push goes, and whether it may rewrite history.
func (gl *gitLine) finishPush() {
	if r := gl.repos.repository(gl.inv.st.dir); gl.marks.has(markLists) && r != nil {
		gl.asksRemote(false)
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

// plainRemote reports whether an address leads to a host over https or ssh,
// and nowhere else: no helper, no file, no password.
func plainRemote(url string) bool {
	rest, https := strings.CutPrefix(url, "https://")
	rest, ssh := strings.CutPrefix(rest, "ssh://")
	host, path, slash := strings.Cut(rest, "/")
	if !https && !ssh { // host:path
		host, path, slash = strings.Cut(url, ":")
	}
	user, at, login := strings.Cut(host, "@")
	if login && !https {
		host = at
	}
	host, port, _ := strings.Cut(host, ":")
	const plain = "abcdefghijklmnopqrstuvwxyz0123456789.-_"
	return slash && host != "" && strings.IndexByte("-.", host[0]) < 0 && user != "" && user[0] != '-' &&
		strings.Trim(strings.ToLower(host+strings.ReplaceAll(user, ":", "")+port), plain) == "" &&
		strings.Trim(strings.ToLower(path), plain+"/~+") == ""
}
