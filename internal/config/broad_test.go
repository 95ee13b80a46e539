package config

import (
	"strings"
	"testing"
)

// A rule of allow that would allow any code is left out with a notice that says where it stands; the other rules hold.
func TestBroadRulesAreLeftOut(t *testing.T) {
	text := "allow = [\n\"make *\",\n\"git status\",\n\"python3 -\"]\nhard_deny = [\"git push --force\"]\n" +
		"[[repository]]\npath = \"~/a\"\nallow = [\"uv run *\"]\n"
	s, err := Load(placesIn(world().File(userFile, text, 0o600)))
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(s.Notices, "\n")
	for _, want := range []string{":2: allow: left out: \"make *\" would", ":4: allow: left out: \"python3 -\" would",
		":8: allow: left out: \"uv run *\" would"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	for _, r := range s.Rules.Allow {
		if r.Text == "make *" || r.Text == "python3 -" {
			t.Errorf("%q is a rule", r.Text)
		}
	}
}
