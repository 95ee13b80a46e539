//go:build unix

package trial

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// script is a program that stands for Claude Code.
func script(t *testing.T, line string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "claude")
	if err := os.WriteFile(at, []byte("#!/bin/sh\n"+line+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return at
}

// What counts is what was left, and who asked; not what the program says of it.
func TestWhatIsLeftDecides(t *testing.T) {
	const asked = `echo "$0" > "$HOME/asker"; `
	for _, row := range []struct{ name, line, want string }{
		{"rewritten", asked + rewritten, ""},
		{"rewritten, and it fails", asked + rewritten + "; exit 1", ""},
		{"original", asked + original, `left "original"`},
		{"both", asked + rewritten + "; echo original >> ran", `left "rewritten`},
		{"nothing", asked + "echo rewritten; exit 3", `for no command; it said "exit status 3 rewritten"`},
		{"another asks", `echo /bin/other > "$HOME/asker"; ` + rewritten, `started by "/bin/other"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := Prove(t.Context(), "claude-code", script(t, row.line))
			if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v; want %q", err, row.want)
			}
		})
	}
	if Prove(t.Context(), "claude-code", "/nowhere/claude") == nil || Prove(t.Context(), "codex", "/bin/sh") == nil {
		t.Error("what cannot be tried is proven")
	}
}

// The program sees nothing of this process's environment, and its own home.
func TestTheTrialsEnvironment(t *testing.T) {
	t.Setenv("NOD_TRIAL_LEAK", "x")
	left := filepath.Join(t.TempDir(), "left")
	err := Prove(t.Context(), "claude-code", script(t, "env > "+left+"; pwd >> "+left))
	text, readErr := os.ReadFile(left)
	if err == nil || readErr != nil || strings.Contains(string(text), "LEAK") ||
		!strings.Contains(string(text), "HOME="+os.TempDir()+"/nod-rewriting-") {
		t.Errorf("%v %v %s", err, readErr, text)
	}
	for line := range strings.Lines(string(text)) {
		if home, ok := strings.CutPrefix(strings.TrimSpace(line), "HOME="); ok {
			if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
				t.Error("the home directory is left", err)
			}
		}
	}
}

// A program that hangs ends with the time that it has, and so does what it started.
func TestATrialEnds(t *testing.T) {
	late := filepath.Join(t.TempDir(), "late")
	ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	err := Prove(ctx, "claude-code", script(t, "(sleep 1; echo x > "+late+") & sleep 600"))
	if err == nil || !strings.Contains(err.Error(), "did not end in time") {
		t.Error(err)
	}
	time.Sleep(1200 * time.Millisecond)
	if _, err := os.Stat(late); err == nil {
		t.Error("what it started outlived it")
	}
}

// The model makes its call once, where the tool is offered, and says then that
// it is done.
func TestTheModelMakesOneCall(t *testing.T) {
	m, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	defer m.server.Close()
	for _, row := range []struct{ path, body, has string }{
		{"/v1/messages", `{"stream":true,"tools":[{"name":"Bash"}]}`, original[:8]},
		{"/v1/messages?beta=true", `{"stream":true,"tools":[{"name":"Bash"}]}`, "input_json_delta"},
		{"/v1/messages", `{"stream":true,"tools":[{"name":"Bash"}],"messages":["` + callID + `"]}`, `"text":"done"`},
		{"/v1/messages", `{"stream":true}`, `"text":"done"`},
		{"/v1/messages", `{"tools":[{"name":"Bash"}]}`, "not found"},
		{"/v1/messages", `{`, "not found"},
		{"/v1/models", `{}`, "not found"},
	} {
		answer, err := http.Post(m.url+row.path, "application/json", strings.NewReader(row.body))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if !strings.Contains(string(text), row.has) {
			t.Errorf("%s %s: %s", row.path, row.body, text)
		}
	}
	if m.played.Load() != 2 {
		t.Error(m.played.Load())
	}
}
