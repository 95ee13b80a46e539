package shell

import (
	"path"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/shell/recipe"
	"github.com/nodgate/nod/internal/view"
	"mvdan.cc/sh/v3/syntax"
)

// Bounds of what is read for one go generate.
const (
	maxGoFiles = 400
	maxGoBytes = 8 << 20
)

// goGenerate walks the commands that go generate would start: those of all
// files of the packages named, also of files that build tags or -run leave out.
func (ts *tasks) goGenerate(inv *invocation) (done bool) {
	if len(inv.args) == 0 || !inv.args[0].known || inv.args[0].text != "generate" {
		return false
	}
	if !ts.out.asWritten() {
		ts.defs.define(inv.name, "")
		return false
	}
	list, ok := ts.goPackages(inv)
	if !ok {
		ts.defs.define(inv.name, "") // it may be any package's
	}
	flags, _ := ts.machine.inherits("GOFLAGS")
	ok = ok && flags == "" && inv.st.lookup("GOFLAGS") == nil
	var all []recipe.Directive
	for _, file := range list {
		some, plain := ts.directives(file)
		all, ok = append(all, some...), ok && plain
	}
	if !ok {
		return false
	}
	mark := ts.defs.mark()
	for _, d := range all {
		st := state{dir: path.Dir(d.File)}
		if b := inv.st.lookup("PATH"); b != nil {
			st = st.assign("PATH", b.value)
		}
		t := passage{file: d.File, key: d.File + "#" + strconv.Itoa(d.Line), text: d.Text,
			langs: []syntax.LangVariant{syntax.LangBash}, line: d.Line}
		if !ts.run.readText(t, st, inv) {
			ts.defs.rollback(mark)
			return false
		}
	}
	ts.goToolchain(inv)
	e := Effect{Kind: Fetch, Target: "proxy.golang.org", Place: Network, Words: inv.raw, Part: PartWords}
	if ts.goHome(inv, "generate") {
		e.Declared = "go.mod"
	}
	ts.out.effect(e)
	return true
}

// goPackages lists the Go files of the packages that the arguments name.
func (ts *tasks) goPackages(inv *invocation) (files []string, ok bool) {
	named, known, ok := recipe.GeneratePackages(plainArgs(inv.args[1:]))
	if !known {
		return nil, false
	}
	for _, name := range named {
		more, plain := ts.goFiles(inv.st.dir, name)
		files, ok = append(files, more...), ok && plain
	}
	return files, ok && len(files) > 0 && len(files) <= maxGoFiles // without any it is no package
}

// goFiles lists the files of one argument: a directory, all below one, a file.
func (ts *tasks) goFiles(dir, name string) (files []string, ok bool) {
	below, all := strings.CutSuffix(name, "/...")
	if below != "." && !strings.HasPrefix(below, "./") && !strings.HasSuffix(below, ".go") ||
		strings.Contains(below, "...") || strings.Contains("/"+below+"/", "/../") {
		return nil, false
	}
	start := path.Join(dir, below)
	real, err := view.Resolve(ts.machine.env.Files, start)
	if err != nil || real != start || ts.out.throughLinks(start) {
		return nil, false
	}
	if strings.HasSuffix(below, ".go") && !all {
		return []string{start}, true
	}
	ts.defs.watches(watched{path: strings.TrimSuffix(start, "/") + "/", command: ts.out.command, heeded: true,
		begins: true})
	return ts.goTree(start, all, 0)
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

// directives reads the directives of one file. ok is false where one is not
// understood.
func (ts *tasks) directives(file string) (list []recipe.Directive, ok bool) {
	real, err := view.Resolve(ts.machine.env.Files, file)
	if err != nil {
		return nil, false
	}
	data, err := ts.machine.env.Files.Read(real, maxGoBytes)
	if ts.limits.looked += len(data); err != nil || ts.limits.looked > maxGoBytes || !ts.machine.settledFile(real) {
		return nil, false
	}
	if ts.defs.watch(real); !strings.Contains(string(data), "//go:generate") {
		return nil, true
	}
	if _, data, ok = ts.defs.defined(file); !ok {
		return nil, false
	}
	return recipe.Directives(string(data), file)
}
