package shell

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
)

// finishGit does what a subcommand of git does only after all its options are
// known.
func (u *use) finishGit() {
	switch u.code {
	case "gitcommit":
		u.needsMessage()
	case "gittag":
		if u.marks.has(markWordy) {
			u.needsMessage()
		}
	case "gitbranch":
		if u.marks.has(markDeletion) && u.marks.has(markRemotes) {
			u.marks |= markLoses // whether it is merged is not asked
		}
	case "gitcheckout":
		u.finishCheckout()
	case "gitrestore":
		u.marks |= markKeeps
		if !u.marks.has(markStaged) || u.marks.has(markWorktree) {
			u.marks |= markOvertree
		}
	case "gitlook":
		u.finishLook()
	case "gitask":
		u.asksRemote(false)
	case "gitfetch":
		u.finishFetch()
	}
	if u.marks.has(markOpens) {
		u.marks &^= markMessage
		u.needsMessage()
	}
	if u.marks.has(markKeeps) {
		u.finishKept()
	}
}

// needsMessage reports the editor that git starts for want of a message.
func (u *use) needsMessage() {
	if !u.marks.has(markMessage) && !u.inv.quiet {
		u.out.unknown(PartWords, u.inv.raw, u.sheet.name+" opens an editor")
	}
}

// finishLook reports what a subcommand does that only looks where an option
// says so.
func (u *use) finishLook() {
	switch {
	case u.marks.has(markLists) && u.flags&forced == 0:
	case strings.HasSuffix(u.sheet.name, " clean"):
		u.effects("!delete:. !unknown:removes-files-that-are-not-tracked", u.inv.raw)
	default:
		u.out.unknown(PartWords, u.inv.raw, u.sheet.name+" writes where it is not told to print")
	}
}

// finishKept reports that git writes to its database, and whether it keeps
// what was there: under a name, or for some weeks in its reflog and among its
// objects. Options that skip git's own checks left the mark loses. What git
// puts into the working tree from a commit or a stash may be any file, settings
// of an agent among them, which nobody has looked at: that is never kept.
func (u *use) finishKept() {
	r := u.repos.repository(u.inv.st.dir)
	if r == nil || !r.found || u.out.away != "" {
		u.out.path(Write, word{value: constant(".git/index"), raw: u.inv.raw}, u.inv.st, 0)
		return
	}
	u.gitWrites(r.dir, r.fault == "" && !r.forgets && r.top != "" && !u.marks.has(markLoses))
	if u.marks.has(markOvertree) {
		u.gitWrites(cmp.Or(r.top, r.dir), false)
		u.out.links = append(u.out.links, r.top) // which links the commit holds is not known
	}
}

func (u *use) gitWrites(target string, kept bool) {
	u.out.effect(Effect{Kind: Write, Target: target, Place: u.machine.placeOf(target), Words: u.inv.raw, Part: PartWords,
		Kept: kept})
}

// finishCheckout tells a new branch that starts where the working tree stands,
// which leaves its files alone, from everything else.
func (u *use) finishCheckout() {
	u.marks |= markKeeps
	if !u.marks.has(markNamed) || u.marks.has(markLoses) || u.ended || len(u.pos) > 0 {
		u.marks |= markOvertree
	}
}

// reworked reports whether something before in the line may have changed files
// other than those that git keeps in its own directory.
func (d *draft) reworked() bool {
	if len(d.report.Unknowns) > 0 {
		return true
	}
	for _, e := range d.report.Effects {
		switch e.Kind {
		case Write, Delete, Run:
			ownOnly := e.Kept && (path.Base(e.Target) == ".git" || path.Base(path.Dir(e.Target)) == "worktrees")
			if !ownOnly && e.Place != Null {
				return true
			}
		}
	}
	return false
}

// gitURL is where a remote of the configuration lies.
type gitURL struct{ remote, url string }

