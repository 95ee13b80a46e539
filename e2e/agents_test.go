package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/llm/llmtest"
)

// driven is an agent that the tests can run without an account, on a scripted
// model. A further one is a file with a function that returns one, and a line
// in allDriven; package.json pins its version.
type driven struct {
	adapter agent.Adapter
	title   string
	version string // pinned
	// program returns the absolute path, or skips.
	program func(*testing.T) string
	// inPath is the name under which nod install looks for it in PATH; "" if
	// it does not.
	inPath string
	// prepare writes the agent's own configuration, with the MCP server "lab"
	// in it, and returns the words that run one prompt without a person, and
	// what the environment needs beside HOME and PATH.
	prepare func(m *machine, srv *llmtest.Server) (words, environ []string)
	// consent does what a person does after nod install, if anything.
	consent func(m *machine)
	// hooks is the file below the home directory that nod install writes, and
	// short what makes its limits a second or two: texts and replacements.
	hooks string
	short []string

	// The agent's own spelling of a call.
	shell func(name, command string) llmtest.Call
	write func(name, path, content string) llmtest.Call
	mcp   func(name string) llmtest.Call
	// child starts a sub-agent that is told task; nil where there is none.
	child func(name, task string) llmtest.Call
	// wait is what the model does while a sub-agent works, where the host
	// does not wait by itself.
	wait []llmtest.Call

	// granted is what nod answers for a call that it allows: allow, or
	// abstained where a hook cannot grant.
	granted string
	// open names the cells of the failure matrix in which the call runs
	// because the host offers no way to stop it, and why.
	open map[string]string
}

func allDriven() []driven {
	return []driven{claudeDriven(), codexDriven(), copilotDriven(), geminiDriven(), qwenDriven(), opencodeDriven(),
		piDriven()}
}

// npmProgram returns a program of a pinned package, by the names that its
// platform has in npm.
func npmProgram(t *testing.T, at func(os, arch string) string) string {
	t.Helper()
	tools := os.Getenv("NOD_TOOLS")
	if tools == "" {
		missing(t, "NOD_TOOLS is not set, so there is no agent to test with")
	}
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	path, err := filepath.Abs(filepath.Join(tools, "node_modules", at(runtime.GOOS, arch)))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		missing(t, "NOD_TOOLS holds no such program: %v", err)
	}
	return path
}

// driving is one agent on one machine.
type driving struct {
	driven
	*machine
	srv    *llmtest.Server
	output string
}

// ready makes a machine on which nod is installed for the agent.
func (d driven) ready(t *testing.T, settings string, script llmtest.Script) *driving {
	t.Helper()
	program := d.program(t)
	m := newBareMachine(t, settings)
	if d.inPath != "" {
		m.link(program, filepath.Join(m.home, ".local", "bin", d.inPath))
	}
	return &driving{driven: d, machine: m, srv: llmtest.NewServer(t, script)}
}

// installed registers nod, with short limits if asked, and has the person
// consent.
func (d *driving) installed(short bool) {
	d.t.Helper()
	d.installFor(d.adapter.Name(), "user")
	file := filepath.Join(d.home, d.hooks)
	if short {
		raw, err := os.ReadFile(file)
		if err != nil {
			d.t.Fatal(err)
		}
		text := strings.NewReplacer(d.short...).Replace(string(raw))
		if text == string(raw) {
			d.t.Fatalf("no limits to shorten in %s:\n%s", file, raw)
		}
		d.machine.write(file, text, 0o600)
	}
	if d.consent != nil {
		d.consent(d.machine)
	}
}

// run lets the agent do one prompt.
func (d *driving) run() {
	d.t.Helper()
	slots <- struct{}{}
	defer func() { <-slots }()
	ctx := hang.Context(d.t)
	words, environ := d.prepare(d.machine, d.srv)
	cmd := d.command(ctx, words[0], words[1:]...)
	cmd.Env = append(cmd.Env, environ...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	d.output = out.String()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		d.t.Fatalf("%s: %v\n%s", d.title, err, d.output)
	}
	if len(d.srv.Requests(llmtest.Turn)) == 0 {
		d.t.Fatalf("%s asked its model for nothing (%v):\n%s", d.title, err, d.output)
	}
}

