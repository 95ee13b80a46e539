package shell

import (
	"strings"
	"testing"
)

// TestGoGenerate holds what is read of the directives of Go files.
func TestGoGenerate(t *testing.T) {
	const fetched = "fetch proxy.golang.org declared" // what go may ask for by itself
	for _, row := range []struct {
		name, file, command, want string
		files                     map[string]string
	}{
		{name: "directive", file: "package x\n\n//go:generate rm -rf build\n", want: "delete build tree forced"},
		{name: "none", file: "package x\n", want: ""},
		{name: "several", file: "//go:generate rm a\n//go:generate\trm b\n", want: "delete a; delete b"},
		{name: "in a comment and a string", file: "/*\n//go:generate rm a\n*/\nvar x = `\n//go:generate rm b\n`\n", want: "delete a; delete b"},
		{name: "no directive", file: " //go:generate rm a\n// go:generate rm b\n//go:generated rm c\n//go:generate\n", want: ""},
		{name: "without an end", file: "//go:generate rm a", want: "delete a"},
		{name: "quoted", file: "//go:generate rm \"a b\" \"\\u0063\"\n", want: "delete a b; delete c"},
		{name: "quotes inside a word", file: "//go:generate rm x=\"a b\" 'c\n", want: "delete 'c; delete b\"; delete x=\"a"},
		{name: "no shell", file: "//go:generate rm a; rm *.x && ls > b\n", want: "delete &&; delete *.x; delete >; delete a;; delete b; delete ls; delete rm"},
		{name: "variables", file: "//go:generate rm z-$GOFILE ${GOLINE}x $DOLLAR\n", want: "delete $; delete 1x; delete z-x.go"},
		{name: "a variable that is not known", file: "//go:generate cat out/$GOARCH/x\n", want: "read ?"},
		{name: "one that runs more", file: "//go:generate $GOEXE a\n", want: "!"},
		{name: "home", file: "//go:generate rm -rf $HOME\n", want: "delete ~ tree forced; run x.go; unknown"},
		{name: "alias", file: "//go:generate -command del rm -rf\n//go:generate del a\n", want: "delete a tree forced"},
		{name: "all below", command: "go generate ./...", file: "package x\n", files: map[string]string{"src/y.go": "//go:generate rm a\n", "_z/z.go": "//go:generate rm b\n", "testdata/z.go": "//go:generate rm c\n", ".z/z.go": "//go:generate rm d\n"}, want: "delete src/a"},
		{name: "a file", command: "go generate x.go", file: "//go:generate rm a\n", files: map[string]string{"y.go": "//go:generate rm b\n"}, want: "delete a"},
		{name: "tests and other systems too", file: "package x\n", files: map[string]string{"y_test.go": "//go:generate rm a\n", "z_windows.go": "//go:build ignore\n//go:generate rm b\n"}, want: "delete a; delete b"},
		{name: "what -run leaves out", command: "go generate -v -run none ./...", file: "//go:generate rm a\n", want: "delete a"},
		{name: "by go", file: "//go:generate go run ./gen\n", want: "run project-code"},
		{name: "a script", file: "//go:generate ./gen.sh a\n", files: map[string]string{"!gen.sh": "#!/bin/sh\nrm a\n"}, want: "delete a; read gen.sh"},
		{name: "a script of more shell than is followed", file: "//go:generate ./gen.sh a\n", files: map[string]string{"!gen.sh": "#!/bin/sh\nrm \"$1\"\n"}, want: "run gen.sh"},
		{name: "Windows lines", file: "package x\r\n//go:generate rm a\r\n", want: "delete a"},

		{name: "by another rm", command: "PATH=/repo/bin:$PATH go generate", file: "//go:generate rm a\n", want: "*"},
		{name: "bad quotes", file: "//go:generate rm \"a\n", want: "!"},
		{name: "more behind the quotes", file: "//go:generate rm \"a\"b\n", want: "!"},
		{name: "odd variable", file: "//go:generate rm $1\n", want: "!"},
		{name: "alias of a variable", file: "//go:generate -command x echo $DOLLAR\n//go:generate x\n", want: "!"},
		{name: "alias twice", file: "//go:generate -command x echo\n//go:generate -command x rm\n", want: "!"},
		{name: "another package", command: "go generate example.com/x", file: "package x\n", want: "!"},
		{name: "no package", command: "go generate ./src", file: "package x\n", want: "!"},
		{name: "above", command: "go generate ../...", file: "package x\n", want: "!"},
		{name: "elsewhere", command: "go generate -C src", file: "package x\n", want: "!"},
		{name: "overlay", command: "go generate -overlay o.json .", file: "package x\n", want: "*"},
		{name: "itself", file: "//go:generate go generate\n", want: "run project-code"},
		{name: "written before", command: "echo x > y.go; go generate", file: "package x\n", want: "run .; unknown; write y.go"},
		{name: "written by another directive", file: "//go:generate cp a y.go\n", files: map[string]string{"y.go": "package x\n"}, want: "read a; run y.go; unknown; write y.go"},
		{name: "under sudo", command: "sudo go generate", file: "package x\n", want: "*"},
		{name: "by the environment", command: "GOFLAGS=-overlay=o.json go generate", file: "package x\n", want: "*"},
	} {
		t.Run(row.name, func(t *testing.T) {
			files := map[string]string{"x.go": row.file}
			for name, content := range row.files {
				files[name] = content
			}
			command := row.command
			if command == "" {
				command = "go generate"
			}
			r := Analyze(command, testEnv(scripted(files)))
			got := brief(r)
			if row.want == "*" {
				if len(r.Unknowns) == 0 && !strings.Contains(got, "run ") {
					t.Error(got)
				}
				return
			}
			want := "run project-code"
			if row.want != "!" {
				want = sorted(strings.TrimPrefix(row.want+"; "+fetched, "; "))
			}
			if got != want {
				t.Errorf("want %s\ngot  %s\n%+v", want, got, r.Unknowns)
			}
		})
	}
}

// TestWhatGeneratesIsBound holds that an allow rule for go generate stands for
// what the directives said.
func TestWhatGeneratesIsBound(t *testing.T) {
	r := Analyze("go generate ./...", testEnv(scripted(map[string]string{"x.go": "//go:generate mockgen x\n", "y.go": "package y\n"})))
	if !defines(r, testRepo+"/x.go") || defines(r, testRepo+"/y.go") {
		t.Errorf("%+v", r.Definitions)
	}
	r = Analyze("go generate example.com/x", testEnv(scripted(nil)))
	if len(r.Definitions) != 1 || r.Definitions[0].SHA256 != "" {
		t.Errorf("%+v", r.Definitions)
	}
}
