//go:build unix

package page_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/cli"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/page"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/shown"
	"github.com/nodgate/nod/internal/testworld"
)

// TestMain is nod-hook too: a real process that waits for a person.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "claude-code" {
		environ := []string{"HOME=" + os.Getenv("AT"), "PATH=/usr/bin:/bin", "CLAUDE_PROJECT_DIR=" + os.Getenv("AT") + "/shop",
			"CLAUDE_CODE_ENTRYPOINT=sdk-cli"}
		os.Exit(hook.Main(context.Background(), os.Args[1:], environ, os.Stdin, os.Stdout, os.Stderr, os.Exit))
	}
	os.Exit(m.Run())
}

// world is a home with a repository, and nod ui in it.
type world struct {
	testing.TB
	home, shop, state, settings string
	link                        string // begins a session
}

func newWorld(t testing.TB) *world {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, home: home, shop: home + "/shop", state: home + "/.local/state/nod",
		settings: home + "/.config/nod/nod.toml"}
	w.write(w.shop+"/main.go", "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"hello\")\n}\n")
	w.write(w.shop+"/AGENTS.md", "# The shop\n\nRun the tests with `go test ./...`.\n\nNever push to main.\n\nAsk first.\n")
	w.write(home+"/t.jsonl", `{"type":"user","message":{"role":"user","content":"publish it"}}`+"\n")
	w.write(w.settings, "allow = [\"go test *\"]\nask   = [\"npm publish\", \"git push\"]\n"+
		"hard_deny = [\"git push --force\"]\n")
	return w
}

func (w *world) write(name, text string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

// serve starts nod ui, and ends it with the test.
func (w *world) serve() {
	w.Helper()
	ctx, stop := context.WithCancel(context.Background())
	said, out := io.Pipe()
	ended := make(chan int, 1)
	var trouble bytes.Buffer
	go func() {
		p := &cli.Process{Stdin: strings.NewReader(""), Stdout: out, Stderr: &trouble, Dir: w.home,
			Environ:   testworld.Environ(w.home),
			Views:     &cli.Views{Page: func(o shown.Page) cli.Page { return page.New(o) }},
			Ancestors: func() ([]cli.Ancestor, error) { return []cli.Ancestor{{Name: "bash"}}, nil }}
		code := cli.Main(ctx, p, []string{"ui", "--listen", "127.0.0.1:0", "--state", w.state, "--settings", w.settings,
			"--managed="})
		out.Close()
		ended <- code
	}()
	w.Cleanup(func() {
		stop()
		if code := <-ended; code != 0 {
			w.Errorf("nod ui ended with %d: %s", code, trouble.String())
		}
	})
	lines := bufio.NewScanner(said)
	for w.link == "" {
		if !lines.Scan() {
			w.Fatalf("nod ui printed no link: %s", trouble.String())
		}
		if link, is := strings.CutPrefix(lines.Text(), "  http://"); is {
			w.link = "http://" + strings.Fields(link)[0]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
}

// kinds are calls as a log has them.
var kinds = []struct {
	tool, raw, input string
	verdict          nod.Verdict
	layer            nod.Layer
	answered, reason string
	cost             float64
}{
	{"read_file", "Read", `{"file_path":"SHOP/internal/cart/total.go"}`, nod.Allow, nod.LayerAllowlist, "allow", "", 0},
	{"grep", "Grep", `{"pattern":"func Total","path":"SHOP"}`, nod.Allow, nod.LayerAllowlist, "allow", "", 0},
	{"file_edit", "Edit", `{"file_path":"SHOP/main.go","old_string":"hello","new_string":"hello, world"}`, nod.Allow,
		nod.LayerEdit, "allow", "a file edit inside the workspace", 0},
	{"bash", "Bash", `{"command":"git status --short && git log --oneline -5"}`, nod.Allow, nod.LayerShell, "allow",
		"it changes nothing", 0},
	{"bash", "Bash", `{"command":"go test ./internal/cart/... 2>&1 | tail -40"}`, nod.Allow, nod.LayerShell, "allow",
		"allow rule: go test *", 0},
	{"bash", "Bash", `{"command":"npm run build -- --watch=false"}`, nod.Allow, nod.LayerModel, "allow",
		"builds the project, as the task asks", 0.0011},
	{"bash", "Bash", `{"command":"rm -rf ../old-shop"}`, nod.Ask, nod.LayerNone, "ask",
		"this deletes outside of the workspace", 0},
	{"bash", "Bash", `{"command":"git push --force origin main"}`, nod.Deny, nod.LayerGuard, "deny",
		"a hard_deny rule speaks against this: git push --force", 0},
	{"web_fetch", "WebFetch", `{"url":"https://pkg.go.dev/net/http"}`, nod.Ask, nod.LayerNone, "abstained",
		"this fetches a page of pkg.go.dev (its address can carry data out, and others wrote what it says)", 0},
}

// logged writes n decisions into the log, of three weeks, or of now.
func (w *world) logged(n int, past time.Duration) {
	w.Helper()
	log, err := audit.Open(w.state)
	if err != nil {
		w.Fatal(err)
	}
	defer log.Close()
	now := time.Now().Add(-past)
	for i := range n {
		now = now.Add(past / time.Duration(n+1))
		if err := log.Write(w.entry(i, now)); err != nil {
			w.Fatal(err)
		}
	}
}

func (w *world) entry(i int, now time.Time) audit.Entry {
	k := kinds[(i*i+i/7)%len(kinds)]
	c := nod.NewCall(k.tool, json.RawMessage(strings.ReplaceAll(k.input, "SHOP", w.shop)), w.shop, nil)
	c.RawTool, c.Roots, c.Session = k.raw, []string{w.shop}, fmt.Sprintf("5f0c1a%02x-1f2e", i/60%256)
	c.Agent = []string{"claude-code", "claude-code", "codex", "opencode"}[i/60%4]
	d := nod.Decision{ID: now.UTC().Format("20060102T150405.000000-") + fmt.Sprintf("%012x", i), Verdict: k.verdict,
		Layer: k.layer, Reason: k.reason, Cost: k.cost, Latency: time.Duration(300+i%7*140) * time.Microsecond}
	if k.cost > 0 {
		d.Latency += time.Duration(400+i%11*90) * time.Millisecond
	}
	e := audit.FromDecision(c, d, now)
	e.Nod, e.Mode, e.Setting, e.Answered = "1.0.0", "default", "enforce", k.answered
	return e
}

// waits starts the hook with a call that a person must answer, and returns what the hook said in the end.
func (w *world) waits(tool string, input map[string]any) (answer <-chan string) {
	w.Helper()
	hang.Until(w, "somebody who hears questions", func() bool { return w.link == "" || question.Heard(w.state) })
	payload, _ := json.Marshal(map[string]any{"session_id": "s1", "cwd": w.shop, "permission_mode": "default",
		"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1",
		"transcript_path": w.home + "/t.jsonl"})
	self, err := os.Executable()
	if err != nil {
		w.Fatal(err)
	}
	cmd := exec.Command(self, "claude-code", "--state", w.state, "--settings", w.settings, "--managed=")
	cmd.Env, cmd.Stdin, cmd.Dir = []string{"AT=" + w.home}, bytes.NewReader(payload), w.shop
	said := make(chan string, 1)
	go func() {
		out, err := cmd.Output()
		if err != nil {
			out = append(out, err.Error()...)
		}
		said <- string(out)
	}()
	return said
}
