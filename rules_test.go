package nod_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// The seed's own examples of rules.
func TestTheSeedsExamples(t *testing.T) {
	known := func(p string) bool { return slices.Contains([]string{"git", "npm", "python", "rm"}, p) }
	for text, pattern := range map[string]bool{
		"git status": true, "npm test": true, "python -m pytest": true,
		"rm -rf": true, "DROP TABLE": false, "force push": false,
		"never run migrations without asking": false,
	} {
		r, err := nod.ParseRule(nod.ListSoftDeny, text, "")
		if err != nil || r.IsPattern(known) != pattern {
			t.Errorf("%q: pattern %v, %v", text, r.IsPattern(known), err)
		}
	}
	for _, text := range []string{"git status", "npm test", "python -m pytest"} {
		if d := verdictOf(options(ruled(nod.ListAllow, text)), bash(text)); d.Verdict != nod.Allow {
			t.Errorf("%s: %s (%s)", text, d.Verdict, d.Reason)
		}
	}
	d := verdictOf(options(ruled(nod.ListSoftDeny, "rm -rf", "DROP TABLE", "force push")), bash("rm -rf build"))
	if d.Verdict != nod.Deny || d.Rule.Text != "rm -rf" {
		t.Errorf("rm -rf build: %s by rule %q", d.Verdict, d.Rule.Text)
	}
}

// TestARuleOfOneRepositoryStaysThere: another workspace may be open, and the session may have gone there.
func TestARuleOfOneRepositoryStaysThere(t *testing.T) {
	o := options(ruled(nod.ListAllow, "npm test"))
	o.Roots = []string{"/home/dev/shop-twin"}
	for i, within := range []string{"", shop} {
		o.Rules.Allow[len(o.Rules.Allow)-1].Within = within // behind the built-in prose
		for command, want := range map[string]nod.Verdict{
			"npm test": nod.Allow, "cd src && npm test": nod.Allow,
			"cd ../shop-twin && npm test": []nod.Verdict{nod.Allow, nod.Ask}[i],
		} {
			if d := verdictOf(o, bash(command)); d.Verdict != want {
				t.Errorf("within %q, %s: %s by %s (%s)", within, command, d.Verdict, d.Layer, d.Reason)
			}
		}
		c := bash("npm test")
		c.Dir = "/home/dev/shop-twin"
		if d := verdictOf(o, c); (d.Verdict == nod.Allow) != (within == "") {
			t.Errorf("within %q, gone elsewhere: %s (%s)", within, d.Verdict, d.Reason)
		}
	}
}

func TestAProgramInTheWorkspaceIsNotWhatItsNameSays(t *testing.T) {
	o := options(ruled(nod.ListAllow, "npm test"))
	w := newWorld(false)
	w.File("/home/dev/shop/tools/npm", "", 0o755).File("/home/dev/shop/tools/ls", "", 0o755)
	o.Files = w
	for _, command := range []string{"npm test", "ls"} {
		c := bash(command)
		c.Environ = []string{"PATH=/home/dev/shop/tools:/usr/bin"}
		if d := verdictOf(o, c); d.Verdict == nod.Allow {
			t.Errorf("%s was allowed by its name", command)
		}
	}
}

// Each row of testdata/parse.txt: a rule, and whether it is taken.
func TestAllowPatternsTooBroadToBeSafe(t *testing.T) {
	data, err := os.ReadFile("testdata/parse.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		list, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		want, text, _ := strings.Cut(rest, " ")
		if says, ok := strings.CutPrefix(rest, "["); ok {
			want, text, _ = strings.Cut(says, "] ")
		}
		if list == "#" {
			continue
		}
		_, err := nod.ParseRule(nod.RuleList(list), text, "")
		var good bool
		switch want {
		case "ok":
			good = err == nil
		case "no":
			good = err != nil
		case "broad":
			good = nod.IsBroad(err)
		default:
			good = err != nil && strings.Contains(err.Error(), want)
		}
		if !good {
			t.Errorf("%s %q: %v, want %s", list, text, err, want)
		}
	}
}
