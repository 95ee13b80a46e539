package main

import (
	_ "embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/nodgate/nod/corpus"
	"github.com/nodgate/nod/internal/shell/commands"
	"github.com/nodgate/nod/internal/view"
)

// DefaultDir is where a row stands that does not say.
const DefaultDir = "/home/dev/project"

// world is the virtual world of a session, whose rows are judged one after the other.
type world struct {
	*view.Memory
	dir   string          // where the row stands
	wrote map[string]bool // the files that the session wrote, and whether their content is known
}

// enter makes the home directory and the repository in which a row stands, also after a row that took it away, and
// takes away that of the row before.
func (w *world) enter(dir string) {
	dir = path.Clean(dir)
	if info, err := w.Lstat(dir + "/.git/HEAD"); dir == w.dir && err == nil && info.Mode.IsRegular() {
		return
	}
	w.Remove(path.Join(w.dir, ".git"))
	for name := range w.wrote {
		if strings.HasPrefix(name, w.dir+"/.git/") { // by a row that stood elsewhere
			w.File(name, "", 0o644)
		}
	}
	w.dir = dir
	w.Dir(HomeOf(dir), 0o755)
	if dir == "/" {
		return
	}
	w.Dir(dir, 0o755)
	for name, content := range cleanRepository() {
		w.File(dir+"/.git/"+name, content, 0o644)
	}
	for _, name := range []string{"hooks", "info", "refs/tags", "objects/info", "objects/pack"} {
		w.Dir(dir+"/.git/"+name, 0o755)
	}
}

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

// newWorld is what every session finds.
func newWorld() *world {
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
	return &world{Memory: m, wrote: map[string]bool{}}
}

// otherPrograms exist although nod's data may say nothing of them, so that a row is open because nod does not know what
// they do, not because they are missing.
//
//go:embed programs.txt
var otherPrograms string

// file puts a file there. Without known its content is not known, and reading it is an error.
func (w *world) file(name string, data []byte, known bool) {
	dir := path.Dir(name)
	if info, err := w.Lstat(dir); err == nil && !info.Mode.IsDir() { // it was a directory after all
		w.Dir(dir, 0o755)
	}
	w.File(name, string(data), 0o644)
	w.wrote[name] = known
}

// Read implements [view.Files].
func (w *world) Read(name string, limit int64) ([]byte, error) {
	_, own := cleanRepository()[strings.TrimPrefix(path.Clean(name), w.dir+"/.git/")]
	if known, wrote := w.wrote[path.Clean(name)]; wrote && !known && !own {
		return nil, fmt.Errorf("%s: the content is not known", name)
	}
	return w.Memory.Read(name, limit)
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
