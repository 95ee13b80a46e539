package harm

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// isKept reports whether a file is kept before the call: it lies in the workspace, and is
// neither guarded nor anything but a file with one name, or a link.
func isKept(l *Loss, name string) bool {
	info, err := l.At.Machine.Files.Lstat(name)
	if l.At.Keeping == nil || err != nil || !l.At.Machine.Inside(l.At.Roots, name) || l.At.Guarded(name) {
		return false
	}
	if info.Mode&fs.ModeSymlink == 0 && l.At.Machine.Ordinary(name) != "" {
		return false
	}
	l.At.Keeping.Take(name)
	return true
}

// gitKept reports whether what a command of git takes back or throws away is kept before it: the files that
// are not as the index has them, those that git does not have, or the commits of a stash. What it puts
// there instead is what the index or HEAD has, of no file that is guarded.
func gitKept(l *Loss, command int) bool {
	if l.At.Keeping == nil || command < 0 || command >= len(l.Report.Commands) {
		return false
	}
	kept, looked := l.git[command]
	if !looked {
		kept = keepsForGit(l, l.Report.Commands[command])
		if l.git == nil {
			l.git = map[int]bool{}
		}
		l.git[command] = kept
	}
	return kept
}

func keepsForGit(l *Loss, c shell.Command) bool {
	o := gitOptionsOf(c)
	if o.sub == "" || o.unsure {
		return false
	}
	r := l.At.Repository(l.Secrets.gitDirectory(c))
	if r == nil || r.Unread() || !ownRepository(l.At, r.Dir) || !l.At.Machine.Inside(l.At.Roots, r.Top+"/.") {
		return false
	}
	switch {
	case takesToIndex(o):
		var changed []repo.File // links and submodules, too
		r.Tracked(func(f repo.File) bool {
			if r.Differs(f) {
				changed = append(changed, f)
			}
			return false
		})
		// Of what is staged git has the bytes, but under no name that anybody finds again.
		return keepsAll(l, r, changed) && (o.sub == "checkout" || keepsAll(l, r, r.MayBeStaged()))
	case o.sub == "clean" && !o.long("--interactive") && !o.short("i"):
		return keepsUntracked(l, r)
	case o.sub == "stash" && len(o.operands) > 0 && (o.operands[0] == "drop" || o.operands[0] == "clear"):
		stashes := r.Stashes()
		for _, id := range stashes {
			l.At.Keeping.TakeObject(place.Object{Repo: r.Top, Name: id, What: "stash"})
		}
		return len(stashes) > 0
	}
	return false
}

// takesToIndex reports whether a command takes changed files back to what the index has, or
// HEAD, and puts no other files there.
func takesToIndex(o *gitOptions) bool {
	head := func(list []string) bool { return len(list) == 0 || len(list) == 1 && list[0] == "HEAD" }
	switch o.sub {
	case "reset":
		return o.long("--hard") && len(o.longs) == 1 && head(o.operands)
	case "restore":
		return !o.long("--source", "--patch") && !o.short("sp")
	case "checkout":
		return o.files && len(o.longs) == 0 && !o.short("bBp")
	}
	return false
}

// keepsAll keeps files of the index. It reports whether all are kept and no file is guarded.
func keepsAll(l *Loss, r *repo.Repo, files []repo.File) bool {
	return !slices.ContainsFunc(files, func(f repo.File) bool {
		name := r.Top + "/" + f.Name
		return l.At.Guarded(name) || !l.At.Missing(name) && !isKept(l, name)
	})
}

// maxUntracked bounds how many names of a working tree are looked at.
const maxUntracked = 20_000

// keepsUntracked keeps what git does not have and no build makes again. A repository below keeps nothing.
func keepsUntracked(l *Loss, r *repo.Repo) bool {
	keep := func(name string, kind fs.FileMode, err error) error {
		switch {
		case err != nil, path.Base(name) == ".git" && path.Dir(name) != r.Top:
			return fs.SkipAll
		case path.Base(name) == ".git":
			return fs.SkipDir
		case kind.IsDir() && l.At.IsOutput(name):
			if l.lostOutput(name) != "" {
				return fs.SkipAll
			}
			return fs.SkipDir
		case !kind.IsDir() && !r.Tracks(name) && !isKept(l, name):
			return fs.SkipAll
		}
		return nil
	}
	return view.Walk(l.At.Machine.Files, r.Top, maxUntracked, keep) == nil
}

