package config

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// SetConfine replaces what stands there, and leaves all else.
func TestSetConfine(t *testing.T) {
	const rest = "# mine\n[log]\non_failure = \"block\"\n"
	for before, after := range map[string]string{
		rest: "confine = \"on\"\n" + rest, "confine = \"off\" # x\n" + rest: "confine = \"on\" # x\n" + rest,
	} {
		p := onDisk(t)
		write(t, p.User, before, 0o600)
		if err := SetConfine(p, true); err != nil {
			t.Errorf("%q: %v", before, err)
		}
		if text, err := os.ReadFile(p.User); err != nil || cmp.Diff(after, string(text)) != "" {
			t.Errorf("%q: %v (-want +got)\n%s", before, err, cmp.Diff(after, string(text)))
		}
		if err := SetConfine(p, false); err != nil {
			t.Errorf("%q: %v", before, err)
		}
		if s, err := Load(p); err != nil || s.Confine.On {
			t.Errorf("%q: %v, %v", before, s.Confine, err)
		}
	}
}
