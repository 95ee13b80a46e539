package e2e

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/llm/llmtest"
)

// driving is one agent on one machine.
type driving struct {
	driven
	*machine
	srv    *llmtest.Server
	output string
}

// ready makes a machine for the agent, with a model that follows a script.
func (d driven) ready(t *testing.T, settings string, script llmtest.Script) *driving {
	t.Helper()
	program := d.program(t)
	m := newBareMachine(t, settings)
	if d.inPath != "" {
		m.link(program, filepath.Join(m.home, ".local", "bin", d.inPath))
	}
	return &driving{driven: d, machine: m, srv: llmtest.NewServer(t, script)}
}

// calls has the model make other calls.
func (d *driving) calls(calls ...llmtest.Call) { d.srv = llmtest.NewServer(d.t, oneByOne(calls...)) }

// installed registers nod, with short limits if asked, and has the person consent.
func (d *driving) installed(short bool) {
	d.t.Helper()
	d.installFor(d.adapter.Name(), "user")
	file := filepath.Join(d.home, d.hooks)
	if short {
		raw := d.read(file)
		text := strings.NewReplacer(d.short...).Replace(raw)
		if text == raw {
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
	d.tries()
	if len(d.srv.Requests(llmtest.Turn)) == 0 {
		d.t.Fatalf("%s asked its model for nothing:\n%s", d.title, d.output)
	}
}

// tries is run, where the agent may also refuse to.
func (d *driving) tries() {
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
}

// told is what the model was told about a call; the test fails if the agent never came to it.
func (d *driving) told(t *testing.T, name string) string {
	t.Helper()
	got, ok := d.srv.Result(name)
	if !ok {
		t.Fatalf("the model was told nothing about %q; output:\n%s", name, d.output)
	}
	return got
}

// answered wants nod's first answers to the calls whose input holds a text; "" is
// any answer that does not let the call run.
func (d *driving) answered(t *testing.T, want map[string]string) {
	t.Helper()
	for holds, answer := range want {
		found := d.decided(holds)
		if len(found) == 0 {
			t.Errorf("the log has no decision about %s", holds)
		} else if e := found[0]; e.Answered != answer && (answer != "" || e.Answered == "allow") {
			t.Errorf("%s: answered %q (%s: %s), want %q", holds, e.Answered, e.Layer, e.Reason, answer)
		}
	}
}

// TestAgents holds every agent that runs here to the same: what nod allows runs without a prompt; what it denies does
// not run and the model is told why. If nod-hook fails, the call does not run either, except where docs/agents.md says
// so.
func TestAgents(t *testing.T) {
	onEach(t, allDriven(), func(t *testing.T, d driven) {
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

// testFlow has one call of each kind, and wants one line for each in the log.
func (d driven) testFlow(t *testing.T) {
	m := d.ready(t, ruleSettings, llmtest.Script{})
	m.calls(d.shell("allowed", "touch allowed"), d.shell("denied", "touch forbidden"),
		d.shell("asked", "./opaque asked"), d.write("inside", filepath.Join(m.work, "inside.txt"), "new\n"),
		d.write("outside", filepath.Join(m.dir, "outside.txt"), "new\n"), d.mcp("mcp"))
	m.installed(false)
	m.run()
	m.told(t, "mcp")
	m.holds(t, map[string]bool{"allowed": true, "forbidden": false, "asked": false, "inside.txt": true,
		"../outside.txt": false, "../poked": false})
	if told := m.told(t, "denied"); !strings.Contains(told, "hard_deny") {
		t.Errorf("the model was told %q", told)
	}
	m.answered(t, map[string]string{"touch allowed": d.granted, "touch forbidden": "deny", "./opaque asked": "",
		"inside.txt": d.granted, "outside.txt": "", `"x"`: ""})
	for holds, tool := range map[string]string{"touch allowed": "bash", "./opaque asked": "bash", `"x"`: "mcp"} {
		for _, e := range m.decided(holds) {
			if e.Tool != tool || tool == "mcp" && !strings.Contains(e.RawTool, "poke") {
				t.Errorf("%s is seen as a call of %s, %q", holds, e.Tool, e.RawTool)
			}
		}
	}
	if slices.ContainsFunc(m.log(), func(e audit.Entry) bool { return e.Kind == audit.BadInput }) {
		t.Error("a payload could not be read")
	}
}

// A sub-agent's call is decided like any other.
func (d driven) testChild(t *testing.T) {
	deep(t, "sub-agents")
	const childs = "do what the child must do"
	script := oneByOne(append([]llmtest.Call{d.child("child", childs)}, d.wait...)...)
	script.Asides = map[string][]llmtest.Step{childs: oneByOne(d.shell("child denied", "touch forbidden"),
		d.shell("child allowed", "touch allowed")).Steps}
	// Starting a sub-agent is nobody's to allow but the user's.
	script.Classifier = func(llmtest.Request) llmtest.Answer { return llmtest.Allow("the script lets it start") }
	m := d.ready(t, "", script)
	m.settings(ruleSettings + m.model(m.srv.URL))
	m.installed(false)
	m.run()
	m.told(t, "child allowed")
	m.holds(t, map[string]bool{"allowed": true, "forbidden": false})
	if told := m.told(t, "child denied"); !strings.Contains(told, "hard_deny") {
		t.Errorf("the sub-agent's denied call: the model was told %q", told)
	}
	if len(m.decided("touch forbidden")) != 1 || len(m.decided("touch allowed")) == 0 {
		t.Error("the log does not hold the sub-agent's calls")
	}
}

// silent is no failure but the control: it shows that the same call does run where nothing stops it.
const silent = "says nothing and exits with 0"

// failure is what may become of nod-hook. A script of "" removes it.
type failure struct{ name, script string }

const hangs = "hangs"

// core reports whether a failure is tried in the short run too.
func (f failure) core() bool { return f.name == "missing" }

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
			m := d.ready(t, ruleSettings, oneByOne(d.shell("call", "touch allowed")))
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
	m := d.ready(t, "", oneByOne(d.shell("call", "./opaque made")))
	m.settings(m.model(m.srv.URL))
	m.installed(false)
	m.remove(filepath.Join(m.bin, "nod"))
	m.run()
	m.told(t, "call")
	r.cell(t, "runs, but nod is gone when a model must be asked", exists(filepath.Join(m.work, "made")))
}

// In its auto mode Claude Code does not ask its own judge where a model of nod's
// decides: what that lets through runs, what it blocks does not.
func TestModel(t *testing.T) {
	begin(t)
	d := drivenBy("claude-code")
	d.words[slices.Index(d.words, "acceptEdits")] = "auto"
	script := oneByOne(d.shell("good", "sh -c './opaque good'"), d.shell("bad", "sh -c './opaque bad'"))
	script.Judge = func(llmtest.Request) bool { return true }
	script.Classifier = func(r llmtest.Request) llmtest.Answer {
		if bytes.Contains(r.Body, []byte("./opaque bad")) {
			return llmtest.Block("the script says no")
		}
		return llmtest.Allow("fine")
	}
	m := d.ready(t, "", script)
	m.settings(m.model(m.srv.URL))
	m.installed(false)
	m.run()
	m.holds(t, map[string]bool{"good": true, "bad": false})
	m.answered(t, map[string]string{"./opaque good": "allow", "./opaque bad": "deny"})
	if told := m.told(t, "bad"); !strings.Contains(told, "the script says no") {
		t.Errorf("the model was told %q", told)
	}
	if n := len(m.srv.Requests(llmtest.Judge)); n != 0 {
		t.Errorf("Claude Code's judge was asked %d times, want never", n)
	}
	for _, q := range m.srv.Requests(llmtest.Classifier) {
		if q.Header.Get("X-Api-Key") != modelKey || bytes.Contains(q.Body, []byte(agentKey)) {
			t.Error("a query has another key than nod's own")
		}
	}
}
