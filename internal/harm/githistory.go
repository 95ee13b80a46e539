package harm

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// What git has is printed without a file being named: by a commit, a stash, the
// name of an object. Whether a secret is among it is looked up in the index and
// in the newest commits. What would have to be looked up further back, or where
// nod does not look, counts as one.

// maxRefs bounds how many branches and tags are looked at.
const maxRefs = 400

// gitPrints says which secret a command of git would or may print out of what
// the repository has, "" if none.
func (h *Secrets) gitPrints() (why string) {
	for i, c := range h.Report.Commands {
		if !isGit(c) || c.Told == nil || c.Told.Dir == "" || !gitLists("prints-objects", c.Told.Verbs[0]) {
			continue
		}
		r := h.At.RepositoryAt(h.gitDirectory(c))
		if r == nil {
			continue
		}
		look := h.newGitLook(r, c)
		look.index = i
		f := look.found()
		if look.against != "" {
			return string(look.against)
		}
		if f != "" {
			return "this prints what git has of " + printable.Text(r.Top+"/"+f) + ", which holds or may hold secrets"
		}
		if look.unknown && r.Beyond() && !look.narrow() {
			return "this prints more of what git has than nod looks through, which may hold secrets: " +
				printable.Text(c.Source)
		}
	}
	return ""
}

// gitLook is what one command of git is told to print.
type gitLook struct {
	secrets *Secrets
	repo    *repo.Repo
	shell.Command
	index int // of the command
	*gitOptions
	revs, not []string
	base      []string             // revisions whose common ancestor counts
	paths     []string             // pathspecs, absolute
	skips     bool                 // commits that touch other paths are passed over, and do not count
	open      bool                 // some word is not known, or every ref is meant
	named     bool                 // a file of a commit is named, which is judged by its name
	unknown   bool                 // not all that is asked for was looked at
	against   Objection            // what was looked at may be another thing, or no file
	trees     bool                 // a word may name the tree of a directory
	starts    func() *paths.Starts // nil where a place of secrets lies below the top, or above
}

func (h *Secrets) newGitLook(r *repo.Repo, c shell.Command) *gitLook {
	l := &gitLook{secrets: h, repo: r, Command: c, gitOptions: gitOptionsOf(c)}
	if secrets := h.At.Machine.Secrets; !secrets.HoldsAny(r.Top) && !secrets.Match(r.Top+"/x") {
		l.starts = h.At.Machine.Starts
	}
	// What is not known may be another path.
	wider := l.unsure || c.Has(shell.Fed) || l.longPrefix("--stdin", "--pathspec-from")
	l.open = wider || l.short("g") ||
		slices.ContainsFunc(c.Words, func(w shell.Word) bool { return !w.Known }) ||
		l.longPrefix("--all", "--branch", "--tags", "--remotes", "--glob", "--walk-reflogs", "--reflog", "--exclude",
			"--bou")
	operands := l.operands
	if l.gitIs("has-verbs") {
		operands = operands[min(1, len(operands)):]
	}
	if l.gitIs("searches") && len(l.values["-e"])+len(l.values["-f"]) == 0 {
		operands = operands[min(1, len(operands)):]
	}
	// Of commits that touch the paths, all is shown, or what a path was called before.
	if wider || l.longPrefix("--full-d", "--fol") {
		defer func() { l.paths = nil }()
	}
	dir := h.gitDirectory(c)
	for i, o := range operands {
		l.skips = l.skips || excludes(o)
		if i >= len(operands)-c.Told.Behind {
			l.addPath(dir, o)
		} else {
			l.addWord(dir, o)
		}
	}
	if l.gitIs("searches") && (l.open || l.named || slices.ContainsFunc(l.revs, mayBeHash)) {
		l.paths = nil // of a file that is given as an object, git grep heeds none
	}
	return l
}

// namesOld reports whether the command prints the name of a file that is in the index
// no more, because it lists what commits hold or what was taken out.
func (l *gitLook) namesOld(name string) bool {
	if !l.open && len(l.revs)+len(l.not)+len(l.base) == 0 &&
		!l.longPrefix("--ca", "--sta", "--me", "--with-t", "--resolve-u") {
		return false
	}
	old := func(f repo.File) bool { return l.repo.Top+"/"+f.Name == name }
	files, known := l.repo.Commits(repo.Range{From: l.everything(), Parents: true}, old)
	return len(files) > 0 || !known
}

