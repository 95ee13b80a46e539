package shell

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/shell/commands"
)

// sheetWordsCompared are expressions that hold a word of a sheet, of another
// language or of an agent, and never a program's name.
var sheetWordsCompared = []string{
	"u.code", "u.home", "s.code", "next.code", "reader", "r.home", "role", "o.role", "item", "word", // words of sheets
	"attached", "text", "hook", "c.Tool", "h.Tool",
	"in.Tool", // values of options and keys, hooks of git, agents' tools
}

// mayCompare are functions that compare with words which are also names of
// programs, with the reason.
var mayCompare = map[string]string{
	"flag": "words of the sheets' own language", "text": "the same",
	"shellOwns": "builtins of the shell are the language itself",
	"builtin":   "builtins of the shell are the language itself",
	// What a substitution becomes is part of the language that the package comment states.
	// Subcommands, settings and hooks of git, which Go code reads as it does git's files.
	"concerns": "settings of git",
	"hooksOf":  "subcommands of git", "runsFromGit": "settings of git",
	"note": "schemes of addresses", "asks": "schemes of addresses",

	// How each is looked up in the objects of git is code; which are is in git's sheet.
	"finish": "words of the directive code", "filter": "words of the directive args",
	"stated": "effects that sheets state",
	"markOf": "words of options in sheets", "Name": "names of effects",
	// What is started or looked up by a name that the code itself gives.
	"gitSettings": "git starts gpg and ssh-keygen", "gitAlias": "an alias of git is read as git",
	"gitIs": "the lists of its sheet", "gitLists": "the same", "aliasWords": "the same",
	"segment": "a word that may be any program is read as the worst", "programLike": "nod itself is looked for",
	// Words of small languages.
	"isDisk":       "beginnings of device names",
	"isSourceType": "types of files", "topLevel": "directories", "system": "directories",
	"looksUp":          "verbs of tools",
	"inBareRepository": "files of git", "systemDir": "directories", "isOutputName": "directories",
	"mayRun": "names of arguments", "isPathKey": "names of arguments", "plainInput": "names of arguments",
	// nod itself, and the shell and git whose own files are looked at.
	"isNod": "nod itself", "git": "which commands speak to a repository's host is told to a model",
	// Agents.
	"isLookUp": "tools of agents", "effectsFit": "tools of agents",
	"runsWhatFollows": "what Claude Code drops from a person's rules",
	"runnerExample":   "words for a person",
	"takes":           "words of SQL",
}

// Knowledge of programs lives in the sheets: no code that decides compares with a
// name that a sheet knows, here, in the root or in its rooms.
func TestNoCodeComparesNamesOfPrograms(t *testing.T) {
	for _, dir := range []string{".", "../..", "../guard", "../harm", "../identity", "../judge", "../match", "../place",
		"../taint", "../withheld"} {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(files) < 2 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range comparedNames(t, name, source) {
				if mayCompare[c.function] == "" {
					t.Errorf("%s: %s compares with %q, which is the name of a program: say it in its sheet "+
						"(docs/adding-a-program.md)", c.at, c.function, c.name)
				}
			}
		}
	}
}

// The rule must see what it forbids.
func TestComparedNamesAreSeen(t *testing.T) {
	got := comparedNames(t, "x.go", []byte(`package x
func a(s string) bool { switch s { case "zebra", "grep": return true }; return false }
func b(s string) bool { return s == "git" || "rm" != s }
func c(s string) bool { return slices.Contains([]string{"awk"}, s) || u.code == "tar" }
func d(s string) bool { switch u.code { case "tar": return true }; return names["sed"] || has(s, "make") }
var e = map[string]bool{"sort": true}
`))
	var names []string
	for _, c := range got {
		names = append(names, c.function+" "+c.name)
	}
	if got, want := strings.Join(names, ", "), "a grep, b git, b rm, c awk, d sed, d make,  sort"; got != want {
		t.Errorf("seen: %s, want %s", got, want)
	}
}

type compared struct {
	at             token.Position
	function, name string
}

// comparedNames finds the names of programs that code compares with: in cases,
// beside == and !=, in lists, as keys and as arguments.
func comparedNames(t *testing.T, name string, source []byte) (found []compared) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		function := ""
		if f, ok := d.(*ast.FuncDecl); ok {
			function = f.Name.Name
		}
		see := func(beside ast.Expr, all ...ast.Expr) {
			if beside != nil && slices.Contains(sheetWordsCompared, spelledAs(beside)) {
				return
			}
			for _, e := range all {
				lit, ok := e.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					continue
				}
				text, err := strconv.Unquote(lit.Value)
				if _, _, known := commands.Find(text); known && err == nil && isName(text) {
					found = append(found, compared{set.Position(lit.Pos()), function, text})
				}
			}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SwitchStmt:
				for _, c := range n.Body.List {
					see(n.Tag, c.(*ast.CaseClause).List...)
				}
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					see(n.X, n.Y)
					see(n.Y, n.X)
				}
			case *ast.CompositeLit:
				see(nil, n.Elts...)
			case *ast.KeyValueExpr:
				see(nil, n.Key)
			case *ast.CallExpr:
				see(n.Fun, n.Args...)
			case *ast.IndexExpr:
				see(nil, n.Index)
			}
			return true
		})
	}
	return found
}

// isName leaves out what is a name only by accident.
func isName(text string) bool { return text != "true" && text != "false" && text != ":" && text != "[" }

// spelledAs is an expression of names and dots, as written.
func spelledAs(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return spelledAs(e.X) + "." + e.Sel.Name
	}
	return ""
}
