package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/fault"
)

// acpOptions are those of a request; the ids say the opposite of the kinds.
const acpOptions = `"options":[{"optionId":"no","name":"x","kind":"allow_always"},{"optionId":"reject","name":"x","kind":"allow_once"},{"optionId":"allow","name":"x","kind":"reject_once"}]`

var acpKinds = []agent.ACPOption{{ID: "no", Kind: "allow_always"}, {ID: "reject", Kind: "allow_once"},
	{ID: "allow", Kind: "reject_once"}}

// What a request proves, agent by agent: the command or the paths, the directory, and whether an allow may be said.
func TestACPCalls(t *testing.T) {
	const at = "/home/ada/loom"
	type want struct {
		tool, command, dir string
		paths              []string
		unproven           bool
		mcp                *nod.MCP
	}
	for _, row := range []struct {
		name, peer string
		call       string // the members of toolCall after its id
		earlier    []string
		want       want
	}{
		{name: "a command of an agent that nobody read", peer: "stranger",
			call: `"kind":"execute","rawInput":{"command":"make"}`, want: want{tool: "bash", command: "make"}},
		{name: "it names its directory", peer: "stranger",
			call: `"kind":"execute","rawInput":{"command":"make","cwd":"/srv"}`,
			want: want{tool: "bash", command: "make", dir: "/srv"}},
		{name: "qwen", peer: "qwen-code",
			call: `"kind":"execute","title":"make (build it)","rawInput":{"command":"make","description":"build it","is_background":false},"_meta":{"toolName":"run_shell_command"}`,
			want: want{tool: "bash", command: "make", dir: at}},
		{name: "qwen, elsewhere", peer: "qwen-code",
			call: `"kind":"execute","rawInput":{"command":"make","directory":"sub"}`,
			want: want{tool: "bash", command: "make", dir: at + "/sub"}},
		{name: "an argument that nobody knows", peer: "qwen-code",
			call: `"kind":"execute","rawInput":{"command":"make","host":"prod"}`,
			want: want{tool: "bash", command: "make", dir: at, unproven: true}},
		{name: "opencode, the update before it", peer: "OpenCode",
			call: `"kind":"execute","rawInput":{"command":"make"}`,
			earlier: []string{`{"toolCallId":"c1","kind":"execute","rawInput":{}}`,
				`{"toolCallId":"c1","rawInput":{"command":"make","description":"d"}}`},
			want: want{tool: "bash", command: "make", dir: at}},
		{name: "the update says another command", peer: "OpenCode",
			call:    `"kind":"execute","rawInput":{"command":"make"}`,
			earlier: []string{`{"toolCallId":"c1","rawInput":{"command":"make clean"}}`},
			want:    want{tool: "bash", command: "make", dir: at, unproven: true}},
		{name: "only what changed is sent", peer: "qwen-code",
			call:    `"status":"pending"`,
			earlier: []string{`{"toolCallId":"c1","kind":"execute","title":"x","rawInput":{"command":"make"}}`},
			want:    want{tool: "bash", command: "make", dir: at}},
		{name: "an update that cannot be read", peer: "qwen-code",
			call:    `"kind":"execute","rawInput":{"command":"make"}`,
			earlier: []string{`too much`},
			want:    want{tool: "bash", command: "make", dir: at, unproven: true}},
		{name: "gemini", peer: "gemini-cli",
			call: `"kind":"execute","title":"make","locations":[],"content":[{"type":"content","content":{"type":"text","text":"[current working directory /home/ada/loom] (build)"}}]`,
			want: want{tool: "bash", command: "make", dir: at, unproven: true}},
		{name: "an edit", peer: "stranger",
			call: `"kind":"edit","content":[{"type":"diff","path":"/home/ada/loom/a","oldText":"x","newText":"y"}],"locations":[{"path":"/home/ada/loom/a","line":3}]`,
			want: want{tool: "file_edit", dir: at, paths: []string{"/home/ada/loom/a"}}},
		{name: "an edit of more than it shows", peer: "stranger",
			call: `"kind":"edit","content":[{"type":"diff","path":"/home/ada/loom/a","newText":"y"}],"rawInput":{"file_path":"/etc/passwd"}`,
			want: want{tool: "file_edit", dir: at, paths: []string{"/home/ada/loom/a", "/etc/passwd"}, unproven: true}},
		{name: "an edit whose diff takes a file away", peer: "OpenCode",
			call: `"kind":"edit","content":[{"type":"diff","path":"/home/ada/loom/a","newText":"y"}],"rawInput":{"filepath":"/home/ada/loom/a","diff":"--- a\n+++ /dev/null\n"}`,
			want: want{tool: "file_edit", dir: at, paths: []string{"/home/ada/loom/a"}, unproven: true}},
		{name: "a diff that is none", peer: "OpenCode",
			call: `"kind":"edit","content":[{"type":"diff","path":"/home/ada/loom/a","newText":"y"}],"rawInput":{"diff":7}`,
			want: want{tool: "file_edit", dir: at, paths: []string{"/home/ada/loom/a"}, unproven: true}},
		{name: "an edit of nobody knows what", peer: "stranger",
			call: `"kind":"edit","title":"Edit a"`, want: want{tool: "file_edit", dir: at, unproven: true}},
		{name: "an edit that takes another file away", peer: "stranger",
			call: `"kind":"edit","content":[{"type":"diff","path":"/home/ada/loom/a","oldText":"x","newText":"y"}],"rawInput":{"changes":{"/home/ada/.bashrc":{"type":"update","move_path":"/home/ada/loom/a"}}}`,
			want: want{tool: "file_edit", dir: at, paths: []string{"/home/ada/loom/a"}, unproven: true}},
		{name: "an edit beside a terminal", peer: "stranger",
			call: `"kind":"edit","content":[{"type":"diff","path":"/home/ada/loom/a","oldText":"x","newText":"y"},{"type":"terminal","terminalId":"t"}]`,
			want: want{tool: "file_edit", dir: at, paths: []string{"/home/ada/loom/a"}, unproven: true}},
		{name: "reading is a kind, no tool", peer: "stranger",
			call: `"kind":"read","locations":[{"path":"/home/ada/.ssh/id"}]`,
			want: want{dir: at, paths: []string{"/home/ada/.ssh/id"}}},
		{name: "a change of mode is the person's", peer: "stranger",
			call: `"kind":"switch_mode","title":"leave plan mode"`, want: want{dir: at, unproven: true}},
		{name: "an MCP tool, whatever its kind", peer: "stranger",
			call: `"kind":"execute","rawInput":{"command":"ls"},"_meta":{"toolName":"mcp__prod__run"}`,
			want: want{tool: "mcp", dir: at, mcp: &nod.MCP{Server: "prod", Tool: "run"}}},
		{name: "a question of another kind about a command", peer: "opencode",
			call: `"kind":"other","title":"external_directory","rawInput":{"command":"git push --force","filepath":"/x"}`,
			want: want{tool: "bash", command: "git push --force", dir: at, paths: []string{"/x"}, unproven: true}},
		{name: "a list of words that is to run", peer: "stranger",
			call: `"kind":"execute","title":"tidy up","rawInput":{"call_id":"c","command":["bash","-lc","rm -rf ~"],"cwd":"/home/ada/loom"}`,
			want: want{tool: "bash", command: "'bash' '-lc' 'rm -rf ~'", dir: at, unproven: true}},
		{name: "a command in an edit", peer: "stranger",
			call: `"kind":"edit","locations":[{"path":"/home/ada/loom/a"}],"rawInput":{"command":"rm -rf ~"}`,
			want: want{tool: "bash", command: "rm -rf ~", dir: at, paths: []string{"/home/ada/loom/a"},
				unproven: true}},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := agent.ACP{Program: "x", Peer: row.peer, Dir: at, Options: acpKinds}
			for _, u := range row.earlier {
				a.Earlier = append(a.Earlier, []byte(u))
			}
			e, err := a.Decode([]byte(`{"sessionId":"s1",`+acpOptions+`,"toolCall":{"toolCallId":"c1",`+row.call+`}}`),
				nil)
			if err != nil {
				t.Fatal(err)
			}
			got := want{e.Call.Tool, e.Call.Command, e.Call.Dir, e.Call.Paths, e.Unproven, e.Call.MCP}
			if diff := cmp.Diff(row.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Error(diff)
			}
			if !e.Call.Interactive || e.Project != at || e.Call.Session != "s1" || e.Call.ID != "c1" ||
				e.Call.Agent != "acp:x" {
				t.Errorf("%+v", e)
			}
			for _, proven := range []bool{true, false} {
				if row.want.unproven == proven {
					continue
				}
				if said := a.Encode(e, nod.Decision{Verdict: nod.Allow}, agent.Replace,
					false).Said; (said == "allow") != proven {
					t.Errorf("an allow is said as %q", said)
				}
			}
		})
	}
}