// GitHarm says why a write of git's own is not harmless: it loses something, puts files of a commit or a
// stash into the working tree, or is another repository's than the workspace's.
func (l *Loss) GitHarm(e shell.Effect) (why Objection) {
	switch {
	case !e.Kept && gitKept(l, e.Command):
		return ""
	case !e.Kept && path.Base(e.Target) != ".git":
		return Objection("this lets git write files here that nod has not read: " +
			printable.Text(e.Words))
	case !e.Kept:
		return Objection("this changes the repository, and git may not keep what was there: " + printable.Text(e.Words))
	case !ownRepository(l.At, e.Target):
		return Objection("this changes a repository outside the workspace: " + printable.Text(e.Words))
	}
	return ""
}

// ByGit reports whether git itself writes to its directory or to the working
// tree, not to a file that an argument names.
func (l *Loss) ByGit(e shell.Effect) bool {
	if !l.Report.By(e, shell.Git) {
		return false
	}
	info, err := l.At.Machine.Files.Lstat(e.Target)
	return e.Kept || path.Base(e.Target) == ".git" || err == nil && info.Mode.IsDir()
}

// ownRepository reports whether target is the git directory of a workspace
// root's repository, or of a worktree of it that lies in the workspace.
func ownRepository(at *place.Workspace, target string) bool {
	for _, root := range at.Roots {
		r := at.Repository(root)
		if r == nil || !at.Machine.UsableRoot(r.Top) {
			continue
		}
		if target == r.Dir || worktreeOf(at, r, root, target) {
			return true
		}
	}
	return false
}

// worktreeOf reports whether target belongs to a linked worktree of r that lies in the workspace.
func worktreeOf(at *place.Workspace, r *repo.Repo, root, target string) bool {
	data, err := at.Machine.Files.Read(target+"/gitdir", 4096)
	if path.Dir(target) != r.Common+"/worktrees" || err != nil {
		return false
	}
	top := path.Dir(strings.TrimSpace(string(data)))
	linked := at.Repository(top)
	return linked != nil && linked.Top == top && linked.Common == r.Common && view.Below(root, top) &&
		at.Machine.Inside(at.Roots, top+"/.")
}

// takesBack says which changed file git checkout would put an older one in the place of,
// where its words name files without a -- before them.
func takesBack(l *Loss, c shell.Command) Objection {
	o := gitOptionsOf(c)
	if o.sub != "checkout" || len(o.operands) == 0 || o.short("bB") || o.long("--orphan") {
		return ""
	}
	dir := l.Secrets.gitDirectory(c)
	r := l.At.Repository(dir)
	if r == nil {
		return ""
	}
	changed := r.Tracked(func(f repo.File) bool {
		name := r.Top + "/" + f.Name
		return namesFile(l, o.operands, dir, name) && !l.At.Missing(name) && r.Differs(f) && !isKept(l, name)
	})
	if len(changed) == 0 {
		return ""
	}
	return Objection("this throws away the changes in " + printable.Text(changed[0].Name) +
		", which are committed nowhere")
}

// namesFile reports whether one of the words may name a file or what holds it. A word
// that names nothing here is a branch.
func namesFile(l *Loss, words []string, dir, file string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		named := l.At.Machine.Real(path.Join(dir, word))
		return strings.ContainsAny(word, `*?[\:`) || !l.At.Missing(named) && view.Below(named, file)
	})
}

// What git has committed is the repository's to show. What a command of git names, and
// what of the working tree a diff prints, is looked at like any file.

// gitDirectory is where a command of git works.
func (h *Secrets) gitDirectory(c shell.Command) string {
	if c.Told != nil {
		c.Dir = c.Told.Dir
	}
	return h.At.Machine.Real(c.Dir)
}

// gitAims returns a word of git that names a secret as a file of a commit (HEAD:.env), or
// by a pathspec with magic (:/.env).
func (h *Secrets) gitAims() string {
	secret := h.At.Machine.Secrets.Match
	for _, c := range h.Report.Commands {
		o := gitOptionsOf(c)
		for _, name := range o.operands {
			rev, file, _ := strings.Cut(name, ":")
			if rev != "" && file != "" && secret("/"+file) && !o.isAmong("takes-text") || secret("/"+magicName(name)) {
				return name
			}
		}
	}
	return ""
}

// magicName is the last part of the name in a pathspec with git's magic that does not
// leave it out (:/.env), "" for any other word.
func magicName(pathspec string) string {
	if !strings.HasPrefix(pathspec, ":") || strings.ContainsAny(pathspec[:min(3, len(pathspec))], "!^") ||
		strings.Contains(pathspec, "exclude") {
		return ""
	}
	return pathspec[strings.LastIndexAny(pathspec, ":/)")+1:]
}