// note keeps of a setting what concerns fetching and keeping. file says where
// it stands, own that this is the repository's.
func (r *repository) note(name, text, file string, own bool) {
	first, rest, _ := strings.Cut(name, ".")
	last := rest[strings.LastIndexByte(rest, '.')+1:]
	mine := file == r.common+"/config" || file == r.dir+"/config.worktree" || !own
	switch {
	case name == "core.hookspath" && mine:
		r.hooks = append(r.hooks, text)
	case name == "core.logallrefupdates":
		r.forgets = r.forgets || falsy(text)
	case name == "core.worktree" && mine, first == "gc" && strings.Contains(last, "expire") && (own || !lasting(text)):
		r.forgets = true
	case last == "gpgsign":
		r.signs = r.signs || !falsy(text)
	case first == "remote" && mine:
		r.noteRemote(strings.TrimSuffix(rest, "."+last), last, text)
	case first == "branch" && last == "remote" && text != ".":
		r.upstreams = append(r.upstreams, text)
	case own && (first == "url" || first == "http" || first == "credential" || first == "ssh" || first == "protocol" ||
		first == "core" && last == "sshcommand"):
		r.rewrites = true
	case own && last == "bundleuri":
		r.rewrites = true
	case first == "extensions" && last == "partialclone":
		r.promisor = true
	case first == "fetch" && last == "prunetags":
		r.mirrors = true
	}
}

func (r *repository) noteRemote(remote, key, text string) {
	switch key {
	case "url":
		r.remotes = append(r.remotes, gitURL{remote, text})
	case "fetch":
		_, to, _ := strings.Cut(text, ":")
		r.mirrors = r.mirrors || !strings.HasPrefix(to, "refs/remotes/")
	case "promisor":
		r.promisor = r.promisor || !falsy(text)
	case "pushurl":
		r.pushes = true
	case "prune", "tagopt", "partialclonefilter", "gh-resolved", "pushdefault":
	default:
		r.mirrors, r.rewrites = true, true
	}
}

// lasting reports whether a time after which git drops what nothing leads to
// is never, or some weeks at least.
func lasting(text string) bool {
	count, unit, _ := strings.Cut(strings.ReplaceAll(strings.Trim(text, `"`), ".", " "), " ")
	n, err := strconv.Atoi(count)
	return count == "never" || err == nil && (strings.HasPrefix(unit, "day") && n >= 14 ||
		strings.HasPrefix(unit, "week") && n >= 2 ||
		strings.HasPrefix(unit, "month") && n > 0 || strings.HasPrefix(unit, "year") && n > 0)
}

func falsy(text string) bool {
	switch strings.ToLower(text) {
	case "false", "no", "off", "0":
		return true
	}
	return false
}

// finishFetch reports where git fetch and git pull ask, and whether what they
// overwrite is kept: remote branches are, tags and a shallow history are not.
func (u *use) finishFetch() {
	several := u.marks.has(markSeveral)
	u.asksRemote(several)
	u.marks |= markKeeps
	r := u.repos.repository(u.inv.st.dir)
	if r == nil || r.mirrors {
		u.marks |= markLoses
	}
	for i, w := range u.pos {
		if i > 0 && !several && (!w.known || w.many || strings.HasPrefix(w.text, "+") || u.marks.has(markPrunes)) {
			u.marks |= markLoses
		}
	}
}

// asksRemote reports the fetch from the remote that the arguments name, the
// first or with several all of them, or from that of the current branch.
func (u *use) asksRemote(several bool) {
	if len(u.pos) == 0 {
		u.asks("")
	}
	for i, w := range u.pos {
		if i > 0 && !several {
			return
		}
		if w.known && !w.many && w.glob == 0 && !strings.Contains(w.text, "://") {
			u.asks(w.text)
			continue
		}
		u.url(w)
	}
}

func (u *use) asks(remote string) {
	e := Effect{Kind: Fetch, Target: cmp.Or(remote, "origin"), Place: Network, Words: u.inv.raw, Part: PartWords}
	if url, ok := u.declaredRemote(remote); ok {
		e.Target, e.Declared = url, "the repository's configuration"
		if !strings.HasPrefix(url, "https://") && u.machine.find("ssh", u.inv.st).foreign {
			u.out.does(Run, "ssh", u.inv.raw)
		}
	}
	u.out.effect(e)
}

