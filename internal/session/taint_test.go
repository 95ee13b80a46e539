package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestTaintStays(t *testing.T) {
	dir := stateDir(t)
	s := rememberingIn(t, dir)
	if got := s.Taint(); got != "" {
		t.Errorf("a new session is tainted: %q", got)
	}
	note(t, s.Outcome(Record{Call: "1", Taint: "it orders the reader"}))
	for i := range 300 { // far beyond what is looked at
		if err := s.Answer(Record{Call: fmt.Sprint(i), Said: "allow",
			Changes: []string{"/w/" + strings.Repeat("x", 4000)}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := rememberingIn(t, dir).Taint(); got != "it orders the reader" {
		t.Errorf("after a long session the taint is %q", got)
	}
}

// A line that could not be written may have been the one that taints: whoever opens the session later is told.
func TestALineThatIsMissingTaints(t *testing.T) {
	dir := stateDir(t)
	s, err := Open(dir, "agent", "full")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Root("/w"); err != nil {
		t.Fatal(err)
	}
	s.Close() // nothing can be appended any more
	if err := s.Outcome(Record{Call: "1", Taint: "it orders the reader"}); err == nil {
		t.Fatal("written to a closed file")
	}
	again, err := Open(dir, "agent", "full")
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Taint() == "" {
		t.Error("the session counts as clean")
	}
	if err := again.Answer(Record{Call: "2", Said: "allow"}); err != nil {
		t.Error(err)
	}
	if root, err := again.Root("/other"); root != "/w" || err != nil {
		t.Errorf("%q %v", root, err)
	}
}

func TestOriginAndHistory(t *testing.T) {
	s := rememberingIn(t, stateDir(t))
	for _, a := range []Record{
		{Said: "allow", Changes: []string{"/w/a", "/w/got"}, Downloads: []string{"/w/got"}},
		{Said: "deny", Changes: []string{"/w/denied"}, Downloads: []string{"/w/denied"}, Sends: true},
		{Said: "ask", Secret: true},
	} {
		note(t, s.Answer(a))
	}
	for name, want := range map[string]string{"/w/a": "written", "/w/got": "downloaded", "/w/denied": "",
		"/w/other": ""} {
		if got := s.Origin(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := s.History(); !slices.Equal(got,
		[]string{"an earlier call touched a secret store", "an earlier call wrote what it had fetched"}) {
		t.Errorf("history: %q", got)
	}
	if got := (*Session)(nil).History(); got != nil {
		t.Errorf("of no session: %q", got)
	}
}
