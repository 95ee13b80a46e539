package repo

import (
	"path"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

const maxIncludes = 8

// HooksPaths returns where git takes the repository's hooks from besides its own
// directory, as core.hooksPath says in its own settings, the user's, and what
// those include: real paths. What merely looks like the setting counts.
func (r *Repo) HooksPaths(home string) (dirs []string) {
	files := []string{r.Common + "/config", r.Dir + "/config.worktree", home + "/.gitconfig",
		home + "/.config/git/config", "/etc/gitconfig"}
	for i := 0; i < len(files) && i < maxIncludes+5; i++ {
		data, err := r.files.Read(files[i], 256<<10)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			key, value, ok := strings.Cut(line, "=")
			if !ok {
				continue
			}
			key = strings.ToLower(strings.TrimSpace(key[strings.LastIndexByte(key, ']')+1:]))
			switch value = strings.Trim(strings.TrimSpace(value), `"`); {
			case key == "hookspath":
				dirs = append(dirs, r.named(r.Top, value, home))
			case key == "path":
				files = append(files, r.named(path.Dir(files[i]), value, home))
			}
		}
	}
	return dirs
}

// named is where a path of a configuration leads.
func (r *Repo) named(from, value, home string) string {
	if below, ok := strings.CutPrefix(value, "~/"); ok {
		value = home + "/" + below
	} else if !path.IsAbs(value) {
		value = from + "/" + value
	}
	real, err := view.Resolve(r.files, value)
	if err != nil {
		return path.Clean(value)
	}
	return real
}
