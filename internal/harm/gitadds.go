package harm

import (
	"errors"
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

// Bounds of a look for what git add would take in.
const (
	maxAddNames = 20_000
	maxAddDepth = 64
)

// takesIn names a secret that git add or git commit would take in without naming it: a
// file of that kind which is neither tracked nor ignored, or one that is tracked and
// holds something else than the index. Of a commit that is also what was put into the
// index before, by whatever way. A tree that is too large to be looked through
// may hold one.
func (h *Secrets) takesIn(e shell.Effect) (why Objection) {
	c := h.Report.Commands[e.Command]
	o := gitOptionsOf(c)
	commits := isGit(c) && o.gitIs("takes-changes")
	if !isGit(c) || c.Told.Dir == "" || !commits && !takesFromTree(o) {
		return ""
	}
	if o.long("--pathspec-from-file") {
		return Objection("this takes files into the repository, and nod does not know which: " +
			printable.Text(e.Words))
	}
	r, ok := repo.Around(h.At.Machine.Files, h.gitDirectory(c)+"/.")
	if !ok {
		return ""
	}
	if r.Unread(false) {
		return "this takes files into a repository whose index nod cannot read, where a secret may be among them"
	}
	s := addSearch{secrets: h, repo: r, user: h.userIgnores(), forced: o.short("f") || o.long("--force")}
	if commits {
		if found := s.staged(); found != "" {
			return Objection("this commits " + printable.Text(found) + ", which was staged and may hold a secret")
		}
		if !takesFromTree(o) {
			return ""
		}
	}
	for _, dir := range takenFrom(h, c, o, r) {
		found := s.changed(dir)
		if found == "" && o.gitIs("takes-in") && !o.short("u") && !o.long("--update") {
			found = s.untracked(dir)
		}
		if found != "" {
			return Objection("this takes " + printable.Text(found) +
				" into the repository, which may hold a secret or a repository of its own")
		}
		if s.over {
			return Objection("this takes more into the repository than nod looks through: " + printable.Text(dir))
		}
	}
	return ""
}

// takesFromTree reports whether git takes files of the working tree into the repository.
func takesFromTree(o *gitOptions) bool {
	if o.gitIs("takes-in") {
		return !o.short("n") && !o.long("--dry-run")
	}
	return o.gitIs("takes-changes") && (len(o.operands) > 0 || o.short("a") || o.unsure ||
		o.long("--all", "--pathspec-from-file"))
}

// takenFrom are the directories and files that git takes in, each with all below it.
func takenFrom(h *Secrets, c shell.Command, o *gitOptions, r *repo.Repo) (dirs []string) {
	for _, w := range o.operands {
		if excludes(w) {
			continue
		}
		name, top := strings.CutPrefix(w, ":/")
		from := h.gitDirectory(c)
		if top = top || strings.Trim(w, ":") == "" || strings.HasPrefix(w, ":("); top { // a colon alone means all
			from, name = r.Top, ""
		}
		if i := strings.IndexAny(name, `*?[\`); i >= 0 { // what git matches lies below
			name = path.Dir(name[:i] + "x")
		}
		if !path.IsAbs(name) {
			name = path.Join(from, name)
		}
		dirs = append(dirs, h.At.Machine.Real(name))
	}
	all := len(o.operands) > 0 || o.short("Aau") || o.long("--all", "--update") // but what is left out
	if slices.ContainsFunc(c.Words, func(w shell.Word) bool { return !w.Known }) || len(dirs) == 0 && all {
		return []string{r.Top}
	}
	return dirs
}

// gitDirectory is where a command of git works.
func (h *Secrets) gitDirectory(c shell.Command) string {
	if c.Told == nil {
		return h.At.Machine.Real(c.Dir)
	}
	return h.At.Machine.Real(c.Told.Dir)
}

// gitAims returns a word of git that names a secret in a way of git's own: a
// pathspec with its magic, a glob, whose star matches dots and slashes, a file of a
// commit, or the file of git log -L. A format that prints an object as it is may
// name any.
func (h *Secrets) gitAims() string {
	for _, c := range h.Report.Commands {
		if !isGit(c) {
			continue
		}
		o := gitOptionsOf(c)
		for _, w := range c.Words {
			if strings.Contains(w.Value, "%(raw") || strings.Contains(w.Value, "%(*raw") {
				return w.Value
			}
		}
		for _, value := range o.values["-L"] {
			if _, file, ok := cutLast(value, ":"); ok && h.At.Machine.Secrets.Match("/"+file) {
				return value
			}
		}
		for i, name := range o.operands {
			rev, file, _ := strings.Cut(name, ":")
			if o.gitIs("names-objects") && rev != "" && h.At.Machine.Secrets.Match("/"+file) ||
				loginIn(h, c, name) || linesOfLogin(o, name) {
				return name
			}
			if o.gitIs("searches") && i == 0 && len(o.values["-e"]) == 0 || o.gitIs("takes-text") || excludes(name) {
				continue
			}
			magic := strings.HasPrefix(name, ":")
			if _, rest, long := strings.Cut(name, ")"); magic && long {
				name = rest
			}
			name = strings.TrimLeft(name, ":/^!")
			if magic && h.At.Machine.Secrets.Match("/"+name) || globsSecret(path.Base(name)) {
				return o.operands[i]
			}
		}
	}
	return ""
}

// linesOfLogin reports whether git prints who wrote which line of a file in which a login
// may stand, in other commits than the last: git blame HEAD~1 -- .npmrc.
func linesOfLogin(o *gitOptions, name string) bool {
	return o.gitIs("names-lines") && place.MayHoldLogin("/"+name) && (len(o.operands) > 1 || o.long("--reverse"))
}

// loginIn reports whether a word of git names a file of settings, as a revision or the
// index has it, in which a login stands, or nod does not know which file that is.
func loginIn(h *Secrets, c shell.Command, word string) bool {
	rev, file, named := cutLast(word, ":")
	if !named || !place.MayHoldLogin("/"+file) {
		return false
	}
	r, ok := repo.Around(h.At.Machine.Files, h.gitDirectory(c)+"/.")
	if !ok {
		return false
	}
	if strings.HasPrefix(file, "./") || strings.HasPrefix(file, "../") { // from where git runs
		file = strings.TrimPrefix(path.Join(h.gitDirectory(c), file), r.Top+"/")
	}
	if staged := rev == "" || len(rev) == 2 && rev[0] == ':'; staged { // :0:.npmrc
		return slices.ContainsFunc(r.Tracked(func(f repo.File) bool { return f.Name == file }),
			func(f repo.File) bool { return hasLogin(r, f) })
	}
	if _, known := r.Revision(rev); !known {
		return true
	}
	f, found := r.At(rev, file)
	return found && hasLogin(r, f)
}

// hasLogin reports whether a login stands in a file of settings as git has it, or nobody
// can say so.
func hasLogin(r *repo.Repo, f repo.File) bool {
	data, ok := r.Content(f)
	return !ok || place.LoginIn("/"+f.Name, string(data))
}

// excludes recognises a pathspec of what is left out.
func excludes(pathspec string) bool {
	if long, ok := strings.CutPrefix(pathspec, ":("); ok {
		magic, _, _ := strings.Cut(long, ")")
		return strings.Contains(magic, "exclude")
	}
	signs, ok := strings.CutPrefix(pathspec, ":")
	signs = signs[:len(signs)-len(strings.TrimLeft(signs, "/!^"))]
	return ok && strings.ContainsAny(signs, "!^")
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// addSearch looks through what git add would take in.
type addSearch struct {
	secrets *Secrets
	repo    *repo.Repo
	user    []string // ignore files of the user's
	forced  bool     // what is ignored too
	seen    int
	over    bool // not all was looked at
}

// changed names a tracked secret, at a place or below it, of which the index has
// something else, or only the name (git add -N).
func (s *addSearch) changed(dir string) string {
	within := func(f repo.File) bool {
		name := s.repo.Top + "/" + f.Name
		return view.Below(dir, name) && s.secret(name)
	}
	for _, f := range s.repo.Tracked(within) {
		if s.repo.Differs(f) && !s.secrets.At.Missing(s.repo.Top+"/"+f.Name) {
			return s.repo.Top + "/" + f.Name
		}
	}
	return ""
}

// staged names a secret of which the index has what the last commit has not.
func (s *addSearch) staged() string {
	for _, f := range s.repo.Tracked(s.isSecretFile) {
		if last, ok := s.repo.At("HEAD", f.Name); !f.Same(repo.File{}) && (!ok || !last.Same(f)) {
			return s.repo.Top + "/" + f.Name
		}
	}
	return ""
}

// isSecretFile reports whether a file of the index is a secret by its name, or by what
// the index has of it.
func (s *addSearch) isSecretFile(f repo.File) bool {
	name := s.repo.Top + "/" + f.Name
	if !place.MayHoldLogin(name) {
		return s.secrets.At.Machine.TouchesSecret(name, false)
	}
	return s.secrets.At.Machine.Secrets.Match(name) || hasLogin(s.repo, f)
}

// untracked looks for a secret that git does not track yet.
func (s *addSearch) untracked(dir string) string {
	at := s.secrets.At.Machine
	if !at.IsDirectory(dir) || !s.forced && !s.secrets.unignores() && dir != s.repo.Top &&
		s.repo.PassesOver(repo.Surely, dir, true, s.user...) {
		return ""
	}
	return s.below(dir, 0)
}

// tracks reports whether the index has a file of that name, and not only some below it.
func (s *addSearch) tracks(name string) bool {
	return len(s.repo.Tracked(func(f repo.File) bool { return s.repo.Top+"/"+f.Name == name })) > 0
}

// secret reports whether a name is that of a secret, or a second one.
func (s *addSearch) secret(name string) bool {
	at := s.secrets.At.Machine
	return at.TouchesSecret(name, false) || len(s.secrets.second().all()) > 0 && s.secrets.isTwin(name)
}

// below looks through a directory to which no ignored one leads.
func (s *addSearch) below(dir string, depth int) (found string) {
	entries, err := s.secrets.At.Machine.Files.Entries(dir, maxAddNames-s.seen)
	if s.seen += len(entries); err != nil || depth > maxAddDepth {
		s.over = s.over || !errors.Is(err, fs.ErrPermission) // what nobody can list git does not take either
		return ""
	}
	for _, e := range entries {
		name := dir + "/" + e.Name
		switch {
		case e.Name == ".git" && dir != s.repo.Top && !s.repo.Tracks(dir) && !s.ownTree(dir):
			found = dir // git status would go in there, and do what its settings say
		case e.Name == ".git" || e.Name == "node_modules":
		case e.Type.IsDir() && !s.passesOver(name, true):
			found = s.below(name, depth+1)
		case e.Type.IsRegular() && s.secret(name) && !s.tracks(name) && !s.passesOver(name, false):
			found = name
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// ownTree reports whether a directory is a working tree of the same repository.
func (s *addSearch) ownTree(dir string) bool {
	at, ok := repo.Around(s.secrets.At.Machine.Files, dir+"/.")
	return ok && at.Top == dir && at.Common == s.repo.Common
}

// passesOver reports whether git leaves out a name because of an ignore file.
func (s *addSearch) passesOver(name string, dir bool) bool {
	return !s.forced && s.repo.PassesOverNext(repo.Surely, name, dir, s.user...) && !s.secrets.unignores()
}

// userIgnores are the ignore files that git reads for this user in any
// repository.
func (h *Secrets) userIgnores() (files []string) {
	if h.At.Machine.Home == "" {
		return nil
	}
	files = []string{h.At.Machine.Home + "/.config/git/ignore"}
	for _, config := range [...]string{h.At.Machine.Home + "/.gitconfig", h.At.Machine.Home + "/.config/git/config"} {
		data, err := h.At.Machine.Files.Read(config, 256<<10)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			key, value, ok := strings.Cut(line, "=")
			if !ok || !strings.EqualFold(strings.TrimSpace(key), "excludesfile") {
				continue
			}
			value = strings.Trim(strings.TrimSpace(value), `"`)
			if rest, below := strings.CutPrefix(value, "~/"); below {
				value = h.At.Machine.Home + "/" + rest
			}
			if path.IsAbs(value) {
				files = append(files, h.At.Machine.Real(value))
			}
		}
	}
	return files
}
