//go:build unix

package session

import (
	"strings"
	"testing"
	"time"
)

func remembering(t *testing.T) *Session { return rememberingIn(t, stateDir(t)) }

func rememberingIn(t *testing.T, dir string) *Session {
	s := open(t, dir, "s1")
	_, err := s.Root("/home/dev/shop")
	note(t, err)
	return s
}

func note(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestStanding(t *testing.T) {
	const file = `/home/dev/shop/a "b" <c>/package.json#test`
	s := remembering(t)
	check := func(when, sum string, accepted, seen bool) {
		t.Helper()
		if a, b := s.Standing(file, sum); a != accepted || b != seen {
			t.Errorf("%s: %v %v, want %v %v", when, a, b, accepted, seen)
		}
	}
	answer := func(call, said, sum string) {
		t.Helper()
		note(t, s.Answer(Record{Call: call, Said: said,
			Definitions: []string{Definition(file, sum), Definition("/other", "11")}}))
	}
	check("new", "11", false, false)
	answer("1", "deny", "11")
	check("denied", "11", false, true)
	answer("2", "ask", "11")
	check("asked", "11", false, true)
	note(t, s.Outcome(Record{Call: "other"}))
	check("another call ran", "11", false, true)
	note(t, s.Outcome(Record{Call: "2"}))
	check("it ran", "11", true, true)
	check("other content", "22", false, true)
	answer("2", "ask", "22")
	check("an outcome from before", "22", false, true)
	answer("3", "allow", "22")
	check("allowed", "22", true, true)
	if _, seen := s.Standing("/home/dev/shop/package.json#test", "11"); seen {
		t.Error("another file was seen")
	}
}

// What is out of sight may have been anything.
func TestStandingOfALongSession(t *testing.T) {
	dir := stateDir(t)
	s := rememberingIn(t, dir)
	note(t, s.Answer(Record{Call: "1", Said: "allow", Definitions: []string{Definition("/x", "11")}}))
	for range 1000 {
		note(t, s.Answer(Record{Call: strings.Repeat("x", 290), Said: "allow"}))
	}
	if accepted, seen := rememberingIn(t, dir).Standing("/x", "11"); accepted || !seen {
		t.Error(accepted, seen)
	}
}

func TestChanges(t *testing.T) {
	s := remembering(t)
	note(t, s.Answer(Record{Call: "1", Said: "deny", Changes: []string{"/home/dev/shop/denied"}}))
	note(t, s.Answer(Record{Call: "2", Said: "ask",
		Changes: []string{"/home/dev/shop/a & b", "/home/dev/shop/dir"}}))
	for name, want := range map[string]bool{
		"/home/dev/shop/denied": false, "/home/dev/shop/a & b": true, "/home/dev/shop/dir/x": true,
		"/home/dev/shop/dirx": false, "/home/dev/shop": false, "/home/\xff": true,
	} {
		if got := s.Changes(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	many := make([]string, 64)
	for i := range many {
		many[i] = "/" + strings.Repeat("x", 2000)
	}
	note(t, s.Answer(Record{Call: "3", Said: "allow", Changes: many}))
	if !s.Changes("/anything") {
		t.Error("a line that was too long forgot what it changes")
	}
}

func TestBegan(t *testing.T) {
	before := time.Now().Add(-time.Second)
	if began := remembering(t).Began(); began.Before(before) || began.After(time.Now()) {
		t.Error(began)
	}
	var none *Session
	if !none.Began().IsZero() {
		t.Error("nothing began")
	}
	if accepted, seen := none.Standing("/x", "11"); accepted || !seen {
		t.Error(accepted, seen)
	}
}

// What an earlier nod noted besides (what the session had read, fetched and sent) is passed over, and the rest is read.
func TestLinesOfAnEarlierNod(t *testing.T) {
	s := remembering(t)
	note(t, s.file.Append([]byte(`{"v":1,"kind":"pre","call_id":"1","time":"2026-11-01T00:00:00Z","said":"allow",`+
		`"changes":["/w/a"],"fetched":["/w/a"],"secret":true,"sends":true,"taint":"it has read a page","sum_usd":1}`+"\n")))
	if !s.Changes("/w/a") || s.Changes("/w/b") || len(s.History()) != 1 || s.Cost() != 1 {
		t.Errorf("read as %+v", s.lines())
	}
}
