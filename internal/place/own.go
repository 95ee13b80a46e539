package place

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// Own is one of nod's own files or directories.
type Own struct {
	Name, Lower string
}

// Owned lists the paths as given, each followed by its real path where the two differ.
func (m *Machine) Owned(names []string) (list []Own) {
	seen := map[string]bool{"": true}
	for _, name := range names {
		for _, n := range [...]string{name, m.Real(name)} {
			if !seen[n] {
				seen[n] = true
				list = append(list, Own{n, strings.ToLower(n)})
			}
		}
	}
	return list
}

// IsSelf reports whether a real path is one of nod's own files, or below one of its directories.
func (m *Machine) IsSelf(real string) bool {
	real = strings.ToLower(real)
	return slices.ContainsFunc(m.Self(), func(own Own) bool { return view.Below(own.Lower, real) })
}

// holdsAgents reports whether agents are set up in a directory: whether it is an
// agent's own directory, lies below one, or has one below it by its name. Where a link takes
// an agent's directory, agentsOwn guards.
func (m *Machine) holdsAgents(root string) bool {
	lower := strings.ToLower(root)
	return m.agentsOwn(root) || slices.ContainsFunc(m.agentDirs(), func(own Own) bool {
		return own.Lower == strings.ToLower(own.Name) && view.Below(lower, own.Lower)
	})
}

// holdsOwn reports whether nod's settings, state or programs lie in a directory.
func (m *Machine) holdsOwn(root string) bool {
	lower := strings.ToLower(root)
	return slices.ContainsFunc(m.Self(), func(own Own) bool {
		return view.Below(lower, own.Lower) && (m.IsDirectory(own.Name) || path.Dir(own.Lower) == lower)
	})
}

// ownDirs lists the agents' own directories below home, and, by the same names, their real paths.
func (m *Machine) ownDirs() (dirs []Own) {
	for _, home := range slices.Compact([]string{m.Home, m.RealHome}) {
		for _, a := range hosts.Agents() {
			for _, below := range a.Home {
				name := home + "/" + below
				if home != "" {
					dirs = append(dirs, Own{name, strings.ToLower(name)})
				}
				if real := m.Real(name); home != "" && real != name {
					dirs = append(dirs, Own{name, strings.ToLower(real)})
				}
			}
		}
	}
	return dirs
}

// agentsOwn reports whether a real path is a directory of an agent's own, or
// below one, but for the working trees that some agents keep there.
func (m *Machine) agentsOwn(real string) bool {
	lower := strings.ToLower(real)
	return slices.ContainsFunc(m.agentDirs(), func(d Own) bool {
		if !view.Below(d.Lower, lower) {
			return false
		}
		first, rest, _ := strings.Cut(strings.TrimPrefix(lower[len(d.Lower):], "/"), "/")
		return first != "worktrees" && first != "worktree" || rest == ""
	})
}

// holdsLogin reports whether a file in which some people keep a password, a token or a key beside what
// anybody may read holds one: settings of git and npm, certificates, and what is called like a key for ssh.
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