// told is what the model was told about a call; the test fails if the agent
// never came to it.
func (d *driving) told(t *testing.T, name string) string {
	t.Helper()
	got, ok := d.srv.Result(name)
	if !ok {
		t.Fatalf("the model was told nothing about %q; output:\n%s", name, d.output)
	}
	return got.Text
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// decided finds the log's decisions whose input holds a text.
func (d *driving) decided(holds string) (found []audit.Entry) {
	for _, e := range d.log() {
		if e.Kind == audit.Decision && bytes.Contains(e.Input, []byte(holds)) {
			found = append(found, e)
		}
	}
	return found
}

// TestAgents holds every agent that runs here to the same: what nod allows
// runs without a prompt, what it denies does not run and the model is told
// why, and whatever becomes of nod-hook, the call does not run either, but for
// what docs/agents.md names.
func TestAgents(t *testing.T) {
	for _, d := range allDriven() {
		t.Run(d.adapter.Name(), func(t *testing.T) {
			d.program(t)
			t.Parallel()
			if tried := d.adapter.Capabilities().Tried; tried != d.version {
				t.Errorf("the adapter states facts of %s, and the tests run %s", tried, d.version)
			}
			report := &report{driven: d}
			t.Run("flow", func(t *testing.T) { d.testFlow(t) })
			if d.child != nil {
				t.Run("sub-agent", func(t *testing.T) { d.testChild(t) })
			}
			t.Run("failures", func(t *testing.T) { d.testFailures(t, report) })
			if !t.Failed() && !testing.Short() {
				report.settle(t)
			}
		})
	}
}

func (d driven) testFlow(t *testing.T) {
	m := d.ready(t, ruleSettings, llmtest.Script{})
	outside := filepath.Join(m.dir, "outside.txt")
	inside := filepath.Join(m.work, "inside.txt")
	steps := []llmtest.Call{
		d.shell("allowed", "touch allowed"),
		d.shell("denied", "touch forbidden"),
		d.shell("asked", "./opaque asked"),
		d.write("inside", inside, "new\n"),
		d.write("outside", outside, "new\n"),
		d.mcp("mcp"),
	}
	var script llmtest.Script
	for _, c := range steps {
		script.Steps = append(script.Steps, llmtest.Step{Calls: []llmtest.Call{c}})
	}
	m.srv = llmtest.NewServer(t, script)
	m.installed(false)
	m.run()
	for _, row := range []struct {
		name, file, told string
		ran              bool
	}{
		{"allowed", filepath.Join(m.work, "allowed"), "", true},
		{"denied", filepath.Join(m.work, "forbidden"), "hard_deny", false},
		{"asked", filepath.Join(m.work, "asked"), "", false},
		{"inside", inside, "", true},
		{"outside", outside, "", false},
		{"mcp", m.poked(), "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			told := m.told(t, row.name)
			if exists(row.file) != row.ran {
				t.Errorf("%s exists: %v, want %v; the model was told %q", row.file, exists(row.file), row.ran, told)
			}
			if !strings.Contains(told, row.told) {
				t.Errorf("the model was told %q, want it to hold %q", told, row.told)
			}
		})
	}
	m.checkFlowLog(t)
}

// poked is the file that the MCP server makes when its tool is called.
func (m *machine) poked() string { return filepath.Join(m.dir, "poked") }

// checkFlowLog wants one line for each call, with what nod answered.
func (d *driving) checkFlowLog(t *testing.T) {
	t.Helper()
	for _, row := range []struct{ holds, tool, answered string }{
		{"touch allowed", "bash", d.granted},
		{"touch forbidden", "bash", "deny"},
		{"./opaque asked", "bash", ""},
		{"inside.txt", "", d.granted},
		{"outside.txt", "", ""},
		{`"x"`, "mcp", ""},
	} {
		found := d.decided(row.holds)
		if len(found) == 0 {
			t.Errorf("the log has no decision about %s", row.holds)
			continue
		}
		e := found[0]
		if row.tool != "" && e.Tool != row.tool || row.answered != "" && e.Answered != row.answered ||
			row.answered == "" && e.Answered == "allow" {
			t.Errorf("%s: tool %q, answered %q (%s: %s), want %q and %q", row.holds, e.Tool, e.Answered, e.Layer,
				e.Reason, row.tool, row.answered)
		}
		if row.tool == "mcp" && (!strings.Contains(e.RawTool, "lab") || !strings.Contains(e.RawTool, "poke")) {
			t.Errorf("an MCP call is seen as %q", e.RawTool)
		}
	}
	for _, e := range d.log() {
		if e.Kind == audit.BadInput {
			t.Errorf("a payload could not be read: %s", e.Reason)
		}
	}
}

