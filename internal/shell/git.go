package shell

import (
	"path"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// git reads the options before the subcommand, judges the settings that git would
// use, and goes on with the data for the subcommand.
func (a *analysis) git(s *sheet, inv *invocation) {
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
	r := a.repos.repository(inv.st.dir)
	a.repos.plain(r, inv, sub.text)
	if r != nil && r.secret && a.out.away == "" && a.machine.printsSettings(sub.text, args[1:]) {
		a.out.does(Secret, "git settings", inv.raw)
	}
	next, ok := s.under(sub.text)
	if !ok {
		a.out.unknown(PartWords, inv.raw, "this runs "+grammar.Escaped("git "+sub.text)+", of which nod knows nothing")
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
	name, attached, has := strings.Cut(w.text, "=")
	var next word
	if len(rest) > 0 {
		next = rest[0]
	}
	taken := 2
	if has {
		next, taken = word{value: constant(attached), raw: w.raw}, 1
	}
	switch name {
	case "-C":
		if next.many {
			gl.out.unknown(PartWords, gl.inv.raw, "this runs git, and nod cannot tell which subcommand")
		}
		dir := ""
		if next.known && next.glob == 0 {
			dir = gl.out.enterDir(next, gl.inv.st)
		}
		gl.inv.st.dir = dir
		return min(2, len(rest)+1)
	case "-c":
		gl.setting(next)
		return min(2, len(rest)+1)
	case "--git-dir", "--work-tree", "--exec-path", "--namespace", "--super-prefix", "--config-env", "--attr-source":
		if name == "--exec-path" && !has {
			return 1
		}
		gl.gitElsewhere(name)
		return min(taken, len(rest)+1)
	case "--no-pager", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects", "--glob-pathspecs",
		"--noglob-pathspecs", "-P", "--no-lazy-fetch", "--no-advice", "--version", "-v",
		"--html-path", "--man-path", "--info-path", "-p", "--paginate":
		return 1
	case "--help", "-h":
		if len(rest) == 0 { // with more it is git help, whose viewer the settings name
			return 1
		}
	}
	gl.unknownOption(name)
	return 1
}

// gitElsewhere reports options that name another repository, or its working tree: with
// the first alone that is where git starts.
func (gl *gitLine) gitElsewhere(name string) {
	if name == "--namespace" {
		return
	}
	gl.out.unknown(PartWords, gl.inv.raw, "this leads git by "+name+" for git, and nod does not know where that leads")
}

// setting judges one -c name=value.
func (gl *gitLine) setting(w word) {
	name, text, _ := strings.Cut(w.text, "=")
	if !w.known {
		if i := strings.IndexByte(w.text, '='); i < 0 || !gl.machine.plainKey(name) {
			gl.out.unknown(PartWords, gl.inv.raw, "this gives git a setting that nod cannot read")
		}
		return
	}
	name = strings.ToLower(name)
	switch {
	case name == "gc.auto" && text == "0", gl.machine.plainKey(name),
		strings.HasSuffix(name, ".gpgsign") && falsy(text):
	case (name == "core.pager" || strings.HasPrefix(name, "pager.")) &&
		(text == "cat" || text == "" || text == "false"):
	case name == "core.fsmonitor" && (text == "false" || text == ""):
	case (name == "core.editor" || name == "sequence.editor") && (text == "true" || text == ":"):
		gl.inv.quiet = true
	default:
		gl.out.unknown(PartWords, gl.inv.raw,
			"this sets "+grammar.Escaped(name)+" for git, and nod does not know where that leads")
	}
}

// role takes the roles of git.
func (gl *gitLine) gitRole(role string, w word) {
	switch role {
	case "setting":
		gl.setting(w)
	case "pathspec": // git takes in what it names, and prints it later by another name
		if w.known && !w.many && !strings.HasPrefix(w.text, ":") {
			reads(gl.use, w, 0)
		}
	case "tracked":
		gl.tracked(w)
	case "searched":
		gl.searched(w)
	case "gitremote": // a name, a URL or a path
		if w.known && !strings.Contains(w.text, "://") {
			gl.out.does(Fetch, w.text, gl.inv.raw)
			return
		}
		url(gl.use, w)
	}
}

// tracked reports the file that an argument of git show, git diff and their kin names:
// REV:path, or a path, as git reads it outside of a repository.
func (gl *gitLine) tracked(w word) {
	rev, below, ok := strings.Cut(w.text, ":")
	if r := gl.repos.repository(gl.inv.st.dir); w.known && ok && !gl.named(w) { // REV:path, or a pattern of git's
		if r != nil && r.top != "" && !strings.HasPrefix(below, "./") && !strings.HasPrefix(below, "../") {
			below = r.top + "/" + strings.TrimLeft(below, ":0123456789")
		}
		if magic := rev == "" && strings.IndexAny(w.text[1:]+" ", "!^/( ") == 0; !magic {
			gl.out.path(Read, word{value: constant(below), raw: w.raw}, gl.inv.st, 0)
		}
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
		if strings.HasPrefix(w.text, ":") && strings.Contains(w.text, "..") {
			gl.doubt(w)
		}
		at := "."
		if r := gl.repos.repository(gl.inv.st.dir); r != nil && strings.HasPrefix(w.text, ":") {
			at = r.top
		}
		w = word{value: constant(at), raw: w.raw}
	}
	reads(gl.use, w, recursive)
}

// named reports whether there is a file of that name.
func (gl *gitLine) named(w word) bool {
	abs, ok := absolute(w, gl.inv.st)
	return ok && gl.machine.env.Files != nil && gl.machine.exists(abs)
}

// asksStatus reports what git starts where a program asks it what has changed, as
// go list does for the version of a program.
func (gl *gitLine) asksStatus() {
	if gl.out.away == "" {
		gl.repos.plain(gl.repos.repository(gl.inv.st.dir), gl.inv, "status")
	}
}
