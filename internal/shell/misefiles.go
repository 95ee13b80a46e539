package shell

import (
	"path"
	"slices"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/recipe"
)

// miseFiles records what tells mise what to run: its configuration in this
// directory and in those above, of which all count, and the files of the tasks
// that the line names. None of it is read: mise installs and starts tools by
// what it says.
func (a *analysis) miseFiles(inv *invocation) {
	dir := path.Clean(inv.st.dir)
	for range maxClimbed {
		for _, name := range a.miseConfigs(dir) {
			if _, data, ok := a.defined(recipe.Below(dir, name)); ok {
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
		a.watch(recipe.Below(dir, name))
	}
	for _, sub := range recipe.MiseDirs() {
		list, err := a.env.Files.List(path.Join(dir, sub), 4096)
		if err != nil {
			continue
		}
		for _, n := range list {
			if recipe.MiseConfig(sub, n) {
				names = append(names, path.Join(sub, n))
			}
		}
	}
	return names
}

// miseTask records the file of a task.
func (a *analysis) miseTask(dir, name string) {
	for _, n := range recipe.MiseTaskFiles(name) {
		file := path.Join(dir, n)
		if !a.isFile(file) {
			continue
		}
		if _, data, ok := a.defined(file); ok && len(data) <= grammar.MaxBytes {
			a.namedFiles(dir, []string{string(data)}, 1)
		}
	}
}
