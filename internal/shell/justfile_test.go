package shell

import (
	"strings"
	"testing"
)

// TestJustfiles holds what is read of a justfile, and that any line that is not
// plain leaves all of it unread.
func TestJustfiles(t *testing.T) {
	for _, row := range []struct{ name, file, command, want string }{
		{"recipe", "clean:\n    rm -rf build\n", "just clean", "delete build tree forced"},
		{"the first one", "# about\n\nall: a b\na:\n    @rm a\nb:\n    -rm b\n", "just", "delete a; delete b"},
		{"the one marked so", "a:\n    rm a\n[default]\nb:\n    rm b\n", "just", "delete b"},
		{"before and after", "a: b && c\n    rm a\nb:\n    rm b\nc:\n    rm c\n", "just a", "delete a; delete b; delete c"},
		{"several", "a:\n    rm a\nb x:\n    rm {{x}}\n", "just b c a", "delete a; delete c"},
		{"an argument that is named like a recipe", "a:\n    rm a\nb x='n':\n    rm {{x}}\n", "just b a", "delete a"},
		{"all that is left", "a *x:\n    rm {{ x }}\n", "just a b -r c", "delete b tree; delete c tree"},
		{"at least one", "a +x:\n    rm {{x}}\n", "just a b c", "delete b; delete c"},
		{"nothing left", "a *x:\n    ls src {{x}}\n", "just a", "read src"},
		{"default", "a x='b' y=x:\n    rm {{x}} {{y}}\n", "just a c", "delete c"},
		{"variables", "d := 'build'\ne := d + \"/x\" # why\nf := d / 'y'\na:\n    rm {{e}} {{ f }} {{d+'/z'}}\n", "just a", "delete build/x; delete build/y; delete build/z"},
		{"a parameter comes before a variable", "x := 'b'\na x:\n    rm {{x}}\n", "just a c", "delete c"},
		{"arguments of what it needs", "a: (b 'c' d)\nd := 'e'\nb x y:\n    rm {{x}} {{y}}\n", "just a", "delete c; delete e"},
		{"an argument that ends the command", "a x:\n    cat {{x}}\n", "just a 'b; rm z'", "delete z; read b"},
		{"alias", "alias c := clean\nclean:\n    rm a\n", "just c", "delete a"},
		{"@ and -", "@a:\n    @-rm a\n    -@rm b\n    -rm c\n", "just a", "delete a; delete b; delete c"},
		{"only one @", "a:\n    @@rm a\n", "just a", "unknown"},
		{"each line is a shell", "a:\n    cd src\n    rm b\n", "just a", "delete b"},
		{"continued", "a:\n    cd src && \\\n      rm b\n", "just a", "delete src/b"},
		{"continued without a blank", "a:\n    rm src/\\\n      b\n", "just a", "delete src/b"},
		{"a comment goes on too", "a:\n    # x \\\n    rm b\n    ls src\n", "just a", "read src"},
		{"but not one that is left out", "set ignore-comments\na:\n    # x \\\n    rm b\n", "just a", "delete b"},
		{"even backslashes", "a:\n    ls src \\\\\n    ; rm b\n", "just a", "read ;; read b; read rm; read src"},
		{"four braces", "a:\n    cat '{{{{x}}'\n", "just a", "read {{x}}"},
		{"from below", "a:\n    rm b\n", "cd src && just a", "delete b"},
		{"where it was called", "[no-cd]\na:\n    rm b\n", "cd src && just a", "delete src/b"},
		{"its directory", "a:\n    rm {{justfile_directory()}}/b\n", "cd src && just a", "delete b"},
		{"bash", "set shell := ['bash', '-euo', 'pipefail', '-c']\na:\n    [ -f x ] && rm {a,b}\n", "just a", "delete a; delete b"},
		{"more shell than is followed", "set shell := ['bash', '-c']\na:\n    [[ -f x ]] && rm a\n", "just a", "run project-code"},
		{"script", "a x:\n    #!/usr/bin/env bash\n    set -eu\n    cd src\n\n    rm {{x}}\n", "just a b", "delete b; delete src/b"},
		{"attributes", "[private]\n[group('x'), doc: 'y']\na:\n    rm b\n", "just a", "delete b"},
		{"confirmed", "[confirm('sure?')]\na:\n    rm b\n", "just --yes a", "delete b"},
		{"harmless", "set quiet := true\na:\n  grep -rn foo src\n", "just a", "read src tree"},
		{"a function that is not used", "h := env('X', 'y')\na:\n    rm b\n", "just a", "delete b"},
		{"just in it", "a:\n    just b\nb:\n    rm c\n", "just a", "delete c"},
		{"list", "import 'x.just'\nx := `rm b`\na:\n    rm b\n", "just --list", "read justfile"},
		{"list in it", "default:\n    @just --list --unsorted\n", "just", "read justfile"},
		{"tabs", "a:\n\trm b\n\n\trm c\n", "just a", "delete b; delete c"},
		{"exported", "export RUST_LOG := 'x'\na:\n    rm b\n", "just a", "delete b"},
		{"exported, of which nothing is known", "export FOO := 'x'\na:\n    rm b\n", "just a", "delete b; unknown"},

		{"list of another", "a:\n    rm b\n", "just --list -f /etc/passwd", "run project-code"},
		{"function that is used", "h := env('X')\na:\n    rm {{h}}\n", "just a", "run project-code"},
		{"a function that runs", "h := shell('rm x')\na:\n    ls src\n", "just a", "run project-code"},
		{"backticks that are not used", "h := `rm x`\na:\n    ls src\n", "just a", "run project-code"},
		{"backticks in a recipe", "a:\n    ls {{`rm x`}}\n", "just a", "run project-code"},
		{"import", "import 'x.just'\na:\n    ls src\n", "just a", "run project-code"},
		{"import that may be missing", "import? 'x.just'\na:\n    ls src\n", "just a", "run project-code"},
		{"module", "mod x\na:\n    ls src\n", "just a", "run project-code"},
		{"dotenv", "set dotenv-load\na:\n    ls src\n", "just a", "run project-code"},
		{"all exported", "set export\nPATH := '.'\na:\n    ls src\n", "just a", "run project-code"},
		{"PATH", "export PATH := './src'\na:\n    ls src\n", "just a", "run project-code"},
		{"an exported parameter", "a $PATH='src':\n    ls src\n", "just a", "run project-code"},
		{"twice", "set allow-duplicate-recipes\na:\n    ls src\na:\n    rm b\n", "just a", "run project-code"},
		{"twice for two systems", "[linux]\na:\n    ls src\n[macos]\na:\n    rm b\n", "just a", "run project-code"},
		{"for one system", "[linux]\na:\n    ls src\n", "just a", "run project-code"},
		{"shell of the project", "set shell := ['./sh', '-c']\na:\n    ls src\n", "just a", "run project-code"},
		{"shell with a command", "set shell := ['bash', '-c', 'rm x']\na:\n    ls src\n", "just a", "run project-code"},
		{"another language", "set shell := ['python3', '-c']\na:\n    ls src\n", "just a", "run project-code"},
		{"script in another language", "a:\n    #!/usr/bin/env python3\n    print(1)\n", "just a", "run project-code"},
		{"script by attribute", "[script('bash')]\na:\n    ls src\n", "just a", "run project-code"},
		{"environment by attribute", "[env('PATH', '.')]\na:\n    ls src\n", "just a", "run project-code"},
		{"elsewhere by attribute", "[working-directory: 'src']\na:\n    rm b\n", "just a", "run project-code"},
		{"elsewhere", "set working-directory := 'src'\na:\n    rm b\n", "just a", "run project-code"},
		{"guards", "set guards\na:\n    ?ls src\n", "just a", "run project-code"},
		{"condition", "x := if os() == 'linux' { 'a' } else { 'b' }\na:\n    ls src\n", "just a", "run project-code"},
		{"expanded string", "x := x'~/a'\na:\n    ls src\n", "just a", "run project-code"},
		{"formatted string", "x := f'{{a}}'\na:\n    ls src\n", "just a", "run project-code"},
		{"long string", "x := '''\na:\n    ls src\n'''\na:\n    rm b\n", "just a", "run project-code"},
		{"string over lines", "x := 'y\na:\n    ls src\n'\na:\n    rm b\n", "just a", "run project-code"},
		{"list over lines", "set shell := ['bash',\n  '-c']\na:\n    ls src\n", "just a", "run project-code"},
		{"continued outside of a recipe", "a: \\\n  b\n    ls src\nb:\n    rm b\n", "just a", "run project-code"},
		{"a body that comes late", "a:\n\n    ls src\n", "just a", "run project-code"},
		{"tabs and blanks", "a:\n \tls src\n", "just a", "run project-code"},
		{"less indented", "a:\n    ls src\n  rm b\n", "just a", "run project-code"},
		{"indented behind a comment", "a:\n    ls src\n# x\n    rm b\n", "just a", "run project-code"},
		{"Windows lines", "a:\r\n    ls src\r\n", "just a", "run project-code"},
		{"byte order mark", "\uFEFFa:\n    ls src\n", "just a", "run project-code"},
		{"odd blank in a continued line", "a:\n    ls src/\\\n    \u00a0x\n", "just a", "run project-code"},
		{"no such recipe", "a:\n    ls src\n", "just b", "run project-code"},
		{"too many arguments", "a:\n    ls src\n", "just a b", "run project-code"},
		{"too few", "a x:\n    ls src\n", "just a", "run project-code"},
		{"itself", "a: a\n    ls src\n", "just a", "read src"},
		{"itself by a line", "a:\n    just a\n", "just a", "run project-code"},
		{"variable of the line", "d := 'b'\na:\n    rm {{d}}\n", "just d=c a", "run project-code"},
		{"another directory", "a:\n    ls src\n", "just src/a", "run project-code"},
		{"a module's recipe", "a:\n    ls src\n", "just x::a", "run project-code"},
		{"another file", "a:\n    ls src\n", "just -f src/x a", "run project-code"},
		{"another shell", "a:\n    ls src\n", "just --shell ./x a", "run project-code"},
		{"chosen by a program", "a:\n    ls src\n", "just --choose --chooser ./x", "run project-code"},
		{"a command", "a:\n    ls src\n", "just -c rm b", "run project-code"},
		{"by the environment", "a:\n    ls src\n", "JUST_SHELL=./x just a", "read src; unknown"},
		{"changed by the line", "a:\n    ls src\n", "echo x > justfile; just a", "read src; run justfile; unknown; write justfile"},
		{"a nearer one", "a:\n    ls src\n", "echo x > src/JustFile; cd src && just a", "read src; run src/justfile; unknown; write src/JustFile"},
		{"changed beside", "a:\n    ls src\n", "just a & echo x >> justfile", "read src; run justfile; unknown; write justfile appends"},
		{"sudo", "a:\n    ls src\n", "sudo just a", "privilege root; run project-code"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := Analyze(row.command, testEnv(scripted(map[string]string{"justfile": row.file, "x.just": "x:\n"})))
			if got := brief(r); got != row.want {
				t.Errorf("want %s\ngot  %s\n%+v", row.want, got, r.Unknowns)
			}
			if len(r.Definitions) == 0 && !strings.Contains(row.command, "list") && !strings.Contains(row.file, "--list") {
				t.Error("nothing defines the command")
			}
		})
	}
}

