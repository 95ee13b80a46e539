package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/install"
)

// realMachine is one whose nod-hook is the real one, which testscript.Main puts into PATH.
func realMachine(t *testing.T) *machine {
	t.Helper()
	m := newMachine(t)
	at, err := exec.LookPath("nod")
	if err != nil {
		t.Fatal(err)
	}
	m.in.self = func() (string, error) { return at, nil }
	return m
}

// setenv changes what doctor finds in its environment, under a name of the test's own.
func setenv(name, value string) func(*machine) {
	return func(m *machine) { m.t.Setenv(name, value) }
}

func (m *machine) doctor(args ...string) (code int, blocks []doctor.Block, text string) {
	m.t.Helper()
	for _, format := range []string{"--json", ""} {
		var out, errs bytes.Buffer
		p := &Process{
			Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: m.path("repo"),
			Environ: []string{"HOME=" + m.path("home"), "PATH=" + m.path("bin") + ":/usr/bin:/bin",
				"CODEX_HOME=" + os.Getenv("TEST_CODEX_HOME")},
			Ancestors: func() ([]Ancestor, error) { return []Ancestor{{Name: "claude"}}, nil }, // an agent may ask
		}
		for _, name := range []string{"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"} {
			p.Environ = append(p.Environ, name+"="+os.Getenv("TEST_"+name))
		}
		words := args
		if format != "" {
			words = append([]string{format}, args...)
		}
		code = command{name: "doctor", run: m.in.doctor}.main(context.Background(), p, words)
		if errs.Len() > 0 {
			m.t.Fatalf("stderr: %s", errs.String())
		}
		if format == "" {
			return code, blocks, out.String()
		}
		var got examined
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			m.t.Fatalf("%v: %s", err, out.String())
		}
		blocks = got.Agents
	}
	return
}

// lineOf returns the first line about something in a state.
func lineOf(blocks []doctor.Block, state doctor.State, what string) string {
	for _, b := range blocks {
		for _, l := range b.Lines {
			if l.State == state && l.What == what {
				return l.Text
			}
		}
	}
	return ""
}

// Each agent's own line is started, with the answers that are known; nothing is left behind.
func TestDoctorTriesEveryAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it starts hundreds of programs; verify's stage tests runs it, without the race detector")
	}
	for _, agent := range install.Agents() {
		t.Run(agent, func(t *testing.T) {
			m := realMachine(t)
			if code, _, stderr := m.run("install " + agent + " --user --unattended"); code != ExitOK {
				t.Fatalf("%d %s", code, stderr)
			}
			_, blocks, text := m.doctor(agent)
			if len(blocks) != 1 || blocks[0].Level != "user" {
				t.Fatalf("%+v", blocks)
			}
			want := []string{"hooks", "allow", "deny", "missing", "killed", "slow", "silencers"}
			if strings.HasSuffix(blocks[0].Path,
				".js") { // code that the agent loads: its failures are not tried from here
				want = []string{"hooks", "allow", "deny"}
			}
			for _, what := range want {
				if lineOf(blocks, doctor.OK, what) == "" {
					t.Errorf("%s is not ok:\n%s", what, text)
				}
			}
			if bad := lineOf(blocks, doctor.Failed, "allow") + lineOf(blocks, doctor.Failed, "deny"); bad != "" {
				t.Errorf("%s\n%s", bad, text)
			}
			// Events of their own for files and servers carry no command.
			if bad := lineOf(blocks, doctor.NotTried, "allow"); bad != "" && !strings.HasPrefix(bad,
				"beforeMCP") && !strings.HasPrefix(bad, "pre_") {
				t.Errorf("%s\n%s", bad, text)
			}
			if _, err := os.Stat(m.path("home/.local")); err == nil {
				t.Error("something was written into nod's state")
			}
		})
	}
}

