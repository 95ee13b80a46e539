package shell

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

// git reads the options before the subcommand, judges the configuration that
// git would use, and goes on with the data for the subcommand.
func (a *analysis) git(s *sheet, inv *invocation) {
	gl := newUse(a, s, inv).git()
	args := inv.args
	for len(args) > 0 && args[0].dashed() && args[0].known {
		n := gl.option(args[0], args[1:])
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
	if inv.st.homeless {
		a.out.unknown(PartWords, inv.raw, "this runs git without HOME, and so with other settings than the person's")
	}
	a.out.report.Commands[a.out.command].Told = &Told{Dir: inv.st.dir, Verbs: []string{sub.text}}
	repo := a.repos.repository(inv.st.dir)
	a.repos.gitSettings(repo, inv, sub.text, args[1:])
	if repo != nil && a.out.away == "" {
		gitLogins(a, repo, inv, sub.text, args[1:])
	}
	if slices.ContainsFunc(args, asksForSignatures) {
		a.out.unknown(PartWords, inv.raw, "git starts gpg for a format that speaks of signatures (%G)")
	}
	if setting := repo.widens(s, args); setting != "" {
		a.out.unknown(PartWords, inv.raw, "git's setting "+setting+" has this print more than nod looks at")
	}
	next, ok := s.under(sub.text)
	if !ok {
		a.gitAlias(repo, inv, sub.text, args[1:])
		return
	}
	if k, own := repo.alias(sub.text); own && s.lists("may-lack", sub.text) { // a git that lacks it runs the alias
		a.out.unknown(PartWords, inv.raw, "git "+grammar.Escaped(sub.text)+" is an alias in "+grammar.Escaped(k.file))
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

// asksForSignatures reports whether a word may be a format with %G in it, also with a
// sign or a width between the two.
func asksForSignatures(w word) bool {
	for rest := w.text; ; {
		at := strings.IndexByte(rest, '%')
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
		if strings.HasPrefix(strings.TrimLeft(rest, "+- "), "G") {
			return true
		}
	}
}

// gitOption reads one option of git itself and returns how many words it is.
func (gl *gitLine) option(w word, rest []word) int {
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
	gl.run.unknownOption(name)
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
		if i := strings.IndexByte(w.text, '='); i < 0 || !plainGitKey(name) {
			gl.out.unknown(PartWords, gl.inv.raw, "this gives git a setting that nod cannot read")
		}
		return
	}
	name = strings.ToLower(name)
	switch {
	case name == "gc.auto" && text == "0", plainGitKey(name), signsGit(name) && falsy(text),
		strings.HasPrefix(name, "color."), strings.HasPrefix(name, "advice."):
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

// plainGitKey reports settings that change what is printed, at most.
func plainGitKey(name string) bool {
	switch strings.ToLower(name) {
	case "core.quotepath", "user.name", "user.email", "core.abbrev", "diff.renames",
		"diff.renamelimit", "core.autocrlf", "merge.renamelimit", "log.date", "log.decorate",
		"diff.noprefix", "diff.mnemonicprefix", "diff.algorithm", "diff.context", "status.relativepaths",
		"status.showuntrackedfiles", "status.submodulesummary", "grep.linenumber", "grep.patterntype", "color.ui",
		"column.ui", "advice.detachedhead", "init.defaultbranch", "core.longpaths",
		"core.filemode", "blame.coloring", "merge.conflictstyle":
		return true
	}
	return false
}

// signsGit reports settings that start gpg unless they are off.
func signsGit(name string) bool {
	return name == "log.showsignature" || name == "commit.gpgsign" || name == "tag.gpgsign"
}

// repositories are those of git that commands of the line work in, and what
// their configuration and hooks make git run.
type repositories struct {
	machine *machine
	out     *draft
	defs    *definitions
	repos   []*repository
}

// repository is what was found of a git repository.
type repository struct {
	from       string // the directory it was looked for from
	top        string // of the working tree; "" in a bare repository
	dir        string // the git directory
	common     string // that of the main working tree
	found      bool
	fault      string
	keys       []gitKey
	secret     bool     // a setting holds a password, a token or a header
	namesLogin bool     // a remote's name is an address with a password
	merges     bool     // log.diffMerges makes git log merge again
	smudges    bool     // a filter has a part in what git takes out of a commit, and may fetch it
	wider      []string // settings that have subcommands print more than their words say

	remotes    []gitURL
	upstreams  []string // remotes of branches, by name or address
	hooks      []string // what core.hooksPath says, in any file
	rewrites   bool     // a setting of the repository changes how it is fetched
	pushes     bool     // what is pushed goes elsewhere than what is fetched comes from
	mirrors    bool     // fetching may overwrite more than remote branches
	follows    bool     // settings say what a branch follows
	followsOwn bool     // settings have a branch follow one of this repository
	describes  bool     // settings say of a branch what only a person wrote
	tracks     bool     // a new branch follows the one that it starts from, also of this repository
	forgets    bool     // no reflog is kept
	signs      bool     // commits or tags are signed
	promisor   bool     // objects that are missing are fetched when they are asked for
	inner      bool     // what lies inside it has been looked at
	looked     bool     // at its directory, for printed
	unlisted   string   // a directory of git's that cannot be listed whole; "" is none
	printed    []string // files that git may print though nobody names them
	through    *string  // the name by which git would write elsewhere; nil: not looked yet
}

// gitKey is a setting that can make git run something, and where it stands.
type gitKey struct {
	name, text, file string
	own              bool // it is the repository's, and wins over the person's
}

// repository finds and reads the repository around a directory; nil if the
// directory or the files are not known.
func (g *repositories) repository(dir string) *repository {
	if dir == "" || g.machine.env.Files == nil {
		return nil
	}
	for _, r := range g.repos {
		if r.from == dir {
			return r
		}
	}
	r := g.machine.foundBefore(dir)
	if r == nil {
		r = &repository{from: dir}
		g.readRepository(r)
		r.keys, r.printed = slices.Clip(r.keys), slices.Clip(r.printed)
		g.machine.gits = append(g.machine.gits, *r)
	}
	g.repos = append(g.repos, r)
	return r
}

// foundBefore returns a repository as another reading found it.
func (m *machine) foundBefore(dir string) *repository {
	for _, r := range m.gits {
		if r.from == dir {
			return &r
		}
	}
	return nil
}

// borrowsFrom is a directory that the agent can write from which a repository takes
// objects: git reads lists of further ones there, and prints what it cannot read.
func (m *machine) borrowsFrom(r *repository) string {
	name := r.common + "/objects/info/alternates"
	if !m.exists(name) {
		return ""
	}
	data, err := m.env.Files.Read(name, maxConfig)
	if err != nil {
		return name
	}
	for line := range strings.Lines(string(data)) {
		dir := strings.Trim(strings.TrimSpace(line), `"`)
		if dir == "" || dir[0] == '#' {
			continue
		}
		if !path.IsAbs(dir) {
			dir = r.common + "/objects/" + dir
		}
		if real, place := m.place(dir); place == Workspace || place == Temporary || real == "" ||
			strings.Contains(dir, `\`) {
			return dir
		}
	}
	return ""
}

func (g *repositories) readRepository(r *repository) {
	if g.machine.discover(r); r.found {
		if from := g.machine.borrowsFrom(r); from != "" {
			r.fault = "it takes objects from a directory of the workspace: " + grammar.Escaped(from)
		}
		g.gitConfig(r, r.common+"/config", true, 0)
		g.submodules(r, r.common+"/modules", 0)
		r.secret = r.secret || oldRemotesHoldLogin(g.machine, r)
		if g.machine.exists(r.dir + "/config.worktree") {
			g.gitConfig(r, r.dir+"/config.worktree", true, 0)
		}
	}
	if g.machine.env.Home != "" {
		g.gitConfig(r, g.machine.env.Home+"/.gitconfig", false, 0)
		g.gitConfig(r, g.machine.env.Home+"/.config/git/config", false, 0)
	}
	g.gitConfig(r, "/etc/gitconfig", false, 0)
}

// submodules reads the configuration of submodules: git status and its kin run
// git inside them.
func (g *repositories) submodules(r *repository, dir string, depth int) {
	if !g.machine.exists(dir) {
		return
	}
	names, err := g.machine.env.Files.List(dir, 64)
	if err != nil || depth > 3 {
		r.fault = grammar.Escaped(dir) + " cannot be read"
		return
	}
	for _, name := range names {
		sub := dir + "/" + name
		if g.machine.exists(sub + "/config") {
			g.gitConfig(r, sub+"/config", true, 0)
			g.submodules(r, sub+"/modules", depth+1)
		} else if info, err := g.machine.env.Files.Lstat(sub); err == nil && info.Mode.IsDir() {
			g.submodules(r, sub, depth+1)
		}
	}
}

func (m *machine) exists(name string) bool {
	_, err := m.env.Files.Lstat(name)
	return err == nil
}

// discover walks up from r.from as git does.
func (m *machine) discover(r *repository) {
	real, err := view.Resolve(m.env.Files, r.from)
	if err != nil {
		r.fault = "where the repository lies is not known"
		return
	}
	for dir := real; ; dir = path.Dir(dir) {
		at := strings.TrimSuffix(dir, "/")
		info, err := m.env.Files.Lstat(at + "/.git")
		switch {
		case err == nil && info.Mode.IsDir():
			r.found, r.top, r.dir, r.common = true, dir, at+"/.git", at+"/.git"
			if m.exists(at + "/.git/commondir") {
				r.fault = grammar.Escaped(at) + "/.git/commondir leads elsewhere"
			}
			return
		case err == nil:
			m.gitFile(r, dir, at+"/.git")
			return
		case m.exists(at+"/HEAD") && (m.exists(at+"/commondir") || m.exists(at+"/objects") && m.exists(at+"/refs")):
			r.found, r.dir, r.common = true, dir, dir
			if path.Base(dir) != ".git" {
				r.fault = "a bare repository lies at " + grammar.Escaped(dir)
			}
			return
		}
		if dir == "/" {
			return
		}
	}
}

// gitFile follows the .git file of a linked worktree or submodule.
func (m *machine) gitFile(r *repository, top, file string) {
	data, err := m.env.Files.Read(file, 4096)
	target, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir:")
	if err != nil || !ok {
		r.fault = grammar.Escaped(file) + " cannot be read"
		return
	}
	target = strings.TrimSpace(target)
	if !path.IsAbs(target) {
		target = path.Join(top, target)
	}
	if target, err = view.Resolve(m.env.Files, target); err != nil {
		r.fault = grammar.Escaped(file) + " leads nowhere"
		return
	}
	r.found, r.top, r.dir, r.common = true, top, target, target
	if data, err := m.env.Files.Read(target+"/commondir", 4096); err == nil {
		common := strings.TrimSpace(string(data))
		if !path.IsAbs(common) {
			common = path.Join(target, common)
		}
		r.common = path.Clean(common)
	}
}

// gitSettings reports what the configuration makes a git command run.
func (g *repositories) gitSettings(r *repository, inv *invocation, sub string, args []word) {
	if g.machine.gitIs("anywhere", sub) || g.out.away != "" {
		return
	}
	switch {
	case r == nil:
		g.out.unknown(PartWords, inv.raw, "this runs git, and nod cannot tell in which repository")
		return
	case r.fault != "":
		g.out.unknown(PartWords, inv.raw, "this runs git, and "+r.fault)
		return
	case !r.found && g.out.changed && sub != "clone" && sub != "init":
		g.out.unknown(PartWords, inv.raw,
			"this runs git in a repository that the same line may make, so that nod cannot read its settings")
		return
	}
	if g.gitlinks(r, sub); r.fault != "" {
		g.out.unknown(PartWords, inv.raw, "this runs git, and "+r.fault)
		return
	}
	if r.found && !g.machine.gitIs("reads", sub) && g.machine.exists(r.dir+"/MERGE_RR") {
		g.out.unknown(PartWords, inv.raw, "this may put into files what git has kept of earlier merges (rerere)")
	}
	if r.smudges && g.machine.gitIs("smudges", sub) && usesFilters(g.machine, r) {
		g.out.unknown(PartWords, inv.raw, "git "+sub+" hands files to a filter, which may fetch them (git-lfs does)")
	}
	if g.out.reindexed && !g.machine.gitIs("looks-past", sub) {
		g.out.unknown(PartWords, inv.raw, "this runs git after the same line changed what its index holds")
	}
	g.out.reindexed = g.out.reindexed || sub == "reset" || sub == "restore"
	if what := g.machine.otherHistory(r); what != "" {
		g.out.unknown(PartWords, inv.raw, "this runs git where "+what+" puts other objects in the place of what it has")
	}
	if r.promisor && !r.plain() {
		g.out.unknown(PartWords, inv.raw,
			"this may make git fetch objects that a partial clone lacks, and nod does not know from where")
	}
	merging := remerges(r, sub, args)
	reaches := g.machine.gitIs("network", sub) && (sub != "remote" || !listsRemotes(args))
	for _, k := range r.keys {
		switch {
		case k.file == "" || strings.HasPrefix(k.name, "alias.") || k.name == "core.hookspath":
		case !g.machine.concerns(k.name, sub, reaches) && !(merging && strings.HasPrefix(k.name, "merge.")), known(k):
		default:
			g.out.does(Run, grammar.Escaped(k.text), inv.raw)
			g.out.unknown(PartWords, inv.raw,
				"this runs git, and "+k.name+" in "+grammar.Escaped(k.file)+" can make it run something")
		}
	}
	if r.found {
		g.gitFiles(r, inv)
		g.gitHooks(r, sub, inv)
		if r.signs && !g.machine.gitIs("reads", sub) && (g.machine.find("gpg", inv.st).foreign ||
			g.machine.find("ssh-keygen", inv.st).foreign) {
			g.out.does(Run, "gpg", inv.raw)
		}
	}
}

// remerges reports whether a subcommand that only reads merges all the same,
// which starts merge drivers.
func remerges(r *repository, sub string, args []word) bool {
	switch {
	case r != nil && r.merges:
		return true
	case sub == "stash":
		return len(args) == 0 || args[0].text != "list" && args[0].text != "show"
	}
	for i, w := range args {
		how, attached := strings.CutPrefix(w.text, "--diff-merges=")
		if w.text == "--diff-merges" && i+1 < len(args) {
			how, attached = args[i+1].text, true
		}
		if strings.HasPrefix(w.text, "--remerge") || attached && strings.HasPrefix(how, "r") {
			return true
		}
	}
	return false
}

// maxPackedRefs bounds how much of the list of a repository's refs is read.
const maxPackedRefs = 8 << 20

// otherHistory names what makes git show other commits than those that it has: refs
// that replace objects, in files or packed, and grafts. "" is none.
func (m *machine) otherHistory(r *repository) string {
	if !r.found {
		return ""
	}
	for _, name := range [...]string{"refs/replace", "info/grafts"} {
		if m.exists(r.common+"/"+name) || m.exists(r.dir+"/"+name) {
			return name
		}
	}
	if packed := r.common + "/packed-refs"; m.exists(packed) {
		data, err := m.env.Files.Read(packed, maxPackedRefs)
		if err != nil || bytes.Contains(data, []byte(" refs/replace/")) {
			return "packed-refs"
		}
	}
	return ""
}

// known recognises settings that large repositories carry and that run git's
// own large-file helper.
func known(k gitKey) bool {
	return strings.HasPrefix(k.name, "filter.lfs.") && strings.HasPrefix(k.text, "git-lfs ") &&
		!strings.ContainsAny(k.text, ";|&$`/")
}

// listsRemotes reports whether git remote only says what its settings hold.
func listsRemotes(args []word) bool {
	verb := slices.IndexFunc(args, func(w word) bool { return !w.known || w.many || !strings.HasPrefix(w.text, "-") })
	return verb < 0 || args[verb].known && !args[verb].many && args[verb].text == "get-url"
}

// concerns reports whether a setting matters to a subcommand, which may reach out or not.
func (m *machine) concerns(name, sub string, reaches bool) bool {
	first, _, _ := strings.Cut(name, ".")
	switch first {
	case "lfs": // an extension is a filter, and storage is where a filter writes
		return reaches || strings.HasPrefix(name, "lfs.extension.") || name == "lfs.storage"
	case "credential", "remote", "url", "protocol", "http", "uploadpack", "ssh", "submodule", "transfer":
		return reaches
	case "merge", "mergetool", "sequence", "trailer", "commit", "push":
		return !m.gitIs("reads", sub)
	case "tag":
		return m.gitIs("names-objects", sub)
	case "log":
		return m.gitIs("prints-objects", sub)
	case "sendemail", "imap", "instaweb", "web", "browser", "man", "guitool", "difftool", "tar", "help":
		return m.gitIs("outward", sub)
	}
	switch name {
	case "core.sshcommand", "core.gitproxy", "core.askpass":
		return reaches
	case "core.editor":
		return !m.gitIs("reads", sub)
	}
	return true
}

// gitIs reports whether a list of git's sheet names a subcommand.
func (m *machine) gitIs(list, sub string) bool {
	s, ok := m.sheet("git")
	return ok && s.lists(list, sub)
}

// alias is the alias of that name which git uses, nil if there is none, and whether
// it is the repository's own: that one wins over the person's.
func (r *repository) alias(name string) (alias *gitKey, own bool) {
	if r == nil {
		return nil, false
	}
	for i := range r.keys {
		if k := &r.keys[i]; strings.EqualFold(k.name, "alias."+name) && (k.own || !own) {
			alias, own = k, k.own
		}
	}
	return alias, own
}

// gitAlias follows an alias, or says that the subcommand is not known.
func (a *analysis) gitAlias(r *repository, inv *invocation, sub string, rest []word) {
	if k, _ := r.alias(sub); k != nil {
		text := strings.Trim(k.text, `"`)
		if shellText, ok := strings.CutPrefix(text, "!"); ok {
			if len(rest) > 0 {
				shellText += ` "$@"`
			}
			a.texts.nested(shellText, state{dir: r.top}, "git")
			return
		}
		if a.limits.depth < maxTexts && !strings.ContainsAny(text, "$`;|&<>()\\\n") {
			a.aliasWords(inv, text, rest)
			return
		}
	}
	a.out.unknown(PartWords, inv.raw, "this runs "+grammar.Escaped("git "+sub)+", of which nod knows nothing")
}

func (a *analysis) aliasWords(inv *invocation, text string, rest []word) {
	inner := *inv
	inner.args = nil
	for _, piece := range strings.Fields(strings.ReplaceAll(strings.ReplaceAll(text, `"`, ""), "'", "")) {
		inner.args = append(inner.args, word{value: constant(piece), raw: piece})
	}
	inner.args = append(inner.args, rest...)
	a.limits.depth++
	if s, ok := a.machine.sheet("git"); ok {
		a.git(s, &inner)
	}
	a.limits.depth--
}

// tracked reports the file that an argument of git show, git diff and their
// kin names: REV:path below the top of the repository, or a path, which
// outside a repository, or leading out of it, is read as it is. What is not
// there is a revision.
func (gl *gitLine) tracked(w word) {
	if !w.known {
		gl.targets.reads(w, 0)
		return
	}
	name := strings.TrimLeft(w.text, ":0123456789")
	rev, below, ok := strings.Cut(w.text, ":")
	switch {
	case strings.HasPrefix(w.text, ":("):
		_, name, _ = strings.Cut(w.text, ")")
	case !strings.HasPrefix(w.text, ":"):
		name = w.text
		if ok && below != "" && !gl.named(w) {
			name = gl.belowTop(below)
		}
	case rev == "" && len(name) > 0 && strings.IndexByte("/!^", name[0]) >= 0:
		return
	default:
		name = gl.belowTop(name)
	}
	if name == w.text && (w.glob > 0 || w.many) { // what the shell or find puts there are names
		gl.targets.reads(w, 0)
		return
	}
	if name == w.text && !gl.ended && !gl.named(w) && !strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "../") {
		return
	}
	out := word{value: constant(name), raw: w.raw}
	if i := strings.IndexAny(name, "*?["); i >= 0 {
		out.glob = i + 1 // git matches it
	}
	gl.out.path(Read, out, gl.inv.st, 0)
}

// searched reports what an argument of git grep makes it look into: a place
// with all below it, for a revision the place where git runs.
func (gl *gitLine) searched(w word) {
	place := word{value: constant(w.text), raw: w.raw}
	switch i := strings.IndexAny(w.text, "*?[\\"); {
	case !w.known:
		place = w
	case strings.HasPrefix(w.text, ":"):
		gl.searchedBelow(w)
		place.text = path.Clean(gl.belowTop(""))
	case i >= 0: // a star matches slashes too
		place.text = w.text[:strings.LastIndexByte(w.text[:i], '/')+1] + "."
	case !gl.ended && !gl.named(w) && !path.IsAbs(w.text) && !strings.HasPrefix(w.text, "../"):
		gl.tracked(w)
		place.text = "."
	}
	gl.targets.reads(place, recursive)
}

// searchedBelow asks about a pattern with a colon that may lead out of the
// repository.
func (gl *gitLine) searchedBelow(w word) {
	name := strings.TrimLeft(w.text, ":!^")
	if _, behind, ok := strings.Cut(name, ")"); ok && name[0] == '(' {
		name = behind
	} else {
		name = strings.TrimPrefix(name, "/")
	}
	if path.IsAbs(name) || strings.Contains(name, "..") {
		gl.out.unknown(PartWords, gl.inv.raw,
			"this names "+grammar.Escaped(w.text)+" for git, and nod does not know where that leads")
	}
}

// named reports whether there is a file of that name.
func (gl *gitLine) named(w word) bool {
	abs, ok := absolute(w, gl.inv.st)
	return ok && gl.machine.env.Files != nil && gl.machine.exists(abs)
}

// belowTop is a path as REV:path means it.
func (gl *gitLine) belowTop(name string) string {
	r := gl.repos.repository(gl.inv.st.dir)
	if r == nil || r.top == "" || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
		return name
	}
	return r.top + "/" + name
}

// asksStatus reports what git starts where a program asks it what has changed, as
// go list does for the version of a program.
func (gl *gitLine) asksStatus() {
	if gl.out.away == "" {
		gl.repos.gitSettings(gl.repos.repository(gl.inv.st.dir), gl.inv, "status", nil)
	}
}
