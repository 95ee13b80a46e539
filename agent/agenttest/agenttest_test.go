package agenttest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
)

// sloppy is an adapter as one would write it in a hurry; each field makes it
// sloppy in one more way. The suite must notice every one.
type sloppy struct {
	strict   bool // payloads are read as they should be
	says     func(e agent.Event, d nod.Decision) string
	silent   bool // Block gives no reason
	headless bool // asks where nobody is
	panics   bool
	short    bool // shortens commands
	acts     bool // lets change what it likes where nothing may change
}

func (sloppy) Name() string { return "sloppy" }

func (sloppy) Capabilities() agent.Capabilities {
	return agent.Capabilities{Tried: "1", Before: agent.Seat{Allow: true, Deny: true, Ask: true}}
}

func (s sloppy) Decode(payload []byte, environ []string) (agent.Event, error) {
	if s.strict {
		e, err := agent.ClaudeCode{}.Decode(payload, environ)
		if err == nil {
			e.Call.Agent = s.Name()
		}
		if s.short {
			e.Call.Command = e.Call.Command[:min(len(e.Call.Command), 1000)]
		}
		return e, err
	}
	var in struct {
		Event   string `json:"hook_event_name"`
		Session string `json:"session_id"`
		Dir     string `json:"cwd"`
		Tool    string `json:"tool_name"`
		Input   struct {
			Command string `json:"command"`
		} `json:"tool_input"`
	}
	if err := json.Unmarshal(payload, &in); err != nil {
		return agent.Event{}, err
	}
	return agent.Event{Kind: agent.Decide, Name: in.Event, Call: nod.Call{
		Agent: s.Name(), Session: in.Session, Dir: in.Dir, Tool: "bash", RawTool: in.Tool,
		Command: in.Input.Command, Input: json.RawMessage("{}"),
	}}, nil
}

func (s sloppy) Encode(e agent.Event, d nod.Decision, p agent.Profile, model bool) agent.Answer {
	if s.panics {
		_ = d.Err.Error()
	}
	if e.Kind == agent.Outcome || e.Kind == agent.Other {
		return agent.Answer{Said: "abstained"}
	}
	said := "deny"
	switch {
	case s.says != nil:
		said = s.says(e, d)
	case d.Verdict == nod.Allow && p != agent.Reinforce && (s.acts || !e.Plan):
		said = "allow"
	case d.Verdict == nod.Allow:
		said = "abstained"
	case d.Verdict == nod.Ask && (e.Call.Interactive || s.headless):
		said = "ask"
	}
	if said == "abstained" {
		return agent.Answer{Said: said}
	}
	return agent.Answer{Stdout: []byte(said), Said: said}
}

func (s sloppy) Block(reason string) agent.Answer {
	if s.silent {
		return agent.Answer{Exit: 2, Said: "deny", Stderr: []byte(reason)[:min(len(reason), 100)]}
	}
	return agent.Answer{Exit: 2, Said: "deny", Stderr: []byte("no")}
}

func sloppyHost(s sloppy) Host {
	return Host{
		Adapter: s,
		Modes:   []string{"default", "auto"},
		Fixtures: fstest.MapFS{"a.json": {Data: []byte(
			`{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"effort":{"level":"high"}}`)}},
	}
}

func TestSuiteNotices(t *testing.T) {
	always := func(word string) func(agent.Event, nod.Decision) string {
		return func(agent.Event, nod.Decision) string { return word }
	}
	for _, c := range []struct {
		name string
		host Host
		want []string
	}{
		{"nothing wrong", sloppyHost(sloppy{strict: true}), nil},
		{"encoding/json", sloppyHost(sloppy{}),
			[]string{"not a payload", "other readings", "large", "captured payloads"}},
		{"allows always", sloppyHost(sloppy{strict: true, says: always("allow")}), []string{"answers", "zero values"}},
		{"is always silent", sloppyHost(sloppy{strict: true, says: always("abstained")}),
			[]string{"answers", "zero values"}},
		{"asks nobody", sloppyHost(sloppy{strict: true, headless: true}), []string{"answers"}},
		{"acts in plan mode", sloppyHost(sloppy{strict: true, acts: true}), []string{"answers"}},
		{"blocks without a reason", sloppyHost(sloppy{strict: true, silent: true}), []string{"block"}},
		{"panics", sloppyHost(sloppy{strict: true, panics: true}), []string{"answers", "zero values"}},
		{"shortens", sloppyHost(sloppy{strict: true, short: true}), []string{"large"}},
		{"no fixtures", Host{Adapter: sloppy{strict: true}, Fixtures: fstest.MapFS{}},
			[]string{"captured payloads", "large", "answers"}},
		{"nothing to decide", Host{Adapter: sloppy{strict: true},
			Fixtures: fstest.MapFS{"a.json": {Data: []byte(`{"hook_event_name":"Stop"}`)}}},
			[]string{"captured payloads", "large"}},
		{"another schema", func() Host {
			h := sloppyHost(sloppy{strict: true})
			h.Valid = func(agent.Event, agent.Answer) error { return fmt.Errorf("not this") }
			return h
		}(), []string{"answers"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := map[string][]string{}
			var got []string
			for _, demand := range demands() {
				if found[demand.name] = demand.check(c.host); len(found[demand.name]) > 0 {
					got = append(got, demand.name)
				}
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("noticed in %q, want %q", got, c.want)
				for name, problems := range found {
					t.Logf("%s: %.300s", name, problems)
				}
			}
		})
	}
}

// The keys that an adapter reads are found without being told.
func TestKeysRead(t *testing.T) {
	all := gated(sloppyHost(sloppy{strict: true}))
	if len(all) != 1 {
		t.Fatalf("%d fixtures", len(all))
	}
	got := map[string]bool{}
	for _, p := range places(all[0].text) {
		got[p.path] = isRead(sloppyHost(sloppy{strict: true}), all[0], p)
	}
	for key, want := range map[string]bool{
		"session_id": true, "cwd": true, "hook_event_name": true, "tool_name": true,
		"tool_input": true, "tool_input.command": true, "effort": false, "effort.level": false,
	} {
		if got[key] != want {
			t.Errorf("%s: read %v, want %v", key, got[key], want)
		}
	}
}
