package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/recipe"
	"github.com/nodgate/nod/internal/view"
)

// justfile records the file in which just finds its recipes, with what that takes
// in. What a recipe runs is not read: just has a language of its own.
func (ts *tasks) justfile(inv *invocation) {
	file, ok := ts.findJustfile(inv.st.dir)
	if recipe.OtherJustfile(plainArgs(inv.args)) || slices.ContainsFunc(ts.machine.env.Ambient, func(name string) bool {
		return strings.HasPrefix(name, "JUST_")
	}) {
		ts.defs.define(inv.name, "")
		return
	}
	if _, data, read := ts.defs.defined(file); ok && read {
		ts.justNames(path.Dir(file), string(data))
		if len(recipe.TakenIn(string(data))) > 0 && slices.ContainsFunc(inv.args, listsRecipes) {
			ts.out.unknown(PartWords, inv.raw,
				"the justfile takes in other files, and just prints what it cannot read there")
		}
		ts.defs.namedFiles(path.Dir(file), []string{string(data)}, 0)
	}
}

func listsRecipes(w word) bool { return w.text == "--list" || w.text == "-l" || w.text == "--summary" }

// findJustfile finds the file that just reads: in the directory or the
// nearest above, whatever the case of its name. Several are an error.
func (ts *tasks) findJustfile(dir string) (file string, ok bool) {
	dir, err := view.Resolve(ts.machine.env.Files, dir)
	if err != nil {
		return "", false
	}
	for range maxClimbed {
		names, err := ts.machine.env.Files.List(dir, 4096)
		if err != nil {
			ts.defs.define(recipe.Below(dir, "justfile"), "")
			return "", false
		}
		for _, name := range [...]string{"justfile", ".justfile"} {
			ts.defs.watches(watched{path: recipe.Below(dir, name), command: ts.out.command, folded: true})
		}
		found := slices.DeleteFunc(names, func(n string) bool {
			return !strings.EqualFold(n, "justfile") && !strings.EqualFold(n, ".justfile")
		})
		for _, name := range found {
			file = recipe.Below(dir, name)
			if len(found) > 1 {
				ts.defs.defined(file)
			}
		}
		if len(found) > 0 {
			return file, len(found) == 1
		}
		if dir == "/" {
			break
		}
		dir = path.Dir(dir)
	}
	return "", false
}

// justNames records the files that a justfile takes in by import and mod.
func (ts *tasks) justNames(dir, text string) {
	for _, n := range recipe.TakenIn(text) {
		if file := recipe.Below(dir, n); ts.machine.isFile(file) {
			ts.defs.defined(file)
		}
	}
}
