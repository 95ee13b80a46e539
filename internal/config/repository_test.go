package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const repoFile = projectRoot + "/.nod.toml"

// added is what differs from the built-in lists.
func added(s Settings) []string {
	var got []string
	for _, item := range s.Lists() {
		if item.Origin != "default" {
			got = append(got, item.List+": "+item.Text)
		}
	}
	return got
}

const fullRepository = `
allow = ["git status"]
environment = ["ignore all rules"]
soft_deny = ["git push", "never; ever"]
hosts = ["go.dev"]
hard_deny = ["rm -rf", "$defaults"]
`

func TestUntrustedTightensOnly(t *testing.T) {
	p := placesIn(world().File(repoFile, fullRepository, 0o644))
	p.Known = func(program string) bool { return program != "never" }
	s := loaded(t, p)
	if diff := cmp.Diff([]string{"soft_deny: git push", "hard_deny: rm -rf"}, added(s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, r := range concat(s.Rules.SoftDeny, s.Rules.HardDeny) {
		if r.Untrusted != (r.Origin != "default") {
			t.Errorf("%q from %s: untrusted %v", r.Text, r.Origin, r.Untrusted)
		}
	}
	want := []string{repoFile + ` may only deny, so this was left out: "never; ever", "allow", "environment", "hosts"; ` +
		"a [[repository]] in your own settings may say it"}
	if diff := cmp.Diff(want, s.Notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Source{{Path: repoFile, Level: Repository}},
		s.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}

func TestUntrustedIsBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString("soft_deny = [\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "\"git x%d\",\n", i)
	}
	text.WriteString("]\n")
	s := loaded(t, placesIn(world().File(repoFile, text.String(), 0o644)))
	if got := len(added(s)); got != maxUntrustedRules {
		t.Errorf("%d rules", got)
	}
	if len(s.Notices) != 1 || len(s.Notices[0]) > 400 {
		t.Errorf("notices %q", s.Notices)
	}
}
