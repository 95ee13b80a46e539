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
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// InPath reports whether a real path lies in a PATH directory of the workspace: what is
// written there is run by name later. The directories are found when they are asked for.
func (w *Workspace) InPath(real string) bool {
	if !w.looked && len(w.Roots) > 0 {
		w.looked = true
		value, _ := Lookup(w.Environ, "PATH")
		for elem := range strings.SplitSeq(value, ":") {
			dir, err := w.Machine.Locate(w.Dir, elem)
			inside := func(root string) bool { return dir != root && view.Below(root, dir) }
			if err == nil && slices.ContainsFunc(w.Roots, inside) {
				w.path = append(w.path, dir)
			}
		}
	}
	return slices.ContainsFunc(w.path, func(dir string) bool { return view.Below(dir, real) })
}

// Missing reports whether nothing stands at a name.
func (w *Workspace) Missing(name string) bool {
	_, err := w.Machine.Files.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// Readings returns where a path of the call may lead: as the kernel follows it, and, where that differs,
// with ".." taken out of the text first, or without the blanks around it, as hosts may do before they open
// a file. All of them count; a reading that nobody can tell is "", with an error. They are looked up once.
func (w *Workspace) Readings(name string) ([]string, error) {
	for _, r := range w.readings {
		if r.name == name {
			return r.reals, r.err
		}
	}
	reals, err := w.Machine.Readings(w.Dir, name)
	if len(w.readings) < maxReadings {
		w.readings = append(w.readings, reading{name, slices.Clip(reals), err})
	}
	return reals, err
}

const maxReadings = 64 // how many names a search through them is quicker for

// reading is where a name as written may lead.
type reading struct {
	name  string
	reals []string
	err   error
}

// IsLink reports whether a symbolic link stands at a name.
func (w *Workspace) IsLink(name string) bool {
	info, err := w.Machine.Files.Lstat(path.Clean(name))
	return err == nil && info.Mode&fs.ModeSymlink != 0
}

// Repository finds the repository around a real directory, once; nil for none.
func (w *Workspace) Repository(dir string) *repo.Repo {
	if r, ok := w.repos[dir]; ok {
		return r
	}
	r := repo.Around(w.Machine.Files, dir)
	if w.repos == nil {
		w.repos = map[string]*repo.Repo{}
	}
	for _, known := range w.repos {
		if r != nil && known != nil && known.Top == r.Top {
			r = known // it has read its index
		}
	}
	w.repos[dir] = r
	return r
}

// outputs are directories that builds, tests and caches fill.
const outputs = " dist build target out coverage htmlcov .next .nuxt .svelte-kit .turbo .parcel-cache .nyc_output " +
	"__pycache__ .pytest_cache .mypy_cache .ruff_cache .gradle .cache storybook-static "

func isOutputName(dir string) bool { return strings.Contains(outputs, " "+path.Base(dir)+" ") }

// IsOutput reports whether a directory is build output: by its name, ignored by the ignore files as git has
// them, nothing of it tracked. What lies in a repository of its own there was made by somebody.
func (w *Workspace) IsOutput(dir string) bool {
	for at := dir; w.Machine.Inside(w.Roots, at) && at != "/"; at = path.Dir(at) {
		if !w.Missing(at + "/.git") {
			return false
		}
		if isOutputName(at) && w.madeAgain(at) {
			return true
		}
	}
	return false
}

// madeAgain reports whether nothing of a directory is tracked, and ignore files name it, as git has them and the
// session did not write them: who has just written what is ignored has not said that it can be made again.
func (w *Workspace) madeAgain(dir string) bool {
	r := w.Repository(path.Dir(dir))
	if r == nil || !view.Below(r.Top, dir) || r.Tracks(dir) {
		return false
	}
	for at := dir; at != r.Top && at != "/"; {
		if at = path.Dir(at); w.Wrote != nil && w.Wrote(at+"/.gitignore") ||
			!w.Missing(at+"/.gitignore") && r.Lost(at+"/.gitignore") != "" {
			return false
		}
	}
	return r.PassesOver(dir, true)
}

// IsInstalled reports whether a directory is all that a package manager put there and would put there
// again: node_modules, ignored, nothing of it tracked, beside a lock file. Nothing runs by its being gone.
func (w *Workspace) IsInstalled(dir string) bool {
	return path.Base(dir) == "node_modules" && w.Machine.Inside(w.Roots, dir) && w.madeAgain(dir) &&
		slices.ContainsFunc([]string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml",
			"bun.lock", "bun.lockb"}, func(lock string) bool { return !w.Missing(path.Dir(dir) + "/" + lock) })
}