// mayBeHash reports whether a word may be the beginning of an object's name.
func mayBeHash(word string) bool {
	return len(word) >= 4 && strings.Trim(word, "0123456789abcdefABCDEF") == ""
}

// addWord reads one operand: a revision, two of them, or a path.
func (l *gitLook) addWord(dir, word string) {
	if one, other, ok := strings.Cut(word, "..."); ok {
		l.base = append(l.base, cmp.Or(one, "HEAD"), cmp.Or(other, "HEAD"))
		l.open = l.open || l.isStrange(one) || l.isStrange(other)
		return
	}
	if one, other, ok := strings.Cut(word, ".."); ok && !strings.HasPrefix(word, "../") && word != ".." &&
		(!strings.Contains(word, "/..") || strings.Contains(one, ":")) {
		l.not, l.revs = append(l.not, cmp.Or(one, "HEAD")), append(l.revs, cmp.Or(other, "HEAD"))
		l.open = l.open || l.isStrange(one) || l.isStrange(other)
		return
	}
	if rest, ok := strings.CutPrefix(word, "^"); ok {
		l.not, l.open = append(l.not, rest), l.open || l.isStrange(rest)
		return
	}
	l.open = l.open || strings.Contains(word, "^{") // what a tag of a file leads to, say
	if _, ok := l.repo.Revision(word); ok {
		l.revs = append(l.revs, word)
		return
	}
	_, err := l.secrets.At.Machine.Files.Lstat(l.secrets.At.Machine.Real(path.Join(dir, word)))
	switch rev, _, file := strings.Cut(word, ":"); {
	case file && rev != "" && !strings.Contains(word, "^{/"):
		l.named = true
		if l.gitIs("takes-trees") {
			l.addTree(dir, word)
		}
		l.open = l.open || !l.gitIs("takes-files") // as if it were not there
	case err == nil:
		l.addPath(dir, word)
	default:
		l.open = true
	}
}

// isStrange reports whether an end of a range is none that is found here: @{u}, say.
func (l *gitLook) isStrange(rev string) bool {
	_, ok := l.repo.Revision(cmp.Or(rev, "HEAD"))
	return !ok
}

// addTree takes the whole commit of a word REV:NAME unless NAME is a file now.
func (l *gitLook) addTree(dir, word string) {
	rev, name, _ := strings.Cut(word, ":")
	top := l.repo.Top
	if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
		top = dir
	}
	if info, err := l.secrets.At.Machine.Files.Lstat(path.Join(top, name)); err != nil || !info.Mode.IsRegular() {
		l.trees, l.revs = true, append(l.revs, rev)
	}
}

func (l *gitLook) addPath(dir, spec string) {
	switch {
	case excludes(spec):
	case strings.HasPrefix(spec, ":") || strings.ContainsAny(spec, "*?[\\"):
		l.paths = append(l.paths, l.repo.Top) // it may select anything
	case path.IsAbs(spec):
		l.paths = append(l.paths, l.secrets.At.Machine.Real(spec))
	default:
		l.paths = append(l.paths, l.secrets.At.Machine.Real(path.Join(dir, spec)))
	}
}

// isSecret reports whether a file of the repository is a secret that the
// command does not leave out.
func (l *gitLook) isSecret(f repo.File) bool {
	full := l.repo.Top + "/" + f.Name
	login := place.MayHoldLogin(full)
	if l.starts != nil && !login && !l.starts().May(f.Name) {
		return false
	}
	if len(l.paths) > 0 && !slices.ContainsFunc(l.paths, func(p string) bool { return view.Below(p, full) }) {
		return false
	}
	return l.secrets.At.Machine.Secrets.Match(full) || login && l.holdsLogin(f, full)
}

// holdsLogin reports whether a file of settings holds a login, as git has it or as it
// lies there now.
func (l *gitLook) holdsLogin(f repo.File, full string) bool {
	return hasLogin(l.repo, f) || l.secrets.At.Machine.TouchesSecret(full, false)
}

