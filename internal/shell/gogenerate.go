package shell

import (
	"path"
	"strings"

	"github.com/nodgate/nod/internal/shell/recipe"
	"github.com/nodgate/nod/internal/view"
)

// Bounds of what is looked through for one go generate.
const (
	maxGoFiles = 400
	maxGoBytes = 8 << 20
)

// goGenerate records the files whose directives go generate may start. What they
// start is code that was not read.
func (ts *tasks) goGenerate(inv *invocation) {
	if len(inv.args) == 0 || !inv.args[0].known || inv.args[0].text != "generate" {
		return
	}
	list, ok := ts.goPackages(inv.st.dir, plainArgs(inv.args[1:]))
	if !ok || !ts.out.asWritten() {
		ts.defs.define(inv.name, "") // it may be any package's
		return
	}
	for _, file := range list {
		if !ts.directives(file) {
			ts.defs.define(inv.name, "")
		}
	}
}

// goPackages lists the Go files of the directories that the arguments name.
func (ts *tasks) goPackages(dir string, args []recipe.Arg) (files []string, ok bool) {
	if len(args) == 0 {
		args = []recipe.Arg{{Text: ".", Known: true}}
	}
	for _, w := range args {
		below, all := strings.CutSuffix(w.Text, "/...")
		start := path.Join(dir, below)
		real, err := view.Resolve(ts.machine.env.Files, start)
		if !w.Known || below != "." && !strings.HasPrefix(below, "./") || strings.Contains(below+"/", "/../") ||
			strings.Contains(below, "...") || err != nil || real != start || len(ts.out.links) > 0 {
			return nil, false
		}
		ts.defs.watches(watched{path: strings.TrimSuffix(start, "/") + "/", command: ts.out.command, heeded: true,
			begins: true})
		more, plain := ts.goTree(start, all, 0)
		if files = append(files, more...); !plain || len(files) > maxGoFiles {
			return nil, false
		}
	}
	return files, true
}

// goTree lists the Go files of a directory, and of those below: also of what
// belongs to another module.
func (ts *tasks) goTree(dir string, all bool, depth int) (files []string, ok bool) {
	names, err := ts.machine.env.Files.List(dir, 4096)
	if ts.limits.looked += 4096; err != nil || depth > maxClimbed || ts.limits.looked > maxGoBytes {
		return nil, false
	}
	for _, n := range names {
		name := recipe.Below(dir, n)
		info, err := ts.machine.env.Files.Lstat(name)
		switch {
		case err != nil:
			return nil, false
		case info.Mode.IsDir():
			if !all || n[0] == '.' || n[0] == '_' || n == "testdata" {
				continue
			}
			more, ok := ts.goTree(name, true, depth+1)
			if files = append(files, more...); !ok || len(files) > maxGoFiles {
				return files, false
			}
		case strings.HasSuffix(n, ".go"):
			files = append(files, name)
		}
	}
	return files, true
}

// directives records a file that holds directives; false where it cannot be read.
func (ts *tasks) directives(file string) bool {
	data, err := ts.machine.env.Files.Read(file, maxGoBytes)
	if ts.limits.looked += len(data); err != nil || ts.limits.looked > maxGoBytes {
		return false
	}
	if ts.defs.watch(file); strings.Contains(string(data), "//go:generate") {
		ts.defs.defined(file)
	}
	return true
}