// narrowed are the files and directories that the operands of a git diff hold it to; nil for the whole tree, as
// with a pathspec that is no plain name, or an option that may take the next word.
func (h *Secrets) narrowed(c shell.Command, o *gitOptions) (names []string) {
	other := func(long string) bool { return long != "--cached" && long != "--staged" }
	if o.unsure || strings.Trim(o.letters, "bpuw") != "" || slices.ContainsFunc(o.longs, other) {
		return nil
	}
	for _, word := range o.operands {
		if strings.ContainsAny(word, `:*?[\`) {
			return nil
		}
		if name := h.At.Machine.Real(path.Join(h.gitDirectory(c), word)); !h.At.Missing(name) {
			names = append(names, name)
		}
	}
	return names
}

// gitDiffs says which tracked secret a git diff may print: its change is not committed.
func (h *Secrets) gitDiffs() Objection {
	for _, c := range h.Report.Commands {
		o := gitOptionsOf(c)
		if !printsChanges(o) || c.Told.Dir == "" {
			continue
		}
		r := h.At.Repository(h.gitDirectory(c))
		if r == nil {
			continue
		}
		if r.Unread() {
			return "this prints changes, and nod cannot read which files git tracks"
		}
		paths := h.narrowed(c, o)
		secret := func(f repo.File) bool {
			name := r.Top + "/" + f.Name
			below := func(dir string) bool { return view.Below(dir, name) }
			return (paths == nil || slices.ContainsFunc(paths, below)) && h.touches(name, false) && !h.At.Missing(name)
		}
		changed := slices.DeleteFunc(r.MayBeStaged(), func(f repo.File) bool { return !secret(f) })
		if !o.long("--cached", "--staged") {
			changed = append(changed, r.Tracked(func(f repo.File) bool { return secret(f) && r.Differs(f) })...)
		}
		if len(changed) > 0 {
			return Objection("this prints the change of " + printable.Text(r.Top+"/"+changed[0].Name) +
				", which holds or may hold secrets")
		}
		if takesFiles(h) {
			untracked := h.walkFor(r.Top, maxBelow, func(name string, mode fs.FileMode) bool {
				return mode.IsRegular() && h.touches(name, false) && !r.PassesOver(name, false)
			}, func(dir string) bool { return r.PassesOver(dir, true) })
			return objected("this prints the change of ", untracked, holds)
		}
	}
	return ""
}

// printsChanges reports whether git prints what differs, and not only where.
func printsChanges(o *gitOptions) bool {
	switch {
	case o.sub == "status": // once, it prints what is staged
		return o.long("--verbose") || strings.IndexByte(o.letters, 'v') < strings.LastIndexByte(o.letters, 'v')
	case !o.isAmong("prints-changes"):
		return false
	case o.short("puUW"),
		o.longPrefix("--p", "--unified", "--binary", "--word-diff", "--color-words", "--function-context"):
		return true
	}
	return !o.longPrefix("--stat", "--name", "--shortstat", "--quiet")
}

// isGit reports whether a command runs git here.
func isGit(c shell.Command) bool { return c.Program != "" && c.Has(shell.Git) && len(c.Words) > 1 }

// gitOptions are the words of a command of git as it takes them apart; the zero value is that of any other command.
type gitOptions struct {
	sub      string // the subcommand
	letters  string // of short options
	longs    []string
	operands []string // the words that are no options
	unsure   bool     // of some operand nobody knows what it is
	files    bool     // all operands stand behind a --, and so are no revisions
}

// gitOptionsOf is what git is told.
func gitOptionsOf(c shell.Command) *gitOptions {
	o := &gitOptions{}
	if !isGit(c) || c.Told == nil {
		return o
	}
	o.sub, o.operands = c.Told.Verbs[0], slices.Clone(c.Told.Verbs[1:])
	for _, given := range c.Told.Options {
		if letters, short := strings.CutPrefix(given.Name, "-"); short && !strings.HasPrefix(letters, "-") {
			o.letters += letters
		} else {
			o.longs = append(o.longs, given.Name)
		}
	}
	o.files = len(o.operands) == 0 && c.Told.Behind > 0 && c.Told.Behind == len(c.Told.Operands)
	for _, w := range c.Told.Operands {
		o.unsure = o.unsure || !w.Known
		o.operands = append(o.operands, w.Value)
	}
	return o
}

// isAmong reports whether a list of git's sheet names the subcommand.
func (o *gitOptions) isAmong(list string) bool { return o.sub != "" && shell.Lists("git", list, o.sub) }

func (o *gitOptions) short(any string) bool { return strings.ContainsAny(o.letters, any) }

func (o *gitOptions) long(names ...string) bool {
	return slices.ContainsFunc(o.longs, func(l string) bool { return slices.Contains(names, l) })
}

func (o *gitOptions) longPrefix(prefixes ...string) bool {
	return slices.ContainsFunc(o.longs, func(l string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(l, p) })
	})
}
