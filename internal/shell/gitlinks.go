package shell

import (
	"cmp"

	"github.com/nodgate/nod/internal/repo"
)

// maxGitlinks bounds how many repositories inside another are looked at.
const maxGitlinks = 64

// gitlinks adds what the configuration of repositories inside this one says:
// git runs itself in each of them, to see whether it has changed. That they
// are no submodules, with their directory under .git/modules, is no matter.
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
		dir, _ := g.machine.place(r.top + "/" + name)
		inside := g.repository(dir)
		if inside == nil || inside.top != dir {
			continue
		}
		g.gitlinks(inside, sub)
		r.rewrites = true // git fetch goes on in there
		r.keys = append(r.keys, inside.keys...)
		r.fault = cmp.Or(r.fault, inside.fault)
	}
}
