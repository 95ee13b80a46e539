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

// task walks what a task runner would run, as far as its definition can be
// read exactly. done is false where the data goes on; the definition is
// recorded all the same.
func (a *analysis) task(inv *invocation) (done bool) {
	if a.away != "" || a.env.Files == nil || inv.st.dir == "" {
		return false
	}
	switch runner := recipe.TaskFiles(inv.name) != nil; inv.name {
	case "npm", "pnpm", "yarn", "bun", "make", "gmake":
		runner = true
		fallthrough
	default:
		if runner && !a.asWritten() {
			a.define(inv.name, "") // where it runs, or as whom, is another matter
			return false
		}
	}
	switch inv.name {
	case "npm", "pnpm", "yarn", "bun":
		return a.packageScript(inv)
	case "make", "gmake":
		return a.makeTargets(inv)
	case "go":
		return a.goGenerate(inv)
	case "just":
		return a.justRecipes(inv)
	case "task", "go-task", "mise", "rake", "pre-commit", "lefthook", "composer", "nox", "tox":
		a.taskFile(inv)
	}
	return false
}

// packageScript walks the script that npm or pnpm runs. What yarn and bun run
// depends on settings of their own and is only recorded.
func (a *analysis) packageScript(inv *invocation) (done bool) {
	r, ok := recipe.NpmCall(inv.name, inv.st.dir, plainArgs(inv.args))
	if !ok {
		return false
	}
	file, o, ok := a.packageFile(r.Dir)
	if r.Odd && recipe.NamesAnotherPackage(plainArgs(inv.args)) {
		a.define(file, "") // another package's file: which is not known
		return false
	}
	if !ok {
		return false
	}
	scripts, ok := a.entries(file, o, r.Name)
	if !ok {
		return false
	}
	if r.Odd || !a.settledFile(file) || a.throughLinks(file) || inv.name == "yarn" || inv.name == "bun" || !a.plainNpm(path.Dir(file)) || inv.name == "pnpm" && !a.ownPnpm(path.Dir(file)) {
		a.namedFiles(path.Dir(file), scripts, 0)
		return false
	}
	return a.runEntries(file, r, scripts, inv)
}

// packageFile is the package.json that counts in a directory: the nearest one
// above. Its whole content is recorded where its scripts cannot be told.
func (a *analysis) packageFile(dir string) (file string, o recipe.Object, ok bool) {
	dir = path.Clean(dir)
	for range maxClimbed {
		file = strings.TrimSuffix(dir, "/") + "/package.json"
		if a.exists(file) || dir == "/" || a.exists(strings.TrimSuffix(dir, "/")+"/node_modules") {
			break
		}
		a.watch(file)
		dir = path.Dir(dir)
	}
	real, data, sum := a.content(file)
	if sum == "" || sum == Absent {
		a.define(real, sum)
		return real, o, false
	}
	if o, ok = recipe.ParseObject(string(data)); !ok || !a.afford(string(data)) {
		ok = false
		a.define(real, sum)
	}
	return file, o, ok
}

// entries records the scripts that one name runs, in their order, as
// definitions, and returns them.
func (a *analysis) entries(file string, o recipe.Object, name string) (scripts []string, ok bool) {
	raw, found := o.Member("scripts")
	list, ok := recipe.ParseObject(raw)
	if found && !ok {
		_, _, sum := a.content(file)
		a.define(file, sum)
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
	a.define(file+"#"+name, sum)
	return scripts, ok
}

// plainNpm reports whether no setting changes what runs a script: a shell of
// another kind, options for node, another package.json.
func (a *analysis) plainNpm(dir string) bool {
	for _, name := range a.env.Ambient {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "npm_config_") || strings.HasPrefix(lower, "pnpm_config_") {
			return false
		}
	}
	for d := dir; ; d = path.Dir(d) {
		for _, name := range [...]string{".npmrc", "pnpm-workspace.yaml", ".pnpmfile.cjs"} {
			if !a.plainSettings(recipe.Below(d, name), name) {
				return false
			}
		}
		if d == "/" || slices.Contains(a.env.Roots, d) {
			break
		}
	}
	return a.env.Home != "" && a.plainSettings(a.env.Home+"/.npmrc", ".npmrc")
}

