package main

import (
	"bufio"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A package whose code starts goroutines or guards memory belongs in the list
// of those that the race detector sees. A test that is left out there is of one
// of them, and starts no goroutine itself.
func TestRacedPackages(t *testing.T) {
	const root = "../.."
	found, left := map[string]string{}, map[string]int{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"node_modules", "testdata", ".run", ".git"}, d.Name()) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		dir, _ := filepath.Rel(root, filepath.Dir(name))
		dir = filepath.ToSlash(dir)
		if !strings.HasSuffix(name, "_test.go") {
			if why := shares(file); why != "" {
				found[dir] = name + " " + why
			}
			return nil
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !slices.Contains(alone, f.Name.Name) || !slices.Contains(raced, dir) {
				continue
			}
			left[f.Name.Name]++
			if why := shares(f); why != "" {
				t.Errorf("%s in %s is not raced, and %s", f.Name.Name, name, why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, why := range found {
		if !slices.Contains(raced, dir) {
			t.Errorf("%s is not in the list of the packages that are raced: %s", dir, why)
		}
	}
	for _, dir := range raced {
		if found[dir] == "" {
			t.Errorf("%s is in the list of the packages that are raced, and nothing in it shares memory", dir)
		}
	}
	for _, name := range alone {
		if left[name] != 1 {
			t.Errorf("%d tests of the packages that are raced are named %s", left[name], name)
		}
	}
}

// shares says what in a file or a function is for more goroutines than one.
func shares(code ast.Node) (why string) {
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			if path := strings.Trim(n.Path.Value, `"`); path == "sync" || path == "sync/atomic" {
				why = "imports " + path
			}
		case *ast.GoStmt:
			why = "starts a goroutine"
		case *ast.SelectorExpr:
			if slices.Contains([]string{"AfterFunc", "Go", "Parallel"}, n.Sel.Name) {
				why = "calls " + n.Sel.Name
			}
		}
		return true
	})
	return why
}

func TestSkipsAreCountedByReason(t *testing.T) {
	r := read(bufio.NewScanner(strings.NewReader(`
{"Action":"output","Package":"p","Test":"A","Output":"    a_test.go:7: left to the deep run: sub-agents\n"}
{"Action":"skip","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Test":"B","Output":"    a_test.go:9: left to the deep run: the failure matrix\n"}
{"Action":"skip","Package":"p","Test":"B"}
{"Action":"output","Package":"p","Test":"C","Output":"    /x/b_test.go:9: ../../shared/corpus/a.gz absent: skipped\n"}
{"Action":"skip","Package":"p","Test":"C"}
{"Action":"skip","Package":"p","Test":"D"}
{"Action":"pass","Package":"p","Test":"E"}
`)))
	const want = "1 tests; 4 skipped: 1 ../shared absent, 2 left to the deep run, 1 no reason given"
	if got := r.summary(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestChosen(t *testing.T) {
	short, deep := stage{name: "a"}, stage{name: "b", deep: true}
	for _, row := range []struct {
		stage stage
		deep  bool
		only  string
		want  bool
	}{
		{short, false, "", true}, {short, true, "", true}, {deep, false, "", false}, {deep, true, "", true},
		{deep, false, "a,b", true}, {short, false, "b", false},
	} {
		if got := chosen(row.stage, row.deep, row.only); got != row.want {
			t.Errorf("%+v: %v", row, got)
		}
	}
}

// A stage that runs beside others is waited for by those that need it, and is
// counted where it fails.
func TestAStageBeside(t *testing.T) {
	made, looked := make(chan struct{}), make(chan struct{})
	there := func() error {
		select {
		case <-made:
			return nil
		default:
			return errors.New("what the stage beside makes is not there")
		}
	}
	failed := (&house{}).runAll(t.Context(), []stage{
		{name: "beside", beside: true, run: func(context.Context, *house) (string, error) {
			<-looked // so that the stage behind does not wait
			close(made)
			return "", errors.New("it fails")
		}},
		{name: "behind", run: func(context.Context, *house) (string, error) { close(looked); return "", nil }},
		{name: "needs", needs: true, run: func(context.Context, *house) (string, error) { return "", there() }},
	})
	if failed != 1 {
		t.Errorf("%d stages failed", failed)
	}
}
