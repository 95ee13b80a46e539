package propose

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

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
	f.tools()
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
	for lock, program := range map[string]string{"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun"} {
		if f.has(lock) {
			manager = program
		}
	}
	f.hint("Node.js project, packages by "+manager, "package.json")
	for _, name := range slices.Sorted(maps.Keys(manifest.Scripts)) {
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

// tools are the build files whose programs have commands of their own.
func (f *finder) tools() {
	for _, tool := range []struct {
		file, hint string
		commands   []string
	}{
		{"go.mod", "Go module", []string{"go test *", "go build *", "go vet *"}},
		{".golangci.yml", "", []string{"golangci-lint run *"}},
		{".golangci.yaml", "", []string{"golangci-lint run *"}},
		{"Cargo.toml", "Rust crate", []string{"cargo test *", "cargo build *", "cargo check *", "cargo clippy *",
			"cargo fmt *"}},
		{"mix.exs", "Elixir project", []string{"mix test *", "mix compile", "mix format"}},
		{"Package.swift", "Swift package", []string{"swift build *", "swift test *"}},
		{"pom.xml", "Java project, built by Maven", []string{"mvn test", "mvn compile", "mvn verify"}},
		{"gradlew", "Java project, built by Gradle", []string{"./gradlew test", "./gradlew build", "./gradlew check"}},
		{"build.gradle", "Java project, built by Gradle", []string{"gradle test", "gradle build", "gradle check"}},
		{"pyproject.toml", "Python project", []string{"python -m pytest *"}},
		{"uv.lock", "", []string{"uv run pytest *"}},
		{"poetry.lock", "", []string{"poetry run pytest *"}},
		{".rspec", "Ruby project", []string{"bundle exec rspec *"}},
		{".rubocop.yml", "Ruby project", []string{"bundle exec rubocop *"}},
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

// tasks proposes the targets of task runners. Further words would be further
// targets, so the patterns are closed.
func (f *finder) tasks() {
	for _, runner := range [][2]string{{"Makefile", "make "}, {"makefile", "make "}, {"GNUmakefile", "make "},
		{"justfile", "just "}, {"Justfile", "just "}} {
		for _, target := range targets(f.read(runner[0])) {
			f.allow(runner[1]+target, runner[0]+": target "+target)
		}
	}
}

// targets reads the routine targets of a Makefile or justfile: words at the
// start of a line, before a colon that assigns nothing.
func targets(text []byte) (found []string) {
	scan := bufio.NewScanner(bytes.NewReader(text))
	scan.Buffer(nil, fileLimit)
	for scan.Scan() {
		head, rest, ok := strings.Cut(scan.Text(), ":")
		if !ok || strings.HasPrefix(rest, "=") || strings.HasPrefix(head, " ") || strings.HasPrefix(head, "\t") ||
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
