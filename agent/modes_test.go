package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/agent/agenttest"
	"github.com/nodgate/nod/internal/testworld"
)

// seat is one place in which the script is played.
type playedSeat struct {
	name    string
	adapter agent.Adapter
	mode    string
	entry   string // Claude Code's entry point; Codex's sandbox
	flows   bool   // the host's own flow takes what is left to it
}

func playedSeats() (seats []playedSeat) {
	for _, entry := range []string{"cli", "sdk-cli"} {
		for _, mode := range []string{"auto", "default", "acceptEdits", "plan", "dontAsk", "bypassPermissions",
			"someday"} {
			name := "claude-code, " + mode + map[string]string{"cli": ", a person", "sdk-cli": ", nobody"}[entry]
			seats = append(seats, playedSeat{name, agent.Host("claude-code"), mode, entry,
				entry == "cli" && mode != "someday" || mode == "auto" || mode == "dontAsk"})
		}
	}
	return append(seats,
		playedSeat{"codex, without its sandbox", agent.Host("codex"), "default", "danger-full-access", false},
		playedSeat{"codex, in its sandbox", agent.Host("codex"), "default", "workspace-write", true},
		playedSeat{"gemini", agent.Host("gemini"), "", "", false},
		playedSeat{"qwen", agent.Host("qwen"), "default", "", false},
		playedSeat{"opencode", agent.Host("opencode"), "", "", false},
		playedSeat{"pi", agent.Host("pi"), "", "", false})
}

// payload is a call of the script as the host sends it; "" where the host has no such tool.
func (s playedSeat) payload(c agenttest.ScriptCall, dir string) string {
	spelled := map[string][4]string{
		"claude-code": {"PreToolUse", "Bash"}, "codex": {"PreToolUse", "Bash"},
		"gemini": {"BeforeTool", "run_shell_command"},
		"qwen":   {"PreToolUse", "run_shell_command"}, "opencode": {"tool.execute.before", "bash"},
		"pi": {"tool_call", "bash"},
	}[s.adapter.Name()]
	tool := c.Tool
	switch {
	case c.Tool == "Bash":
		tool = spelled[1]
	case s.adapter.Name() != "claude-code":
		return ""
	}
	if s.adapter.Name() == "opencode" || s.adapter.Name() == "pi" {
		return fmt.Sprintf(`{"hook":%q,"tool":%q,"session":"s","call":"c","directory":%q,"args":%s}`, spelled[0], tool,
			dir, c.Input)
	}
	if s.adapter.Name() == "codex" {
		return fmt.Sprintf(`{"session_id":"s","cwd":%q,"permission_mode":%q,"hook_event_name":%q,"tool_name":%q,"tool_use_id":"c","tool_input":%s,"transcript_path":%q}`,
			dir, s.mode, spelled[0], tool, c.Input, s.rollout(c, dir))
	}
	return fmt.Sprintf(`{"session_id":"s","cwd":%q,"permission_mode":%q,"hook_event_name":%q,"tool_name":%q,"tool_use_id":"c","tool_input":%s}`,
		dir, s.mode, spelled[0], tool, c.Input)
}

// rollout writes what Codex writes before it asks a hook, and returns the file.
func (s playedSeat) rollout(c agenttest.ScriptCall, dir string) string {
	var in struct{ Command string }
	_ = json.Unmarshal([]byte(c.Input), &in)
	args, _ := json.Marshal(map[string]string{"cmd": in.Command})
	file := filepath.Join(filepath.Dir(dir), "rollout.jsonl")
	text := fmt.Sprintf(`{"type":"turn_context","payload":{"approval_policy":"on-request","sandbox_policy":{"type":%q}}}`+"\n"+
		`{"type":"response_item","payload":{"type":"function_call","name":"exec_command","call_id":"c","arguments":%q}}`+"\n", s.entry, args)
	_ = os.WriteFile(file, []byte(text), 0o600)
	return file
}