// found names a secret whose content the command prints.
func (l *gitLook) found() string {
	if l.long("--no-index") {
		return ""
	}
	switch l.sub {
	case "show":
		return cmp.Or(l.blobs(), l.unless(!l.diffs(true) && !l.chosen(), l.eachCommit))
	case "cat-file":
		return l.unless(l.short("tse"), l.blobs)
	case "log", "whatchanged":
		return l.unless(!l.diffs(false), l.walk)
	case "range-diff", "fast-export":
		return l.unless(false, l.walk)
	case "reflog":
		l.open = true
		return l.unless(!l.diffs(false), l.walk)
	case "bundle":
		l.open = l.open || len(l.revs) == 0
		return l.unless(false, l.walk)
	case "stash":
		// With any option that names no format git stash show prints the patch.
		return l.unless(!l.diffs(l.letters != "" || len(l.longs) > 0), l.stash)
	case "diff":
		return cmp.Or(l.blobs(), l.unless(!l.diffs(true), l.diff))
	case "diff-files", "diff-index", "diff-tree":
		return l.unless(!l.diffs(false), l.diff)
	case "status", "commit":
		return l.unless(!l.short("v") && !l.long("--verbose"), l.staged)
	case "archive":
		return l.unless(false, func() string { return l.inTrees(func(repo.File) bool { return true }) })
	case "grep":
		quiet := l.short("lLcq") || l.longPrefix("--files-with", "--name-only", "--count", "--quiet")
		return l.unless(quiet && !l.guesses(),
			func() string { return cmp.Or(l.searched(), l.blobs()) })
	}
	return ""
}

// walksReflogs reports whether commits are shown that no ref leads to.
func (l *gitLook) walksReflogs() bool {
	return l.sub == "reflog" ||
		!l.gitIs("searches") && (l.short("g") || l.longPrefix("--walk-ref", "--reflog", "--stdin"))
}

func (l *gitLook) unless(not bool, look func() string) string {
	if not {
		return ""
	}
	if l.against = l.beside(); l.against == "" && l.repo.Unread(l.gitIs("lays-index-beside")) {
		l.against = Objection("this prints what git has, whose index nod cannot read: " + printable.Text(l.Source))
	}
	if l.against == "" && l.walksReflogs() {
		l.against = Objection("this may print what git has of commits that only a reflog or another command names: " +
			printable.Text(l.Source))
	}
	if l.trees { // any file of a commit may stand beside any other then
		return cmp.Or(l.tracked(), l.inTrees(func(repo.File) bool { return true }))
	}
	return look()
}

// diffs reports whether the command prints what was changed, and not merely in
// which files. byDefault says that it does so unless it is told otherwise.
func (l *gitLook) diffs(byDefault bool) bool {
	if l.short("SG") && l.guesses() { // which commits are shown tells what is in them
		return true
	}
	if l.short("puUcW") || len(l.values["-L"]) > 0 ||
		l.longPrefix("--pat", "--un", "--cc", "--bin", "--word", "--color-w", "--fun", "--reme", "--dd", "--diff-m",
			"--check") {
		return true
	}
	return byDefault && !l.short("s") &&
		!l.longPrefix("--stat", "--name-", "--num", "--short", "--summ", "--raw", "--no-patch", "--quiet", "--dirstat",
			"--compact")
}

// guesses reports whether git is asked many times in the line whether something is in its
// files, or for what nobody knows.
func (l *gitLook) guesses() bool {
	answers := 0
	for _, c := range l.secrets.Report.Commands {
		if isGit(c) && c.Told != nil && (c.Has(shell.Searches) || gitOptionsOf(c).short("SG")) {
			answers++
		}
	}
	return answers > mostAnswers || !allKnown(l.Command)
}

// first names the first file; where not all was looked at, one of the index.
func (l *gitLook) first(files []repo.File, known bool) string {
	if len(files) == 0 && !known {
		l.unknown, files = true, l.repo.Tracked(l.isSecret)
	}
	if len(files) == 0 {
		return ""
	}
	return files[0].Name
}

// narrow reports whether the command prints of certain files alone, none of
// which is a secret. What they were called before is left out.
func (l *gitLook) narrow() bool {
	return len(l.paths) > 0 && !l.longPrefix("--fol") && !slices.ContainsFunc(l.paths, func(p string) bool {
		info, err := l.secrets.At.Machine.Files.Lstat(p)
		return err != nil || !info.Mode.IsRegular() || l.secrets.At.Machine.Secrets.Match(p)
	})
}