// ownPnpm reports whether no package.json from a directory on up names a pnpm
// that this one would fetch and hand the call to.
func (a *analysis) ownPnpm(dir string) bool {
	for range maxClimbed {
		if real, data, sum := a.content(strings.TrimSuffix(dir, "/") + "/package.json"); sum != Absent {
			o, ok := recipe.ParseObject(string(data))
			_, manager := o.Member("packageManager")
			_, engines := o.Member("devEngines")
			if !ok || real == "" || manager || engines {
				return false
			}
		}
		if dir == "/" {
			return true
		}
		dir = path.Dir(dir)
	}
	return false
}

// plainSettings reports whether a settings file is missing or sets nothing
// that matters for how scripts run. A user's file may hold keys: it is not
// named as evidence.
func (a *analysis) plainSettings(name, kind string) bool {
	if !a.exists(name) {
		a.watch(name)
		return true
	}
	data, err := a.env.Files.Read(name, grammar.MaxBytes)
	if err != nil || kind == ".pnpmfile.cjs" {
		return false
	}
	a.watch(name)
	return recipe.PlainNpmSettings(kind, string(data))
}

// runEntries walks the scripts of one name as npm runs them: by sh, in the
// directory of package.json, with the programs of node_modules first.
func (a *analysis) runEntries(file string, r recipe.Scripts, scripts []string, inv *invocation) bool {
	dir := path.Dir(file)
	list, ok := a.searchPath(inv.st)
	tail, known := recipe.QuotedWords(r.Args)
	if !ok || !known {
		return false
	}
	var bins strings.Builder
	for d := dir; ; d = path.Dir(d) {
		bins.WriteString(strings.TrimSuffix(d, "/") + "/node_modules/.bin:")
		if d == "/" {
			break
		}
	}
	st := state{dir: dir}
	st = st.assign("PATH", constant(bins.String()+list))
	if a.suspect("sh", st) {
		return false // npm looks for its shell there too
	}
	m := a.mark()
	for i, script := range scripts {
		if i == 1 {
			script += tail
		}
		stage := [...]string{"pre", "", "post"}[i] + r.Name
		if script != "" && !a.readText(passage{file: file + "#" + stage, text: script, langs: grammar.Shells("sh"), line: 1}, st, inv) {
			a.rollback(m)
			a.namedFiles(dir, scripts, 0)
			return false
		}
	}
	return true
}

// taskFile records the file that tells a task runner what to run.
func (a *analysis) taskFile(inv *invocation) {
	for _, w := range inv.args {
		if name, _, _ := strings.Cut(w.text, "="); !w.known || recipe.ElsewhereOption(name) {
			a.define(inv.name, "") // it may be told to read any file
			return
		}
	}
	if inv.name == "mise" {
		a.miseFiles(inv)
		return
	}
	dir := path.Clean(inv.st.dir)
	for range maxClimbed {
		found := false
		for _, name := range recipe.TaskFiles(inv.name) {
			file := strings.TrimSuffix(dir, "/") + "/" + name
			if !a.exists(file) {
				a.watch(file)
				continue
			}
			found = true
			if _, data, ok := a.defined(file); ok {
				a.namedFiles(dir, []string{string(data)}, 0)
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
func (a *analysis) namedFiles(dir string, texts []string, depth int) {
	for _, t := range texts {
		if !a.afford(t) {
			a.define(dir, "") // what it names is not looked for
			return
		}
		for _, name := range recipe.CodeNames(t) {
			file := recipe.Below(dir, name)
			if !a.isFile(file) || len(a.report.Definitions) >= maxDefinitions {
				continue
			}
			if _, data, ok := a.defined(file); ok && depth < maxScripts && len(data) <= grammar.MaxBytes && (path.Ext(name) == ".sh" || strings.HasPrefix(string(data), "#!")) {
				a.namedFiles(dir, []string{string(data)}, depth+1)
			}
		}
	}
}

// isFile reports whether a name leads to an ordinary file of the workspace.
func (a *analysis) isFile(name string) bool {
	real, err := view.Resolve(a.env.Files, name)
	if err != nil {
		return false
	}
	info, err := a.env.Files.Lstat(real)
	return err == nil && info.Mode.IsRegular() && a.placeOf(real) == Workspace
}
