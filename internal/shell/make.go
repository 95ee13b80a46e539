package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/recipe"
	"mvdan.cc/sh/v3/syntax"
)

// makeTargets walks the recipes that make would run.
func (ts *tasks) makeTargets(inv *invocation) (done bool) {
	c := recipe.MakeArguments(inv.st.dir, plainArgs(inv.args))
	for _, v := range c.Vars {
		ts.vars.exported(v.Name, constant(v.Text), v.Raw, nil)
	}
	if c.Dir == "" {
		ts.defs.define("make", "")
		return false
	}
	file := ts.makeFile(c)
	real, data, ok := ts.defs.defined(file)
	if !ok {
		return false
	}
	c.OK = c.OK && ts.machine.settledFile(real) && len(ts.out.links) == 0 && ts.plainMake(c, file, inv) &&
		len(data) <= grammar.MaxBytes && ts.limits.afford(string(data))
	var m recipe.Makefile
	if c.OK {
		m, c.OK = recipe.ParseMakefile(string(data), slices.Clone(c.Vars), ts.machine.mayInherit)
	}
	mark := ts.defs.mark()
	if !c.OK || !ts.makeRun(&m, c, file, inv) {
		ts.defs.rollback(mark)
		ts.defs.namedFiles(path.Dir(file), []string{string(data)}, 0)
		return false
	}
	return true
}

func (m *machine) mayInherit(name string) bool {
	_, ok := m.inherits(name)
	return ok || m.env.Lookup == nil
}

// makeFile is the file that make reads: the first of three names.
func (ts *tasks) makeFile(c recipe.MakeCall) string {
	if c.File != "" {
		return recipe.Below(c.Dir, c.File)
	}
	start := strings.TrimSuffix(c.Dir, "/") + "/"
	for _, name := range [...]string{"GNUmakefile", "makefile"} {
		if ts.machine.exists(start + name) {
			return start + name
		}
		ts.defs.watch(start + name)
	}
	return start + "Makefile"
}

// plainMake reports whether nothing around the Makefile changes what it says:
// the environment, or rules of make's own that would make it anew.
func (ts *tasks) plainMake(c recipe.MakeCall, file string, inv *invocation) bool {
	for _, name := range [...]string{"MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "MAKELEVEL", "MAKESHELL"} {
		if text, ok := ts.machine.inherits(name); ok && text != "" || inv.st.lookup(name) != nil {
			return false
		}
	}
	base, dir := path.Base(file), path.Dir(path.Clean(file))
	for _, rule := range [...]string{base + ".", base + ",v", "s." + base, "RCS",
		"SCCS"} { // make makes its file by these
		ts.defs.watches(watched{path: recipe.Below(dir, rule), command: ts.out.command, begins: true})
	}
	names, err := ts.machine.env.Files.List(dir, 4096)
	return err == nil && !slices.ContainsFunc(names, func(n string) bool {
		return strings.HasPrefix(n, base+".") || strings.HasPrefix(n, base+",") || n == "s."+base || n == "RCS" ||
			n == "SCCS"
	})
}

// makeRun walks the recipes of the targets and of what they need.
func (ts *tasks) makeRun(m *recipe.Makefile, c recipe.MakeCall, file string, inv *invocation) bool {
	if len(c.Targets) == 0 {
		c.Targets = []string{m.First}
	}
	if !recipe.PlainTargets(c.Targets) {
		return false
	}
	for _, text := range m.Shelled { // run while the file is read
		if !ts.makeText(m, c, file, recipe.Line{Text: text, Line: 1}, inv) {
			return false
		}
	}
	for _, v := range m.Vars {
		if _, inherited := ts.machine.inherits(v.Name); inherited && !v.Fixed { // make hands it on
			ts.vars.exported(v.Name, value{text: v.Text, known: !v.Opaque}, v.Name, nil)
		}
	}
	var done []string
	for len(c.Targets) > 0 {
		target := c.Targets[0]
		c.Targets = c.Targets[1:]
		if slices.Contains(done, target) {
			continue
		}
		done = append(done, target)
		needs, lines, ok := m.Find(target)
		if !ok || len(done) > 256 {
			return false
		}
		c.Targets = append(c.Targets, needs...)
		for _, l := range lines {
			text, ok := m.Expanded(l.Text, target, needs)
			if !ok || !ts.makeText(m, c, file, recipe.Line{Text: text, Line: l.Line}, inv) {
				return false
			}
		}
	}
	return true
}

// makeText walks one line of a recipe.
func (ts *tasks) makeText(m *recipe.Makefile, c recipe.MakeCall, file string, l recipe.Line, inv *invocation) bool {
	if strings.TrimSpace(l.Text) == "" {
		return true
	}
	langs := grammar.Shells("sh")
	if m.Bash {
		langs = []syntax.LangVariant{syntax.LangBash}
	}
	st := state{dir: path.Clean(c.Dir)}
	if b := inv.st.lookup("PATH"); b != nil {
		st = st.assign("PATH", b.value)
	}
	if m.Found != "" && ts.machine.suspect(m.Found, st) {
		return false
	}
	if strings.Contains(l.Text, "make") && len(c.Vars) > 0 {
		return false // what is given to make is handed on to make
	}
	return ts.run.readText(passage{file: file, text: l.Text, langs: langs, line: l.Line}, st, inv)
}
