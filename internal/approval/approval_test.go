//go:build unix

package approval

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The test binary starts itself as a hook that asks.
func TestMain(m *testing.M) {
	if dir := os.Getenv("APPROVAL_STATE"); dir != "" {
		_, ok, err := Use(dir, keyOf("a"), Caller{Agent: "x", Session: "s", Call: os.Getenv("APPROVAL_CALL")},
			time.Now())
		fmt.Println(ok, err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func keyOf(s string) string { return strings.Repeat(fmt.Sprintf("%02x", s[0]), 32) }

func stateDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

var now = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func once(at time.Time) Approval {
	return Approval{ID: "0000000a", Key: keyOf("a"), Scope: Once, At: at, Until: at.Add(time.Hour), Tool: "Bash",
		Call: "npm publish"}
}

func inSession(at time.Time) Approval {
	a := once(at)
	a.Scope, a.Agent, a.SessionID = Session, "x", "s"
	return a
}

func add(t testing.TB, dir string, at time.Time, list ...Approval) {
	t.Helper()
	for _, a := range list {
		if err := Add(dir, a, at); err != nil {
			t.Fatal(err)
		}
	}
}

// Each scope holds where and for as long as it says, for that key alone.
func TestScopes(t *testing.T) {
	session := inSession(now)
	endless, future := once(now), once(now)
	endless.Until = time.Time{}
	future.At = now.Add(time.Hour)
	for _, row := range []struct {
		name  string
		a     Approval
		by    Caller
		after time.Duration
		want  bool
	}{
		{"once", once(now), Caller{}, time.Minute, true},
		{"once, too late", once(now), Caller{}, time.Hour, false},
		{"once without an end", endless, Caller{}, time.Minute, false},
		{"session", session, Caller{Agent: "x", Session: "s"}, time.Minute, true},
		{"another session", session, Caller{Agent: "x", Session: "t"}, time.Minute, false},
		{"another agent's session of that name", session, Caller{Agent: "y", Session: "s"}, time.Minute, false},
		{"a session without a name", session, Caller{Agent: "x"}, time.Minute, false},
		{"session, too late", session, Caller{Agent: "x", Session: "s"}, time.Hour, false},
		{"before it was given", future, Caller{}, time.Minute, false},
	} {
		dir := stateDir(t)
		add(t, dir, now, row.a)
		if _, ok, err := Use(dir, keyOf("b"), row.by, now.Add(row.after)); ok || err != nil {
			t.Errorf("%s: another key holds (%v)", row.name, err)
		}
		if _, ok, err := Use(dir, keyOf("a"), row.by, now.Add(row.after)); ok != row.want || err != nil {
			t.Errorf("%s: %v, %v", row.name, ok, err)
		}
	}
	if err := Add(stateDir(t), Approval{ID: "0000000a", Key: keyOf("a"), Scope: "always", At: now}, now); err == nil {
		t.Error("an unknown scope was kept")
	}
}

// An approval that holds once is used up by the first call, which may ask again. It is kept while another one holds.
func TestOnceIsUsedUp(t *testing.T) {
	dir := stateDir(t)
	add(t, dir, now, once(now))
	use := func(by Caller, after time.Duration) bool {
		t.Helper()
		_, ok, err := Use(dir, keyOf("a"), by, now.Add(after))
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	first := Caller{Agent: "x", Session: "s", Call: "c1"}
	for _, row := range []struct {
		name  string
		by    Caller
		after time.Duration
		want  bool
	}{
		{"first", first, time.Second, true},
		{"the prompt about it", Caller{Agent: "x", Session: "s", Prompt: true}, 3 * time.Second, true},
		{"that prompt again", Caller{Agent: "x", Session: "s", Prompt: true}, 3 * time.Second, false},
		{"another call", Caller{Agent: "x", Session: "s", Call: "c2"}, 2 * time.Second, false},
		{"a call without a name", Caller{Agent: "x", Session: "s"}, 2 * time.Second, false},
		{"that name in another session", Caller{Agent: "x", Session: "t", Call: "c1"}, 2 * time.Second, false},
		{"the same call by its other hook", first, 3 * time.Second, true},
		{"a prompt of another session", Caller{Agent: "x", Session: "t", Prompt: true}, 3 * time.Second, false},
		{"the same call, much later", first, 3 * time.Minute, false},
	} {
		if use(row.by, row.after) != row.want {
			t.Errorf("%s: not %v", row.name, row.want)
		}
	}
	second, session := once(now), inSession(now)
	second.ID, session.ID = "0000000b", "0000000c"
	add(t, dir, now.Add(5*time.Minute), second, session)
	if !use(Caller{Agent: "x", Session: "s", Call: "c5"}, 6*time.Minute) {
		t.Fatal("the session's approval does not hold")
	}
	list, err := List(dir, now.Add(6*time.Minute))
	if err != nil || len(list) != 2 || !list[0].UsedAt.IsZero() {
		t.Errorf("%+v %v", list, err)
	}
}

// A prompt may not say which call it is about. Then it is about the call that used the
// approval last; where another call came since, a person is asked.
func TestAPromptAfterAnotherCall(t *testing.T) {
	dir := stateDir(t)
	add(t, dir, now, once(now))
	for i, row := range []struct {
		call   string
		prompt bool
		want   bool
	}{{"c1", false, true}, {"c2", false, false}, {"", true, false}, {"", true, false}, {"c1", true, true},
		{"c2", true, false}} {
		by := Caller{Agent: "x", Session: "s", Call: row.call, Prompt: row.prompt}
		if _, ok, err := Use(dir, keyOf("a"), by, now.Add(time.Second)); ok != row.want || err != nil {
			t.Errorf("%d: %+v: %v %v", i, row, ok, err)
		}
	}
}

// A line that nod has not written approves nothing, and goes with the next change.
func TestALineOfAnother(t *testing.T) {
	for name, spoil := range map[string]func(dir, file string) error{
		"another version":     edit(`"v":3`, `"v":2`),
		"a scope that is not": edit(`"session",`, `"standing",`),
		"torn":                edit(`"tool"`, "\n"),
		"a key that is short": edit(keyOf("a"), "61"),
	} {
		dir := stateDir(t)
		add(t, dir, now, inSession(now))
		if err := spoil(dir, filepath.Join(dir, fileName)); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := Use(dir, keyOf("a"), Caller{Agent: "x", Session: "s"}, now); ok || err != nil {
			t.Errorf("%s: %v %v", name, ok, err)
		}
		fresh := inSession(now)
		fresh.ID = "0000000b"
		add(t, dir, now, fresh)
		if list, err := List(dir, now); err != nil || len(list) != 1 || list[0].ID != fresh.ID {
			t.Errorf("%s: %+v %v", name, list, err)
		}
	}
}

// A prompt that used an approval up is no call that was seen before.
func TestAPromptUsesUp(t *testing.T) {
	dir := stateDir(t)
	add(t, dir, now, once(now))
	by := Caller{Agent: "x", Session: "s", Prompt: true}
	for i, want := range []bool{true, false} {
		if _, ok, err := Use(dir, keyOf("a"), by, now.Add(time.Second)); ok != want || err != nil {
			t.Errorf("%d: %v %v", i, ok, err)
		}
	}
}

// Of many goroutines and processes that ask at once exactly one gets it.
func TestExactlyOneGetsIt(t *testing.T) {
	for range 5 {
		dir := stateDir(t)
		add(t, dir, time.Now(), once(time.Now()))
		var got atomic.Int32
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				if _, ok, err := Use(dir, keyOf("a"), Caller{Agent: "x", Session: "s", Call: fmt.Sprint("g", i)},
					time.Now()); ok {
					got.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			})
			if i >= 4 {
				continue
			}
			all.Go(func() {
				cmd := exec.Command(os.Args[0])
				cmd.Env = []string{"APPROVAL_STATE=" + dir, fmt.Sprint("APPROVAL_CALL=p", i)}
				switch out, err := cmd.CombinedOutput(); {
				case string(out) == "true <nil>\n":
					got.Add(1)
				case string(out) != "false <nil>\n":
					t.Errorf("%s %v", out, err)
				}
			})
		}
		all.Wait()
		if got.Load() != 1 {
			t.Errorf("%d calls got it", got.Load())
		}
	}
}

// What is added by many at once is all there, and what is revoked is gone.
func TestAddAndRevoke(t *testing.T) {
	dir := stateDir(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			a := once(now)
			a.ID = fmt.Sprintf("%08x", i)
			if err := Add(dir, a, now); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	list, err := List(dir, now)
	if err != nil || len(list) != 20 {
		t.Fatalf("%d, %v", len(list), err)
	}
	if found, err := Revoke(dir, "00000003"); !found || err != nil {
		t.Error(found, err)
	}
	if found, err := Revoke(dir, "00000003"); found || err != nil {
		t.Error("revoked twice", err)
	}
	if list, err = List(dir, now); err != nil || len(list) != 19 {
		t.Errorf("%d, %v", len(list), err)
	}
	info, err := os.Stat(filepath.Join(dir, fileName))
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
}

// What somebody else may have written approves nothing.
func TestAStoreThatIsNotOurs(t *testing.T) {
	for name, spoil := range map[string]func(dir, file string) error{
		"mode": func(_, file string) error { return os.Chmod(file, 0o640) },
		"link": func(dir, file string) error {
			other := filepath.Join(filepath.Dir(dir), "other")
			if err := os.Rename(file, other); err != nil {
				return err
			}
			return os.Symlink(other, file)
		},
		"directory":       func(dir, _ string) error { return os.Chmod(dir, 0o755) },
		"too long":        func(_, file string) error { return os.Truncate(file, maxBytes+1) },
		"no regular file": func(_, file string) error { os.Remove(file); return os.Mkdir(file, 0o700) },
	} {
		dir := stateDir(t)
		a := once(now)
		add(t, dir, now, a)
		if err := spoil(dir, filepath.Join(dir, fileName)); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := Use(dir, a.Key, Caller{}, now); ok || err == nil {
			t.Errorf("%s: %v %v", name, ok, err)
		}
		if _, err := List(dir, now); err == nil {
			t.Errorf("%s: listed", name)
		}
		if err := Add(dir, a, now); err == nil {
			t.Errorf("%s: added to", name)
		}
	}
}

func edit(old, new string) func(dir, file string) error {
	return func(_, file string) error {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(file, bytes.Replace(text, []byte(old), []byte(new), 1), 0o600)
	}
}

// Without a file, no file is made, and a lock that is held is not waited for without end.
func TestWithoutAFile(t *testing.T) {
	dir := stateDir(t)
	if _, ok, err := Use(dir, keyOf("a"), Caller{}, now); ok || err != nil || Kept(dir) {
		t.Error(ok, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("%v", entries)
	}
}
