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
func (ts *tasks) miseFiles(inv *invocation) {
	dir := path.Clean(inv.st.dir)
	for range maxClimbed {
		for _, name := range ts.miseConfigs(dir) {
			if _, data, ok := ts.defs.defined(recipe.Below(dir, name)); ok {
				ts.defs.namedFiles(dir, []string{string(data)}, 0)
			}
		}
		for _, sub := range recipe.MiseTaskDirs() {
			if ts.machine.isThere(recipe.Below(dir, sub)) {
				ts.miseTasks(dir, sub, inv.args)
			}
		}
		if dir == "/" || slices.Contains(ts.machine.env.Roots, dir) {
			return
		}
		dir = path.Dir(dir)
	}
}

// miseConfigs lists the files of configuration in one directory.
func (ts *tasks) miseConfigs(dir string) (names []string) {
	for _, name := range [...]string{"mise.toml", ".mise.toml", "mise.local.toml", ".tool-versions"} {
		ts.defs.watch(recipe.Below(dir, name))
	}
	for _, sub := range recipe.MiseDirs() {
		list, err := ts.machine.env.Files.List(path.Join(dir, sub), 4096)
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

// miseTasks records the files of the tasks that a line names.
func (ts *tasks) miseTasks(dir, sub string, args []word) {
	for _, w := range args {
		ts.miseTask(dir, sub, w.text)
	}
}

// miseTask records the file of a task.
func (ts *tasks) miseTask(dir, sub, name string) {
	for _, n := range recipe.MiseTaskFiles(name) {
		file := recipe.Below(dir, sub+"/"+n)
		if !ts.machine.isFile(file) {
			continue
		}
		file = path.Clean(file)
		if _, data, ok := ts.defs.defined(file); ok && len(data) <= grammar.MaxBytes {
			ts.defs.namedFiles(dir, []string{string(data)}, 1)
		}
	}
}
