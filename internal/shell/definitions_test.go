package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nodgate/nod/internal/shell/recipe"
)

// TestMakefiles holds what is read of a Makefile, and that any line that is
// not plain leaves all of it unread.
func TestMakefiles(t *testing.T) {
	for _, row := range []struct{ name, file, command, want string }{
		{"recipe", "clean:\n\trm -rf build\n", "make clean", "delete build tree forced"},
		{"a name with a slash is the default goal", "./evil:\n\trm -rf src\nall:\n\tls\n", "make", "run project-code"},
		{"a hidden name with a slash", ".a/b:\n\trm x\nall:\n\tls\n", "make", "delete x"},
		{"one target written twice", "all:\n\tls\n./all:\n\trm -rf src\n", "make all", "run project-code"},
		{"a goal written otherwise", "all:\n\tls\n", "make ./all", "run project-code"},
		{"include behind a tab", "include\tm:k\nall:\n\tls\n", "make", "run project-code"},
		{"a shell that is computed", "SHELL != /bin/bash\nall:\n\tls\n", "make", "run project-code"},
		{"default target", ".PHONY: all\nall: a b\na:\n\t@rm a\nb:\n\t-rm b\n", "make", "delete a; delete b"},
		{"variables", "D := build\nE = $(D)/x\nclean:\n\trm -rf $(E) ${D}/y\n", "make clean",
			"delete build/x tree forced; delete build/y tree forced"},
		{"variable of the command line", "D := build\nclean:\n\trm $(D)\n", "make clean D=src/a",
			"delete src/a; unknown"},
		{"?=", "D ?= build\nclean:\n\trm $(D)\n", "make clean", "delete build"},
		{"+=", "D := a\nD += b\nclean:\n\trm $(D)\n", "make clean", "delete a; delete b"},
		{"automatic", "out: ; touch $@\n", "make out", "write out appends"},
		{"dollar", "a:\n\tfor i in a b; do rm $$i; done\n", "make a", "delete a; delete b"},
		{"continued", "a:\n\trm a \\\n\t  b\n", "make a", "delete a; delete b"},
		{"each line is a shell", "a:\n\tcd src\n\trm b\n", "make a", "delete b"},
		{"another directory", "a:\n\trm b\n", "make -C src a", "delete src/b"},
		{"another file", "a:\n\trm b\n", "make -f src/Makefile a", "delete b"},
		{"file before directory", "a:\n\trm b\n", "make -f Makefile -C src a", "delete src/b"},
		{"harmless", "a:\n\tgrep -rn foo src\n", "make a", "read src tree"},
		{"bash", "SHELL := /bin/bash\na:\n\t[ -f x ] && rm a b\n", "make a", "delete a; delete b"},
		{"more shell than is followed", "SHELL := /bin/bash\na:\n\t[[ a =~ b ]] && rm a\n", "make a", "run project-code"},
		{"bash by env", "SHELL := /usr/bin/env bash\na:\n\tls src\n", "make a", "read src"},
		{"bash of the project", "SHELL := /usr/bin/env bash\na:\n\tls src\n",
			"PATH=/usr/local/bin:" + testRepo + "/own:/usr/bin make a", "run project-code; unknown"},
		{"another make", "a:\n\t$(MAKE) -C src b\nb:\n\trm b\n", "make a", "delete src/b"},
		{"shell function", "V := $(shell rm x)\na:\n\tls src\n", "make a", "delete x; read src"},

		{"function that is used", "V := $(shell ls src)\na:\n\trm $(V)\n", "make a", "run project-code"},
		{"include", "include x.mk\na:\n\trm b\n", "make a", "run project-code"},
		{"condition", "a:\n\trm b\nifdef X\na: c\nendif\n", "make a", "run project-code"},
		{"define", "define x\nrm y\nendef\na:\n\trm b\n", "make a", "run project-code"},
		{"pattern rule", "%.o: %.c\n\trm x\na:\n\trm b\n", "make a", "run project-code"},
		{"double colon", "a::\n\trm b\n", "make a", "run project-code"},
		{"eval", "$(eval a: ; rm x)\na:\n\tls src\n", "make a", "run project-code"},
		{"shell of the project", "SHELL = ./sh\na:\n\tls src\n", "make a", "run project-code"},
		{"flags of the shell", ".SHELLFLAGS = -c 'rm x' --\na:\n\tls src\n", "make a", "run project-code"},
		{"one shell", ".ONESHELL:\na:\n\tls src\n", "make a", "run project-code"},
		{"another prefix", ".RECIPEPREFIX = >\na:\n> rm x\n", "make a", "run project-code"},
		{"exported", "export PATH := .\na:\n\tls src\n", "make a", "run project-code"},
		{"variable of a target", "a: D = src\na:\n\trm $(D)\n", "make a", "run project-code"},
		{"variable of make", "a:\n\t$(RM) x\n", "make a", "run project-code"},
		{"flags of make", "MAKEFLAGS += --eval=x\na:\n\tls src\n", "make a", "run project-code"},
		{"a rule for the file itself", "Makefile: x\n\trm x\na:\n\tls src\n", "make a", "run project-code"},
		{"no rule", "a:\n\tls src\n", "make b", "run project-code"},
		{"a rule of make's own", "a: x.o\n\tls src\nx.o:\n", "make a", "run project-code"},
		{"Windows lines", "a:\r\n\tls src\r\n", "make a", "run project-code"},
		{"even backslashes", "# \\\\\na:\n\tls src\n", "make a", "run project-code"},
		{"comment in a recipe behind ;", "a: ; ls '#'; rm x\n", "make a", "run project-code"},
		{"dollar kept", "X := a$$b\nb = c\na:\n\trm $(X)\n", "make a", "run project-code"},
		{"environment wins", "a:\n\tls src\n", "make -e a", "run project-code"},
		{"evaluated", "a:\n\tls src\n", "make --eval='x:' a", "run project-code"},
		{"given to another make", "a:\n\tmake b\n", "make a CI=1", "run project-code"},
		{"itself", "a:\n\tmake a\n", "make a", "run project-code"},
		{"flags by the line", "a:\n\tls src\n", "MAKEFLAGS=x make a", "run project-code; unknown"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := scripted(map[string]string{"Makefile": row.file, "src/Makefile": row.file,
				"!own/bash": "#!/bin/sh\nrm z\n", "!/usr/local/bin/make": ""})
			r := Analyze(row.command, testEnv(m))
			if got := brief(r); got != row.want {
				t.Errorf("want %s\ngot  %s\n%+v", row.want, got, r.Unknowns)
			}
			if !strings.Contains(row.command, "eval") && !defines(r, testRepo+"/Makefile") && !defines(r,
				testRepo+"/src/Makefile") {
				t.Errorf("%+v", r.Definitions)
			}
		})
	}
}