// TestScriptInEveryMode plays 40 ordinary and 40 grave calls in every mode of Claude Code and on
// the other driven hosts, without a model: nod adds no prompt to an ordinary call, never allows a
// grave one, and stops what is known to lose work or to print a secret everywhere. What is merely
// not known is left to the host's own flow where there is one.
func TestScriptInEveryMode(t *testing.T) {
	home, work := scriptWorld(t)
	good := agenttest.Ordinary()
	bad, unread := agenttest.Grave()
	if len(good) != 40 || len(bad) != 40 {
		t.Fatalf("%d ordinary and %d grave calls", len(good), len(bad))
	}
	rules := nod.DefaultRules()
	for _, seat := range playedSeats() {
		told := func(c agenttest.ScriptCall) string {
			c.Input = strings.NewReplacer("DIR", work, "HOME", home).Replace(c.Input)
			payload := seat.payload(c, work)
			if payload == "" {
				return ""
			}
			e, err := seat.adapter.Decode([]byte(payload), []string{"HOME=" + home, "PATH=/usr/bin:/bin", "PWD=" + work,
				"CLAUDE_PROJECT_DIR=" + work, "GEMINI_PROJECT_DIR=" + work, "CLAUDE_CODE_ENTRYPOINT=" + seat.entry})
			if err != nil {
				t.Fatal(err)
			}
			if e.Complete != nil {
				e.Complete(&e)
			}
			e.Call.Roots = []string{work}
			d := nod.New(nod.Options{Rules: rules, Files: testworld.Disk(home), Home: home}).Check(t.Context(), e.Call)
			return seat.adapter.Encode(e, d, agent.Default, false).Said
		}
		counts := map[string]int{}
		for _, c := range good {
			said := told(c)
			counts["ordinary "+said]++
			if said == "ask" || said == "deny" {
				t.Errorf("%s: %s %s: nod adds a prompt: %s", seat.name, c.Tool, c.Input, said)
			}
		}
		for i, c := range bad {
			said := told(c)
			counts["grave "+said]++
			switch {
			case said == "allow":
				t.Errorf("%s: %s %s runs unasked", seat.name, c.Tool, c.Input)
			case said == "abstained" && !(seat.flows && (i < unread || c.Tool == "Write")):
				t.Errorf("%s: %s %s is left to the host", seat.name, c.Tool, c.Input)
			}
		}
		t.Logf("%-40s ordinary: %2d allowed, %2d left to the host, %d asked, %d denied; grave: %d allowed, %2d left to the host, %2d asked, %2d denied", seat.name,
			counts["ordinary allow"], counts["ordinary abstained"], counts["ordinary ask"], counts["ordinary deny"],
			counts["grave allow"], counts["grave abstained"], counts["grave ask"], counts["grave deny"])
	}
}

// scriptWorld is a home, and a repository in it with untracked files.
func scriptWorld(t *testing.T) (home, work string) {
	t.Helper()
	// Not in the directory for temporary files, where nothing is lost, and where no
	// test that reads the sources meets it.
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(filepath.Join(here, "testdata"), ".script-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	home = filepath.Join(dir, "dev")
	work = filepath.Join(home, "shop")
	for name, text := range map[string]string{
		"shop/README.md": "# shop\n", "shop/src/main.go": "package main\n", "shop/opaque": "#!/bin/sh\neval \"$X\"\n",
	} {
		writeScript(t, filepath.Join(home, name), text)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."},
		{"-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-q", "-m", "start"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = work, []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git: %v %s: skipped", err, out)
		}
	}
	for name, text := range map[string]string{
		"shop/.env": "KEY=x\n", "shop/scratch/a.txt": "not in git\n", ".ssh/id_ed25519": "not a key\n",
		"shop/src/main.go": "package main // changed\n",
	} {
		writeScript(t, filepath.Join(home, name), text)
	}
	return home, work
}

func writeScript(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// Who does not name the session is in one of the project that the server was started
// in: the root that is kept of it is that project's.
func TestPermissionPromptsOfOneProjectAreASession(t *testing.T) {
	session := func(project string) string {
		e, err := agent.ClaudePrompt{Project: project}.Decode([]byte(`{"tool_name":"Bash","input":{"command":"ls"}}`),
			nil)
		if err != nil {
			t.Fatal(err)
		}
		return e.Call.Session
	}
	first, again, other := session("/a"), session("/a"), session("/b")
	if first == "" || first != again || first == other {
		t.Errorf("%q %q %q", first, again, other)
	}
}

// As the permission prompt tool: allow rules hold where each command starts in
// the project, and what is for a person alone is refused in words of its own.
func TestPermissionPromptSays(t *testing.T) {
	_, work := scriptWorld(t)
	rule, err := nod.ParseRule(nod.ListAllow, "./opaque", "here")
	if err != nil {
		t.Fatal(err)
	}
	rules := nod.DefaultRules()
	rules.Allow = append(rules.Allow, rule)
	for _, row := range []struct{ payload, environ, want string }{
		{`{"tool_name":"Bash","input":{"command":"./opaque"}}`, "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR=1",
			`"behavior":"allow"`},
		{`{"tool_name":"Bash","input":{"command":"./opaque"}}`, "", "A person has to approve this"},
		{`{"tool_name":"Bash","input":{"command":"./opaque"}}`, "",
			"an allow rule holds for such a command only with CLAUDE_BASH"},
		{`{"tool_name":"TodoWrite","input":{"todos":[]}}`, "", `"behavior":"allow"`},
		{`{"tool_name":"SendMessage","input":{"to":"main","message":"x"}}`, "", "this tool is for a person"},
		{`{"tool_name":"SendMessage","input":{"to":"kid","message":"x"}}`, "", "A person has to approve this"},
		{`{"tool_name":"AskUserQuestion","input":{"questions":[]}}`, "", "this tool is for a person"},
		{`{"tool_name":"ExitPlanMode","input":{"plan":"x"}}`, "", "this tool is for a person"},
	} {
		a := agent.ClaudePrompt{Project: work, Session: "s"}
		e, err := a.Decode([]byte(row.payload), []string{"PATH=/usr/bin:/bin", row.environ})
		if err != nil {
			t.Fatal(err)
		}
		e.Call.Roots = []string{work}
		gate := nod.New(nod.Options{Rules: rules, Files: testworld.Disk(work), Home: filepath.Dir(work)})
		d := gate.Check(t.Context(), e.Call)
		if got := string(a.Encode(e, d, agent.Default, false).Stdout); !strings.Contains(got, row.want) {
			t.Errorf("%s %s: %s, want %s", row.payload, row.environ, got, row.want)
		}
	}
}
