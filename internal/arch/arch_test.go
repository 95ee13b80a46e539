package arch

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	root   = "../.."
	module = "github.com/nodgate/nod"
)

// layers reads testdata/layers.txt: of each package the project's packages that it may import, and why no others.
func layers(t *testing.T) (may map[string][]string, why map[string]string) {
	t.Helper()
	may, why = map[string][]string{}, map[string]string{}
	dir := ""
	for line := range strings.Lines(string(read(t, "internal/arch/testdata/layers.txt"))) {
		before, after, _ := strings.Cut(strings.TrimRight(line, "\n"), ":")
		switch {
		case strings.HasPrefix(line, "    "):
			why[dir] += strings.TrimSpace(line)
		case before != "" && before[0] != '#':
			dir, may[before] = before, strings.Fields(after)
		}
	}
	return may, why
}

// hookMay lists the outside modules that the hook's packages may import. Each
// costs start-up at every tool call; docs/design.md gives the reason.
var hookMay = []string{"mvdan.cc/sh/v3/syntax", "github.com/pelletier/go-toml/v2", "golang.org/x/text/unicode/norm",
	"github.com/tailscale/hujson", "golang.org/x/sys/unix", // on macOS: by what words the agent was started
	"golang.org/x/sys/windows"}

// hookNever lists what the hook's packages must not import, tests apart.
var hookNever = map[string]string{
	"net/http":      "start-up, and a hook that talks to the network by itself",
	"net":           "start-up",
	"net/url":       "links net/netip, whose set-up is paid for at each start",
	"crypto/rand":   "sets up a generator that nothing here needs",
	"crypto/tls":    "start-up",
	"os/user":       "links libc with cgo",
	"html/template": "start-up",
	"regexp":        "13 µs for each expression at each start",
	"log/slog":      "start-up",
}

type file struct {
	pkg, name string
	syntax    *ast.File
	test      bool
}

func files(t *testing.T) []file {
	t.Helper()
	var list []file
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == ".run" ||
			d.Name() == ".git") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		list = append(list, file{path.Dir(filepath.ToSlash(rel)), rel, syntax, strings.HasSuffix(name, "_test.go")})
		return err
	})
	if err != nil || len(list) < 50 {
		t.Fatalf("%d files read: %v", len(list), err)
	}
	return list
}

func imports(f file) []string {
	var list []string
	for _, i := range f.syntax.Imports {
		list = append(list, strings.Trim(i.Path.Value, `"`))
	}
	return list
}

func TestImportsGoOneWay(t *testing.T) {
	may, why := layers(t)
	for _, f := range files(t) {
		if f.test {
			continue
		}
		if why[f.pkg] == "" {
			t.Errorf("%s: package %s has no seat in testdata/layers.txt", f.name, f.pkg)
		}
		for _, imported := range imports(f) {
			inner, ok := inside(imported)
			if ok && !slices.Contains(may[f.pkg], inner) && !slices.Contains(may[f.pkg], "*") {
				t.Errorf("%s imports %s: %s", f.name, imported, why[f.pkg])
			}
		}
	}
}

