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

// A program that stands for Claude Code is tried once; how it does on the real one
// is said in e2e (TestDoctorProvesTheRewriting).
func TestRewritingLine(t *testing.T) {
	home := t.TempDir()
	bin, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &Process{Stderr: &bytes.Buffer{}, Environ: []string{"HOME=" + home, "PATH=" + bin}}
	if l, ok := rewritingLine(t.Context(), p); ok {
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
		l, ok := rewritingLine(t.Context(), p)
		if !ok || l.State != want || !strings.Contains(l.Text, text) {
			t.Errorf("%v %+v; want %v %q", ok, l, want, text)
		}
		if log, _ := os.ReadFile(runs); strings.Count(string(log), "x") != tried {
			t.Errorf("tried %d times, want %d", strings.Count(string(log), "x"), tried)
		}
	}
	put("echo no")
	said(doctor.Note, "not proven of Claude Code 2.1.329: it asked its model for no command", 1)
	said(doctor.Note, "so the line has to be typed", 2)
	put("echo \"$0\" > \"$HOME/asker\"; echo rewritten > ran")
	said(doctor.OK, "Claude Code 2.1.329 runs what nod hands it", 3)
	said(doctor.OK, "Claude Code 2.1.329 runs what nod hands it", 3)
	if err := rewriting.Forget(state, provable, "it ran rm"); err != nil {
		t.Fatal(err)
	}
	said(doctor.OK, "had been switched off: it ran rm", 4)
	said(doctor.OK, "Claude Code 2.1.329 runs what nod hands it", 4)
	put("echo another one")
	said(doctor.Note, "not proven", 5)
}
