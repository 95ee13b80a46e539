package agent_test

import (
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
)

func TestAntigravityDecodes(t *testing.T) {
	loom := "/home/ada/loom"
	decodeAll(t, agent.Antigravity{}, nil, map[string]seen{
		"elsewhere.json": {Kind: agent.Decide, Tool: "bash", Command: "ls -la"},
		"grep.json":      {Kind: agent.Decide, Tool: "grep", Paths: []string{loom + "/src"}},
		"list.json":      {Kind: agent.Decide, Tool: "glob", Paths: []string{loom}},
		"replace.json":   {Kind: agent.Decide, Tool: "file_edit", Paths: []string{loom + "/weave.go"}},
		"shell.json":     {Kind: agent.Decide, Tool: "bash", Command: "ls -la"},
		"unknown.json":   {Kind: agent.Decide},
		"view.json":      {Kind: agent.Decide, Tool: "read_file", Paths: []string{loom + "/weave.go"}},
		"write.json":     {Kind: agent.Decide, Tool: "file_write", Paths: []string{loom + "/new.txt"}},
	})
}

// Where a call takes place must be certain before it can be allowed.
func TestAntigravityPlaces(t *testing.T) {
	for _, row := range []struct {
		file, old, with, dir string
		unproven             bool
	}{
		{"shell.json", "ls -la", "ls", "/home/ada/loom", false},
		{"shell.json", `"Cwd": "/home/ada/loom"`, `"Cwd": "/srv"`, "/srv", false},
		{"shell.json", `"Cwd": "/home/ada/loom",`, ``, "/home/ada/loom", true},
		{"elsewhere.json", "ls -la", "ls", "/home/ada/loom/src", true},
		{"view.json", "/home/ada/loom/weave.go", "weave.go", "/home/ada/loom", true},
		{"view.json", "/home/ada/loom/weave.go", "~/weave.go", "/home/ada/loom", true},
		{"grep.json", `"IsRegex": false`, `"Includes": [".env"]`, "/home/ada/loom", true},
		{"unknown.json", "y", "y", "/home/ada/loom", false},
	} {
		e := event(t, agent.Antigravity{}, row.file, row.old, row.with)
		if e.Unproven != row.unproven || e.Call.Dir != row.dir {
			t.Errorf("%s with %s: unproven %v, in %q", row.file, row.with, e.Unproven, e.Call.Dir)
		}
	}
	for _, payload := range []string{
		`{"toolCall":{"name":"view_file","args":{"AbsolutePath":"/x"}},"conversationId":"c","workspacePaths":[]}`,
		`{"toolCall":{"name":"view_file","args":{"AbsolutePath":"/x"}},"conversationId":"c"}`,
		`{"toolCall":null,"conversationId":"c","workspacePaths":["/w"]}`,
	} {
		if e, err := (agent.Antigravity{}).Decode([]byte(payload), []string{"PWD=/w"}); err == nil {
			t.Errorf("%s: read in %q", payload, e.Call.Dir)
		}
	}
}

func TestAntigravitySays(t *testing.T) {
	e := event(t, agent.Antigravity{}, "shell.json", "ls -la", "ls")
	unproven := event(t, agent.Antigravity{}, "elsewhere.json", "ls -la", "ls")
	for _, row := range []struct {
		event agent.Event
		v     nod.Verdict
		want  string
	}{
		{e, nod.Allow, ``},
		{unproven, nod.Allow, ``},
		{e, nod.Ask, `{"decision":"deny","reason":"because | A person has to approve this, and this agent gives nod no way to ask them: they can add an allow rule (` + "`nod help settings`" + `)."}`},
		{e, nod.Deny, `{"decision":"deny","reason":"because"}`},
	} {
		a := agent.Antigravity{}.Encode(row.event, nod.Decision{Verdict: row.v, Reason: "because"}, agent.Replace,
			false)
		if string(a.Stdout) != row.want || a.Exit != 0 {
			t.Errorf("%v: exit %d, %s", row.v, a.Exit, a.Stdout)
		}
	}
	if a := (agent.Antigravity{}).Block(""); string(a.Stdout) != `{"decision":"deny","reason":"nod blocks this"}` ||
		a.Exit != 0 {
		t.Errorf("%+v", a)
	}
}
