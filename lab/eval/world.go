package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/nodgate/nod/corpus"
	"github.com/nodgate/nod/internal/shell/commands"
	"github.com/nodgate/nod/internal/view"
)

// DefaultDir is where a row stands that does not say.
const DefaultDir = "/home/dev/project"

// world is the virtual world as one session sees it. The three parts hold
// each other's names in this order; the first to know a name describes it.
type world struct {
	system *view.Memory // what every row finds
	place  *view.Memory // home and workspace of the row
	made   *made        // what the session wrote
}

var _ view.Files = world{}

func (w world) parts() [3]view.Files { return [3]view.Files{w.system, w.place, w.made} }

// Lstat implements view.Files. Each part counts its inodes for itself, so each is a device of its own.
func (w world) Lstat(name string) (view.Info, error) {
	for i, p := range w.parts() {
		if info, err := p.Lstat(name); err == nil {
			info.Dev = uint64(i + 1)
			return info, nil
		}
	}
	return view.Info{}, fs.ErrNotExist
}

// Readlink implements view.Files.
func (w world) Readlink(name string) (string, error) { return w.holder(name).Readlink(name) }

// Read implements view.Files.
func (w world) Read(name string, limit int64) ([]byte, error) {
	return w.holder(name).Read(name, limit)
}

// holder is the first part that has the name, or the last one.
func (w world) holder(name string) view.Files {
	for _, p := range w.parts() {
		if _, err := p.Lstat(name); err == nil {
			return p
		}
	}
	return w.made
}

// List implements view.Files: what all parts hold in the directory.
func (w world) List(name string, limit int) ([]string, error) {
	var all []string
	found := false
	for _, p := range w.parts() {
		names, err := p.List(name, limit)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		found = found || err == nil
		for _, n := range names {
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	switch {
	case !found:
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	case len(all) > limit:
		return nil, fmt.Errorf("%s: more than %d names", name, limit)
	}
	return all, nil
}

// worlds makes the parts that sessions share. It is safe for concurrent use.
type worlds struct {
	system *view.Memory
	own    *view.Memory // the machine of nod's own corpus
}

func newWorlds() *worlds {
	return &worlds{system: systemPart(), own: corpus.World()}
}

// at returns the world of a session's row that stands in dir.
func (w *worlds) at(dir string, m *made) world { return world{w.system, placePart(dir), m} }

// HomeOf returns the home directory in which dir lies.
func HomeOf(dir string) string {
	parts := strings.Split(strings.TrimPrefix(path.Clean(dir), "/"), "/")
	switch {
	case parts[0] == "root":
		return "/root"
	case len(parts) > 1 && (parts[0] == "home" || parts[0] == "Users"):
		return "/" + parts[0] + "/" + parts[1]
	}
	return "/home/dev"
}

// Environ is the environment of a row's agent.
func Environ(dir string) []string {
	home := HomeOf(dir)
	return []string{
		"HOME=" + home, "PATH=/usr/local/bin:/usr/bin:/bin", "USER=" + path.Base(home),
		"SHELL=/bin/bash", "LANG=en_US.UTF-8", "TERM=xterm-256color",
	}
}

func placePart(dir string) *view.Memory {
	m := view.NewMemory(false)
	m.Dir(HomeOf(dir), 0o755)
	if dir = path.Clean(dir); dir != "/" {
		m.Dir(dir, 0o755)
		for _, name := range slices.Sorted(maps.Keys(cleanRepository())) {
			m.File(dir+"/.git/"+name, cleanRepository()[name], 0o644)
		}
		for _, name := range []string{"hooks", "info", "refs/tags", "objects/info", "objects/pack"} {
			m.Dir(dir+"/.git/"+name, 0o755)
		}
	}
	return m
}

func systemPart() *view.Memory {
	m := view.NewMemory(false)
	m.Dir("/tmp", 0o777|fs.ModeSticky).Dir("/usr/local/bin", 0o755).Dir("/usr/lib", 0o755).Link("/bin", "usr/bin")
	for _, list := range [][]string{commands.Names(), strings.Fields(otherPrograms)} {
		for _, name := range list {
			m.File("/usr/bin/"+name, "\x7fELF", 0o755)
		}
	}
	for _, name := range []string{"/etc", "/var", "/opt", "/home", "/Users", "/root"} {
		m.Dir(name, 0o755)
	}
	for _, name := range []string{"null", "zero", "random", "urandom", "tty", "stdin", "stdout", "stderr"} {
		m.Special("/dev/"+name, fs.ModeDevice|fs.ModeCharDevice|0o666)
	}
	m.Special("/dev/sda", fs.ModeDevice|0o660)
	return m
}

// otherPrograms exist although nod's data may say nothing of them, so that a row is open because nod does not know what
// they do, not because they are missing.
//
//go:embed programs.txt
var otherPrograms string

// made is what a session wrote. It is not safe for concurrent use: the rows
// of a session are judged one after the other.
type made struct {
	*view.Memory
	unknown map[string]bool // files whose content is not known
}

func newMade() *made { return &made{Memory: view.NewMemory(false), unknown: map[string]bool{}} }

// file puts a file there. Without known its content is not known, and reading it is an error.
func (m *made) file(name string, data []byte, known bool) {
	dir := path.Dir(name)
	if info, err := m.Lstat(dir); err == nil && !info.Mode.IsDir() { // it was a directory after all
		m.Dir(dir, 0o755)
	}
	m.File(name, string(data), 0o644)
	m.unknown[name] = !known
}

func (m *made) Read(name string, limit int64) ([]byte, error) {
	if m.unknown[path.Clean(name)] {
		return nil, fmt.Errorf("%s: the content is not known", name)
	}
	return m.Memory.Read(name, limit)
}

// cleanRepository is what .git of a clean repository holds as git makes it, in which one commit holds no file: the
// virtual world has none, and an index that named files would say that all of them were deleted.
var cleanRepository = sync.OnceValue(func() map[string]string {
	tree, treeName := corpus.GitObject("tree", "")
	who := "dev <dev@example.com> 1767225600 +0000"
	commit, commitName := corpus.GitObject("commit",
		fmt.Sprintf("tree %s\nauthor %s\ncommitter %s\n\nfirst\n", treeName, who, who))
	return map[string]string{
		"HEAD": "ref: refs/heads/main\n",
		"config": "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = " +
			"false\n\tlogallrefupdates = true\n",
		"index":           corpus.GitIndex(nil),
		"refs/heads/main": commitName + "\n",
		"objects/" + treeName[:2] + "/" + treeName[2:]:     tree,
		"objects/" + commitName[:2] + "/" + commitName[2:]: commit,
	}
})