func (l *gitLook) everything() []string {
	refs, known := l.repo.Refs(maxRefs)
	if !known && l.against == "" {
		l.against = Objection("this may print what git has at more branches and tags than nod looks through: " +
			printable.Text(l.Source))
	}
	return refs
}

// commits are those that the command is about.
func (l *gitLook) commits() repo.Range {
	c := repo.Range{From: append(slices.Clone(l.revs), l.base...), Not: l.not,
		Parents: l.short("m") || l.longPrefix("--diff-m", "--cc") || l.short("c")}
	switch {
	case l.open, l.chosen():
		c.From, c.Not = append(append(c.From, l.not...), l.everything()...), nil
	case len(c.From) == 0 && !l.named:
		c.From = []string{"HEAD"}
	}
	return c
}

func (l *gitLook) walk() string {
	c := l.commits()
	if !l.chooses() {
		c.Most = l.most()
	}
	return l.first(l.repo.Commits(c, l.isSecret))
}

// chooses reports whether more than their age says which commits are shown, so that
// those of a certain number need not be the newest: other revisions, paths, or an
// option that does more than say what is shown of a commit.
func (l *gitLook) chooses() bool {
	return l.open || len(l.paths) > 0 || l.skips || l.sub == "whatchanged" || l.chosen()
}

// chosen reports whether an option may say which commits are shown.
func (l *gitLook) chosen() bool {
	return strings.Trim(l.letters, "pusznmcbwWaMCrU0123456789") != "" ||
		slices.ContainsFunc(l.longs, func(name string) bool { return !gitLists("shows", name) })
}

// tracked names a secret that git tracks now.
func (l *gitLook) tracked() string { return l.first(l.repo.Tracked(l.isSecret), true) }

