package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
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
	switch runner := taskFiles(inv.name) != nil; inv.name {
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

// runScripts is a call of a package manager that runs an entry of
// package.json.
type runScripts struct {
	name string
	args []word // handed to the script
	dir  string
	odd  bool // options that are not understood: what runs is not read
}

// packageCall reads the arguments of npm and its kin. ok is false where they
// run no entry of package.json.
func packageCall(inv *invocation) (r runScripts, ok bool) {
	r.dir = inv.st.dir
	var words []word
	for i := 0; i < len(inv.args); i++ {
		w := inv.args[i]
		switch {
		case !w.known || w.many || w.glob > 0:
			if len(words) == 0 {
				return r, false
			}
			r.odd = true
		case w.text == "--":
			words = append(words, inv.args[i+1:]...)
			i, r.odd = len(inv.args), r.odd || inv.name != "npm" // pnpm hands it on
		case w.text == "-s" || w.text == "--silent" || w.text == "--if-present":
		case strings.HasPrefix(w.text, "-"):
			r.odd = true
			if w.text == "--prefix" || w.text == "-C" || w.text == "--dir" || w.text == "--cwd" {
				i++ // where it runs is not followed
			}
		default:
			words = append(words, w)
		}
	}
	return r, r.verb(inv.name, words)
}

// verb finds the name of the script among the words of a call.
func (r *runScripts) verb(program string, words []word) bool {
	if len(words) == 0 || !words[0].known {
		return false
	}
	switch verb := words[0].text; verb {
	case "run", "run-script":
		if len(words) < 2 || !words[1].known || words[1].many || words[1].glob > 0 {
			return false
		}
		r.name, r.args = words[1].text, words[2:]
	case "test", "t", "tst":
		if program == "bun" {
			return false // its own test runner
		}
		r.name, r.args = "test", words[1:]
	case "start", "stop", "restart":
		r.name, r.args, r.odd = verb, words[1:], r.odd || verb == "restart"
	default:
		if program == "npm" {
			return false
		}
		r.name, r.args, r.odd = verb, words[1:], true // a script, or a verb of its own
	}
	return true
}

// packageScript walks the script that npm or pnpm runs. What yarn and bun run
// depends on settings of their own and is only recorded.
func (a *analysis) packageScript(inv *invocation) (done bool) {
	r, ok := packageCall(inv)
	if !ok {
		return false
	}
	file, o, ok := a.packageFile(r.dir)
	if r.odd && hasPlace(inv.args) {
		a.define(file, "") // another package's file: which is not known
		return false
	}
	if !ok {
		return false
	}
	scripts, ok := a.entries(file, o, r.name)
	if !ok {
		return false
	}
	if r.odd || !a.settledFile(file) || a.throughLinks(file) || inv.name == "yarn" || inv.name == "bun" || !a.plainNpm(path.Dir(file)) || inv.name == "pnpm" && !a.ownPnpm(path.Dir(file)) {
		a.namedFiles(path.Dir(file), scripts, 0)
		return false
	}
	return a.runEntries(file, r, scripts, inv)
}

// hasPlace reports options that run the script of another package.
func hasPlace(args []word) bool {
	return slices.ContainsFunc(args, func(w word) bool {
		name, _, _ := strings.Cut(w.text, "=")
		switch name {
		case "-w", "--workspace", "--workspaces", "-ws", "--prefix", "-C", "--dir", "--cwd", "-r", "--recursive", "--filter", "-F", "-g", "--global":
			return true
		}
		return false
	})
}

// packageFile is the package.json that counts in a directory: the nearest one
// above. Its whole content is recorded where its scripts cannot be told.
func (a *analysis) packageFile(dir string) (file string, o object, ok bool) {
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
	if o, ok = parseObject(string(data)); !ok || !a.afford(string(data)) {
		ok = false
		a.define(real, sum)
	}
	return file, o, ok
}

// entries records the scripts that one name runs, in their order, as
// definitions, and returns them.
func (a *analysis) entries(file string, o object, name string) (scripts []string, ok bool) {
	raw, found := o.member("scripts")
	list, ok := parseObject(raw)
	if found && !ok {
		_, _, sum := a.content(file)
		a.define(file, sum)
		return nil, false
	}
	body, ok := list.text(name)
	sum := Absent
	if ok {
		pre, _ := list.text("pre" + name)
		post, _ := list.text("post" + name)
		scripts = []string{pre, body, post}
		sum = digest([]byte(strings.Join(scripts, "\x00")))
	} else if _, odd := list.member(name); odd {
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
			if !a.plainSettings(below(d, name), name) {
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
			o, ok := parseObject(string(data))
			_, manager := o.member("packageManager")
			_, engines := o.member("devEngines")
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
	for line := range strings.Lines(string(data)) {
		key, _, _ := strings.Cut(line, "=")
		if kind != ".npmrc" {
			key, _, _ = strings.Cut(line, ":")
		}
		key = strings.ToLower(strings.NewReplacer("-", "", "_", "", "[]", "").Replace(strings.TrimSpace(key)))
		if strings.ContainsAny(key, `"'\$`) {
			return false // npm takes quotes, escapes and variables out of a key
		}
		switch key {
		case "workspace", "workspaces", "includeworkspaceroot", "w", "ws":
			return false // other scripts of that name
		}
		for _, odd := range [...]string{"shell", "nodeoptions", "script", "prefix", "userconfig", "globalconfig", "require", "useragent", "nodeversion", "executionenv",
			"verifydeps", "pnpmfile", "packagemanager", "configdep", "runtime", "import", "hook"} {
			if strings.Contains(key, odd) && !strings.HasPrefix(key, "//") && !strings.HasPrefix(key, "#") && !strings.HasPrefix(key, ";") {
				return false
			}
		}
	}
	return true
}

// runEntries walks the scripts of one name as npm runs them: by sh, in the
// directory of package.json, with the programs of node_modules first.
func (a *analysis) runEntries(file string, r runScripts, scripts []string, inv *invocation) bool {
	dir := path.Dir(file)
	list, ok := a.searchPath(inv.st)
	tail, known := quotedWords(r.args)
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
		stage := [...]string{"pre", "", "post"}[i] + r.name
		if script != "" && !a.readText(passage{file: file + "#" + stage, text: script, langs: grammar.Shells("sh"), line: 1}, st, inv) {
			a.rollback(m)
			a.namedFiles(dir, scripts, 0)
			return false
		}
	}
	return true
}

// quotedWords renders arguments as npm hands them to the shell.
func quotedWords(args []word) (string, bool) {
	var b strings.Builder
	for _, w := range args {
		if !w.known || w.many || w.glob > 0 || strings.ContainsAny(w.text, "$`\"\\!\r\n") {
			return "", false // releases of npm differ in how they quote those
		}
		b.WriteString(" " + grammar.Quoted(w.text))
	}
	return b.String(), true
}

// taskFile records the file that tells a task runner what to run.
func (a *analysis) taskFile(inv *invocation) {
	for _, w := range inv.args {
		if name, _, _ := strings.Cut(w.text, "="); !w.known || elsewhereOption(name) {
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
		for _, name := range taskFiles(inv.name) {
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

// elsewhereOption recognises options that name another definition.
func elsewhereOption(name string) bool {
	switch name {
	case "-f", "--justfile", "-d", "--working-directory", "-t", "--taskfile", "--dir", "-C", "--cd", "-c", "--config", "--rakefile", "-g", "--global", "--noxfile":
		return true
	}
	return false
}

// taskFiles are the names under which a runner looks for its definition.
func taskFiles(program string) []string {
	switch program {
	case "just":
		return []string{"justfile", "Justfile", ".justfile", "JUSTFILE"}
	case "task", "go-task":
		return []string{"Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"}
	case "mise":
		return []string{"mise.toml", ".mise.toml", "mise.local.toml"}
	case "rake":
		return []string{"Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"}
	case "pre-commit":
		return []string{".pre-commit-config.yaml"}
	case "lefthook":
		return []string{"lefthook.yml", "lefthook.yaml", ".lefthook.yml"}
	case "composer":
		return []string{"composer.json"}
	case "nox":
		return []string{"noxfile.py"}
	case "tox":
		return []string{"tox.ini"}
	}
	return nil
}

// namedFiles records the files of code that a definition names, and those
// that shell scripts among them name in turn.
func (a *analysis) namedFiles(dir string, texts []string, depth int) {
	for _, t := range texts {
		if !a.afford(t) {
			a.define(dir, "") // what it names is not looked for
			return
		}
		for _, name := range strings.FieldsFunc(t, betweenNames) {
			if !codeName(name) {
				continue
			}
			file := below(dir, name)
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

func betweenNames(r rune) bool {
	return r <= ' ' || strings.ContainsRune("\"'`;|&()<>=$,{}[]:@#", r)
}

// codeName reports whether a word looks like the name of a file with code.
func codeName(name string) bool {
	if strings.HasPrefix(name, "-") || len(name) > 512 {
		return false
	}
	switch path.Ext(name) {
	case ".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".rb", ".pl", ".php", ".lua", ".mk", ".just", ".yml", ".yaml", ".toml", ".rake":
		return true
	case "":
		return strings.Contains(name, "/")
	}
	return false
}