// declaredRemote returns the address of a remote that the repository's
// configuration names, or of all if none is asked for and they are plain.
// false where anything in it may lead elsewhere.
func (u *use) declaredRemote(remote string) (url string, ok bool) {
	r := u.repos.repository(u.inv.st.dir)
	if r == nil || !r.found || r.fault != "" || r.rewrites || u.machine.exists(r.common+"/modules") {
		return "", false
	}
	for _, name := range r.upstreams {
		if _, found := r.remote(name); !found && remote == "" {
			return "", false
		}
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

// plain reports whether every remote leads to a host over https or ssh, and no
// setting of the repository changes how it is fetched.
func (r *repository) plain() bool {
	return !r.rewrites && !slices.ContainsFunc(r.remotes, func(g gitURL) bool { return !plainRemote(g.url) })
}

func (r *repository) remote(name string) (url string, ok bool) {
	for _, g := range r.remotes {
		if g.remote == name {
			return g.url, true
		}
	}
	return "", false
}

// plainRemote reports whether an address leads to a host over https or ssh,
// and nowhere else: no helper, no file, no password.
func plainRemote(url string) bool {
	if strings.ContainsAny(url, " \t\"'\\`$;#|&<>(){}*?[]%\x00") || strings.Contains(url, "::") {
		return false
	}
	rest, https := strings.CutPrefix(url, "https://")
	host, _, _ := strings.Cut(rest, "/")
	if !https {
		rest, ssh := strings.CutPrefix(url, "ssh://")
		if host, _, _ = strings.Cut(rest, "/"); !ssh {
			var colon bool
			if host, _, colon = strings.Cut(url, ":"); !colon || strings.Contains(url, "://") {
				return false
			}
		}
		if user, at, ok := strings.Cut(host, "@"); ok {
			if !plainHost(user) {
				return false
			}
			host = at
		}
	}
	name, port, _ := strings.Cut(host, ":")
	return plainHost(name) && strings.Trim(port, "0123456789") == ""
}

func plainHost(name string) bool {
	return name != "" && name[0] != '-' && name[0] != '.' &&
		strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789.-_") == ""
}

// ghHome reports whether no argument and no variable leads gh to another host,
// and no argument is computed.
func (u *use) ghHome() bool {
	for _, name := range [...]string{"GH_HOST", "GH_REPO", "GH_CONFIG_DIR", "GH_ENTERPRISE_TOKEN", "HTTPS_PROXY",
		"https_proxy", "ALL_PROXY", "all_proxy"} {
		if _, ok := u.machine.inherits(name); ok || u.inv.st.lookup(name) != nil {
			return false
		}
	}
	for i, w := range u.inv.args {
		if (w.text == "-w" || w.text == "--web") && !strings.HasPrefix(u.heading, "run ") {
			return false // opens a browser
		}
		before := ""
		if i > 0 {
			before = u.inv.args[i-1].text
		}
		if !w.known || w.many || w.glob > 0 && !formatFlag(before) || !formatFlag(before) && !atGitHub(w.text, before) {
			return false
		}
	}
	return true
}

// formatFlag recognises the options of gh whose argument shapes its output.
func formatFlag(text string) bool {
	switch text {
	case "-q", "--jq", "-t", "--template", "--json", "-S", "--search":
		return true
	}
	return false
}

// atGitHub reports whether a word of gh names no other host: HOST/OWNER/NAME,
// a URL, git@HOST:..., or a header of a request.
func atGitHub(text, before string) bool {
	if header := before == "-H" || before == "--header"; header {
		text = strings.ToLower(text)
		return strings.HasPrefix(text, "accept:") || strings.HasPrefix(text, "x-github-api-version:")
	}
	if name, value, ok := strings.Cut(text, "="); ok && strings.HasPrefix(name, "-") {
		if name == "--header" || formatFlag(name) {
			return formatFlag(name)
		}
		text = value
	} else if strings.HasPrefix(text, "-R") || strings.HasPrefix(text, "-H") {
		text = text[2:]
	}
	for _, own := range [...]string{"https://github.com/", "https://api.github.com/", "github.com/", "git@github.com:"} {
		if strings.HasPrefix(text, own) {
			return true
		}
	}
	first, _, slash := strings.Cut(strings.TrimPrefix(text, "/"), "/")
	return !strings.ContainsAny(first, ":@") && !(slash && strings.Contains(first, "."))
}

// gitHookDirs are the directories that git may take hooks from: its own, and
// those that the configuration names. Which of several counts is not asked.
func (m *machine) gitHookDirs(r *repository) (dirs []string, known bool) {
	dirs, known = []string{path.Join(r.common, "hooks")}, true
	for _, text := range r.hooks {
		text = strings.Trim(text, `"`)
		if text == "" || text == "/dev/null" {
			continue
		}
		if strings.ContainsAny(text[:1], "%:~") && !(strings.HasPrefix(text, "~/") && m.env.Home != "") ||
			strings.ContainsAny(text, `"\#;`) {
			known = false
			continue
		}
		dirs = append(dirs, m.hooksDir(r, text))
	}
	return dirs, known
}
