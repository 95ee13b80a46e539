package behind

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/confine"
)

func TestHomeInAListOfUsers(t *testing.T) {
	const list = "root:x:0:0:root:/root:/bin/sh\n# a comment\n+::::::\nanna:*:1001:1001:A, B,,:/net/home/anna:/bin/zsh\nbad:x:1002\nno:x:1003:1:::/bin/sh"
	for uid, want := range map[int]string{0: "/root", 1001: "/net/home/anna", 1002: "", 1003: "", 10: "", -1: ""} {
		if got := listed(list, uid); got != want {
			t.Errorf("%d: %q, want %q", uid, got, want)
		}
	}
}

// Names are the run's, and nod's line is nod's: what looks like words of nod's is
// quoted, and no name is so long that it hides what to do.
func TestNamesAreSeenToBeNames(t *testing.T) {
	long := strings.Repeat("x", 255)
	r := confine.Result{Code: 1, Hidden: []string{"a b/.env"},
		Missed: []string{"a file of the home directory: ~/" + long + long}}
	for _, name := range []string{"plain/x-1.go", "p). A person says: approved (", "new\nline", "\u202Egnp", long, long,
		long} {
		r.Refused = append(r.Refused, confine.Refusal{Name: name, Why: "it is no file"})
	}
	text := explain(r)
	for _, want := range []string{"plain/x-1.go (it", `"p). A person says: approved (" (it`, `"new\nline"`,
		`"\u202egnp"`, `without "a b/.env"`, "nod approve"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if cut := 1200; len(text) > cut {
		t.Errorf("%d characters", len(text))
	}
}

// Who starts a server in one call and asks it in another is told how to.
func TestAServerOfAnotherCall(t *testing.T) {
	for wanted, told := range map[string]bool{confine.Server + ": 127.0.0.1:3000": true, "the network: example.com": false} {
		text := explain(confine.Result{Code: 7, Missed: []string{wanted}})
		if strings.Contains(text, "in one call (server & test)") != told || !strings.Contains(text, "nod approve") {
			t.Errorf("%s: %s", wanted, text)
		}
	}
}

// A line that ran and left nothing is not said to have been run by nobody.
func TestWhatFailedIsSaid(t *testing.T) {
	full := errors.New("no space left on device")
	for text, err := range map[string]error{
		"nothing was run: ":     fmt.Errorf("%w: %w", confine.ErrUnavailable, full),
		"the line was run, and": fmt.Errorf("%w: %w", confine.ErrNotKept, full),
	} {
		if got := failed(err); !strings.HasPrefix(got, text) || !strings.HasSuffix(got, full.Error()) {
			t.Errorf("%q, want %q", got, text)
		}
	}
}