// What stands in the way is said, with the exit status for it.
func TestDoctorFinds(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it starts hundreds of programs; verify's stage tests runs it, without the race detector")
	}
	replace := func(file, old, new string) func(*machine) {
		return func(m *machine) {
			text := m.read(file)
			if !strings.Contains(text, old) {
				m.t.Fatalf("no %q in %s", old, text)
			}
			m.write(file, strings.Replace(text, old, new, 1), 0o600)
		}
	}
	const settings = "home/.config/nod/nod.toml"
	put := func(file, text string) func(*machine) {
		return func(m *machine) { m.write(file, text, 0o600) }
	}
	for _, row := range []struct {
		name, agent string
		change      func(*machine)
		state       doctor.State
		what, text  string
		code        int
	}{
		{"all is well", "claude-code", func(*machine) {}, doctor.OK, "deny",
			"rm -rf / is denied, with a reason that the model reads", 0},
		{"the host's own switch", "claude-code", func(*machine) {}, doctor.OK, "missing", `onFailure: "block"`, 0},
		{"a later version", "claude-code", func(m *machine) { m.claude("2.9.0") }, doctor.NotTried, "version",
			"measured on 2.1.329", 3},
		{"an old version", "claude-code", func(m *machine) { m.claude("2.1.200") }, doctor.Open, "version",
			"lets a call run", 3},
		{"no version", "claude-code", func(m *machine) { m.claude("soon") }, doctor.NotTried, "version",
			"not a version", 3},
		{"observe", "claude-code", put(settings, `mode = "observe"`), doctor.Open, "mode", "observe", 3},
		{"settings that cannot be read", "claude-code", put(settings, `mode = `), doctor.Failed, "settings",
			"  ~/.config/nod/nod.toml:1:7", 4},
		{"reinforce", "claude-code", put(settings, `profile = "reinforce"`), doctor.OK, "allow", "never allows", 0},
		{"a rule against ls", "claude-code", put(settings, `hard_deny = ["ls"]`), doctor.NotTried, "allow", "hard_deny",
			3},
		{"a model for ls", "claude-code", put(settings,
			"soft_deny = [\"ls\"]\n[model]\nprovider = \"openai\"\nendpoint = \"http://127.0.0.1:1/v1\"\n"),
			doctor.NotTried, "allow", "have a model decide about ls", 3},
		{"without the switch", "claude-code", replace(userFile, `"onFailure": "block"`, `"onFailure": "continue"`),
			doctor.NotTried, "hooks", "not as this nod writes", 3},
		{"a narrow matcher", "claude-code", replace(userFile, `"matcher": "*"`, `"matcher": "Bash"`), doctor.Open,
			"hooks", "PreToolUse", 3},
		{"a comment", "claude-code", replace(userFile, "{\n", "{\n  // mine\n"), doctor.Open, "settings",
			"throws the whole file away", 3},
		{"silenced", "claude-code", put("repo/.claude/settings.local.json", `{"disableAllHooks": true}`), doctor.Open,
			"silencers", "settings.local.json:1:21", 3},
		{"silenced by a variable", "claude-code", setenv("TEST_CLAUDE_CODE_SIMPLE", "1"), doctor.Open, "silencers",
			"CLAUDE_CODE_SIMPLE=1", 3},
		{"options that silence", "claude-code", func(*machine) {}, doctor.Note, "limits", "--bare", 0},
		{"silenced above", "claude-code",
			func(m *machine) { m.write(".claude/settings.json", `{"disableAllHooks": true}`, 0o600) }, doctor.Note,
			"silencers", "started there", 0},
		{"Codex, not trusted", "codex", func(*machine) {}, doctor.Open, "trust",
			"PreToolUse, PermissionRequest, PostToolUse: not trusted", 3},
		{"Codex, switched off", "codex", put("home/.codex/config.toml", "[features]\nhooks = false\n"), doctor.Open,
			"silencers", "features.hooks = false", 3},
		{"Codex, unreadable", "codex", put("home/.codex/config.toml", "[features"), doctor.NotTried, "silencers",
			"cannot tell", 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := realMachine(t)
			m.write("bin/codex", "#!/bin/sh\necho codex-cli 0.169.0\n", 0o755)
			m.write("bin/copilot", "#!/bin/sh\necho 'GitHub Copilot CLI 1.0.102.'\n", 0o755)
			if code, _, stderr := m.run("install " + row.agent + " --user --unattended"); code != ExitOK {
				t.Fatalf("%d %s", code, stderr)
			}
			row.change(m)
			code, blocks, text := m.doctor(row.agent)
			if got := lineOf(blocks, row.state, row.what); code != row.code || got == "" || !strings.Contains(text,
				row.text) {
				t.Errorf("exit %d, want %d, and %v %s with %q:\n%s", code, row.code, row.state, row.what, row.text,
					text)
			}
		})
	}
}

// A line is started only if it is what this nod writes, with this nod's programs.
func TestDoctorStartsNoForeignLine(t *testing.T) {
	m := realMachine(t)
	trap := m.path("trapped")
	m.write("repo/nod-hook", "#!/bin/sh\ntouch "+trap+"\n", 0o755)
	m.write("repo/nod", "#!/bin/sh\ntouch "+trap+"\n", 0o755)
	if code, _, stderr := m.run("install claude-code --user --unattended"); code != ExitOK {
		t.Fatalf("%d %s", code, stderr)
	}
	written := m.read(userFile)
	self, _ := m.in.self()
	hook := filepath.Join(filepath.Dir(self), "nod-hook")
	for _, row := range []struct{ name, text string }{
		{"another nod-hook", strings.ReplaceAll(written, `"`+hook+`"`, `"`+m.path("repo/nod-hook")+`"`)},
		{"another nod", strings.ReplaceAll(written, `"`+self+`"`, `"`+m.path("repo/nod")+`"`)},
		{"a relative one", strings.ReplaceAll(written, `"`+hook+`"`, `"./nod-hook"`)},
		{"a line for a shell", `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "` +
			hook + ` claude-code --nod ` + self + `; touch ` + trap + `"}]}]}}`},
		{"a substitution", `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "` +
			hook + ` claude-code --nod ` + self + ` --state $(touch ` + trap + `)"}]}]}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.text == written {
				t.Fatal("nothing was replaced")
			}
			m.write(userFile, row.text, 0o600)
			code, blocks, text := m.doctor("claude-code")
			if code != 3 || lineOf(blocks, doctor.OK, "allow")+lineOf(blocks, doctor.OK, "deny") != "" {
				t.Errorf("exit %d:\n%s", code, text)
			}
			if _, err := os.Stat(trap); err == nil {
				t.Fatal("it was started")
			}
		})
	}
}
