//go:build linux

package trial

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain lets a copy of this program stand for a host: it runs the line beside it.
func TestMain(m *testing.M) {
	self, _ := os.Executable()
	if line, err := os.ReadFile(self + ".line"); err == nil {
		cmd := exec.Command("sh", "-c", string(line))
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if cmd.Run() != nil {
			os.Exit(max(1, cmd.ProcessState.ExitCode()))
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// claude is a program that stands for Claude Code.
func claude(t *testing.T, line string) string { return program(t, "claude", line) }

func program(t *testing.T, name, line string) string {
	t.Helper()
	self, err := os.ReadFile("/proc/self/exe")
	dir, dirErr := filepath.EvalSymlinks(t.TempDir())
	at := filepath.Join(dir, name)
	if err := errors.Join(err, dirErr, os.WriteFile(at, self, 0o700),
		os.WriteFile(at+".line", []byte(line), 0o600)); err != nil {
		t.Fatal(err)
	}
	return at
}

// asked is what starts the hook and does not care for what it answers.
const asked = `sh "$HOME/hook" < /dev/null > /dev/null; `

// What counts is what was left, and who asked; not what the program says of it.
func TestWhatIsLeftDecides(t *testing.T) {
	other := program(t, "other", asked)
	launched := program(t, "claude", asked)
	for _, row := range []struct{ name, line, want string }{
		{"rewritten", asked + rewritten, ""},
		{"rewritten, and it fails", asked + rewritten + "; exit 1", ""},
		{"original", asked + original, `left "original"`},
		{"both", asked + rewritten + "; echo original >> ran", `left "rewritten`},
		{"nothing", "echo rewritten; exit 3", `for no command; it said "exit status 3 rewritten"`},
		{"no hook", rewritten, "it started no hook"},
		{"another asks", other + "; " + rewritten, `started by "` + other + `"`},
		{"one of its name, which it starts, asks", launched + "; " + rewritten, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			at := claude(t, row.line)
			asker, err := Prove(t.Context(), "claude-code", at)
			if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v; want %q", err, row.want)
			}
			if err == nil && asker.Program.Path != at && asker.Program.Path != launched {
				t.Errorf("asked by %+v", asker)
			}
		})
	}
	for name, at := range map[string]string{"claude-code": "/nowhere/claude", "qwen-code": "/bin/sh"} {
		if _, err := Prove(t.Context(), name, at); err == nil {
			t.Errorf("%s: what cannot be tried is proven", name)
		}
	}
}

// The program sees nothing of this process's environment, and its own home.
func TestTheTrialsEnvironment(t *testing.T) {
	t.Setenv("NOD_TRIAL_LEAK", "x")
	left := filepath.Join(t.TempDir(), "left")
	_, err := Prove(t.Context(), "claude-code", claude(t, "env > "+left+"; pwd >> "+left))
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
	_, err := Prove(ctx, "claude-code", claude(t, "(sleep 1; echo x > "+late+") & sleep 600"))
	if err == nil || !strings.Contains(err.Error(), "did not end in time") {
		t.Error(err)
	}
	time.Sleep(1200 * time.Millisecond)
	if _, err := os.Stat(late); err == nil {
		t.Error("what it started outlived it")
	}
}

// The model makes its call once, where the tool is offered, and says then that it is done.
func TestTheModelMakesOneCall(t *testing.T) {
	for name, h := range hosts() {
		m, err := listen(h)
		if err != nil {
			t.Fatal(err)
		}
		defer m.server.Close()
		offer := `{"tools":[{"name":"` + h.tool + `"}]`
		for _, row := range []struct{ path, body, has string }{
			{h.path, offer + `}`, "echo original"},
			{"/x" + h.path + "?beta=true", offer + `}`, `"` + h.tool + `"`},
			{h.path, offer + `,"messages":["echo original"]}`, `"done"`},
			{h.path, offer + `,"messages":["echo rewritten"]}`, `"done"`},
			{h.path, `{}`, `"done"`},
			{"/v1/models", offer + `}`, "not found"},
		} {
			answer, err := http.Post(m.url+"/"+row.path, "application/json", strings.NewReader(row.body))
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			if !strings.Contains(string(text), row.has) {
				t.Errorf("%s: %s %s: %s", name, row.path, row.body, text)
			}
		}
		if m.played.Load() != 2 {
			t.Error(name, m.played.Load())
		}
	}
}
