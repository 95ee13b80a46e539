package shell

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// gitLine is a command line of git: what its arguments name, and what it does
// only after all its options are known.
type gitLine struct {
	machine *machine
	out     *draft
	repos   *repositories
	*sheet
	*given
	targets *targets
	run     lineRunner
}

func (u *use) git() *gitLine {
	return &gitLine{
		machine: u.machine, out: &u.out, repos: &u.repos,
		sheet: u.sheet, given: &u.given, targets: &u.targets, run: u,
	}
}

// lineRunner does what the sheet of a command line says.
type lineRunner interface {
	effects(list, raw string)  // what a sheet says of an option
	unknownOption(name string) // what it says of no option
}

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
		gl.tracks()
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

// tracks reports a new branch that starts at one of another repository: git writes
// into its settings what it follows.
func (gl *gitLine) tracks() {
	r := gl.repos.repository(gl.inv.st.dir)
	if r != nil && r.follows && gl.marks.has(markNamed) {
		gl.out.unknown(PartWords, gl.inv.raw, "this moves or copies what git's settings say of a branch")
	}
	if n := len(gl.pos); r != nil && n > 0 && gl.marks.has(markNamed) &&
		(!gl.pos[n-1].known || gl.machine.exists(r.common+"/logs/refs/heads/"+gl.pos[n-1].text)) {
		gl.out.unknown(PartWords, gl.inv.raw, "this may put a reflog in the place of one that only it has")
	}
	switch deletes := gl.marks.has(markDeletion); {
	case len(gl.pos) > 0 && !deletes:
		gl.mayTrack(r)
	case deletes && r != nil && r.describes:
		gl.out.unknown(PartWords, gl.inv.raw,
			"this may remove what git's settings say of a branch, which is kept nowhere else")
	case deletes && r != nil && (r.followsOwn || gl.machine.exists(r.common+"/remotes")):
		gl.out.unknown(PartWords, gl.inv.raw,
			"this may remove a branch that git takes for merged into one of this repository, and no other has")
	case deletes && r != nil && gl.detached(r):
		gl.out.unknown(PartWords, gl.inv.raw,
			"this may remove the only name of what HEAD is on, since HEAD is on no branch")
	case deletes && r != nil && slices.ContainsFunc(gl.pos, func(w word) bool { return gl.onlyLogged(r, w) }):
		gl.out.unknown(PartWords, gl.inv.raw, "this may remove what only the reflog of a branch has")
	}
	if r == nil || len(gl.pos) != 2 || gl.marks.has(markDeletion|markNamed) {
		return
	}
	start := gl.pos[1].text
	_, at, _ := strings.Cut(start, "@{")
	if !gl.pos[1].known || gl.pos[1].many || strings.Trim(at, "0123456789}") != "" || // @{u}
		strings.Contains(start, "/") && !gl.machine.exists(r.dir+"/refs/heads/"+start) {
		gl.out.unknown(PartWords, gl.inv.raw, "this may change what a branch follows, in git's settings")
	}
}

// detached reports whether HEAD may be on no branch: what it is on has the name that git
// takes away, perhaps, and no other.
func (gl *gitLine) detached(r *repository) bool {
	head, err := gl.machine.env.Files.Read(r.dir+"/HEAD", maxConfig)
	return err != nil || !bytes.HasPrefix(head, []byte("ref: "))
}

// maxReflog bounds how much of a reflog is read.
const maxReflog = 4 << 20

// onlyLogged reports whether the reflog of a branch, which goes with it, may hold commits
// that no other has. git itself asks whether the last one is merged, and those before it,
// as far as each was made on top of the one before, are with it.
func (gl *gitLine) onlyLogged(r *repository, w word) bool {
	if !w.known || w.many || w.glob > 0 {
		return true
	}
	files := gl.machine.env.Files
	branch, err := files.Read(r.common+"/logs/refs/heads/"+w.text, maxReflog)
	if errors.Is(err, fs.ErrNotExist) {
		return gl.machine.exists(r.common + "/reftable") // which holds reflogs, too
	}
	head, _ := files.Read(r.dir+"/logs/HEAD", maxReflog)
	lines := slices.Collect(strings.Lines(string(branch)))
	slices.Reverse(lines)
	merged := err == nil && len(branch) < maxReflog
	for _, line := range lines {
		_, rest, _ := strings.Cut(line, " ")
		made, _, _ := strings.Cut(rest, " ")
		if !merged && (made == "" || !bytes.Contains(head, []byte(" "+made+" "))) {
			return true
		}
		merged = merged && onTop(line)
	}
	return err != nil
}

