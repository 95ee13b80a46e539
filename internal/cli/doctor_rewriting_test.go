package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/rewriting"
)

// A program that stands for Claude Code is tried once; how it does on the real ones
// is said in e2e (TestDoctorProvesTheRewriting).
func TestRewritingLine(t *testing.T) {
	home := t.TempDir()
	bin, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &Process{Stderr: &bytes.Buffer{}, Environ: []string{"HOME=" + home, "PATH=" + bin}}
	if l := rewritingLines(t.Context(), p); l != nil {
		t.Errorf("something is said where there is no program: %+v", l)
	}
	claude, runs := filepath.Join(bin, "claude"), filepath.Join(home, "runs")
	state := config.DefaultPlaces(home).State
	put := func(line string) {
		t.Helper()
		text := "#!/bin/sh\n[ \"$1\" = --version ] && echo 2.1.329 && exit\necho x >> " + runs + "\n" + line
		if err := os.WriteFile(claude, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	said := func(want doctor.State, text string, tried int) {
		t.Helper()
		l := rewritingLines(t.Context(), p)
		if len(l) != 1 || l[0].State != want || !strings.Contains(l[0].Text, text) {
			t.Errorf("%+v; want %v %q", l, want, text)
		}
		if log, _ := os.ReadFile(runs); strings.Count(string(log), "x") != tried {
			t.Errorf("tried %d times, want %d", strings.Count(string(log), "x"), tried)
		}
	}
	put("echo no")
	said(doctor.Note, "not proven of Claude Code 2.1.329: it asked its model for no command", 1)
	said(doctor.Note, "so the line has to be typed", 2)
	put(asClaude(t) + " 60 sh -c 'sh \"$HOME/hook\" < /dev/null > /dev/null'; echo rewritten > ran")
	said(doctor.OK, "Claude Code 2.1.329 runs what nod hands it", 3)
	said(doctor.OK, "Claude Code 2.1.329 runs what nod hands it", 3)
	if err := rewriting.Forget(state, "claude-code", "it ran rm"); err != nil {
		t.Fatal(err)
	}
	said(doctor.OK, "had been switched off: it ran rm", 4)
	said(doctor.OK, "Claude Code 2.1.329 runs what nod hands it", 4)
	put("echo another one")
	said(doctor.Note, "not proven", 5)
}

// asClaude is a program of that name which runs what follows a number: timeout's.
func asClaude(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/usr/bin/timeout")
	if err != nil {
		t.Skip("SKIPPED: no /usr/bin/timeout")
	}
	at := filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(at, text, 0o700); err != nil {
		t.Fatal(err)
	}
	return at
}
