package shell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

// maxGitlinks bounds how many repositories inside another are looked at.
const maxGitlinks = 64

// gitlinks adds what the configuration of repositories inside this one says:
// git runs itself in each of them, to see whether it has changed.
func (g *repositories) gitlinks(r *repository, sub string) {
	if r.inner || !r.found || r.top == "" || g.machine.gitIs("looks-past", sub) {
		return
	}
	r.inner = true
	at, ok := repo.Around(g.machine.env.Files, r.top+"/.")
	if !ok {
		return
	}
	names, ok := at.Gitlinks()
	if !ok || len(names) > maxGitlinks {
		r.fault = "which repositories lie inside this one cannot be read"
		return
	}
	for _, name := range names {
		if g.gitlink(r, r.top+"/"+name, sub); r.fault != "" {
			return
		}
	}
}

// gitlink adds what one of them says. Only a submodule as git makes it is looked
// into: a file .git that leads into the directory modules of this repository.
func (g *repositories) gitlink(r *repository, at, sub string) {
	info, err := g.machine.env.Files.Lstat(at + "/.git")
	if err != nil {
		return // it is not checked out
	}
	dir, _ := g.machine.place(at)
	inside := g.repository(dir)
	here := info.Mode.IsRegular() && inside != nil && dir == at && inside.top == dir
	if here && inside.common == r.common {
		return // a working tree of this very repository
	}
	if !here || inside.dir != inside.common || !view.Below(r.common+"/modules", inside.dir) ||
		g.machine.exists(inside.dir+"/commondir") {
		r.fault = "inside it lies a repository that is no plain submodule: " + grammar.Escaped(at)
		return
	}
	g.gitlinks(inside, sub)
	r.rewrites = true // git fetch goes on in there
	r.promisor = r.promisor || inside.promisor
	r.keys = append(r.keys, inside.keys...)
	g.lookInto(r, inside)
	if r.fault = cmp.Or(r.fault, inside.fault); g.startsHooks(inside) {
		r.fault = cmp.Or(r.fault, "a submodule has hooks: "+grammar.Escaped(at))
	}
}

// startsHooks reports whether a submodule has a hook that git starts when it looks
// whether the submodule has changed.
func (g *repositories) startsHooks(r *repository) bool {
	dirs, known := g.machine.gitHookDirs(r)
	for _, dir := range dirs {
		names, err := g.machine.env.Files.List(dir, maxGitFiles)
		if err != nil && g.machine.exists(dir) {
			return true
		}
		for _, name := range names {
			if slices.Contains(strings.Fields(hooksOf("status")), name) {
				return true
			}
		}
	}
	return !known
}