// onTop reports whether a line of a reflog is of a commit on top of the one before.
func onTop(line string) bool {
	_, what, _ := strings.Cut(line, "\t")
	for _, kind := range [...]string{"commit:", "commit (merge):", "commit (initial):"} {
		if strings.HasPrefix(what, kind) {
			return true
		}
	}
	return strings.HasSuffix(strings.TrimSpace(what), ": Fast-forward")
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
		gl.run.effects("!delete:.", gl.inv.raw)
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
	gl.gitWrites(r.dir, r.fault == "" && !r.forgets && r.top != "" && !gl.marks.has(markLoses) && !ends)
	if link := gl.repos.writesThrough(r); link != "" {
		gl.out.unknown(PartWords, gl.inv.raw, "this may write what "+grammar.Escaped(link)+" is a link to")
	}
	aside := r.dir + "/MERGE_AUTOSTASH"
	if gl.machine.gitIs("takes-changes", gl.sheet.heading) && gl.machine.exists(aside) {
		gl.out.unknown(PartWords, gl.inv.raw, "this may bring back what a merge put aside ("+grammar.Escaped(aside)+")")
	}
	if gl.marks.has(markOvertree) {
		gl.gitWrites(cmp.Or(r.top, r.dir), false)
		gl.out.makesLink(gl.inv.raw) // the commit may hold some
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
	if gl.marks.has(markNamed) {
		gl.mayTrack(gl.repos.repository(gl.inv.st.dir))
	}
}

// mayTrack reports that git notes in its settings what a new branch follows, where
// branch.autoSetupMerge says that it follows a branch of this repository too.
func (gl *gitLine) mayTrack(r *repository) {
	if r != nil && r.tracks {
		gl.out.unknown(PartWords, gl.inv.raw, "this notes in git's settings what the new branch follows")
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
	r.follows = r.follows || own && first == "branch"
	last := rest[strings.LastIndexByte(rest, '.')+1:]
	r.describes = r.describes || own && first == "branch" && strings.Contains(rest, ".") && !writtenAgain(last)
	r.followsOwn = r.followsOwn || first == "remote" && last == "fetch" && mapsElsewhere(strings.Trim(text, `"`))
	mine := file == r.common+"/config" || file == r.dir+"/config.worktree" || !own
	switch {
	case name == "core.hookspath" && mine:
		r.hooks = append(r.hooks, text)
	case name == "core.logallrefupdates":
		r.forgets = r.forgets || falsy(text)
	case name == "core.worktree" && mine && r.leadsAway(text):
		r.fault = grammar.Escaped(file) + " has its working tree elsewhere (core.worktree)"
	case name == "core.worktree" && mine, first == "gc" && strings.Contains(last, "expire") && (own || !lasting(text)):
		r.forgets = true
	case last == "gpgsign":
		r.signs = r.signs || !falsy(text)
	case name == "branch.autosetupmerge":
		r.tracks = slices.Contains([]string{"always", "inherit"}, strings.ToLower(strings.Trim(text, `"`)))
	case name == "remote.pushdefault", first == "branch" && last == "pushremote":
		r.upstreams = append(r.upstreams, strings.Trim(text, `"`))
	case first == "remote" && mine:
		r.noteRemote(strings.TrimSuffix(rest, "."+last), last, text)
	case first == "branch" && last == "remote" && strings.Trim(text, `"`) == ".":
		r.followsOwn = true
	case first == "branch" && last == "remote":
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
	case first == "stash" && strings.HasPrefix(last, "show") && last != "showstat" && !falsy(text),
		name == "diff.submodule" && text == "diff", last == "recursesubmodules" && !falsy(text),
		name == "submodule.recurse" && !falsy(text), name == "log.follow" && !falsy(text):
		r.wider = append(r.wider, name)
	}
}

// mapsElsewhere reports whether what is fetched may be put in the place of a branch, which
// git then takes for another repository's: +refs/heads/*:refs/heads/*.
func mapsElsewhere(refspec string) bool {
	_, to, _ := strings.Cut(refspec, ":")
	return to != "" && !strings.HasPrefix(to, "refs/remotes/") && !strings.HasPrefix(to, "refs/tags/")
}

// writtenAgain reports what git and editors write of a branch by themselves.
func writtenAgain(key string) bool {
	return slices.Contains([]string{"remote", "merge", "rebase", "vscode-merge-base", "github-pr-owner-number",
		"github-pr-base-branch", "gk-merge-base", "gk-merge-target"}, key)
}

// leadsAway reports whether core.worktree names another directory than the one
// that the repository was found in. That of a submodule names its own.
func (r *repository) leadsAway(text string) bool {
	dir := strings.Trim(text, `"`)
	if !path.IsAbs(dir) {
		dir = r.dir + "/" + dir
	}
	return path.Clean(dir) != r.top
}

// widens is the setting that has git print what its words do not ask for: the
// patch of a stash, files that were not tracked, what changed in submodules. args
// begin with the subcommand. "" is none. A repository that is not known has none.
func (r *repository) widens(s *sheet, args []word) string {
	if r == nil {
		return ""
	}
	shows := len(args) > 1 && args[0].text == "stash" && args[1].text == "show"
	for _, name := range r.wider {
		first, _, _ := strings.Cut(name, ".")
		if first == "stash" && shows || first == "log" && args[0].text == "log" ||
			first != "stash" && first != "log" && (s.lists("enters-submodules", args[0].text) || printsStaged(args)) {
			return name
		}
	}
	return ""
}

// printsStaged reports whether git status or git commit prints a patch.
func printsStaged(args []word) bool {
	verbose := func(w word) bool {
		short := strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--")
		return !w.known || short && strings.IndexByte(w.text, 'v') > 0 || strings.HasPrefix(w.text, "--verb") ||
			strings.HasPrefix(w.text, "--dry")
	}
	return (args[0].text == "status" || args[0].text == "commit") && slices.ContainsFunc(args[1:], verbose)
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
	case "partialclonefilter": // it makes a remote one that promises, alone too
		r.promisor = true
	case "pushurl":
		r.pushes = true
	case "prune", "tagopt", "gh-resolved":
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
func (gl *gitLine) finishFetch() {
	several := gl.marks.has(markSeveral)
	gl.asksRemote(several)
	gl.marks |= markKeeps
	r := gl.repos.repository(gl.inv.st.dir)
	if r == nil || r.mirrors {
		gl.marks |= markLoses
	}
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
		gl.targets.url(w)
	}
}

func (gl *gitLine) asks(remote string) {
	e := Effect{Kind: Fetch, Target: cmp.Or(remote, "origin"), Place: Network, Words: gl.inv.raw, Part: PartWords}
	url, ok := gl.declaredRemote(remote)
	if !ok {
		e.Note = grammar.Shorten(gl.lost(e.Target))
	} else {
		e.Target, e.Declared = url, "the repository's configuration"
		if !strings.HasPrefix(url, "https://") && gl.machine.find("ssh", gl.inv.st).foreign {
			gl.out.does(Run, "ssh", gl.inv.raw)
		}
	}
	gl.out.effect(e)
}

// lost says of a remote why nod knows no address of it.
func (gl *gitLine) lost(remote string) string {
	r := gl.repos.repository(gl.inv.st.dir)
	switch {
	case r == nil || !r.found || r.fault != "":
		return remote + ", and nod does not see the configuration of the repository"
	case !slices.ContainsFunc(r.remotes, func(g gitURL) bool { return g.remote == remote }):
		return remote + ", which is no remote of this repository"
	}
	return remote + ", and nod does not follow where that leads"
}

// declaredRemote returns the address of a remote that the repository's
// configuration names, or of all if none is asked for and they are plain.
// false where anything in it may lead elsewhere.
func (gl *gitLine) declaredRemote(remote string) (url string, ok bool) {
	r := gl.repos.repository(gl.inv.st.dir)
	if r == nil || !r.found || r.fault != "" || r.rewrites || gl.machine.exists(r.common+"/modules") {
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
func (r *request) ghHome() bool {
	for _, name := range [...]string{"GH_HOST", "GH_REPO", "GH_CONFIG_DIR", "GH_ENTERPRISE_TOKEN", "HTTPS_PROXY",
		"https_proxy", "ALL_PROXY", "all_proxy"} {
		if _, ok := r.machine.inherits(name); ok || r.inv.st.lookup(name) != nil {
			return false
		}
	}
	for i, w := range r.inv.args {
		if (w.text == "-w" || w.text == "--web") && !strings.HasPrefix(r.heading, "run ") {
			return false // opens a browser
		}
		before := ""
		if i > 0 {
			before = r.inv.args[i-1].text
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
	for _, own := range [...]string{"https://github.com/", "https://api.github.com/", "github.com/",
		"git@github.com:"} {
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
