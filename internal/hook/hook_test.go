package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/hook"
)

// place is a home with a workspace, on disk.
type place struct {
	t          testing.TB
	home, shop string
	options    hook.Options
	session    string
	permission string
}

func newPlace(t testing.TB) *place {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, home: home, shop: filepath.Join(home, "shop"), session: "s1", permission: "default"}
	p.write(filepath.Join(p.shop, "main.go"), "package main\n")
	said := `{"type":"user","message":{"role":"user","content":"look around"}}`
	p.write(filepath.Join(home, "t.jsonl"), said+"\n") // a transcript that is not there is waited for
	p.options = hook.Options{
		Adapter: agent.Host("claude-code"), Version: "test", Places: config.DefaultPlaces(home), Deadline: hang.Limit(),
		Environ: []string{"HOME=" + home, "PATH=/usr/bin:/bin", "CLAUDE_PROJECT_DIR=" + p.shop,
			"CLAUDE_CODE_ENTRYPOINT=sdk-cli"},
	}
	p.options.Places.Managed = ""
	return p
}

func (p *place) write(name, content string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) settings(text string) { p.write(p.options.Places.User, text) }

// payload is what Claude Code 2.1.329 sends; more overrides fields.
func (p *place) payload(event, tool string, input any, more map[string]any) []byte {
	fields := map[string]any{
		"session_id": p.session, "cwd": p.shop, "permission_mode": p.permission, "hook_event_name": event,
		"tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1",
		"transcript_path": filepath.Join(p.home, "t.jsonl"),
	}
	for k, v := range more {
		if fields[k] = v; v == nil {
			delete(fields, k)
		}
	}
	data, err := json.Marshal(fields)
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}

func (p *place) bash(command string) []byte {
	return p.payload("PreToolUse", "Bash", map[string]string{"command": command}, nil)
}

// said is what the host makes of an answer.
type said struct {
	verdict, reason, system string
	exit                    int
}

func (p *place) run(stdin io.Reader) said {
	p.t.Helper()
	var stdout, stderr bytes.Buffer
	exit := hook.Run(context.Background(), p.options, stdin, &stdout, &stderr, func(int) {})
	return p.meaning(exit, stdout.Bytes(), stderr.String())
}

