package place

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// holdsLogin reports whether a file of settings holds a password or a token
// beside what anybody may read.
func holdsLogin(files view.Files, name string) bool {
	if !MayHoldLogin(name) {
		return false
	}
	data, err := files.Read(name, 1<<20)
	if err != nil {
		info, there := files.Lstat(name)
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(there, syscall.ENOTDIR) &&
			!(there == nil && info.Mode.IsDir())
	}
	return LoginIn(name, string(data))
}

// MayHoldLogin reports whether a file is, by its name, one of settings in which some
// people keep a password or a token, or one beside whose certificate a key may stand.
func MayHoldLogin(name string) bool {
	return isNpmSettings(name) || isGitSettings(name) || mayBeKey(name)
}

// mayBeKey reports whether a file has a name of certificates, or of keys for ssh that
// somebody named: in some of those a private key lies too.
func mayBeKey(name string) bool {
	base := path.Base(name)
	return strings.HasSuffix(base, ".pem") || strings.HasSuffix(base, ".crt") ||
		strings.HasPrefix(base, "id_") && !strings.Contains(base, ".")
}

func isNpmSettings(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, ".npmrc") || // .npmrc~ and .npmrc.bak too
		base == ".yarnrc.yml" || base == ".yarnrc"
}

// isGitSettings recognises what may have an address with a password: settings of git, of
// submodules too, and where git keeps what it was given by name (reflogs, remotes as they
// were kept once). A git directory may have any name.
func isGitSettings(name string) bool {
	dir, base := path.Split(name)
	_, logged, logs := strings.Cut(dir, "/logs/")
	_, own, inGit := strings.Cut(dir, "/.git/")
	return base == ".gitconfig" || base == "gitconfig" || base == "config" || base == "config.worktree" ||
		inGit && own == "" && (strings.HasPrefix(base, "config") || base == "FETCH_HEAD") || // config~, config.lock
		base == ".gitmodules" ||
		logs && (logged == "" && base == "HEAD" || strings.HasPrefix(logged, "refs/")) ||
		inGit && (strings.Contains("/"+own, "/remotes/") || strings.Contains("/"+own, "/branches/"))
}

// LoginIn reports whether the text of such a file holds a password, a token or a
// private key.
func LoginIn(name, text string) bool {
	if mayBeKey(name) {
		return strings.Contains(text, "PRIVATE KEY--")
	}
	if isNpmSettings(name) {
		text = strings.ReplaceAll(text, " ", "")
		return loginInAddress(text) || strings.Contains(text, "PRIVATEKEY--") ||
			strings.Contains(text, "_auth") && !strings.Contains(text, "=${") ||
			strings.Contains(text, "npmAuth") && !strings.Contains(text, ":${") ||
			strings.Contains(text, "_password=")
	}
	return shell.HoldsGitLogin(text)
}

// loginInAddress reports whether a text has an address with a password.
func loginInAddress(text string) bool {
	for _, address := range strings.Split(text, "://")[1:] {
		host, _, _ := strings.Cut(address, "/")
		login, _, ok := strings.Cut(host, "@")
		if ok && strings.Contains(login, ":") && !strings.Contains(login, "${") {
			return true
		}
	}
	return false
}

// TouchesSecret reports whether a real path is a secret, or, read as a whole
// tree, may hold one of the stores.
func (m *Machine) TouchesSecret(real string, tree bool) bool {
	return m.Secrets.Match(real) || m.secretInPlace(real) || tree && m.Secrets.HoldsAny(real) ||
		holdsLogin(m.Files, real) || m.holdsPatch(real)
}

// maxPatch bounds how much of a patch is read.
const maxPatch = 1 << 20

// holdsPatch reports whether a file is one in which git keeps a patch, or a message
// with what is to be committed below it, and that changes a secret.
func (m *Machine) holdsPatch(name string) bool {
	dir, base := path.Split(name)
	switch {
	case strings.HasSuffix(dir, "/rebase-merge/"), strings.HasSuffix(dir, "/rebase-apply/"):
		if base != "patch" && strings.Trim(base, "0123456789") != "" {
			return false
		}
	case !strings.Contains(dir, "/.git/"), base != "COMMIT_EDITMSG" && base != "ADD_EDIT.patch":
		return false
	}
	data, err := m.Files.Read(name, maxPatch)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	for line := range strings.Lines(string(data)) {
		for _, prefix := range [...]string{"--- a/", "+++ b/", "rename from ", "copy from "} {
			if changed, ok := strings.CutPrefix(strings.TrimSpace(line), prefix); ok &&
				m.Secrets.Match("/"+strings.Trim(changed, `"`)) {
				return true
			}
		}
	}
	return false
}

// secretInPlace reports whether a file of dotfiles will be a secret at home.
func (m *Machine) secretInPlace(real string) bool {
	return slices.ContainsFunc(hosts.InPlace(strings.ToLower(real)), m.secretAtHome)
}

// secretAtHome reports whether a name below home is that of a secret.
func (m *Machine) secretAtHome(name string) bool {
	return m.Secrets.MatchAtHome(paths.Fold(name), strings.Contains(name, "~"))
}