func TestWhichMakefile(t *testing.T) {
	rm := func(name string) string { return "a:\n\trm " + name + "\n" }
	for want, files := range map[string]map[string]string{
		"delete gnu":       {"GNUmakefile": rm("gnu"), "makefile": rm("small"), "Makefile": rm("large")},
		"delete small":     {"makefile": rm("small"), "Makefile": rm("large")},
		"delete large":     {"Makefile": rm("large")},
		"run project-code": {"Makefile": rm("large"), "Makefile.sh": "rm x"}, // make would make it anew
	} {
		if got := brief(Analyze("make a", testEnv(scripted(files)))); got != want {
			t.Errorf("want %s, got %s", want, got)
		}
	}
	env := testEnv(scripted(map[string]string{"Makefile": rm("b")}))
	lookup := env.Lookup
	env.Lookup = func(name string) (string, bool) {
		if name == "MAKEFILES" {
			return "x.mk", true
		}
		return lookup(name)
	}
	if got := brief(Analyze("make a", env)); got != "run project-code" {
		t.Errorf("with MAKEFILES: %s", got)
	}
}

// TestPackageScripts holds what is read of package.json.
func TestPackageScripts(t *testing.T) {
	const plain = `{"scripts":{"test":"rm a","pretest":"rm b","posttest":"rm c","up":"npm run x","x":"cat","loop":"npm run loop","node":"node x.js","bin":"tool x","sub":"cd src && rm a","odd":1}}`
	for _, row := range []struct {
		name, command, want string
		files               map[string]string
	}{
		{name: "with what comes before and after", command: "npm test", want: "delete a; delete b; delete c"},
		{name: "short", command: "npm t", want: "delete a; delete b; delete c"},
		{name: "by pnpm, which may install first", command: "pnpm run x src/a", want: "run project-code"},
		{name: "another pnpm", command: "pnpm run up", want: "run package.json; run project-code",
			files: map[string]string{"package.json": `{"packageManager":"pnpm@9.9.9","scripts":{"up":"ls"}}`}},
		{name: "arguments", command: "npm run x -- src/a 'b c'", want: "read b c; read src/a"},
		{name: "an argument cannot end the command", command: "npm run x -- '; rm z'", want: "read ; rm z"},
		{name: "by another script", command: "npm run up", want: "nothing"},
		{name: "from below", command: "cd src && npm run sub", want: "delete src/a"},
		{name: "code it names", command: "npm run node", want: "run x.js"},
		{name: "installed programs come first", command: "npm run bin", want: "run node_modules/.bin/tool"},

		{name: "a circle", command: "npm run loop", want: "run project-code"},
		{name: "no such script", command: "npm run nothing", want: "run project-code"},
		{name: "no string", command: "npm run odd", want: "run project-code"},
		{name: "yarn", command: "yarn test", want: "run project-code"},
		{name: "bun", command: "bun run test", want: "run project-code"},
		{name: "an option", command: "npm --weird test", want: "run project-code; unknown"},
		{name: "a workspace", command: "npm test -w ui", want: "run project-code"},
		{name: "another directory", command: "npm --prefix ui test", want: "run project-code; unknown"},
		{name: "doubled key", command: "npm test",
			files: map[string]string{"package.json": `{"scripts":{"test":"ls"},"scripts":{"test":"rm a"}}`},
			want:  "run project-code"},
		{name: "doubled script", command: "npm test",
			files: map[string]string{"package.json": `{"scripts":{"test":"ls","test":"rm a"}}`},
			want:  "run project-code"},
		{name: "case twins", command: "npm test",
			files: map[string]string{"package.json": `{"Scripts":{"test":"ls"},"scripts":{"test":"ls"}}`},
			want:  "run project-code"},
		{name: "byte order mark", command: "npm test", files: map[string]string{"package.json": "\uFEFF" + plain},
			want: "run project-code"},
		{name: "rubbish behind", command: "npm test", files: map[string]string{"package.json": plain + "x"},
			want: "run project-code"},
		{name: "script-shell", command: "npm test", files: map[string]string{".npmrc": "script-shell=./x\n"},
			want: "run project-code"},
		{name: "script_shell of the user", command: "npm test",
			files: map[string]string{testHome + "/.npmrc": "script_shell = ./x\n"}, want: "run project-code"},
		{name: "workspaces", command: "npm run x", files: map[string]string{".npmrc": "workspaces=true\n"},
			want: "run project-code"},
		{name: "one workspace", command: "npm run x", files: map[string]string{".npmrc": "workspace[]=sub\n"},
			want: "run project-code"},
		{name: "an escaped key", command: "npm run x",
			files: map[string]string{".npmrc": "\"w\\u006frkspaces\"=true\n"}, want: "run .npmrc; run project-code"},
		{name: "a place for logs", command: "npm run x", files: map[string]string{".npmrc": "logs-dir=../other\n"},
			want: "run .npmrc; run project-code"},
		{name: "a shell among installed programs", command: "npm run x",
			files: map[string]string{"!node_modules/.bin/sh": "#!/bin/sh\nrm z\n"}, want: "run project-code"},
		{name: "an interpreter among installed programs", command: "npm run x",
			files: map[string]string{"!node_modules/.bin/node": "#!/bin/sh\nrm z\n"}, want: "run project-code"},
		{name: "other settings", command: "npm run x", files: map[string]string{".npmrc": "save-exact=true\n"},
			want: "nothing"},
		{name: "changed by the line", command: "echo '{}' > package.json && npm run x",
			want: "run package.json; unknown; write package.json"},
		{name: "nearer one made by the line",
			command: "mkdir src/n; echo '{}' > src/n/package.json; cd src/n && npm run x",
			want:    "run src/n/package.json; unknown; write src/n; write src/n/package.json"},
	} {
		t.Run(row.name, func(t *testing.T) {
			files := map[string]string{"package.json": plain, "x.js": "x()\n",
				"!node_modules/.bin/tool": "#!/bin/sh\nls\n"}
			for name, content := range row.files {
				files[name] = content
			}
			if got := brief(Analyze(row.command, testEnv(scripted(files)))); got != row.want {
				t.Errorf("want %s\ngot  %s", row.want, got)
			}
		})
	}
	env := testEnv(scripted(map[string]string{"package.json": plain}))
	env.Ambient = append(env.Ambient, "NPM_CONFIG_SCRIPT_SHELL")
	if got := brief(Analyze("npm test", env)); got != "run project-code" {
		t.Errorf("with NPM_CONFIG_SCRIPT_SHELL: %s", got)
	}
}