// MayBeOutput reports whether a file may count as build output by its names, once ignore files name it.
func (w *Workspace) MayBeOutput(name string) bool {
	for at := name; w.Machine.Inside(w.Roots, at) && at != "/"; at = path.Dir(at) {
		if isOutputName(at) {
			return true
		}
	}
	return false
}

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

// holdsAgents reports whether agents are set up in a directory: whether it is an agent's own directory, lies
// below one, or has one below it by its name. Where a link takes an agent's directory, agentsOwn guards.
func (m *Machine) holdsAgents(root string) bool {
	lower, dirs := strings.ToLower(root), m.agentDirs()
	return m.agentsOwn(root) || slices.ContainsFunc(dirs.homes, func(home string) bool {
		rest, in := strings.CutPrefix(lower, home+"/")
		return view.Below(lower, home) ||
			in && strings.HasPrefix(rest, ".") &&
				slices.ContainsFunc(dirs.names, func(name string) bool { return view.Below(rest, name) })
	})
}

// holdsOwn reports whether nod's settings, state or programs lie in a directory.
func (m *Machine) holdsOwn(root string) bool {
	lower := strings.ToLower(root)
	return slices.ContainsFunc(m.Self(), func(own Own) bool {
		return view.Below(lower, own.Lower) && (m.IsDirectory(own.Name) || path.Dir(own.Lower) == lower)
	})
}

// ownDirs are the agents' own directories, in small letters.
type ownDirs struct {
	homes []string // the home directory by its names
	names []string // below each; all begin with a dot
	links []string // where links lead that stand there
}

func (m *Machine) findOwnDirs() (dirs ownDirs) {
	if m.Home == "" {
		return dirs
	}
	for _, home := range slices.Compact([]string{m.Home, m.RealHome}) {
		dirs.homes = append(dirs.homes, strings.TrimSuffix(strings.ToLower(home), "/"))
	}
	there := m.mayBeIn(m.RealHome)
	for _, below := range hosts.Home() {
		dirs.names = append(dirs.names, strings.ToLower(below))
		if first, _, _ := strings.Cut(below, "/"); !there(first) {
			continue
		}
		name := m.RealHome + "/" + below
		if real := m.Real(name); real != name {
			dirs.links = append(dirs.links, strings.ToLower(real))
		}
	}
	return dirs
}

// mayBeIn returns what reports whether a name may be in a directory: one listing in the place of many looks.
func (m *Machine) mayBeIn(dir string) func(name string) bool {
	names, err := m.Files.List(dir, 500)
	if err != nil {
		return func(string) bool { return true }
	}
	there := make(map[string]bool, len(names))
	for _, name := range names {
		there[paths.FoldName(name)] = true
	}
	return func(name string) bool { return there[paths.FoldName(name)] }
}

// agentsOwn reports whether a real path is a directory of an agent's own, or
// below one, but for the working trees that some agents keep there.
func (m *Machine) agentsOwn(real string) bool {
	lower, dirs := strings.ToLower(real), m.agentDirs()
	return slices.ContainsFunc(dirs.links, func(dir string) bool { return isBelowOwn(dir, lower) }) ||
		slices.ContainsFunc(dirs.homes, func(home string) bool {
			rest, in := strings.CutPrefix(lower, home+"/")
			return in && strings.HasPrefix(rest, ".") &&
				slices.ContainsFunc(dirs.names, func(name string) bool { return isBelowOwn(name, rest) })
		})
}

func isBelowOwn(dir, name string) bool {
	if !view.Below(dir, name) {
		return false
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(name[len(dir):], "/"), "/")
	return first != "worktrees" && first != "worktree" || rest == ""
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

// TouchesSecret reports whether a real path is a secret, or, read as a whole tree, may hold one of the stores.
func (m *Machine) TouchesSecret(real string, tree bool) bool {
	return m.Secrets.Match(real) || tree && m.Secrets.HoldsAny(real) || m.holdsLogin(real)
}
