package place

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// holdsLogin reports whether a file of settings holds a password or a token
// beside what anybody may read.
func holdsLogin(files view.Files, name string) bool {
	dir, base := path.Split(name)
	git := base == ".gitconfig" || base == "gitconfig" ||
		base == "config" && (strings.Contains(dir, "/.git/") || strings.HasSuffix(dir, "git/"))
	npm := base == ".npmrc" || base == ".yarnrc.yml"
	if !git && !npm {
		return false
	}
	data, err := files.Read(name, 256<<10)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	if npm {
		text := strings.ReplaceAll(string(data), " ", "")
		return strings.Contains(text, "_auth") && !strings.Contains(text, "=${") ||
			strings.Contains(text, "npmAuth") && !strings.Contains(text, ":${") ||
			strings.Contains(text, "_password=")
	}
	return shell.HoldsGitLogin(string(data))
}

// TouchesSecret reports whether a real path is a secret, or, read as a whole
// tree, may hold one of the stores.
func (m *Machine) TouchesSecret(real string, tree bool) bool {
	return m.Secrets.Match(real) || m.secretInPlace(real) || tree && m.Secrets.HoldsAny(real) ||
		holdsLogin(m.Files, real)
}

// secretInPlace reports whether a file of dotfiles will be a secret at home.
func (m *Machine) secretInPlace(real string) bool {
	return slices.ContainsFunc(hosts.InPlace(strings.ToLower(real)), m.secretAtHome)
}

// secretAtHome reports whether a name below home is that of a secret.
func (m *Machine) secretAtHome(name string) bool {
	return m.Secrets.MatchAtHome(paths.Fold(name), strings.Contains(name, "~"))
}