// TestDefinitions holds which files define a command.
func TestDefinitions(t *testing.T) {
	files := map[string]string{
		"package.json": `{"scripts":{"test":"npm run lint && ./a.sh","lint":"node lint.js"}}`,
		"!a.sh":        "#!/bin/bash\n. ./b.sh\n", "b.sh": "python c.py\n",
		"lint.js": "x", "c.py": "x", "justfile": "check:\n  ./a.sh\n", "!d.sh": "#!/usr/bin/env fish\n./a.sh\n",
		"Makefile": "x:\n\tgo test ./...\n",
		"gen/x.go": "//go:generate mockgen x\n", "gen/y.go": "package y\n",
		"mise.toml": "[tasks.lint]\nrun = \"./d.sh\"\n", "src/.mise.ci.toml": "", "src/.config/mise/conf.d/a.toml": "",
		"!mise-tasks/test/unit": "#!/bin/sh\npython c.py\n", "src/mise/config.local.toml": "", "src/misery.toml": "",
	}
	for command, want := range map[string][]string{
		"npm test":      {"a.sh", "b.sh", "c.py", "lint.js", "package.json#lint", "package.json#test"},
		"npm run none":  {"package.json#none absent"},
		"make x":        {"Makefile"},
		"mise run lint": {"a.sh", "b.sh", "c.py", "d.sh", "mise.toml"},
		"cd src && mise run test:unit": {"a.sh", "b.sh", "c.py", "d.sh", "mise-tasks/test/unit", "mise.toml",
			"src/.config/mise/conf.d/a.toml", "src/.mise.ci.toml", "src/mise/config.local.toml"},
		"just check":                {"a.sh", "b.sh", "c.py", "justfile"},
		"./d.sh":                    {"d.sh"},
		"python c.py":               {"c.py"},
		"bash none.sh":              {"none.sh absent"},
		"go test ./...":             nil,
		"npm ls":                    nil,
		"just -f x y":               {"just unreadable"},
		"just src/check":            {"just unreadable"},
		"go generate ./...":         {"gen/x.go"},
		"go generate example.com/x": {"go unreadable"},
		"make -I x y":               {"make unreadable"},
	} {
		r := Analyze(command, testEnv(scripted(files)))
		var got []string
		for _, d := range r.Definitions {
			name := strings.TrimPrefix(d.Path, testRepo+"/")
			switch d.SHA256 {
			case "":
				name += " unreadable"
			case Absent:
				name += " absent"
			}
			got = append(got, name)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
			t.Errorf("%s: %s", command, diff)
		}
	}
}

