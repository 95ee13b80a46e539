package propose

import (
	"bufio"
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

// fileLimit bounds a build file. A larger one proposes nothing.
const fileLimit = 1 << 20

// FromFiles proposes rules from the build files in a repository's root. What
// they say was written by whoever writes to the repository: names are taken
// only where they are plain words for testing, building, checking and
// formatting, and no text of theirs becomes a rule in prose.
func FromFiles(files view.Files, root string) []Rule {
	f := finder{files: files, root: root}
	f.node()
	f.golang()
	f.simple()
	f.python()
	f.tasks()
	return f.rules
}

type finder struct {
	files view.Files
	root  string
	rules []Rule
}

func (f *finder) has(name string) bool {
	info, err := f.files.Lstat(f.root + "/" + name)
	return err == nil && info.Mode.IsRegular()
}

func (f *finder) read(name string) []byte {
	text, err := f.files.Read(f.root+"/"+name, fileLimit)
	if err != nil {
		return nil
	}
	return text
}

// allow proposes a pattern once.
func (f *finder) allow(text, why string) {
	if _, err := nod.ParseRule(nod.ListAllow, text, "proposed"); err == nil {
		f.add(Rule{List: "allow", Text: text, Why: why})
	}
}

func (f *finder) hint(text, why string) { f.add(Rule{List: "environment", Text: text, Why: why}) }

func (f *finder) add(r Rule) {
	if !slices.ContainsFunc(f.rules, func(o Rule) bool { return o.List == r.List && o.Text == r.Text }) {
		f.rules = append(f.rules, r)
	}
}

// routine reports whether a task's name says that it tests, builds, checks or
// formats, and nothing else.
func routine(name string) bool {
	if !bare(name) || risky(name) {
		return false
	}
	first, _, _ := strings.Cut(strings.NewReplacer("-", ":", "_", ":", ".", ":").Replace(name), ":")
	switch first {
	case "test", "tests", "unit", "spec", "specs", "e2e", "lint", "linter", "build", "compile", "check", "checks",
		"typecheck", "types", "type", "tsc", "vet", "fmt", "format", "prettier", "eslint", "clippy", "coverage",
		"cover", "bench", "verify", "validate":
		return true
	}
	return false
}

// node reads package.json. npm test and its kin run the script of that name
// with what stands before and after it; the reason shows the script.
func (f *finder) node() {
	var manifest struct {
		Scripts map[string]string `json:"scripts"`
	}
	if text := f.read("package.json"); text == nil || json.Unmarshal(text, &manifest) != nil {
		return
	}
	manager := "npm"
	for _, lock := range []struct{ file, program string }{{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"},
		{"bun.lock", "bun"}, {"bun.lockb", "bun"}} {
		if f.has(lock.file) {
			manager = lock.program
			break
		}
	}
	f.hint("Node.js project, packages by "+manager, "package.json")
	for _, name := range sorted(manifest.Scripts) {
		if !routine(name) {
			continue
		}
		why := "package.json: " + printable.Line(manifest.Scripts[name], 60)
		if name == "test" && manager != "bun" { // bun test is bun's own
			f.allow(manager+" test", why)
		}
		f.allow(manager+" run "+name, why)
	}
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (f *finder) golang() {
	if !f.has("go.mod") {
		return
	}
	f.hint("Go module", "go.mod")
	for _, sub := range []string{"test", "build", "vet"} {
		f.allow("go "+sub+" *", "go.mod: runs code of this repository")
	}
	for _, name := range []string{".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"} {
		if f.has(name) {
			f.allow("golangci-lint run *", name+": the linter of this repository")
		}
	}
}

// simple are the build files whose tools have commands of their own.
func (f *finder) simple() {
	for _, tool := range []struct {
		file, hint string
		commands   []string
	}{
		{"Cargo.toml", "Rust crate", []string{"cargo test *", "cargo build *", "cargo check *", "cargo clippy *",
			"cargo fmt *"}},
		{"mix.exs", "Elixir project", []string{"mix test *", "mix compile", "mix format"}},
		{"Package.swift", "Swift package", []string{"swift build *", "swift test *"}},
		{"pom.xml", "Java project, built by Maven", []string{"mvn test", "mvn compile", "mvn verify"}},
		{"mvnw", "", []string{"./mvnw test", "./mvnw compile", "./mvnw verify"}},
		{"gradlew", "", []string{"./gradlew test", "./gradlew build", "./gradlew check"}},
		{"build.gradle", "Java project, built by Gradle", []string{"gradle test", "gradle build", "gradle check"}},
		{"build.gradle.kts", "Java project, built by Gradle", []string{"gradle test", "gradle build", "gradle check"}},
		{"Gemfile", "Ruby project", nil},
		{".rspec", "", []string{"bundle exec rspec *"}},
		{".rubocop.yml", "", []string{"bundle exec rubocop *"}},
	} {
		if !f.has(tool.file) {
			continue
		}
		if tool.hint != "" {
			f.hint(tool.hint, tool.file)
		}
		for _, command := range tool.commands {
			f.allow(command, tool.file+": runs code of this repository")
		}
	}
}

// python proposes pytest where the project names it.
func (f *finder) python() {
	project := f.read("pyproject.toml")
	if project == nil && !f.has("pytest.ini") && !f.has("tox.ini") && !f.has("setup.py") && !f.has("setup.cfg") {
		return
	}
	prefix := ""
	for _, lock := range []struct{ file, prefix string }{{"uv.lock", "uv run "}, {"poetry.lock", "poetry run "},
		{"pdm.lock", "pdm run "}} {
		if f.has(lock.file) {
			prefix = lock.prefix
			break
		}
	}
	f.hint("Python project", "pyproject.toml or its kin")
	if f.has("pytest.ini") || bytes.Contains(project, []byte("pytest")) {
		f.allow(prefix+"pytest *", "pytest is named in the project")
		f.allow(prefix+"python -m pytest *", "pytest is named in the project")
	}
	for _, tool := range []struct{ name, command string }{{"ruff", "ruff check *"}, {"ruff", "ruff format *"},
		{"mypy", "mypy *"}, {"pyright", "pyright *"}} {
		if bytes.Contains(project, []byte("tool."+tool.name)) {
			f.allow(prefix+tool.command, "pyproject.toml sets "+tool.name+" up")
		}
	}
}

// tasks proposes the targets of task runners. Further words would be further
// targets, so the patterns are closed.
func (f *finder) tasks() {
	for _, name := range []string{"Makefile", "makefile", "GNUmakefile"} {
		for _, target := range targets(f.read(name)) {
			f.allow("make "+target, name+": target "+target)
		}
	}
	for _, name := range []string{"justfile", "Justfile", ".justfile"} {
		for _, recipe := range targets(f.read(name)) {
			f.allow("just "+recipe, name+": recipe "+recipe)
		}
	}
	for _, name := range []string{"mise.toml", ".mise.toml"} {
		var file struct {
			Tasks map[string]any `toml:"tasks"`
		}
		if text := f.read(name); text == nil || toml.Unmarshal(text, &file) != nil {
			continue
		}
		for _, task := range sorted(file.Tasks) {
			if routine(task) {
				f.allow("mise run "+task, name+": task "+task)
			}
		}
	}
	f.miseFiles()
}

// miseFiles proposes mise's tasks that are files: DIR/a/b is the task a:b.
func (f *finder) miseFiles() {
	for _, dir := range []string{"mise-tasks", ".mise-tasks", ".mise/tasks", "mise/tasks", ".config/mise/tasks"} {
		for _, name := range f.list(dir) {
			f.miseFile(dir+"/"+name, strings.TrimSuffix(name, ".sh"))
			for _, inner := range f.list(dir + "/" + name) {
				if inner == "_default" {
					f.miseFile(dir+"/"+name+"/"+inner, name)
				} else {
					f.miseFile(dir+"/"+name+"/"+inner, name+":"+strings.TrimSuffix(inner, ".sh"))
				}
			}
		}
	}
}

func (f *finder) miseFile(file, task string) {
	if routine(task) && f.has(file) {
		f.allow("mise run "+task, file+": task "+task)
	}
}

func (f *finder) list(dir string) []string {
	names, err := f.files.List(f.root+"/"+dir, 200)
	if err != nil {
		return nil
	}
	slices.Sort(names)
	return names
}

// targets reads the routine targets of a Makefile or justfile: words at the
// start of a line, before a colon that assigns nothing.
func targets(text []byte) []string {
	var found []string
	scan := bufio.NewScanner(bytes.NewReader(text))
	scan.Buffer(nil, fileLimit)
	for scan.Scan() {
		line := scan.Text()
		head, rest, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(rest, "=") || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") ||
			strings.ContainsAny(head, "#=\"'") {
			continue
		}
		if words := strings.Fields(strings.TrimPrefix(head, "@")); len(words) > 0 && routine(words[0]) &&
			!slices.Contains(found, words[0]) {
			found = append(found, words[0])
		}
	}
	return found
}
