package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestChange plays testdata/changes.txtar: each file is a settings file, a line "+ ENTRY" or "- ENTRY" of its list
// ask, and what it is then.
func TestChange(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/changes.txtar")
	if err != nil || len(archive.Files) < 15 {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		before, rest, _ := strings.Cut(strings.ReplaceAll(string(f.Data), "␍", "\r"), "==> ")
		said, want, _ := strings.Cut(rest, "\n")
		c := Change{Entry: Entry{"ask", said[2:]}, Remove: said[0] == '-'}
		if got, err := c.edit([]byte(before)); string(got) != want && (err == nil || err.Error()+"\n" != want) {
			t.Errorf("%s: %v\n%q, want\n%q", f.Name, err, got, want)
		}
	}
}

// FuzzChange: whatever a file says, an entry that is added and taken out again leaves what it says.
func FuzzChange(f *testing.F) {
	seeds(f)
	f.Add([]byte("ask = [\n  'a', # b\n\n  \"\"\"\nc\"\"\"\n, ]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c := Change{Entry: Entry{"ask", `a # ] "\`}}
		with, err := c.edit(text)
		if err != nil {
			return
		}
		c.Remove = true
		without, err := c.edit(with)
		if err != nil {
			return // a comma stands where no person writes one
		}
		var was, is map[string]any
		if _, err := decode(text, &was); err != nil {
			t.Fatal(err)
		}
		if _, err := decode(without, &is); err != nil || len(is["ask"].([]any)) == 0 {
			delete(was, "ask")
			delete(is, "ask")
		}
		if !reflect.DeepEqual(was, is) {
			t.Errorf("%q\n%q\n%q", text, with, without)
		}
	})
}

// TestChangeKeepsTheFile: a link stays a link, and its file keeps its mode; what is not ours is left alone.
func TestChangeKeepsTheFile(t *testing.T) {
	p := onDisk(t)
	real, c := filepath.Join(p.Home, "dotfiles.toml"), Change{Entry: Entry{"ask", "git push"}}
	write(t, real, "# mine\n", 0o640)
	if err := os.MkdirAll(filepath.Dir(p.User), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, p.User); err != nil {
		t.Fatal(err)
	}
	draft, err := p.Draft(c)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Load(draft); err != nil || len(s.Rules.Ask) != 1 {
		t.Errorf("the draft: %v %v", s.Rules.Ask, err)
	}
	if s, err := Load(p); err != nil || len(s.Rules.Ask) != 0 {
		t.Errorf("before it is written: %v %v", s.Rules.Ask, err)
	}
	if err := c.Write(p); err != nil {
		t.Fatal(err)
	}
	if s, err := Load(p); err != nil || len(s.Rules.Ask) != 1 || modeOf(t, real) != 0o640 ||
		modeOf(t, p.User)&os.ModeSymlink == 0 {
		t.Errorf("%v %v %v %v", s.Rules.Ask, err, modeOf(t, real), modeOf(t, p.User))
	}
}

// TestPause: it ends at its time; a clock set back, a managed mode, and what others may write pause nothing.
func TestPause(t *testing.T) {
	p := onDisk(t)
	begin := time.Date(2026, 11, 29, 20, 0, 0, 0, time.UTC)
	p.Now = func() time.Time { return begin }
	if err := Pause(p, 20*time.Minute); err != nil {
		t.Fatal(err)
	}
	at := func(after time.Duration, want Mode) {
		t.Helper()
		p.Now = func() time.Time { return begin.Add(after) }
		if s, err := Load(p); err != nil || s.Mode != want || s.Paused.IsZero() != (want == Enforce) {
			t.Errorf("after %v: %v %v %v", after, s.Mode, s.Paused, err)
		}
	}
	at(0, Observe)
	at(20*time.Minute-1, Observe)
	at(20*time.Minute, Enforce)
	at(-time.Second, Enforce)
	file := filepath.Join(p.State, "pause")
	for text, want := range map[string]Mode{
		"2026-11-29T19:59:00Z 2026-11-29T20:09:00Z": Observe, "2026-11-29T21:59:00+02:00 2026-11-29T20:09:00Z": Observe,
		"2026-11-29T20:09:00Z": Enforce, "": Enforce, "2026-11-29T19:59:00Z 2026-11-30T20:00:00Z": Enforce,
		"x 2026-11-29T20:09:00Z": Enforce, "2026-11-29T19:59:00Z 2026-11-29T20:09:00Z x": Enforce,
		"2026-11-29 2026-11-30": Enforce, strings.Repeat("2026-11-29T19:59:00Z ", 9): Enforce,
	} {
		write(t, file, text+"\n", 0o600)
		at(0, want)
	}
	write(t, file, "2026-11-29T19:59:00Z 2026-11-29T20:09:00Z", 0o640)
	at(0, Enforce)
	write(t, file, "2026-11-29T19:59:00Z 2026-11-29T20:09:00Z", 0o600)
	write(t, p.Managed, "mode = \"enforce\"\n", 0o600)
	at(0, Enforce)
	write(t, p.Managed, "ask = [\"git push\"]\n", 0o600)
	at(0, Observe)
	if err := Pause(p, 0); err != nil {
		t.Fatal(err)
	}
	at(0, Enforce)
}