// TestWhereAnEffectStands holds that words name file and line.
func TestWhereAnEffectStands(t *testing.T) {
	m := scripted(map[string]string{"!x.sh": "#!/bin/bash\nf() {\n  rm a\n}\n\nf\n", "Makefile": "\nb:\n\trm b\n",
		"package.json": `{"scripts":{"c":"rm c"}}`})
	for command, want := range map[string]string{"./x.sh": "x.sh:3: a", "make b": "Makefile:3: b",
		"npm run c": "package.json#c:1: c"} {
		for _, e := range Analyze(command, testEnv(m)).Effects {
			if e.Kind == Delete && e.Words != want {
				t.Errorf("%q, want %q", e.Words, want)
			}
		}
	}
}

// FuzzDefinitions holds that no bytes in a definition make the analysis panic
// or grow without bound, and that a read Makefile or package.json never does
// less than it is said to: a command in it stays visible.
func FuzzDefinitions(f *testing.F) {
	for _, s := range []string{"a:\n\trm b\n", "{\"scripts\":{\"a\":\"rm b\"}}", "check:\n  x\n", "#!/bin/sh\nrm b\n",
		"A := $(shell x)\na: $(A)\n", "\\\n", "a: \\\n\tb\n", "{\"a\":[{}],\"\\u0041\":1}", "X ?= $$\n.PHONY: $(X)",
		"{\"scripts\":{\"a\":\"\\ud800\"}}", "import 'x.just'\nmod y \"z\"\n", "//go:generate x\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		m := scripted(map[string]string{"Makefile": content, "package.json": content, "justfile": content,
			"!x.sh": content, "x.go": content, "!.git/hooks/pre-commit": content})
		for _, command := range []string{"make a", "make", "npm run a", "just a", "just", "go generate",
			"git commit -m x", "./x.sh", "bash x.sh", ". ./x.sh"} {
			r := Analyze(command, testEnv(m))
			if r.Exceeded != "" || len(r.Commands) > 4*maxWork || len(r.Definitions) > 2*maxDefinitions {
				t.Fatalf("%s: %s, %d commands, %d definitions", command, r.Exceeded, len(r.Commands),
					len(r.Definitions))
			}
			for _, d := range r.Definitions {
				if d.Command >= len(r.Commands) {
					t.Fatalf("%+v", d)
				}
			}
		}
		if o, ok := recipe.ParseObject(content); ok && len(o.Names) != len(o.Values) {
			t.Fatal(o)
		}
	})
}