// most is how many commits are asked for, 0 where that is not said.
func (l *gitLook) most() int {
	text := strings.Trim(l.letters, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	for _, value := range slices.Concat(l.values["-n"], l.values["--max-count"]) {
		text = value
	}
	n, _ := strconv.Atoi(text)
	return max(0, n)
}

// eachCommit is git show: one commit for each revision, all of a range, or more
// where an option says so.
func (l *gitLook) eachCommit() string {
	if len(l.values["-n"])+len(l.values["--max-count"]) > 0 || l.short("0123456789") || l.chosen() {
		l.skips = l.skips || len(l.paths) > 0
		l.paths = nil // objects that are no commits are shown whatever their names
		return cmp.Or(l.tracked(), l.walk())
	}
	if l.open || len(l.not)+len(l.base) > 0 {
		return l.walk()
	}
	c := l.commits()
	for _, rev := range c.From {
		one := repo.Range{From: []string{rev}, Most: 1, Parents: c.Parents}
		if name := l.first(l.repo.Commits(one, l.isSecret)); name != "" {
			return name
		}
	}
	return ""
}

// blobs are contents that are named by the name of the object: known is what
// the index and the newest commits say they are.
func (l *gitLook) blobs() string {
	defer func(paths []string) { l.paths = paths }(l.paths)
	l.paths = nil // git heeds none of them here
	var named []repo.File
	for _, rev := range l.revs {
		if f, ok := l.repo.Blob(rev); ok {
			named = append(named, f)
		}
	}
	if named == nil && !(l.open && l.sub == "cat-file") {
		return ""
	}
	whole := l.commits()
	whole.From, whole.Not = l.everything(), nil
	files, known := l.repo.Commits(whole, l.isSecret)
	l.unknown = l.unknown || !known
	for _, f := range append(l.repo.Tracked(l.isSecret), files...) {
		if l.open || slices.ContainsFunc(named, f.Same) {
			return f.Name
		}
	}
	return ""
}

func (l *gitLook) stash() string {
	if len(l.operands) == 0 || l.operands[0] != "show" && l.operands[0] != "list" {
		return ""
	}
	if l.operands[0] == "list" && (l.open || l.chosen() || len(l.revs)+len(l.not)+len(l.base) > 0) { // a git log
		l.open = true
		return l.walk()
	}
	if len(l.revs) == 0 {
		l.revs = []string{"stash@{0}"}
	}
	if l.operands[0] == "list" || l.open {
		l.revs = slices.DeleteFunc(l.everything(), func(ref string) bool { return !strings.HasPrefix(ref, "stash") })
	}
	for _, rev := range l.revs {
		files, known := l.repo.Commits(repo.Range{From: []string{rev}, Most: 1}, l.isSecret)
		more, _ := l.repo.In(rev+"^3", l.isSecret) // what was not tracked, if an option or a setting says so
		files = append(files, more...)
		if name := l.first(files, known); name != "" {
			return name
		}
	}
	return ""
}

// diff is git diff and its kin: of the working tree, the index, and trees.
func (l *gitLook) diff() string {
	given := len(l.revs) + len(l.not) + len(l.base)
	if _, born := l.repo.Revision("HEAD"); !born && given > 0 { // nothing is there to lay a revision beside
		l.open = true
	}
	if len(l.revs)+len(l.base) == 0 { // alone, git takes ^REV for REV
		l.revs, l.not = l.not, nil
	}
	switch {
	case l.open, len(l.revs)+len(l.not)+len(l.base) > 2:
		l.open = true
		return cmp.Or(l.staged(), l.walk())
	case len(l.base) == 2: // what the second changed since they parted
		return l.first(l.repo.Commits(repo.Range{From: l.base[1:], Not: l.base[:1]}, l.isSecret))
	case len(l.revs)+len(l.not) >= 2:
		revs := append(slices.Clone(l.not), l.revs...)
		return l.first(l.repo.Between(revs[0], revs[1], l.isSecret))
	case l.sub == "diff-tree":
		return l.eachCommit()
	case len(l.revs) == 1:
		return cmp.Or(l.first(l.repo.Between(l.revs[0], "HEAD", l.isSecret)), l.staged())
	case l.long("--cached", "--staged"):
		return l.staged()
	}
	return l.unstaged(l.repo.Tracked(l.isSecret))
}

func (l *gitLook) unstaged(tracked []repo.File) string {
	for _, f := range tracked {
		if l.repo.Differs(f) {
			return f.Name
		}
	}
	if len(l.secrets.second().near()) > 0 { // any other file may be one
		for _, f := range l.repo.Tracked(func(repo.File) bool { return true }) {
			if l.secrets.isTwin(l.repo.Top + "/" + f.Name) {
				return f.Name
			}
		}
	}
	return ""
}

// staged names a secret that differs between HEAD, the index and, unless only
// what is staged is asked for, the working tree.
func (l *gitLook) staged() string {
	tracked := l.repo.Tracked(l.isSecret)
	if name := l.unstaged(tracked); name != "" && !l.long("--cached", "--staged") {
		return name
	}
	for _, f := range tracked {
		if was, ok := l.repo.At("HEAD", f.Name); !ok || !was.Same(f) {
			return f.Name
		}
	}
	for _, f := range l.repo.Staged("HEAD", l.isSecret) {
		if !slices.ContainsFunc(tracked, func(now repo.File) bool { return now.Name == f.Name }) {
			return f.Name
		}
	}
	_, known := l.repo.Revision("HEAD")
	l.unknown = l.unknown || !known
	return ""
}

// trees names a secret in the trees of the revisions.
func (l *gitLook) inTrees(prints func(repo.File) bool) string {
	if l.open { // any commit
		files, known := l.repo.Commits(l.commits(), l.isSecret)
		return l.first(slices.DeleteFunc(files, func(f repo.File) bool { return !prints(f) }), known)
	}
	for _, rev := range l.revs {
		files, known := l.repo.In(rev, l.isSecret)
		if name := l.first(slices.DeleteFunc(files, func(f repo.File) bool { return !prints(f) }), known); name != "" {
			return name
		}
	}
	return ""
}

// searched is git grep in commits, and in the index, which it takes for the working
// tree where it is told to (--cached, assume-unchanged).
func (l *gitLook) searched() string {
	f := filterOf(l.Command)
	patterns, known := f.patterns()
	holds := func(f repo.File) bool {
		data, ok := l.repo.Content(f)
		return !ok || !known || l.Has(shell.AnyLine) ||
			slices.ContainsFunc(patterns, func(p string) bool { return mayMatch(p, string(data)) })
	}
	for _, f := range l.repo.Tracked(l.isSecret) {
		if holds(f) {
			return f.Name
		}
	}
	return l.inTrees(holds)
}
