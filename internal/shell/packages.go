package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/recipe"
	"github.com/nodgate/nod/internal/view"
)

// maxClimbed bounds how many directories are looked into for a definition.
const maxClimbed = 32

// tasks walks what task runners run, as far as their definitions can be read.
type tasks struct {
	machine *machine
	out     *draft
	defs    *definitions
	limits  *limits
	vars    *environment
	run     textRunner
}

// textRunner walks a text of a definition as part of the current command; false
// where it stays code that was not read.
type textRunner interface {
	readText(t passage, st state, inv *invocation) bool
}

// task walks what a task runner would run, as far as its definition can be
// read exactly. done is false where the data goes on; the definition is
// recorded all the same.
func (ts *tasks) task(s *sheet, inv *invocation) (done bool) {
	if s.task == "" || ts.out.away != "" || ts.machine.env.Files == nil || inv.st.dir == "" {
		return false
	}
	reader, names, _ := strings.Cut(s.task, " ")
	if reader != "go" && !ts.out.asWritten() {
		ts.defs.define(inv.name, "") // where it runs, or as whom, is another matter
		return false
	}
	switch reader {
	case "npm", "pnpm", "yarn", "bun":
		return ts.packageScript(reader, inv)
	case "make":
		return ts.makeTargets(inv)
	case "go":
		ts.goGenerate(inv)
	case "just":
		ts.justfile(inv)
	case "mise":
		ts.taskFile(inv, nil)
	default:
		ts.taskFile(inv, strings.Fields(names))
	}
	return false
}

// packageScript walks the script that npm runs. What pnpm, yarn and bun run depends
// on settings of their own, and pnpm may install first: it is only recorded.
func (ts *tasks) packageScript(reader string, inv *invocation) (done bool) {
	r, ok := recipe.NpmCall(reader, inv.st.dir, plainArgs(inv.args))
	if !ok {
		return false
	}
	if reader == "bun" { // the word may be a file
		ts.defs.namedFiles(inv.st.dir, []string{r.Name}, 0)
	}
	file, o, ok := ts.defs.packageFile(r.Dir)
	if r.Odd && recipe.NamesAnotherPackage(plainArgs(inv.args)) {
		ts.defs.define(file, "") // another package's file: which is not known
		return false
	}
	if !ok {
		ts.out.note = "there is no package.json that nod can read"
		return false
	}
	scripts, ok := ts.defs.entries(file, o, r.Name)
	if !ok {
		ts.out.note = grammar.Shorten("package.json has no script " + grammar.Escaped(r.Name))
		return false
	}
	odd := r.Odd || !ts.machine.settledFile(file) || len(ts.out.links) > 0 || reader != "npm"
	if !odd && !ts.plainNpm(path.Dir(file)) {
		odd, ts.out.note = true, "settings of npm may change what it runs"
	}
	if odd {
		ts.defs.namedFiles(path.Dir(file), scripts, 0)
		return false
	}
	return ts.runEntries(file, r, scripts, inv)
}

// packageFile is the package.json that counts in a directory: the nearest one
// above. Its whole content is recorded where its scripts cannot be told.
func (f *definitions) packageFile(dir string) (file string, o recipe.Object, ok bool) {
	dir = path.Clean(dir)
	for range maxClimbed {
		file = strings.TrimSuffix(dir, "/") + "/package.json"
		if f.machine.exists(file) || dir == "/" || f.machine.exists(strings.TrimSuffix(dir, "/")+"/node_modules") {
			break
		}
		f.watch(file)
		dir = path.Dir(dir)
	}
	real, data, sum := f.content(file)
	if sum == "" || sum == Absent {
		f.define(real, sum)
		return real, o, false
	}
	if o, ok = recipe.ParseObject(string(data)); !ok || !f.limits.afford(string(data)) {
		ok = false
		f.define(real, sum)
	}
	return file, o, ok
}

// entries records the scripts that one name runs, in their order, as
// definitions, and returns them.
func (f *definitions) entries(file string, o recipe.Object, name string) (scripts []string, ok bool) {
	raw, found := o.Member("scripts")
	list, ok := recipe.ParseObject(raw)
	if found && !ok {
		_, _, sum := f.content(file)
		f.define(file, sum)
		return nil, false
	}
	body, ok := list.Text(name)
	sum := Absent
	if ok {
		pre, _ := list.Text("pre" + name)
		post, _ := list.Text("post" + name)
		scripts = []string{pre, body, post}
		sum = digest([]byte(strings.Join(scripts, "\x00")))
	} else if _, odd := list.Member(name); odd {
		sum = ""
	}
	f.define(file+"#"+name, sum)
	return scripts, ok
}

// plainNpm reports whether no setting changes what runs a script: a shell of
// another kind, options for node, another package.json.
func (ts *tasks) plainNpm(dir string) bool {
	for _, name := range ts.machine.env.Ambient {
		if strings.HasPrefix(strings.ToLower(name), "npm_config_") {
			return false
		}
	}
	for d := dir; ; d = path.Dir(d) {
		if !ts.plainSettings(recipe.Below(d, ".npmrc")) {
			return false
		}
		if d == "/" || slices.Contains(ts.machine.env.Roots, d) {
			break
		}
	}
	return ts.machine.env.Home != "" && ts.plainSettings(ts.machine.env.Home+"/.npmrc")
}

