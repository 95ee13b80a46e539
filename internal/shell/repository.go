package shell

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

// maxConfig bounds how much of a file of git's is read.
const maxConfig = 256 << 10

// repositories are those of git that commands of the line work in.
type repositories struct {
	machine *machine
	out     *draft
	defs    *definitions
	repos   []*repository
}

// repository is what was found of a git repository.
type repository struct {
	from    string // the directory it was looked for from
	top     string // of the working tree; "" in a bare repository
	dir     string // the git directory
	common  string // that of the main working tree
	found   bool
	fault   string // why git is not plain here
	reaches bool   // a setting says how git asks another machine
	secret  bool   // a setting holds a password, a token or a header
	remotes []gitURL
	hooks   []string // what core.hooksPath says, in any file
}

// gitURL is where a remote of the settings lies.
type gitURL struct{ remote, url string }

// repository finds and reads the repository around a directory; nil if the
// directory or the files are not known.
func (g *repositories) repository(dir string) *repository {
	if dir == "" || g.machine.env.Files == nil {
		return nil
	}
	for _, r := range g.repos {
		if r.from == dir {
			return r
		}
	}
	r := &repository{from: dir}
	g.repos = append(g.repos, r)
	if g.machine.discover(r); r.found {
		g.settings(r, r.common+"/config", true)
		g.settings(r, r.dir+"/config.worktree", true)
	}
	if g.machine.env.Home != "" {
		g.settings(r, g.machine.env.Home+"/.gitconfig", false)
		g.settings(r, g.machine.env.Home+"/.config/git/config", false)
	}
	return r
}

func (m *machine) exists(name string) bool {
	_, err := m.env.Files.Lstat(name)
	return err == nil
}

// discover walks up from r.from as git does.
func (m *machine) discover(r *repository) {
	real, err := view.Resolve(m.env.Files, r.from)
	if err != nil {
		r.fault = "where the repository lies is not known"
		return
	}
	for dir := real; ; dir = path.Dir(dir) {
		at := strings.TrimSuffix(dir, "/")
		info, err := m.env.Files.Lstat(at + "/.git")
		switch {
		case err == nil && info.Mode.IsDir():
			r.found, r.top, r.dir, r.common = true, dir, at+"/.git", at+"/.git"
			if m.exists(at + "/.git/commondir") {
				r.fault = grammar.Escaped(at) + "/.git/commondir leads elsewhere"
			}
			return
		case err == nil:
			m.gitFile(r, dir, at+"/.git")
			return
		case m.exists(at+"/HEAD") && (m.exists(at+"/commondir") || m.exists(at+"/objects") && m.exists(at+"/refs")):
			r.found, r.dir, r.common = true, dir, dir
			if path.Base(dir) != ".git" {
				r.fault = "a bare repository lies at " + grammar.Escaped(dir)
			}
			return
		}
		if dir == "/" {
			return
		}
	}
}

// gitFile follows the .git file of a linked worktree or submodule.
func (m *machine) gitFile(r *repository, top, file string) {
	data, err := m.env.Files.Read(file, 4096)
	target, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir:")
	if err != nil || !ok {
		r.fault = grammar.Escaped(file) + " cannot be read"
		return
	}
	target = strings.TrimSpace(target)
	if !path.IsAbs(target) {
		target = path.Join(top, target)
	}
	if target, err = view.Resolve(m.env.Files, target); err != nil {
		r.fault = grammar.Escaped(file) + " leads nowhere"
		return
	}
	r.found, r.top, r.dir, r.common = true, top, target, target
	if data, err := m.env.Files.Read(target+"/commondir", 4096); err == nil {
		common := strings.TrimSpace(string(data))
		if !path.IsAbs(common) {
			common = path.Join(target, common)
		}
		r.common = path.Clean(common)
	}
}

