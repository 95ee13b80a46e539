package shell

import (
	"strings"
	"testing"
)

// TestWhichJustfile holds which file an allow rule for just stands for, and that
// no recipe is read.
func TestWhichJustfile(t *testing.T) {
	for _, row := range []struct{ command, want, files string }{
		{"just", "justfile", "justfile"},
		{"just a", "JustFile", "JustFile"},
		{"just a", ".justfile", ".justfile"},
		{"just a", "justfile", ".justfile justfile"},
		{"just --yes -q a -f x", "justfile", "justfile"},
		{"cd src && just a", "src/.Justfile", "justfile src/.Justfile"},
		{"cd src && just a", "justfile", "justfile"},
	} {
		files := map[string]string{}
		for name := range strings.FieldsSeq(row.files) {
			files[name] = "a:\n  ls src\n"
		}
		r := Analyze(row.command, testEnv(scripted(files)))
		if !defines(r, testRepo+"/"+row.want) || brief(r) != "run project-code" {
			t.Errorf("%s: %s, %+v", row.command, brief(r), r.Definitions)
		}
	}
	env := testEnv(scripted(map[string]string{"justfile": "a:\n  ls src\n"}))
	env.Ambient = append(env.Ambient, "JUST_SHELL")
	if r := Analyze("just a", env); len(r.Definitions) != 1 || r.Definitions[0].SHA256 != "" {
		t.Errorf("with JUST_SHELL: %+v", r.Definitions)
	}
}

// TestWhatAJustfileTakesIn holds that an allow rule for just stands for the
// files that it imports too.
func TestWhatAJustfileTakesIn(t *testing.T) {
	files := map[string]string{"justfile": "import? 'ci/tasks'\nmod web\nmod api 'services/api'\n", "ci/tasks": "x:\n",
		"web/.justfile": "y:\n", "services/api/mod.just": "z:\n"}
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
	mk := "A :=\n"
	for c := 'B'; c < 'J'; c++ {
		mk += string(c) + " = " + strings.Repeat("$("+string(c-1)+")", 200) + "\n"
	}
	m := scripted(map[string]string{"Makefile": mk + "x:\n\tls $(I)\n"})
	if got := brief(Analyze("make x", testEnv(m))); got != "run project-code" {
		t.Error(got)
	}
}

// TestListsOfJustfiles holds that just lists the recipes of a file that takes in no
// other: of what it cannot read in one it prints the line.
func TestListsOfJustfiles(t *testing.T) {
	for text, want := range map[string]string{
		"a:\n  ls src\n": "nothing", "import \".env\"\na:\n  ls\n": "unknown", "mod? a '.env'\n": "unknown",
		"mod a\n": "unknown",
	} {
		for _, option := range []string{"--list", "-l", "--summary"} {
			env := testEnv(scripted(map[string]string{"justfile": text}))
			if got := brief(Analyze("just "+option, env)); got != want {
				t.Errorf("%q: %s: %s, want %s", text, option, got, want)
			}
		}
	}
}