// plainSettings reports whether a settings file is missing or sets nothing
// that matters for how scripts run. A user's file may hold keys: it is not
// named as evidence.
func (ts *tasks) plainSettings(name string) bool {
	if !ts.machine.exists(name) {
		ts.defs.watch(name)
		return true
	}
	data, err := ts.machine.env.Files.Read(name, grammar.MaxBytes)
	if err != nil {
		return false
	}
	ts.defs.watch(name)
	return recipe.PlainNpmSettings(string(data))
}

// runEntries walks the scripts of one name as npm runs them: by sh, in the
// directory of package.json, with the programs of node_modules first.
func (ts *tasks) runEntries(file string, r recipe.Scripts, scripts []string, inv *invocation) bool {
	dir := path.Dir(file)
	list, ok := ts.machine.searchPath(inv.st)
	tail, known := recipe.QuotedWords(r.Args)
	if !ok || !known {
		return false
	}
	var bins strings.Builder
	for d := dir; ; d = path.Dir(d) {
		bin := strings.TrimSuffix(d, "/") + "/node_modules/.bin"
		if bins.WriteString(bin + ":"); shadows(ts.machine, bin, list) {
			ts.out.note = "a program of the system has another in " + grammar.Escaped(bin)
			return false
		}
		if d == "/" {
			break
		}
	}
	st := state{dir: dir}
	st = st.assign("PATH", constant(bins.String()+list))
	if ts.machine.suspect("sh", st) {
		return false // npm looks for its shell there too
	}
	m := ts.defs.mark()
	for i, script := range scripts {
		if i == 1 {
			script += tail
		}
		stage := [...]string{"pre", "", "post"}[i] + r.Name
		if script != "" && !ts.run.readText(passage{file: file + "#" + stage, text: script, langs: grammar.Shells("sh"),
			line: 1}, st, inv) {
			ts.defs.rollback(m)
			ts.defs.namedFiles(dir, scripts, 0)
			return false
		}
	}
	return true
}

// shadows reports whether a directory that comes first in PATH hides a program there that
// known programs start in turn, or are written for: zcat starts gzip, #!/usr/bin/env
// node is node. An interpreter belongs into a virtual environment.
func shadows(m *machine, dir, list string) bool {
	names, err := m.env.Files.List(dir, maxHeededNames)
	if err != nil {
		return m.exists(dir)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		s, known := m.sheet(name)
		return known && hides(m, dir, name, list) &&
			(s.deaf || s.code == "packing" || s.interprets && !m.exists(path.Dir(dir)+"/pyvenv.cfg"))
	})
}

// hides reports whether another directory of PATH holds a program of this name.
func hides(m *machine, dir, name, list string) bool {
	for other := range strings.SplitSeq(list, ":") {
		if path.IsAbs(other) && path.Clean(other) != dir && m.exists(path.Clean(other)+"/"+name) {
			return true
		}
	}
	return false
}

// taskFile records the file that tells a task runner what to run, by the names
// under which it looks for that; none are those of mise.
func (ts *tasks) taskFile(inv *invocation, names []string) {
	for _, w := range inv.args {
		if name, _, _ := strings.Cut(w.text, "="); !w.known || recipe.ElsewhereOption(name) {
			ts.defs.define(inv.name, "") // it may be told to read any file
			return
		}
	}
	if len(names) == 0 {
		ts.miseFiles(inv)
		return
	}
	dir := path.Clean(inv.st.dir)
	for range maxClimbed {
		found := false
		for _, name := range names {
			file := strings.TrimSuffix(dir, "/") + "/" + name
			if !ts.machine.exists(file) {
				ts.defs.watch(file)
				continue
			}
			found = true
			if _, data, ok := ts.defs.defined(file); ok {
				ts.defs.namedFiles(dir, []string{string(data)}, 0)
			}
		}
		if found || dir == "/" {
			return
		}
		dir = path.Dir(dir)
	}
}

// namedFiles records the files of code that a definition names, and those
// that shell scripts among them name in turn.
func (f *definitions) namedFiles(dir string, texts []string, depth int) {
	for _, t := range texts {
		if !f.limits.afford(t) {
			f.define(dir, "") // what it names is not looked for
			return
		}
		for _, name := range recipe.CodeNames(t) {
			file := recipe.Below(dir, name)
			if !f.machine.isFile(file) || len(f.out.report.Definitions) >= maxDefinitions {
				continue
			}
			if _, data, ok := f.defined(file); ok && depth < maxScripts && len(data) <= grammar.MaxBytes &&
				(path.Ext(name) == ".sh" || strings.HasPrefix(string(data), "#!")) {
				f.namedFiles(dir, []string{string(data)}, depth+1)
			}
		}
	}
}

// isThere reports whether a name leads to anything.
func (m *machine) isThere(name string) bool {
	real, err := view.Resolve(m.env.Files, name)
	if err != nil {
		return false
	}
	_, err = m.env.Files.Lstat(real)
	return err == nil
}

// isFile reports whether a name leads to an ordinary file of the workspace.
func (m *machine) isFile(name string) bool {
	real, err := view.Resolve(m.env.Files, name)
	if err != nil {
		return false
	}
	info, err := m.env.Files.Lstat(real)
	return err == nil && info.Mode.IsRegular() && m.placeOf(real) == Workspace
}
