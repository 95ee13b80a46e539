package config

import (
	"strings"
	"testing"
)

// The strictest of the managed and the user's word holds. A repository's file says nothing.
func TestTheStrictestConfineHolds(t *testing.T) {
	const on, off = "confine = \"on\"\n", "confine = \"off\"\n"
	for _, row := range []struct {
		managed, user string
		want          bool
	}{
		{absent, absent, false}, {"", "", false}, {absent, on, true}, {absent, off, false}, {on, absent, true},
		{off, absent, false}, {on, on, true}, {on, off, false}, {off, on, false}, {off, off, false},
	} {
		for _, repo := range []string{absent, on, off} {
			s := loaded(t, placesIn(threeFiles(row.managed, row.user, repo)))
			if s.Confine.On != row.want {
				t.Errorf("managed %s, user %s, repository %s: %s", row.managed, row.user, repo, s.Confine)
			}
			if left := strings.Contains(strings.Join(s.Notices, " "), "confine"); left != (repo != absent) {
				t.Errorf("repository %s: notices %q", repo, s.Notices)
			}
		}
	}
	if (Confine{}).On {
		t.Error("the zero value confines")
	}
}
