package shell

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

const (
	maxGitFiles = 4096   // names of a git directory that are looked at
	maxRefs     = 20_000 // the same, with all refs and their logs
)

// gitFiles reports as read what git may print though no word of its command names
// it: a file of its own directory that is a link or has another name (git status
// prints the list of what a rebase does next, git log what it cannot read in a list
// of shallow commits), and what a setting of the repository names.
func (g *repositories) gitFiles(r *repository, inv *invocation) {
	if !r.looked {
		r.looked = true
		g.lookInto(r, r)
		for _, name := range [...]string{".gitattributes", ".gitignore", ".gitmodules", ".mailmap"} {
			if info, err := g.machine.env.Files.Lstat(r.top + "/" + name); err == nil && hasOtherName(info) {
				r.printed = append(r.printed, r.top+"/"+name)
			}
		}
	}
	if r.unlisted != "" {
		g.out.unknown(PartWords, inv.raw, "this runs git, and what lies in "+grammar.Escaped(r.unlisted)+
			" is more than nod looks through")
	}
	from := len(g.out.report.Effects)
	for _, name := range r.printed {
		g.out.path(Read, word{value: constant(name), raw: inv.raw}, inv.st, 0)
	}
	for i := range g.out.report.Effects[from:] {
		g.out.report.Effects[from+i].Aside = true
	}
}

// lookInto adds to a repository what git may print of the directory of another, or of
// its own.
func (g *repositories) lookInto(r, inside *repository) {
	for _, dir := range gitDirs(g.machine, inside) {
		names, all := otherNames(g.machine, dir)
		if r.printed = append(r.printed, names...); !all {
			r.unlisted = dir
		}
	}
}

// gitDirs are the directories in which git keeps what it reads as text, but for
// refs, hooks and objects.
func gitDirs(m *machine, r *repository) (dirs []string) {
	tops := []string{r.dir}
	if r.common != r.dir {
		tops = append(tops, r.common)
	}
	for _, top := range tops {
		dirs = append(dirs, top)
		for _, below := range [...]string{"info", "rebase-merge", "rebase-apply", "sequencer", "objects/info",
			"objects/info/commit-graphs", "objects/pack/multi-pack-index.d", "branches", "remotes", "logs"} {
			if m.exists(top + "/" + below) {
				dirs = append(dirs, top+"/"+below)
			}
		}
		trees, err := m.env.Files.List(top+"/worktrees", maxGitFiles)
		if err != nil && m.exists(top+"/worktrees") {
			dirs = append(dirs, top+"/worktrees") // which cannot be listed there either
		}
		for _, tree := range trees {
			dirs = append(dirs, top+"/worktrees/"+tree)
		}
	}
	return dirs
}

// otherNames are the files of a directory that are links, or have more names than
// this one. Which directories are links does not matter: they are looked into. all is
// false where there are more than are looked at, or the directory cannot be listed.
func otherNames(m *machine, dir string) (names []string, all bool) {
	entries, err := m.env.Files.Entries(dir, maxGitFiles)
	if err != nil && m.exists(dir) {
		return nil, false
	}
	for _, e := range entries {
		if name := dir + "/" + e.Name; e.Type.IsRegular() || e.Type&fs.ModeSymlink != 0 {
			info, err := m.env.Files.Lstat(name)
			if err == nil && hasOtherName(info) {
				names = append(names, name)
			}
		}
	}
	return names, true
}

func hasOtherName(info view.Info) bool { return info.Links > 1 || info.Mode&fs.ModeSymlink != 0 }

// writesThrough is the first name in the directory of a repository by which git
// would write elsewhere: a directory or file that is a link, or a log or message
// with another name. "" is none. Hooks are links often, and are not written.
func (g *repositories) writesThrough(r *repository) string {
	if r.through == nil {
		left, found := maxRefs, ""
		for _, top := range []string{r.dir, r.common} {
			found = cmp.Or(found, linkBelow(g.machine, top, "", &left))
		}
		r.through = &found
	}
	return *r.through
}

// linkBelow looks through what git writes by its name, left names at most. What it
// replaces (an index, a ref) may have several names.
func linkBelow(m *machine, top, below string, left *int) string {
	entries, err := m.env.Files.Entries(top+below, max(*left, 1))
	if *left -= len(entries); err != nil && m.exists(top+below) || *left < 0 {
		return top + below
	}
	for _, e := range entries {
		name := below + "/" + e.Name
		switch {
		case name == "/hooks":
		case e.Type&fs.ModeSymlink != 0:
			return top + name
		case e.Type.IsDir() && (below == "/refs" || below == "/logs" || strings.Count(name, "/") > 2 ||
			slices.Contains([]string{"/refs", "/logs", "/objects"}, name)):
			if found := linkBelow(m, top, name, left); found != "" {
				return found
			}
		case e.Type.IsRegular() && (strings.HasPrefix(name, "/logs/") || below == "" && e.Name != "index"):
			if info, err := m.env.Files.Lstat(top + name); err != nil || info.Links > 1 {
				return top + name
			}
		}
	}
	return ""
}

// notesFile keeps the file that a setting of the repository names, wherever git
// may take its name from.
func (g *repositories) notesFile(r *repository, name, text, file string) {
	value := strings.Trim(text, `"`)
	switch first, _, _ := strings.Cut(name, "."); first {
	case "remote", "branch", "url", "user", "submodule", "include", "includeif":
		return
	}
	if value == "" || falsy(value) || value == "true" || strings.ContainsAny(value, ":*\n") ||
		strings.Trim(value, "0123456789") == "" {
		return
	}
	if below, ok := strings.CutPrefix(value, "~/"); ok {
		value = g.machine.env.Home + "/" + below
	}
	names := []string{value}
	if !path.IsAbs(value) {
		names = []string{r.top + "/" + value, r.from + "/" + value, path.Dir(file) + "/" + value}
	}
	for _, name := range names {
		info, err := g.machine.env.Files.Lstat(name)
		if err == nil && (info.Mode.IsRegular() || info.Mode&fs.ModeSymlink != 0) {
			r.printed = append(r.printed, name)
		}
	}
}

// usesFilters reports whether a repository may hand files to a filter: it has been used with
// git-lfs, or attributes at its top speak of some.
func usesFilters(m *machine, r *repository) bool {
	for _, name := range [...]string{r.common + "/lfs", r.top + "/.lfsconfig"} {
		if m.exists(name) {
			return true
		}
	}
	for _, name := range [...]string{r.top + "/.gitattributes", r.common + "/info/attributes"} {
		data, err := m.env.Files.Read(name, maxConfig)
		if err != nil && m.exists(name) || strings.Contains(string(data), "filter") {
			return true
		}
	}
	return false
}