// TestWhichJustfile holds which file just reads.
func TestWhichJustfile(t *testing.T) {
	rm := func(name string) string { return "a:\n  rm " + name + "\n" }
	for _, row := range []struct {
		command, want string
		files         map[string]string
	}{
		{"just a", "delete b", map[string]string{"JustFile": rm("b")}},
		{"just a", "delete b", map[string]string{".justfile": rm("b")}},
		{"just a", "run project-code", map[string]string{"justfile": rm("b"), ".justfile": rm("c")}},
		{"just a", "run project-code", map[string]string{"justfile": rm("b"), "Justfile": rm("c")}},
		{"cd src && just a", "delete src/c", map[string]string{"justfile": rm("b"), "src/.Justfile": rm("c")}},
		{"just a", "run project-code", nil},
	} {
		if got := brief(Analyze(row.command, testEnv(scripted(row.files)))); got != row.want {
			t.Errorf("%v: want %s, got %s", row.files, row.want, got)
		}
	}
	env := testEnv(scripted(map[string]string{"justfile": rm("b")}))
	env.Ambient = append(env.Ambient, "JUST_SHELL")
	if got := brief(Analyze("just a", env)); got != "run project-code" {
		t.Errorf("with JUST_SHELL: %s", got)
	}
}

// TestWhatAJustfileTakesIn holds that an allow rule for just stands for the
// files that it imports too.
func TestWhatAJustfileTakesIn(t *testing.T) {
	files := map[string]string{"justfile": "import? 'ci/tasks'\nmod web\nmod api 'services/api'\n", "ci/tasks": "x:\n", "web/.justfile": "y:\n", "services/api/mod.just": "z:\n"}
	r := Analyze("just x", testEnv(scripted(files)))
	for name := range files {
		if !defines(r, testRepo+"/"+name) {
			t.Errorf("%s does not define it: %+v", name, r.Definitions)
		}
	}
}

// TestEmptyVariables holds that variables of nothing, doubled over and over,
// do not take for ever.
func TestEmptyVariables(t *testing.T) {
	mk, just := "A :=\n", "a := ''\n"
	for c := 'B'; c < 'J'; c++ {
		mk += string(c) + " = " + strings.Repeat("$("+string(c-1)+")", 200) + "\n"
		just += string(c|0x20) + " := " + string(c-1|0x20) + strings.Repeat("+"+string(c-1|0x20), 200) + "\n"
	}
	m := scripted(map[string]string{"Makefile": mk + "x:\n\tls $(I)\n", "justfile": just + "x:\n  ls {{i}}\n"})
	for _, command := range []string{"make x", "just x"} {
		if got := brief(Analyze(command, testEnv(m))); got != "run project-code" {
			t.Error(got)
		}
	}
}
