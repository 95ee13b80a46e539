package rewriting

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// made is a file that stands for a program.
func made(t *testing.T) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), "host")
	must(t, os.WriteFile(at, []byte("x"), 0o700))
	return at
}

func record(t *testing.T, state, host, program string) {
	t.Helper()
	p, err := Look(program, "1.2.3")
	if err == nil {
		err = Record(state, host, p, Asker{Program: p})
	}
	must(t, err)
}

func recorded(state, host, program string) bool {
	ok, _ := Recorded(state, host, program)
	return ok
}

func TestARecordIsOfOneFile(t *testing.T) {
	state, program := filepath.Join(t.TempDir(), "state"), made(t)
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(program, link))
	if recorded(state, "a", program) {
		t.Error("nothing was proven")
	}
	record(t, state, "a", link)
	if !recorded(state, "a", program) || !recorded(state, "a", link) || recorded(state, "b", program) {
		t.Error("the proof is of this host's program, by any link")
	}
	if recorded(state, "a", made(t)) {
		t.Error("the proof is of another file")
	}
	info, err := os.Stat(file(state, "a"))
	if err != nil || info.Mode() != 0o600 {
		t.Error(info, err)
	}
	if err := os.Chtimes(program, time.Unix(1, 0), time.Unix(1, 0)); err != nil || recorded(state, "a", program) {
		t.Error("the proof is of another time", err)
	}
}

func TestForgottenUntilProvenAgain(t *testing.T) {
	state, program := t.TempDir(), made(t)
	record(t, state, "a", program)
	record(t, state, "b", program)
	must(t, Forget(state, "a", "it ran something else"))
	if ok, off := Recorded(state, "a", program); ok || off != "it ran something else" {
		t.Error("it holds, or why it does not is lost")
	}
	if !recorded(state, "b", program) {
		t.Error("another host's proof is gone")
	}
	record(t, state, "a", program)
	if ok, off := Recorded(state, "a", program); !ok || off != "" {
		t.Error("a new proof does not count")
	}
	if err := Forget(state, "c", "never proven"); err != nil || recorded(state, "c", program) {
		t.Error(err)
	}
}

func TestWhatWasReplacedMeanwhileIsNotRecorded(t *testing.T) {
	state, program := t.TempDir(), made(t)
	p, err := Look(program, "")
	must(t, err)
	must(t, os.WriteFile(program, []byte("longer"), 0o700))
	if err := Record(state, "a", p, Asker{Program: p}); err == nil || recorded(state, "a", program) {
		t.Error("recorded, although nobody tried this file")
	}
}

func TestADamagedFileProvesNothing(t *testing.T) {
	for _, text := range []string{"", "null", "{", `{"a":1}`, `{"a":{}}`, "[]"} {
		state, program := t.TempDir(), made(t)
		must(t, os.WriteFile(file(state, "a"), []byte(text), 0o600))
		if recorded(state, "a", program) || Proven(state, "a", os.Getpid()) {
			t.Errorf("%q proves something", text)
		}
		record(t, state, "a", program)
		if !recorded(state, "a", program) {
			t.Errorf("%q is not begun anew", text)
		}
	}
}

// must ends a test where what it needs is not to be had.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
