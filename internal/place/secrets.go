package place

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/nodgate/nod/internal/shell"
)

// holdsLogin reports whether a file in which some people keep a password, a token or a key
// beside what anybody may read holds one: settings of git and npm, certificates, and what
// is called like a key for ssh.
func (m *Machine) holdsLogin(name string) bool {
	dir, base := path.Split(name)
	isKey := strings.HasSuffix(base, ".pem") || strings.HasSuffix(base, ".crt") ||
		strings.HasPrefix(base, "id_") && !strings.Contains(base, ".")
	isNpm := strings.HasPrefix(base, ".npmrc") || base == ".yarnrc.yml" || base == ".yarnrc"
	isGit := slices.Contains([]string{".gitconfig", ".gitmodules", "gitconfig", "config", "config.worktree"}, base) ||
		strings.HasSuffix(dir, "/.git/") && strings.HasPrefix(base, "config") // config~, config.lock
	if !isKey && !isNpm && !isGit {
		return false
	}
	data, err := m.Files.Read(name, 1<<20)
	if err != nil {
		info, there := m.Files.Lstat(name)
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(there, syscall.ENOTDIR) &&
			!(there == nil && info.Mode.IsDir())
	}
	text := string(data)
	switch {
	case isKey:
		return strings.Contains(text, "PRIVATE KEY--")
	case isNpm:
		return slices.ContainsFunc(strings.Split(text, "\n"), isNpmLogin)
	}
	return isGit && shell.HoldsGitLogin(text)
}

// isNpmLogin reports whether a line of npm's or yarn's settings holds a login, and not
// the name of a variable that does.
func isNpmLogin(line string) bool {
	plain := strings.ReplaceAll(line, " ", "")
	return !strings.Contains(plain, "${") && (strings.Contains(plain, "_auth") || strings.Contains(plain, "npmAuth") ||
		strings.Contains(plain, "_password=") || strings.Contains(plain, "PRIVATEKEY--") || shell.HoldsGitLogin(line))
}

// TouchesSecret reports whether a real path is a secret, or, read as a whole
// tree, may hold one of the stores.
func (m *Machine) TouchesSecret(real string, tree bool) bool {
	return m.Secrets.Match(real) || tree && m.Secrets.HoldsAny(real) || m.holdsLogin(real)
}