// meaning is what the host makes of exit code and streams.
func (p *place) meaning(exit int, stdout []byte, stderr string) said {
	p.t.Helper()
	if exit == 2 {
		if strings.TrimSpace(stderr) == "" {
			p.t.Error("exit 2 with an empty stderr lets the call run on some hosts")
		}
		return said{verdict: "deny", reason: stderr, exit: 2}
	}
	if len(stdout) == 0 {
		return said{verdict: "silence", reason: stderr, exit: exit}
	}
	var answer struct {
		System string `json:"systemMessage"`
		Output struct {
			Decision string                             `json:"permissionDecision"`
			Reason   string                             `json:"permissionDecisionReason"`
			Prompt   struct{ Behavior, Message string } `json:"decision"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(stdout, &answer); err != nil {
		p.t.Fatalf("%v: %s", err, stdout)
	}
	s := said{verdict: answer.Output.Decision, reason: answer.Output.Reason, system: answer.System, exit: exit}
	if s.verdict == "" {
		s.verdict, s.reason = answer.Output.Prompt.Behavior, answer.Output.Prompt.Message
	}
	return s
}

func (p *place) log() []audit.Entry {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.options.Places.State, "decisions.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	var entries []audit.Entry
	for line := range bytes.Lines(data) {
		var e audit.Entry
		if len(bytes.TrimSpace(line)) == 0 {
			continue // many writers at once leave empty lines between theirs
		}
		if err := json.Unmarshal(line, &e); err != nil {
			p.t.Fatalf("%v: %s", err, line)
		}
		entries = append(entries, e)
	}
	return entries
}

func TestACallIsAnsweredAndLogged(t *testing.T) {
	p := newPlace(t)
	for command, want := range map[string]string{"ls": "allow", "rm -rf ~": "deny", "npm publish": "deny"} {
		if s := p.run(bytes.NewReader(p.bash(command))); s.verdict != want {
			t.Errorf("%s: %+v", command, s)
		}
	}
	if s := p.run(bytes.NewReader(p.bash("npm publish"))); !strings.Contains(s.reason, "approve") {
		t.Errorf("an ask denied headless does not say how to approve: %q", s.reason)
	}
	entries := p.log()
	if len(entries) != 4 {
		t.Fatalf("%d lines for 4 calls", len(entries))
	}
	for _, e := range entries {
		if e.Version != 1 || e.Kind != audit.Decision || e.Agent != "claude-code" || e.Session != "s1" ||
			e.InputSHA256 == "" || e.Answered == "" || e.Time.IsZero() {
			t.Errorf("%+v", e)
		}
	}
}

func TestBadInputBlocksWithAReasonAndALine(t *testing.T) {
	p := newPlace(t)
	good := p.bash("ls")
	for name, payload := range map[string][]byte{
		"empty":         nil,
		"truncated":     good[:len(good)/2],
		"no command":    p.payload("PreToolUse", "Bash", map[string]any{}, nil),
		"no tool":       p.payload("PreToolUse", "", nil, map[string]any{"tool_name": nil}),
		"unknown event": p.payload("PreToolFuture", "Bash", map[string]string{"command": "ls"}, nil),
	} {
		before := len(p.log())
		s := p.run(bytes.NewReader(payload))
		if s.verdict != "deny" || len(s.reason) < 20 {
			t.Errorf("%s: %+v", name, s)
		}
		if entries := p.log(); len(entries) != before+1 || entries[before].Kind != audit.BadInput {
			t.Errorf("%s: no line in the log", name)
		}
	}
	if s := p.run(bytes.NewReader(p.bash("ls\x00"))); s.verdict != "deny" || !strings.Contains(s.reason, "NUL") {
		t.Errorf("NUL in a command: %+v", s)
	}
}

func TestEventsThatAreNoneOfOurBusinessPass(t *testing.T) {
	p := newPlace(t)
	for _, event := range []string{"Stop", "SubagentStop", "SessionStart", "Notification", "SomethingNew"} {
		payload := p.payload(event, "", nil, map[string]any{"tool_name": nil, "tool_input": nil, "tool_use_id": nil})
		if s := p.run(bytes.NewReader(payload)); s.verdict != "silence" || s.exit != 0 {
			t.Errorf("%s: %+v", event, s)
		}
	}
	if e := p.log(); len(e) != 1 || e[0].Kind != audit.Passed || !strings.Contains(e[0].Reason, "SomethingNew") {
		t.Errorf("the unknown event is to be in the log: %+v", e)
	}
}

// endless never ends.
type endless struct{ read int }

func (e *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	e.read += len(b)
	return len(b), nil
}

func TestTooMuchInputIsRefusedWithoutReadingItAll(t *testing.T) {
	p := newPlace(t)
	in := &endless{}
	if s := p.run(in); s.verdict != "deny" || in.read > 40<<20 {
		t.Errorf("%+v after %d bytes", s, in.read)
	}
}

func TestInputThatBreaksOffBlocks(t *testing.T) {
	p := newPlace(t)
	in := io.MultiReader(bytes.NewReader(p.bash("ls")), iotest.ErrReader(errors.New("the pipe broke")))
	if s := p.run(in); s.verdict != "deny" || s.exit != 2 {
		t.Errorf("%+v", s)
	}
}

// stuck blocks until the test ends.
type stuck chan struct{}

func (s stuck) Read([]byte) (int, error) { <-s; return 0, io.EOF }

func TestInputThatNeverComesBlocksWithinTheDeadline(t *testing.T) {
	p := newPlace(t)
	p.options.Deadline = 50 * time.Millisecond
	in, over := make(stuck), make(chan struct{})
	defer func() { close(in); <-over }()
	var stdout, stderr syncBuffer
	code := make(chan int, 1)
	go func() {
		defer close(over)
		hook.Run(context.Background(), p.options, in, &stdout, &stderr, func(c int) { code <- c })
	}()
	if c := hang.Receive(t, "the deadline", code); c != 2 || !strings.Contains(stderr.String(),
		"in time") || stdout.String() != "" {
		t.Errorf("exit %d: %s%s", c, stdout.String(), stderr.String())
	}
}

// syncBuffer may be written while it is read.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

type panicking struct{ agent.Host }

func (panicking) Decode([]byte, []string) (agent.Event, error) { panic("boom") }

func TestAPanicBlocks(t *testing.T) {
	p := newPlace(t)
	p.options.Adapter = panicking{"claude-code"}
	if s := p.run(bytes.NewReader(p.bash("ls"))); s.verdict != "deny" || s.exit != 2 {
		t.Errorf("%+v", s)
	}
}

func TestWithoutHomeNothingIsAWorkspace(t *testing.T) {
	p := newPlace(t)
	p.options.Places.Home = ""
	p.options.Environ = []string{"PATH=/usr/bin:/bin", "CLAUDE_PROJECT_DIR=" + p.shop}
	payload := p.payload("PreToolUse", "Write", map[string]string{"file_path": p.shop + "/x", "content": ""}, nil)
	if s := p.run(bytes.NewReader(payload)); s.verdict == "allow" {
		t.Errorf("%+v", s)
	}
	if code := hook.Main(context.Background(), []string{"claude-code"}, nil, strings.NewReader(""), io.Discard,
		&bytes.Buffer{}, func(int) {}); code != 2 {
		t.Errorf("without HOME and flags: exit %d", code)
	}
}

func TestOutcomesAndTheHostsDenialsAreRecorded(t *testing.T) {
	p := newPlace(t)
	input := map[string]string{"command": "ls"}
	for event, kind := range map[string]audit.Kind{"PostToolUse": audit.Outcome, "PostToolUseFailure": audit.Outcome,
		"PermissionDenied": audit.HostDeny} {
		before := len(p.log())
		more := map[string]any{"duration_ms": 12, "error": "it broke", "reason": "classifier"}
		if event == "PostToolUse" {
			more = map[string]any{"duration_ms": 12, "tool_response": map[string]any{"stdout": "x"}}
		}
		if s := p.run(bytes.NewReader(p.payload(event, "Bash", input, more))); s.verdict != "silence" {
			t.Errorf("%s: %+v", event, s)
		}
		e := p.log()
		if len(e) != before+1 || e[before].Kind != kind {
			t.Fatalf("%s: %+v", event, e[before:])
		}
		if failed := event == "PostToolUseFailure"; (e[before].Error != nil) != failed || failed &&
			e[before].Error.Kind != fault.ToolFailed {
			t.Errorf("%s: %+v", event, e[before].Error)
		}
	}
}

func TestTranscriptsThatCannotBeRead(t *testing.T) {
	p := newPlace(t)
	p.options.Model = &judging{cost: 0.001}
	file := filepath.Join(p.home, "t.jsonl")
	huge := strings.Repeat(`{"type":"user","message":{"role":"user","content":"x"}}`+"\n", 1)
	for name, content := range map[string]string{"other format": "<html>\n", "binary": "\x00\x01\x02\n",
		"a huge line": `{"type":"user","message":"` + strings.Repeat("x", 9<<20)} {
		p.write(file, content)
		if s := p.run(bytes.NewReader(p.bash("npm publish"))); s.verdict != "deny" {
			t.Errorf("%s: %+v", name, s)
		}
	}
	p.write(file, huge)
	if s := p.run(bytes.NewReader(p.bash("npm publish"))); s.verdict != "allow" {
		t.Errorf("a readable one: %+v", s)
	}
}

func TestTheRunningSumOfASession(t *testing.T) {
	p := newPlace(t)
	p.options.Model = &judging{cost: 0.001}
	for range 3 {
		p.run(bytes.NewReader(p.bash("npm publish")))
	}
	entries := p.log()
	last := entries[len(entries)-1]
	if last.Verdict != nod.Allow {
		t.Fatalf("%+v", last)
	}
	if fmt.Sprintf("%.3f", last.SessionCost) != "0.003" {
		t.Errorf("running sum %v", last.SessionCost)
	}
	if begun := entries[0]; begun.Kind != audit.Begun || begun.ID != entries[1].ID {
		t.Errorf("no begun line before the model: %+v", begun)
	}
}

// What stands in a secret store is not in the log either, before and after the call; which call it was, its hash says.
func TestNoStoreIsLogged(t *testing.T) {
	const marked = "MARKED-7f3a"
	p := newPlace(t)
	p.options.Model = &judging{failure: &fault.Error{Kind: fault.Overloaded}}
	file := filepath.Join(p.home, ".aws", "credentials")
	p.write(file, marked)
	input := map[string]any{"file_path": file, "old_string": marked, "new_string": "x"}
	for _, name := range []string{"PreToolUse", "PostToolUse"} {
		p.run(bytes.NewReader(p.payload(name, "Edit", input,
			map[string]any{"tool_use_id": "c1", "tool_response": map[string]any{}})))
	}
	entries := p.log()
	if len(entries) != 3 {
		t.Errorf("%d entries", len(entries))
	}
	for _, e := range entries {
		if text := string(e.Input); strings.Contains(text, marked) || !strings.Contains(text,
			"content withheld") || e.InputSHA256 != entries[0].InputSHA256 {
			t.Errorf("%s: %s %s", e.Kind, text, e.InputSHA256)
		}
	}
}