// A call that is tried again has another id and is the same call: an approval that
// was given for the first holds for it.
func TestACPTheSameCallAgain(t *testing.T) {
	a := agent.ACP{Program: "x", Dir: "/home/ada/loom", Options: acpKinds}
	var inputs []string
	for _, call := range []string{
		`{"toolCallId":"c1","kind":"execute","title":"make","status":"pending","rawInput":{"command":"make"}}`,
		`{"toolCallId":"c2","kind":"execute","title":"make","status":"in_progress","rawInput":{"command":"make"}}`,
		`{"toolCallId":"c3","kind":"execute","title":"make","status":"pending","rawInput":{"command":"make","host":"x"}}`,
	} {
		e, err := a.Decode([]byte(`{"sessionId":"s1",`+acpOptions+`,"toolCall":`+call+`}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, string(e.Call.Input))
	}
	if inputs[0] != inputs[1] || inputs[0] == inputs[2] {
		t.Errorf("%q", inputs)
	}
}

// In version 2 of the protocol the call stands in a subject: it may be denied and no more.
func TestACPSubject(t *testing.T) {
	a := agent.ACP{Program: "x", Dir: "/home/ada/loom", Options: acpKinds}
	e, err := a.Decode([]byte(`{"sessionId":"s",`+acpOptions+`,"subject":{"type":"tool_call","toolCall":`+
		`{"toolCallId":"c","kind":"execute","rawInput":{"command":"make","cwd":"/srv"}}}}`), nil)
	if err != nil || e.Call.Command != "make" || e.Call.Dir != "/srv" || !e.Unproven {
		t.Errorf("%+v, %v", e, err)
	}
}

// A request with two readings has none: it goes on to the editor.
func TestACPRequestsWithTwoReadings(t *testing.T) {
	a := agent.ACP{Program: "x", Dir: "/home/ada/loom", Options: acpKinds}
	for _, payload := range []string{
		``, `[]`, `{}`, `{"sessionId":7}`,
		`{"sessionId":"s","toolCall":{"toolCallId":"c","kind":"execute","rawInput":{"command":"ls","command":"rm -rf /"}}}`,
		`{"sessionId":"s","toolCall":{"toolCallId":"c","kind":"execute","Kind":"read"}}`,
		`{"sessionId":"s","subject":{"type":"command","command":"ls","cwd":"/"}}`, // another version of the protocol
	} {
		if e, err := a.Decode([]byte(payload), nil); err == nil {
			t.Errorf("%s: %+v", payload, e)
		}
	}
}

// What the agent is told: options are chosen by kind, an allow is never for
// always, and what cannot be said is silence.
func TestACPAnswers(t *testing.T) {
	allowed, denied, asked := nod.Decision{Verdict: nod.Allow}, nod.Decision{}, nod.Decision{Verdict: nod.Ask}
	selected := func(id string) string { return `{"outcome":{"outcome":"selected","optionId":"` + id + `"}}` }
	one := func(kinds ...string) (list []agent.ACPOption) {
		for _, k := range kinds {
			list = append(list, agent.ACPOption{ID: "<" + k + ">", Kind: k})
		}
		return list
	}
	for _, row := range []struct {
		name    string
		options []agent.ACPOption
		d       nod.Decision
		e       agent.Event
		profile agent.Profile
		dir     string
		want    string
	}{
		{name: "allow", options: acpKinds, d: allowed, dir: "/w", want: selected("reject")},
		{name: "deny", options: acpKinds, d: denied, dir: "/w", want: selected("allow")},
		{name: "ask", options: acpKinds, d: asked, dir: "/w"},
		{name: "allow, not proven", options: acpKinds, d: allowed, e: agent.Event{Unproven: true}, dir: "/w"},
		{name: "allow in a session that nobody knows", options: acpKinds, d: allowed},
		{name: "allow under reinforce", options: acpKinds, d: allowed, profile: agent.Reinforce, dir: "/w"},
		{name: "deny where nothing is offered", options: one("allow_once", "strange"), d: denied, dir: "/w",
			want: agent.ACPCancelled},
		{name: "allow by an id that is for always too",
			options: []agent.ACPOption{{ID: "x", Kind: "allow_once"}, {ID: "x", Kind: "allow_always"}}, d: allowed,
			dir: "/w"},
		{name: "a fault of nod's", options: acpKinds, d: nod.Decision{Err: &fault.Error{Kind: fault.Internal}},
			dir: "/w"},
		{name: "no event", options: acpKinds, d: denied, e: agent.Event{Kind: agent.Unexpected, Name: "?"}, dir: "/w"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.e.Name == "" {
				row.e.Kind = agent.Decide
			}
			a := agent.ACP{Program: "x", Dir: row.dir, Options: row.options}
			got := a.Encode(row.e, row.d, row.profile, false)
			if string(got.Stdout) != row.want || (got.Said == "abstained") != (row.want == "") || got.Exit != 0 ||
				len(got.Stderr) > 0 {
				t.Errorf("%s (%s), want %s", got.Stdout, got.Said, row.want)
			}
			if block := a.Block("why"); len(block.Stdout)+len(block.Stderr)+block.Exit != 0 {
				t.Errorf("%+v", block)
			}
		})
	}
}

// What four agents sent is read.
func TestACPCaptured(t *testing.T) {
	dir := filepath.Join("..", "..", "shared", "protocols", "acp", "fixtures")
	files, _ := filepath.Glob(filepath.Join(dir, "*.request_permission.params.json"))
	if len(files) == 0 {
		t.Skipf("%s absent: skipped", dir)
	}
	for _, file := range files {
		payload, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		who, _, _ := strings.Cut(filepath.Base(file), ".")
		initialize, err := os.ReadFile(filepath.Join(dir, who+".initialize.result.json"))
		if err != nil {
			t.Fatal(err)
		}
		read := func(format string, text []byte) agent.ACPMessage {
			m, err := agent.ReadACPMessage(fmt.Appendf(nil, format, text))
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		a := agent.ACP{Program: who, Dir: "/home/dev/project", Peer: read(`{"id":1,"result":%s}`, initialize).Peer,
			Options: read(`{"id":1,"method":"session/request_permission","params":%s}`, payload).Options}
		if a.Peer == "" || len(a.Options) == 0 {
			t.Fatalf("%s: %q %v", who, a.Peer, a.Options)
		}
		e, err := a.Decode(payload, nil)
		name := filepath.Base(file) // one shows its diff as an argument, one its command as a title
		proven := !strings.HasPrefix(name, "copilot.write.") && !strings.HasPrefix(name, "gemini.shell.")
		if err != nil || e.Unproven == proven {
			t.Errorf("%s: %v, unproven %v", file, err, e.Unproven)
		}
		if strings.Contains(file,
			".shell.") && (e.Call.Command != "echo hi > marker_a" ||
			(e.Call.Dir == "") != (who == "copilot" || who == "opencode")) {
			t.Errorf("%s: %q in %q", file, e.Call.Command, e.Call.Dir)
		}
		if strings.Contains(file,
			".write.") && (len(e.Call.Paths) != 1 || e.Call.Tool != "file_edit" || proven != (len(e.Call.Edits) == 1)) {
			t.Errorf("%s: %+v", file, e.Call)
		}
		if said := a.Encode(e, nod.Decision{Verdict: nod.Allow}, agent.Replace,
			false); (said.Said == "allow") != proven || strings.Contains(string(said.Stdout), "always") {
			t.Errorf("%s: %+v", file, said)
		}
	}
}

// An editor's "always" would end nod's rules for what the agent no longer asks about.
func TestWithoutAlways(t *testing.T) {
	const (
		always, once, reject = `{"optionId":"a","name":"A","kind":"allow_always"}`,
			`{"optionId":"o","name":"O","kind":"allow_once"}`, `{"optionId":"r","name":"R","kind":"reject_once"}`
		both = `[` + always + `,` + once + `,` + reject + `]`
	)
	line := func(options, input string) string {
		return `{"jsonrpc":"2.0","id":-0.5,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"rawInput":` + input + `},"options":` + options + "}}\n"
	}
	sameJSON(t, agent.WithoutAlways([]byte(line(both, both))), line(`[`+once+`,`+reject+`]`, both))
	for _, left := range []string{line(`[`+once+`]`, `{}`), line(`[`+always+`,`+reject+`]`, `{}`), line(`7`, `{}`),
		"rubbish\n"} {
		if got := string(agent.WithoutAlways([]byte(left))); got != left {
			t.Errorf("%s becomes %s", left, got)
		}
	}
}

// A question that goes on carries nod's reason, and shows what it showed.
func TestACPReason(t *testing.T) {
	const diff = `{"type":"diff","path":"/a","newText":"x"}`
	const block = `{"type":"content","content":{"type":"text","text":"why"}}`
	for _, row := range []struct{ params, earlier, want string }{
		{`{"toolCall":{"toolCallId":"c"},"options":[]}`, ``,
			`{"toolCall":{"toolCallId":"c","content":[` + block + `]},"options":[]}`},
		{`{"toolCall":{"toolCallId":"c","content":[` + diff + `]}}`, ``,
			`{"toolCall":{"toolCallId":"c","content":[` + diff + `,` + block + `]}}`},
		{`{"toolCall":{"toolCallId":"c"}}`, `{"content":[` + diff + `]}`,
			`{"toolCall":{"toolCallId":"c","content":[` + diff + `,` + block + `]}}`},
		{`{"toolCall":{"toolCallId":"c","content":7}}`, ``, `{"toolCall":{"toolCallId":"c","content":7}}`},
	} {
		a := agent.ACP{}
		if row.earlier != "" {
			a.Earlier = [][]byte{[]byte(row.earlier)}
		}
		sameJSON(t, a.WithReason([]byte(`{"id":1,"params":`+row.params+"}\n"), "why"),
			`{"id":1,"params":`+row.want+"}\n")
	}
}

// sameJSON compares two texts of JSON.
func sameJSON(t *testing.T, got []byte, want string) {
	t.Helper()
	var a, b any
	if json.Unmarshal(got, &a) != nil || json.Unmarshal([]byte(want), &b) != nil || !cmp.Equal(a, b) {
		t.Errorf("got %s, want %s", got, want)
	}
}
