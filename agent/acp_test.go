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

// TestACPCalls: testdata/acp.txt has what a request proves, agent by agent: the command or the paths, the directory,
// and whether an allow may be said.
func TestACPCalls(t *testing.T) {
	text, err := os.ReadFile("testdata/acp.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(strings.TrimSpace(string(text)), "\n\n")[1:] {
		lines := strings.Split(block, "\n")
		a := agent.ACP{Program: "x", Peer: lines[1], Dir: "/home/ada/loom", Options: acpKinds}
		for _, line := range lines[3 : len(lines)-1] {
			a.Earlier = append(a.Earlier, []byte(strings.TrimPrefix(line, "earlier: ")))
		}
		e, err := a.Decode([]byte(`{"sessionId":"s1",`+acpOptions+`,"toolCall":{"toolCallId":"c1",`+lines[2][1:]+`}`),
			nil)
		said := a.Encode(e, nod.Decision{Verdict: nod.Allow}, agent.Replace, false).Said
		got, _ := strings.CutPrefix(sight(e, err)+" "+said, "decide session/request_permission ")
		if want := lines[len(lines)-1]; got != want || e.Call.Agent != "acp:x" {
			t.Errorf("%s\n%s, want\n%s", lines[0], got, want)
		}
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

// A request with two readings goes on to the editor.
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

// What the agent is told: options are chosen by kind, an allow is never for always, and what cannot be said is silence.
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