// inside returns the project's own package that a path names.
func inside(imported string) (string, bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

// hookPackages follows cmd/nod-hook's imports through the project.
func hookPackages(list []file) map[string]bool { return linkedInto("cmd/nod-hook", list) }

// linkedInto follows a program's imports through the project.
func linkedInto(program string, list []file) map[string]bool {
	linked := map[string]bool{program: true}
	for grown := true; grown; {
		grown = false
		for _, f := range list {
			if f.test || !linked[f.pkg] {
				continue
			}
			for _, i := range imports(f) {
				if inner, ok := inside(i); ok && !linked[inner] {
					linked[inner], grown = true, true
				}
			}
		}
	}
	return linked
}

// confines lists the packages of nod-hook confine, which no hook calls. They may use more, and set nothing up at the
// start, as [TestNoInitAndNoMutablePackageState] holds.
var confines = map[string]bool{"internal/confine": true, "internal/confine/behind": true,
	"internal/confine/stage": true}

func TestTheHookLinksLittle(t *testing.T) {
	list := files(t)
	linked := hookPackages(list)
	if !linked["."] || !linked["internal/shell"] {
		t.Fatal("the hook's packages were not found")
	}
	for _, f := range list {
		if f.test || !linked[f.pkg] || confines[f.pkg] {
			continue
		}
		for _, i := range imports(f) {
			if i == "regexp" && f.pkg == "agent" {
				continue // for rare lines, compiled there and not at the start
			}
			if why, never := hookNever[i]; never {
				t.Errorf("%s imports %s: %s", f.name, i, why)
			}
			if i == "os/exec" && f.pkg != "internal/hook" {
				t.Errorf("%s imports os/exec: only internal/hook starts a process, nod classify", f.name)
			}
			if _, own := inside(i); strings.Contains(i, ".") && !own && !allowed(i) {
				t.Errorf("%s imports %s, which is not on the hook's list", f.name, i)
			}
		}
	}
}

// serves lists what nod-serve alone links. It would make nod half as large again, and take half of its build's time.
var serves = []string{"github.com/go-webauthn/", "charm.land/", "github.com/modelcontextprotocol/",
	"go.opentelemetry.io/", "github.com/prometheus/"}

func TestOnlyNodServeLinksWhatServes(t *testing.T) {
	list := files(t)
	for _, prefix := range serves {
		in := map[string]string{}
		for _, program := range []string{"cmd/nod", "cmd/nod-hook", "cmd/nod-serve"} {
			linked := linkedInto(program, list)
			for _, f := range list {
				if linked[f.pkg] && !f.test && slices.ContainsFunc(imports(f), func(i string) bool {
					return strings.HasPrefix(i, prefix)
				}) {
					in[program] = f.name
				}
			}
		}
		if in["cmd/nod-serve"] == "" || len(in) != 1 {
			t.Errorf("%s is imported by %v; nod-serve alone may link it", prefix, in)
		}
	}
}

func allowed(imported string) bool {
	for _, m := range hookMay {
		if imported == m || strings.HasPrefix(imported, m+"/") {
			return true
		}
	}
	return false
}

func TestTheRootReadsNothingAndStartsNothing(t *testing.T) {
	for _, f := range files(t) {
		if f.test || f.pkg != "." && f.pkg != "internal/shell" {
			continue
		}
		for _, i := range imports(f) {
			if i == "os" || i == "os/exec" || i == "net" || i == "syscall" || strings.HasPrefix(i, "net/") {
				t.Errorf("%s imports %s", f.name, i)
			}
		}
	}
}

func TestNoInitAndNoMutablePackageState(t *testing.T) {
	hook := hookPackages(files(t))
	for _, f := range files(t) {
		if f.test {
			continue
		}
		for _, decl := range f.syntax.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.Name == "init" && d.Recv == nil {
					t.Errorf("%s has an init function", f.name)
				}
			case *ast.GenDecl:
				if d.Tok == token.VAR && hook[f.pkg] {
					checkVars(t, f, d)
				}
			}
		}
	}
}

// checkVars refuses package-level maps and calls in what the hook links: they
// are paid for at every start, and could be changed.
func checkVars(t *testing.T, f file, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		for _, v := range spec.(*ast.ValueSpec).Values {
			switch x := v.(type) {
			case *ast.CompositeLit:
				if _, isMap := x.Type.(*ast.MapType); isMap {
					t.Errorf("%s: package-level map %v", f.name, spec.(*ast.ValueSpec).Names)
				}
			case *ast.CallExpr:
				if spec.(*ast.ValueSpec).Names[0].Name == "_" {
					continue // a check at compile time
				}
				if name := callName(x); name != "errors.New" && name != "sync.OnceValue" && name != "sync.OnceValues" {
					t.Errorf("%s: %v is computed at start-up by %s", f.name, spec.(*ast.ValueSpec).Names, name)
				}
			}
		}
	}
}

func callName(c *ast.CallExpr) string {
	if s, ok := c.Fun.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name + "." + s.Sel.Name
		}
	}
	return "a call"
}

func TestEveryPackageHasAManual(t *testing.T) {
	doc, seen := map[string]bool{}, map[string]bool{}
	for _, f := range files(t) {
		if f.test && !strings.HasSuffix(f.pkg, "arch") && f.pkg != "e2e" {
			continue
		}
		seen[f.pkg] = true
		doc[f.pkg] = doc[f.pkg] || f.syntax.Doc != nil
	}
	for pkg := range seen {
		if !doc[pkg] {
			t.Errorf("package %s has no package comment", pkg)
		}
	}
}

// The house has a bound (docs/design.md, section 7): what somebody new must read.
func TestTheHouseHasABound(t *testing.T) {
	lines, words := 0, 0
	for _, f := range files(t) {
		source, err := os.ReadFile(filepath.Join(root, f.name))
		if err != nil {
			t.Fatal(err)
		}
		if !f.test {
			lines += strings.Count(string(source), "\n")
		}
	}
	documents, err := exec.Command("git", "-C", root, "ls-files", "*.md").Output()
	for name := range strings.FieldsSeq(string(documents)) {
		text, failed := os.ReadFile(filepath.Join(root, name))
		err = errors.Join(err, failed)
		words += len(strings.Fields(string(text)))
	}
	if err != nil || lines < 50_000 || lines > 66_000 || words < 10_000 || words > 20_000 {
		t.Errorf("%d lines of Go without tests, at most 66,000; %d words of documents, at most 20,000: %v", lines, words, err)
	}
}

