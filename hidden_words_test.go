package nod_test

import (
	"os"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/testworld"
)

func rule(t *testing.T, list nod.RuleList, text string) nod.Rule {
	t.Helper()
	r, err := nod.ParseRule(list, text, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// An allow rule does not clear what a hard_deny rule forbids, if words that nod does
// not know were those of the rule.
func TestForbiddenWordsThatAreNotKnown(t *testing.T) {
	p := newProject(t)
	p.git("config", "alias.p", "push")
	p.git("config", "alias.pf", "push --force")
	rules := nod.DefaultRules()
	rules.HardDeny = []nod.Rule{rule(t, nod.ListHardDeny, "git push --force")}
	rules.Allow = []nod.Rule{rule(t, nod.ListAllow, "git *"), rule(t, nod.ListAllow, "git push *")}
	gate := nod.New(nod.Options{Rules: rules, Files: testworld.Disk(), Home: p.home})
	ask := func(line string) nod.Decision {
		call := bash(line)
		call.Dir, call.Roots, call.Environ = p.dir, []string{p.dir}, []string{"HOME=" + p.home, "PATH=/usr/bin:/bin"}
		return gate.Check(t.Context(), call)
	}
	for _, line := range []string{"echo --force | xargs git push",
		`X="origin --force"; git push $X`, "git push $(echo --force)",
		"git push $Y", `read X <<< "--force"; git push $X`, "echo push --force | xargs git",
		`git -c alias.z="push --force" z`, "git -c alias.z=push z --force",
		`for x in "push --force"; do git $x; done`,
		"git push --force", "git push --forc"} {
		if d := ask(line); d.Verdict == nod.Allow {
			t.Errorf("%q is allowed (%s)", line, d.Reason)
		}
	}
	for _, line := range []string{"git status",
		`git commit --allow-empty -m "a long message, --force"`,
		"git log --oneline", "git diff *.txt"} {
		if d := ask(line); d.Verdict != nod.Allow {
			t.Errorf("%q: %s (%s)", line, d.Verdict, d.Reason)
		}
	}
}

// An allow rule for a program that nod does not know says what may run, not on which
// secrets.
func TestSecretsThatAreGivenToUnknownPrograms(t *testing.T) {
	p := newProject(t)
	p.write(".env", "KEY=x\n")
	p.write("bin/deploy", "#!/bin/sh\n")
	p.must(os.Chmod(p.dir+"/bin/deploy", 0o755))
	rules := nod.DefaultRules()
	rules.Allow = []nod.Rule{rule(t, nod.ListAllow, "bin/deploy *"), rule(t, nod.ListAllow, "go test *")}
	gate := nod.New(nod.Options{Rules: rules, Files: testworld.Disk(), Home: p.home})
	for line, want := range map[string]bool{"bin/deploy .env": lost, "bin/deploy --key=.env": lost, "bin/deploy ./.env": lost,
		"bin/deploy @.env": lost, "bin/deploy KEY=@.env": lost,
		"bin/deploy --key .env": lost} {
		call := bash(line)
		call.Dir, call.Roots, call.Environ = p.dir, []string{p.dir}, []string{"HOME=" + p.home, "PATH=/usr/bin:/bin"}
		if d := gate.Check(t.Context(), call); (d.Verdict == nod.Allow) != want {
			t.Errorf("%q: %v (%s)", line, d.Verdict, d.Reason)
		}
	}
}