// A sub-agent's call is decided like any other.
func (d driven) testChild(t *testing.T) {
	deep(t, "sub-agents")
	const task = "do what the child must do"
	script := llmtest.Script{
		Steps: []llmtest.Step{{Calls: []llmtest.Call{d.child("child", task)}}},
		Asides: map[string][]llmtest.Step{task: {
			{Calls: []llmtest.Call{d.shell("child denied", "touch forbidden")}},
			{Calls: []llmtest.Call{d.shell("child allowed", "touch allowed")}},
		}},
	}
	if d.wait != nil {
		script.Steps = append(script.Steps, llmtest.Step{Calls: d.wait})
	}
	// Starting a sub-agent is nobody's to allow but the user's.
	m := d.ready(t, ruleSettings+"\n[model]\nprovider = \"anthropic\"\n", script)
	script.Classifier = func(llmtest.Request) llmtest.Answer { return llmtest.Allow("the script lets it start") }
	m.srv = llmtest.NewServer(t, script)
	m.settings(ruleSettings + m.model("anthropic", m.srv.URL))
	m.installed(false)
	m.run()
	if told := m.told(t, "child denied"); !strings.Contains(told,
		"hard_deny") || exists(filepath.Join(m.work, "forbidden")) {
		t.Errorf("the sub-agent's denied call: the model was told %q", told)
	}
	if m.told(t, "child allowed"); !exists(filepath.Join(m.work, "allowed")) {
		t.Error("the sub-agent's allowed call did not run")
	}
	if len(m.decided("touch forbidden")) != 1 || len(m.decided("touch allowed")) == 0 {
		t.Error("the log does not hold the sub-agent's calls")
	}
}

// silent is no failure but the control: it shows that the same call does run
// where nothing stops it.
const silent = "says nothing and exits with 0"

// failure is what may become of nod-hook. A script of "" removes it.
type failure struct{ name, script string }

const hangs = "hangs"

// core reports whether a failure is tried in the short run too.
func (f failure) core() bool { return f.name == "missing" || f.name == "is killed" }

func failures() []failure {
	return []failure{
		{silent, "#!/bin/sh\nexit 0\n"},
		{"missing", ""},
		{"exits with 1", "#!/bin/sh\nexit 1\n"},
		{"is killed", "#!/bin/sh\nkill -9 $$\n"},
		{hangs, "#!/bin/sh\nexec sleep 86400\n"},
		{"is cut off in its answer",
			"#!/bin/sh\nprintf '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDec'\n"},
		{"prints text", "#!/bin/sh\necho all is well\n"},
		{"says nothing and exits with 2", "#!/bin/sh\nexit 2\n"},
		{"is no program", "\x00\x01"},
	}
}

func (d driven) testFailures(t *testing.T, r *report) {
	for _, row := range failures() {
		t.Run(row.name, func(t *testing.T) {
			if !row.core() {
				deep(t, "the failure matrix of an agent")
			}
			m := d.ready(t, ruleSettings,
				llmtest.Script{Steps: []llmtest.Step{{Calls: []llmtest.Call{d.shell("call", "touch allowed")}}}})
			m.installed(row.name == hangs) // no other waits for a limit to pass
			hook := filepath.Join(m.bin, "nod-hook")
			m.remove(hook)
			if row.script != "" {
				m.machine.write(hook, row.script, 0o755)
			}
			m.run()
			m.told(t, "call")
			r.cell(t, row.name, exists(filepath.Join(m.work, "allowed")))
		})
	}
	t.Run("nod is gone", func(t *testing.T) { d.testWithoutNod(t, r) })
}

// testWithoutNod has nothing answer where a model must be asked.
func (d driven) testWithoutNod(t *testing.T, r *report) {
	deep(t, "the failure matrix of an agent")
	m := d.ready(t, "", llmtest.Script{Steps: []llmtest.Step{{Calls: []llmtest.Call{d.shell("call",
		"./opaque made")}}}})
	m.settings(m.model("anthropic", m.srv.URL))
	m.installed(false)
	m.remove(filepath.Join(m.bin, "nod"))
	m.run()
	m.told(t, "call")
	r.cell(t, "runs, but nod is gone when a model must be asked", exists(filepath.Join(m.work, "made")))
}

// must is for configuration that the test makes up.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("e2e: ", err))
	}
	return v
}
