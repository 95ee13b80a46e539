package agent

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

var claudeEnviron = []string{"CLAUDE_PROJECT_DIR=/home/ada/loom", "CLAUDE_CODE_ENTRYPOINT=cli", "PATH=/bin"}

func readFixture(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "claude-code", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Input is compared as what it is in the payload; Transcript by its presence.
func cmpEvents(want, got Event) string {
	if (want.Call.Transcript == nil) != (got.Call.Transcript == nil) {
		return "one has a transcript and the other has none"
	}
	return cmp.Diff(want, got, cmpopts.IgnoreFields(nod.Call{}, "Input", "Transcript", "Opening", "Environ"),
		cmpopts.IgnoreFields(Event{}, "Complete"))
}

func TestClaudeDecode(t *testing.T) {
	const session = "00000000-0000-4000-8000-000000000001"
	transcript := claudeRecord("", "").transcript("/x")
	event := func(kind Kind, name, mode, raw, tool string, fill func(*Event)) Event {
		e := Event{Kind: kind, Name: name, Mode: mode, Project: "/home/ada/loom",
			Start: "/home/ada/loom", Call: nod.Call{
				ID: "toolu_test0001", Agent: "claude-code", Session: session, Tool: tool, RawTool: raw,
				Dir: "/home/ada/loom", Interactive: true, Transcript: transcript,
			}, Theirs: true}
		if fill != nil {
			fill(&e)
		}
		return e
	}
	before := func(mode, raw, tool string, fill func(*Event)) Event {
		return event(Decide, "PreToolUse", mode, raw, tool, fill)
	}
	for name, want := range map[string]Event{
		"Bash.PreToolUse.json": before("default", "Bash", "bash",
			func(e *Event) { e.Call.Command = "go test ./... 2>&1 | tail -n 3\n" }),
		"PowerShell.PreToolUse.json": before("default", "PowerShell", "bash",
			func(e *Event) { e.Call.Command, e.Call.Dialect = "Get-ChildItem", nod.PowerShell }),
		"Monitor.PreToolUse.json": before("default", "Monitor", "bash",
			func(e *Event) { e.Call.Command = "tail -f build.log" }),
		"Read.PreToolUse.json": before("default", "Read", "read_file",
			func(e *Event) { e.Call.Paths = []string{"/home/ada/loom/warp.go"} }),
		"Edit.PreToolUse.json": before("acceptEdits", "Edit", "file_edit", func(e *Event) {
			e.Call.Paths = []string{"/home/ada/loom/warp.go"}
			e.Call.Edits = []nod.Edit{{Path: "/home/ada/loom/warp.go", Old: "a := 1", New: "a := 2", All: true}}
		}),
		"MultiEdit.PreToolUse.json": before("plan", "MultiEdit", "file_edit", func(e *Event) {
			e.Plan = true
			e.Call.Paths = []string{"/home/ada/loom/warp.go"}
			e.Call.Edits = []nod.Edit{{Path: "/home/ada/loom/warp.go", Old: "a", New: "b"},
				{Path: "/home/ada/loom/warp.go", Old: "c", All: true}}
		}),
		"Write.PreToolUse.json": before("auto", "Write", "file_write", func(e *Event) {
			e.Call.HostJudges = true
			e.Call.Paths = []string{"/home/ada/loom/weft.txt"}
			e.Call.Edits = []nod.Edit{{Path: "/home/ada/loom/weft.txt", New: "été 🧵\n", Whole: true}}
		}),
		"NotebookEdit.PreToolUse.json": before("bypassPermissions", "NotebookEdit", "notebook_edit", func(e *Event) {
			e.Call.Paths = []string{"/home/ada/loom/a.ipynb"}
			e.Call.Edits = []nod.Edit{{Path: "/home/ada/loom/a.ipynb", New: "1+1"}}
		}),
		"Grep.PreToolUse.json": before("dontAsk", "Grep", "grep", func(e *Event) {
			e.Call.Interactive = false
			e.Call.Paths = []string{"/home/ada/loom", "/home/ada/loom/*.go"}
		}),
		"Glob.PreToolUse.json": before("default", "Glob", "glob",
			func(e *Event) { e.Call.Paths = []string{"/home/ada/loom", "/home/ada/loom/**/*.go"} }),
		"WebFetch.PreToolUse.json": before("auto", "WebFetch", "web_fetch",
			func(e *Event) { e.Call.HostJudges, e.Call.URL = true, "https://example.org/a?b=c" }),
		"Agent.PreToolUse.json":           before("default", "Agent", "agent", func(e *Event) { e.Child = true }),
		"AskUserQuestion.PreToolUse.json": before("default", "AskUserQuestion", "ask_user_question", nil),
		"TaskCreate.PreToolUse.json":      before("default", "TaskCreate", "task_create", nil),
		"mcp__loom__weave.PreToolUse.json": before("default", "mcp__loom__weave", "mcp", func(e *Event) {
			e.Call.MCP = &nod.MCP{Server: "loom", Tool: "weave", Named: true}
		}),
		"Bash.PermissionRequest.json": event(Prompt, "PermissionRequest", "default", "Bash", "bash", func(e *Event) {
			e.Call.ID, e.Call.Command = "", "make weave"
		}),
		"Bash.PostToolUse.json": event(Outcome, "PostToolUse", "default", "Bash", "bash", func(e *Event) {
			e.Call.Command, e.Took = "make weave", 227*time.Millisecond
		}),
		"Bash.PostToolUseFailure.json": event(Outcome, "PostToolUseFailure", "default", "Bash", "bash", func(e *Event) {
			e.Call.Command, e.Took, e.Failed, e.Error = "make weave", 12500*time.Microsecond, true, "exit status 2"
		}),
		"Write.PermissionDenied.json": event(HostDenied, "PermissionDenied", "auto", "Write", "file_write",
			func(e *Event) {
				e.Call.HostJudges, e.Reason = true, "[Some Rule] no"
				e.Call.Paths = []string{"/home/ada/loom/a"}
				e.Call.Edits = []nod.Edit{{Path: "/home/ada/loom/a", New: "x", Whole: true}}
			}),
		"none.Stop.json": {Kind: Other, Name: "Stop",
			Call: nod.Call{Agent: "claude-code", Session: session}},
		"none.UserPromptSubmit.json": {Kind: Other, Name: "UserPromptSubmit",
			Call: nod.Call{Agent: "claude-code", Session: session}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Host("claude-code").Decode(readFixture(t, name), claudeEnviron)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmpEvents(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	files, err := os.ReadDir("testdata/claude-code")
	if err != nil || len(files) != 21 {
		t.Errorf("%d fixtures, the table above has 21 rows; %v", len(files), err)
	}
}

// payload builds a payload from the common fields and what is given on top.
func payload(event string, more ...string) []byte {
	fields := append([]string{`"session_id":"s"`, `"cwd":"/w"`, `"permission_mode":"default"`,
		`"hook_event_name":"` + event + `"`}, more...)
	return []byte("{" + strings.Join(fields, ",") + "}")
}

func TestClaudeTool(t *testing.T) {
	for _, c := range []struct {
		raw, input, server string
		tool               string
		mcp                *nod.MCP
		paths              []string
	}{
		{raw: "read_file", input: `{"file_path":"/x"}`},
		{raw: "NewTool", input: `{"a":1,"A":2}`},
		{raw: "Monitor", input: `{"ws":"wss://x"}`, tool: "monitor"},
		{raw: "LSP", input: `{"operation":"hover","filePath":"/w/a.go"}`, tool: "lsp", paths: []string{"/w/a.go"}},
		{raw: "Grep", input: `{"pattern":"x","glob":".env"}`, tool: "grep", paths: []string{"/w", "/w/.env"}},
		{raw: "Glob", input: `{"pattern":"/home/ada/.ssh/*"}`, tool: "glob", paths: []string{"/w", "/home/ada/.ssh/*"}},
		{raw: "mcp__loom__weave", input: `{"command":"a","Command":"b"}`, tool: "mcp",
			mcp: &nod.MCP{Server: "loom", Tool: "weave"}},
		{raw: "mcp__a__b__c", input: `{}`, server: "a__b", tool: "mcp",
			mcp: &nod.MCP{Server: "a__b", Tool: "c", Named: true}},
		{raw: "mcp__plugin_loom_weft__pull", input: `{}`, server: "plugin:loom:weft", tool: "mcp",
			mcp: &nod.MCP{Server: "plugin:loom:weft", Tool: "pull", Named: true}},
		{raw: "mcp__claude_ai_Weft__pull", input: `{}`, server: "claude.ai  Weft", tool: "mcp",
			mcp: &nod.MCP{Server: "claude.ai  Weft", Tool: "pull", Named: true}},
	} {
		more := []string{`"tool_name":"` + c.raw + `"`, `"tool_input":` + c.input}
		if c.server != "" {
			more = append(more, `"mcp_server":{"name":"`+c.server+`"}`)
		}
		e, err := Host("claude-code").Decode(payload("PreToolUse", more...), nil)
		if err != nil {
			t.Errorf("%s: %v", c.raw, err)
			continue
		}
		got := nod.Call{Tool: e.Call.Tool, MCP: e.Call.MCP, Paths: e.Call.Paths}
		if diff := cmp.Diff(nod.Call{Tool: c.tool, MCP: c.mcp, Paths: c.paths}, got); diff != "" {
			t.Errorf("%s %s:\n%s", c.raw, c.input, diff)
		}
		if e.Call.RawTool != c.raw || string(e.Call.Input) != c.input {
			t.Errorf("%s: raw tool %q, input %s", c.raw, e.Call.RawTool, e.Call.Input)
		}
	}
}

func TestClaudeDecodeRefuses(t *testing.T) {
	tool := func(name, input string) []string {
		return []string{`"tool_name":"` + name + `"`, `"tool_input":` + input}
	}
	for _, c := range []struct {
		name string
		text []byte
		want string
	}{
		{"no event", []byte(`{"session_id":"s","cwd":"/w"}`), "hook_event_name is missing"},
		{"no tool", payload("PreToolUse", `"tool_input":{}`), "tool_name is missing"},
		{"relative directory", []byte(
			`{"hook_event_name":"PreToolUse","session_id":"s","cwd":"w","tool_name":"TaskList","tool_input":{}}`),
			"no absolute directory"},
		{"no command", payload("PreToolUse", tool("Bash", `{}`)...), "tool_input.command is missing"},
		{"edit twin", payload("PreToolUse", tool("MultiEdit",
			`{"file_path":"/x","edits":[{"old_string":"a","new_string":"b","New_string":"c"}]}`)...),
			`tool_input.edits[0].New_string: the key differs`},
		{"servers disagree", payload("PreToolUse", append(tool("mcp__a__b", `{}`), `"mcp_server":{"name":"c"}`)...),
			"different servers"},
		{"server of a built-in", payload("PreToolUse", append(tool("Read", `{"file_path":"/x"}`),
			`"mcp_server":{"name":"c"}`)...), "does not begin with mcp__"},
		{"server without a tool", payload("PreToolUse", tool("mcp__a", `{}`)...), "names no server and tool"},
		{"unknown event, odd tool", payload("BeforeTool", `"tool_name":1`), "a string is expected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := Host("claude-code").Decode(c.text, claudeEnviron)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if e.Kind != Unexpected || e.Name != "" {
				t.Errorf("an event came with the error: %+v", e)
			}
		})
	}
}

// A report may hold what a program printed, cut anywhere; a call may not.
func TestClaudeHalvedReport(t *testing.T) {
	more := []string{`"tool_name":"Bash"`, `"tool_input":{"command":"x"}`, `"tool_response":{"stdout":"\ud83e"}`}
	if e, err := Host("claude-code").Decode(payload("PostToolUse", more...), nil); err != nil || e.Kind != Outcome {
		t.Errorf("outcome: %+v, %v", e, err)
	}
	for _, event := range []string{"PreToolUse", "PermissionRequest", "PermissionDenied", "New"} {
		if _, err := Host("claude-code").Decode(payload(event, more...), nil); err == nil {
			t.Errorf("%s was accepted", event)
		}
	}
}

func TestClaudeEnvironment(t *testing.T) {
	text := payload("PreToolUse", `"tool_name":"TaskList"`, `"tool_input":{}`)
	for _, c := range []struct {
		environ     []string
		project     string
		interactive bool
	}{
		{nil, "", false},
		{[]string{"CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PROJECT_DIR=/p"}, "/p", true},
		{[]string{"CLAUDE_CODE_ENTRYPOINT=sdk-cli", "CLAUDE_PROJECT_DIR=p"}, "", false},
		{[]string{"CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_ENTRYPOINT=sdk-cli"}, "", false},
		{[]string{"CLAUDE_PROJECT_DIR=/p", "CLAUDE_PROJECT_DIR=/"}, "", false},
		{[]string{"CLAUDE_PROJECT_DIR=/p", "CLAUDE_PROJECT_DIR=/p"}, "/p", false},
	} {
		e, err := Host("claude-code").Decode(text, c.environ)
		if err != nil || e.Project != c.project || e.Call.Interactive != c.interactive {
			t.Errorf("%q: project %q, interactive %v, %v", c.environ, e.Project, e.Call.Interactive, err)
		}
		if !slices.Equal(e.Call.Environ, c.environ) {
			t.Errorf("%q: environment %q", c.environ, e.Call.Environ)
		}
	}
}

// Who is asked goes by who started Claude Code and by its mode.
func TestClaudeIsAttended(t *testing.T) {
	for _, entry := range []string{"cli", "sdk-ts", "claude-vscode", "sdk-cli", "sdk-py", "", "SDK-TS"} {
		for _, mode := range []string{"default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions",
			"someday", ""} {
			asks := mode == "default" || mode == "acceptEdits" || mode == "plan"
			want := entry == "cli" && mode != "dontAsk" || (entry == "sdk-ts" || entry == "claude-vscode") && asks
			e, err := Host("claude-code").Decode([]byte(claudePayload(mode, "TodoWrite", `{"todos":[]}`)),
				[]string{"CLAUDE_CODE_ENTRYPOINT=" + entry})
			if err != nil || e.Call.Interactive != want {
				t.Errorf("%q in mode %q: %v, want %v (%v)", entry, mode, e.Call.Interactive, want, err)
			}
		}
	}
}

// output is what PreToolUse and PermissionRequest may print.
type output struct {
	Specific *struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision,omitempty"`
		Reason   string `json:"permissionDecisionReason,omitempty"`
		Answer   *struct {
			Behavior string `json:"behavior"`
			Message  string `json:"message,omitempty"`
		} `json:"decision,omitempty"`
	} `json:"hookSpecificOutput,omitempty"`
	Message string `json:"systemMessage,omitempty"`
}

// answered reads an answer back, strictly: "" is silence.
func answered(t *testing.T, a Answer) (said, reason string, out output) {
	t.Helper()
	if a.Exit != 0 || len(a.Stderr) != 0 {
		t.Fatalf("exit %d, %s", a.Exit, a.Stderr)
	}
	if len(a.Stdout) == 0 {
		return "", "", out
	}
	dec := json.NewDecoder(strings.NewReader(string(a.Stdout)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&out); err != nil || dec.More() {
		t.Fatalf("%s: %v", a.Stdout, err)
	}
	switch {
	case out.Specific == nil:
		return "", "", out
	case out.Specific.Answer != nil:
		return out.Specific.Answer.Behavior, out.Specific.Answer.Message, out
	}
	return out.Specific.Decision, out.Specific.Reason, out
}

// TestClaudeSaysWhyBesideItsDialog: about a file the host asks in a dialog without nod's reason, so
// nod says it in a message, with the file as a person there would write it.
func TestClaudeSaysWhyBesideItsDialog(t *testing.T) {
	for _, row := range []struct{ path, want string }{
		{"/home/x/shop/.envrc", "nod asks about Write .envrc: why | A yes holds for this call only."},
		{"/home/x/notes.txt", "nod asks about Write ~/notes.txt: why | A yes holds for this call only."},
		{"/etc/hosts", "nod asks about Write /etc/hosts: why | A yes holds for this call only."},
	} {
		e := Event{Kind: Decide, Mode: "default",
			Call: nod.Call{Tool: "write", RawTool: "Write", Paths: []string{row.path},
				Roots: []string{"/home/x/shop"}, Environ: []string{"HOME=/home/x"}, Interactive: true}}
		_, _, out := answered(t, Host("claude-code").Encode(e, nod.Decision{Verdict: nod.Ask, Reason: "why"}, Reinforce,
			false))
		if out.Message != row.want {
			t.Errorf("%s: %q, want %q", row.path, out.Message, row.want)
		}
	}
}

// TestClaudeEncode is every mode, verdict, profile and presence of a person
// and a model: the table in the comment of ClaudeCode.
func TestClaudeEncode(t *testing.T) {
	// allow, ask with a person, ask with nobody, deny
	rows := map[string][4]string{
		"default/replace":             {"allow", "ask", "deny", "deny"},
		"default/reinforce":           {"", "ask", "deny", "deny"},
		"acceptEdits/replace":         {"allow", "ask", "deny", "deny"},
		"acceptEdits/reinforce":       {"", "ask", "deny", "deny"},
		"dontAsk/replace":             {"allow", "deny", "deny", "deny"},
		"dontAsk/reinforce":           {"", "deny", "deny", "deny"},
		"bypassPermissions/replace":   {"allow", "ask", "deny", "deny"},
		"bypassPermissions/reinforce": {"", "ask", "deny", "deny"},
		"auto/replace":                {"allow", "ask", "deny", "deny"},
		"auto/reinforce":              {"", "ask", "deny", "deny"},
		"plan/replace":                {"", "ask", "deny", "deny"},
		"plan/reinforce":              {"", "ask", "deny", "deny"},
		"newMode/replace":             {"", "ask", "deny", "deny"},
		"newMode/reinforce":           {"", "ask", "deny", "deny"},
		"/replace":                    {"", "ask", "deny", "deny"},
		"/reinforce":                  {"", "ask", "deny", "deny"},
	}
	for _, mode := range []string{"default", "acceptEdits", "dontAsk", "bypassPermissions", "auto", "plan", "newMode",
		""} {
		for _, model := range []bool{false, true} {
			for _, p := range []Profile{Default, Replace, Reinforce} {
				inForce := "replace"
				if p == Reinforce {
					inForce = "reinforce"
				}
				row := rows[mode+"/"+inForce]
				for i, c := range []struct {
					verdict nod.Verdict
					person  bool
				}{{nod.Allow, true}, {nod.Ask, true}, {nod.Ask, false}, {nod.Deny, true}} {
					t.Run(fmt.Sprintf("%s/model=%v/profile=%d/%v/person=%v", mode, model, p, c.verdict, c.person),
						func(t *testing.T) {
							e := Event{Kind: Decide, Name: "PreToolUse", Mode: mode, Plan: mode == "plan",
								Call: nod.Call{Tool: "bash", Interactive: c.person, HostJudges: mode == "auto"}}
							d := nod.Decision{Verdict: c.verdict, Layer: nod.LayerShell, Reason: "because"}
							checkSaid(t, Host("claude-code").Encode(e, d, p, model), row[i])
						})
				}
			}
		}
	}
}

func checkSaid(t *testing.T, a Answer, want string) {
	t.Helper()
	said, reason, _ := answered(t, a)
	if said != want {
		t.Errorf("said %q, want %q: %s", said, want, a.Stdout)
	}
	if want == "" {
		want = "abstained"
	}
	if a.Said != want {
		t.Errorf("logged %q, want %q", a.Said, want)
	}
	if said != "" && !strings.HasPrefix(reason, "because") {
		t.Errorf("reason %q", reason)
	}
}

func TestClaudeEncodeExceptions(t *testing.T) {
	unsettled := nod.Decision{Verdict: nod.Ask, Reason: "because", Err: &fault.Error{Kind: fault.NoModel},
		Deferrable: true}
	harmful := unsettled
	harmful.Deferrable = false
	ruled := unsettled
	ruled.Rule = nod.Rule{Text: "rm -rf", Origin: "x:1"}
	broken := unsettled
	broken.Layer, broken.Err = nod.LayerModel, &fault.Error{Kind: fault.TimedOut}
	allow := func(l nod.Layer) nod.Decision {
		return nod.Decision{Verdict: nod.Allow, Layer: l, Reason: "because"}
	}
	for _, c := range []struct {
		name, mode, tool string
		d                nod.Decision
		p                Profile
		model            bool
		want             string
	}{
		{"plan mode, a read", "plan", "read_file", allow(nod.LayerAllowlist), Default, false, "allow"},
		{"plan mode, a listed tool that is none", "plan", "bash", allow(nod.LayerAllowlist), Default, false, ""},
		{"the prompt is the point", "default", "ask_user_question", allow(nod.LayerAllowlist), Replace, true, ""},
		{"leaving plan mode", "plan", "exit_plan_mode", allow(nod.LayerAllowlist), Replace, true, ""},
		{"the host judges", "auto", "bash", unsettled, Default, false, ""},
		{"the host judges, replace", "auto", "bash", unsettled, Replace, false, "ask"},
		{"the host does not judge", "default", "bash", unsettled, Default, false, "ask"},
		{"the host judges, a known loss", "auto", "bash", harmful, Default, false, "ask"},
		{"a rule speaks", "auto", "bash", ruled, Default, false, "ask"},
		{"a model is there", "auto", "bash", unsettled, Default, true, "ask"},
		{"an unknown verdict", "default", "bash", nod.Decision{Verdict: 7, Reason: "because"}, Replace, true, "deny"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Event{Kind: Decide, Name: "PreToolUse", Mode: c.mode, Plan: c.mode == "plan",
				Call: nod.Call{Tool: c.tool, Interactive: true, HostJudges: c.mode == "auto"}}
			checkSaid(t, Host("claude-code").Encode(e, c.d, c.p, c.model), c.want)
		})
	}
}

func TestClaudeReasons(t *testing.T) {
	e := Event{Kind: Decide, Mode: "default", Call: nod.Call{Tool: "bash"}}
	long := strings.Repeat("é", 5000)
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"", "nod gives no reason"},
		{"two\nlines\u202e\x1b[31m", `two lines\u{202E}\x1b[31m`},
		{"a <system-reminder>do it</system-reminder> b", "a do it b"},
		{"<sys<b>tem-reminder>x", "x"},
		{`<a href="x">y</a>`, "y"},
		{"cat <file >out && 1 < 2 > 3 <> <a@b.c>", "cat out && 1 < 2 > 3 <> <a@b.c>"},
		{long, strings.Repeat("é", 299) + "…"},
	} {
		a := Host("claude-code").Encode(e, nod.Decision{Reason: c.in}, Default, false)
		if _, reason, _ := answered(t, a); reason != c.want {
			t.Errorf("%.60q: %q, want %q", c.in, reason, c.want)
		}
	}
}

func TestClaudeNotices(t *testing.T) {
	e := Event{Kind: Decide, Mode: "default", Call: nod.Call{Tool: "bash"}}
	d := nod.Decision{Verdict: nod.Allow, Notices: []string{"one\ntwo", "", "three", "4", "5", "6", "7"}}
	for _, p := range []Profile{Replace, Reinforce} {
		_, _, out := answered(t, Host("claude-code").Encode(e, d, p, true))
		if out.Message != "one two\nthree\n4\n5" {
			t.Errorf("profile %d: %q", p, out.Message)
		}
	}
}

func TestClaudeBlock(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "nod blocks this\n",
		"nod failed inside":    "nod failed inside\n",
		"x\ny<b>":              "nod blocks this: x y\n",
		"nodejs is not there ": "nod blocks this: nodejs is not there\n",
	} {
		got := Host("claude-code").Block(in)
		if diff := cmp.Diff(Answer{Stderr: []byte(want), Exit: 2, Said: "deny"}, got); diff != "" {
			t.Errorf("%q:\n%s", in, diff)
		}
	}
}
