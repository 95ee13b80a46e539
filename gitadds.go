package nod

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
)

// Bounds of a look for what git add would take in.
const (
	maxAddNames = 1_000
	maxAddDepth = 3
)

// takesIn names a secret that git add would take in without naming it: a file
// of that kind which is neither tracked nor ignored. Larger trees are not
// looked through to the end, and ":" pathspecs are not read.
func (t *trial) takesIn(e shell.Effect) (why string) {
	c := t.report.Commands[e.Command]
	if len(c.Words) < 3 || c.Dir == "" || c.Words[1].Value != "add" && c.Words[1].Value != "stage" {
		return ""
	}
	r, ok := repo.Around(t.gate.files, c.Dir+"/.")
	if !ok {
		return ""
	}
	s := addSearch{trial: t, repo: r, user: t.gate.userIgnores()}
	var dirs []string
	for _, w := range c.Words[2:] {
		switch {
		case !w.Known || w.Pattern || strings.HasPrefix(w.Value, ":"):
		case w.Value == "-u" || w.Value == "--update" || w.Value == "-n" || w.Value == "--dry-run":
			return ""
		case w.Value == "-f" || w.Value == "--force":
			s.forced = true
		case w.Value == "-A" || w.Value == "--all":
			dirs = append(dirs, r.Top)
		case !strings.HasPrefix(w.Value, "-"):
			dirs = append(slices.DeleteFunc(dirs, func(d string) bool { return d == r.Top }), t.gate.real(path.Join(c.Dir, w.Value)))
		}
	}
	for _, dir := range dirs {
		if info, err := t.gate.files.Lstat(dir); err != nil || !info.Mode.IsDir() {
			continue
		}
		if found := s.below(dir, 0); found != "" {
			return "this takes " + Printable(found) + " into the repository, which may hold a secret"
		}
	}
	return ""
}

// addSearch looks through what git add would take in.
type addSearch struct {
	trial  *trial
	repo   *repo.Repo
	user   []string // ignore files of the user's
	forced bool     // what is ignored too
	seen   int
}

func (s *addSearch) below(dir string, depth int) (found string) {
	names, err := s.trial.gate.files.List(dir, maxAddNames-s.seen)
	if s.seen += len(names); err != nil || depth > maxAddDepth {
		return ""
	}
	for _, n := range names {
		name := dir + "/" + n
		info, err := s.trial.gate.files.Lstat(name)
		switch {
		case err != nil || n == ".git":
		case info.Mode.IsDir():
			if n != "node_modules" && (s.forced || !s.repo.MayIgnore(name+"/.", s.user...)) {
				found = s.below(name, depth+1)
			}
		case info.Mode.IsRegular() && s.trial.gate.secrets.match(name) && !s.repo.Tracks(name) && (s.forced || !s.repo.MayIgnore(name, s.user...)):
			found = name
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// userIgnores are the ignore files that git reads for this user in any
// repository.
func (g *Gate) userIgnores() (files []string) {
	if g.home == "" {
		return nil
	}
	files = []string{g.home + "/.config/git/ignore"}
	for _, config := range [...]string{g.home + "/.gitconfig", g.home + "/.config/git/config"} {
		data, err := g.files.Read(config, 256<<10)
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
				value = g.home + "/" + rest
			}
			if path.IsAbs(value) {
				files = append(files, g.real(value))
			}
		}
	}
	return files
}