func TestFilesStaySmall(t *testing.T) {
	for _, f := range files(t) {
		source, err := os.ReadFile(filepath.Join(root, f.name))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(source), "\n"); n > 700 && !f.test {
			t.Errorf("%s has %d lines", f.name, n)
		}
	}
}

// A line fits beside another in a window. Data is excepted: a long literal, and what a comment quotes.
func TestLinesStayNarrow(t *testing.T) {
	const most = 120
	for _, f := range files(t) {
		source, err := os.ReadFile(filepath.Join(root, f.name))
		if err != nil {
			t.Fatal(err)
		}
		least := 80
		if f.test {
			least = 20 // a row of a table that gofmt lays out
		}
		data := linesOfData(t, f.name, source, least)
		for i, line := range strings.Split(string(source), "\n") {
			n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
			if n > most && !data[i+1] {
				t.Errorf("%s:%d has %d columns, more than %d", f.name, i+1, n, most)
			}
		}
	}
}

// linesOfData are the lines that a literal of more than so many characters, or a quoted text of a comment, stands on.
func linesOfData(t *testing.T, name string, source []byte, least int) map[int]bool {
	t.Helper()
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, name, source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	data := map[int]bool{}
	ast.Inspect(syntax, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && len(l.Value) > least {
			for i := set.Position(l.Pos()).Line; i <= set.Position(l.End()).Line; i++ {
				data[i] = true
			}
		}
		return true
	})
	for _, group := range syntax.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//\t") {
				data[set.Position(c.Pos()).Line] = true
			}
		}
	}
	return data
}

// The symbols of the built hook are the last word on what it links.
func TestTheBuiltHookLinksNoNetwork(t *testing.T) {
	program := filepath.Join(t.TempDir(), "nod-hook")
	build := exec.Command("go", "build", "-o", program, "./cmd/nod-hook")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "nm", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	symbols := string(out)
	if !strings.Contains(symbols, module+".(*Gate).Check") {
		t.Fatal("the symbols do not show the gate; this test would see nothing")
	}
	// regexp is linked: the shell grammar imports it for one expression.
	for _, p := range []string{" net/http.", " crypto/tls.", " net.(*", " os/user."} {
		if strings.Contains(symbols, p) {
			t.Errorf("the hook links %s", strings.TrimSpace(p))
		}
	}
}

// A test that builds a program builds it without cgo and with no flag for the compiler: else all that the program
// imports is compiled once more, which took a fifth of a cold run.
func TestTestsBuildWhatIsBuilt(t *testing.T) {
	built := 0
	for _, f := range files(t) {
		lines := strings.Split(string(read(t, f.name)), "\n")
		for i, line := range lines {
			if !f.test || !strings.Contains(line, `exec.Command("go", "build"`) || strings.Contains(line, "Contains(") {
				continue
			}
			built++
			near := strings.Join(lines[i:min(i+4, len(lines))], "\n")
			benchmark := strings.Contains(strings.Join(lines[max(0, i-4):i], "\n"), "*testing.B")
			if !strings.Contains(near, `"CGO_ENABLED=0"`) ||
				!benchmark && (strings.Contains(near, "-trimpath") || strings.Contains(near, "-gcflags")) {
				t.Errorf("%s:%d builds a program in a way of its own", f.name, i+1)
			}
		}
	}
	if built < 3 {
		t.Errorf("%d builds were found", built)
	}
}

// A type that everything hangs on is where nobody can say what reads or sets a field.
func TestNoObjectHoldsTheHouse(t *testing.T) {
	const most = 40
	methods := map[string]int{}
	for _, f := range files(t) {
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && !f.test {
				methods[f.pkg+" "+receiver(fn)]++
			}
		}
	}
	if methods[". trial"] == 0 {
		t.Fatal("no method of trial was found; this test would see nothing")
	}
	for name, n := range methods {
		if n > most {
			t.Errorf("%s has %d methods, more than %d", name, n, most)
		}
	}
}

// receiver is the name of the type whose method a function is.
func receiver(fn *ast.FuncDecl) string {
	typ := fn.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	return typ.(*ast.Ident).Name
}