// settings reads a file of git's settings. Those of the repository must be on the list
// of what starts nothing (git's sheet); those of the person are the person's.
func (g *repositories) settings(r *repository, name string, own bool) {
	real, err := view.Resolve(g.machine.env.Files, name)
	if err != nil || !g.machine.exists(real) {
		return
	}
	data, err := g.machine.env.Files.Read(real, maxConfig)
	settings, ok := repo.Settings(string(data))
	if err != nil || !ok {
		r.fault = grammar.Escaped(name) + " cannot be read"
		return
	}
	g.defs.rests(name, data)
	for _, s := range settings {
		r.secret = r.secret || secretSetting(s.Name, s.Text)
		if strings.EqualFold(s.Name, "core.hookspath") {
			r.hooks = append(r.hooks, s.Value())
		} else if own && !g.machine.plainSetting(r, s) {
			r.fault = grammar.Escaped(name) + " sets " + grammar.Escaped(s.Name) + ", which may start something"
		}
	}
}

// plainSetting reports whether a setting of a repository changes nothing of what git
// starts, asks or keeps.
func (m *machine) plainSetting(r *repository, s repo.Setting) bool {
	first, rest, _ := strings.Cut(s.Name, ".")
	last := rest[strings.LastIndexByte(rest, '.')+1:]
	value := s.Value()
	switch key := first + "." + last; key {
	case "remote.url":
		r.remotes = append(r.remotes, gitURL{strings.TrimSuffix(rest, ".url"), value})
		return !strings.Contains(value, "::")
	case "remote.fetch":
		_, to, _ := strings.Cut(value, ":")
		return strings.HasPrefix(to, "refs/remotes/") || strings.HasPrefix(to, "refs/tags/")
	case "core.logallrefupdates":
		return !falsy(value)
	case "core.worktree": // of a submodule: its own
		return r.top != "" && path.Join(r.dir, value) == r.top
	case "core.fsmonitor":
		return falsy(value) || strings.EqualFold(value, "true")
	case "filter.clean", "filter.smudge", "filter.process":
		return strings.HasPrefix(s.Name, "filter.lfs.") && strings.HasPrefix(value, "git-lfs ") &&
			!strings.ContainsAny(value, ";|&$`/")
	case "branch.remote":
		return !strings.ContainsAny(value, `:\`) && !strings.HasPrefix(value, "/")
	default:
		if m.gitIs("network-settings", first) || key == "core.sshcommand" {
			r.reaches = true
			return true
		}
		return m.gitIs("plain-settings", first) || m.gitIs("plain-settings", key)
	}
}

func falsy(text string) bool {
	return slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(text))
}

// gitIs reports whether a list of git's sheet names a word.
func (m *machine) gitIs(list, word string) bool { return slices.Contains(listsOfGit()[list], word) }

var listsOfGit = sync.OnceValue(gitLists)

// gitLists are the lists of git's sheet, by their names.
func gitLists() map[string][]string {
	found := map[string][]string{}
	sheet, ok := new(machine).sheet("git")
	if !ok {
		return found
	}
	for line := range strings.Lines(sheet.all) {
		if words := strings.Fields(line); len(words) > 2 && strings.HasPrefix(line, "list ") {
			found[words[1]] = append(found[words[1]], words[2:]...)
		}
	}
	return found
}

// plain reports what keeps a git command from being plain where it runs, and the hooks
// that it starts.
func (g *repositories) plain(r *repository, inv *invocation, sub string) {
	if g.machine.gitIs("anywhere", sub) || g.out.away != "" {
		return
	}
	switch {
	case r == nil:
		g.out.unknown(PartWords, inv.raw, "this runs git, and nod cannot tell in which repository")
	case r.fault != "":
		g.out.unknown(PartWords, inv.raw, "this runs git, and "+r.fault)
	case r.reaches && g.machine.gitIs("network", sub):
		g.out.unknown(PartWords, inv.raw, "this asks another machine, and settings of the repository say how")
	case !r.found && g.out.changed && sub != "clone" && sub != "init":
		g.out.unknown(PartWords, inv.raw,
			"this runs git in a repository that the same line may make, so that nod cannot read its settings")
	case r.found:
		g.runHooks(r, sub, inv)
	}
}
