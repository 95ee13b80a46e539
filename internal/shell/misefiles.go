package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// miseFiles records what tells mise what to run: its configuration in this
// directory and in those above, of which all count, and the files of the tasks
// that the line names. None of it is read: mise installs and starts tools by
// what it says.
func (a *analysis) miseFiles(inv *invocation) {
	dir := path.Clean(inv.st.dir)
	for range maxClimbed {
		for _, name := range a.miseConfigs(dir) {
			if _, data, ok := a.defined(below(dir, name)); ok {
				a.namedFiles(dir, []string{string(data)}, 0)
			}
		}
		for _, w := range inv.args {
			a.miseTask(dir, w.text)
		}
		if dir == "/" || slices.Contains(a.env.Roots, dir) {
			return
		}
		dir = path.Dir(dir)
	}
}

// miseConfigs lists the files of configuration in one directory.
func (a *analysis) miseConfigs(dir string) (names []string) {
	for _, name := range [...]string{"mise.toml", ".mise.toml", "mise.local.toml", ".tool-versions"} {
		a.watch(below(dir, name))
	}
	for _, sub := range [...]string{"", "mise", ".mise", ".config", ".config/mise", ".mise/conf.d", ".config/mise/conf.d"} {
		list, err := a.env.Files.List(path.Join(dir, sub), 4096)
		if err != nil {
			continue
		}
		for _, n := range list {
			bare := strings.TrimPrefix(n, ".")
			switch {
			case sub == "" && n == ".tool-versions", path.Base(sub) == "conf.d" && strings.HasSuffix(n, ".toml"),
				(sub == "" || sub == ".config") && strings.HasPrefix(bare, "mise.") && strings.HasSuffix(n, ".toml"),
				path.Base(strings.TrimPrefix(sub, ".")) == "mise" && strings.HasPrefix(n, "config.") && strings.HasSuffix(n, ".toml"):
				names = append(names, path.Join(sub, n))
			}
		}
	}
	return names
}

// miseTask records the file of a task, whose name has colons for slashes.
func (a *analysis) miseTask(dir, name string) {
	if name == "" || strings.HasPrefix(name, "-") || strings.Contains(name, "..") || len(name) > 256 {
		return
	}
	for _, sub := range [...]string{"mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks", ".config/mise/tasks"} {
		file := path.Join(dir, sub, strings.ReplaceAll(name, ":", "/"))
		for _, file := range [...]string{file, file + "/_default", file + ".sh"} {
			if !a.isFile(file) {
				continue
			}
			if _, data, ok := a.defined(file); ok && len(data) <= grammar.MaxBytes {
				a.namedFiles(dir, []string{string(data)}, 1)
			}
		}
	}
}
