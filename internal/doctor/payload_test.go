package doctor

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/testworld"
)

// Every host that has hooks in a settings file can be asked about a command,
// at each event at which nod decides.
func TestEveryHostCanBeAsked(t *testing.T) {
	for _, name := range install.Agents() {
		t.Run(name, func(t *testing.T) {
			adapter, _ := agent.ByName(name)
			in := installed(t, name)
			asked := 0
			for _, r := range in.Hooks {
				if !r.Decides {
					continue
				}
				dir := filepath.Join(t.TempDir(), "work")
				e := examination{}
				_, event, ok := payload(adapter, r.Event, e.environ(dir), dir, harmless, "default")
				if !ok && (strings.HasPrefix(r.Event, "before") || strings.HasPrefix(r.Event, "pre_")) {
					continue // no command goes through such an event
				}
				asked++
				if !ok {
					t.Fatalf("%s: no payload", r.Event)
				}
				if event.Call.Dir != dir || event.Call.Command != harmless || event.Name != r.Event {
					t.Errorf("%s: %+v", r.Event, event)
				}
				if event.Complete != nil {
					event.Complete(&event)
				}
				if event.Call.StdinUnseen {
					t.Errorf("%s: nothing says that nobody can type into the command", r.Event)
				}
			}
			if asked == 0 {
				t.Error("nothing can be asked")
			}
		})
	}
}

// Every adapter reads what the row of its agent says that the agent sends, and
// finds the workspace where the row says that it is told.
func TestEveryAdapterReadsItsRow(t *testing.T) {
	for _, a := range agent.All() {
		events := []string{"PreToolUse"} // of the agents whose files a person writes
		if slices.Contains(install.Agents(), a.Name()) {
			events = nil
			for _, h := range installed(t, a.Name()).Hooks {
				events = append(events, h.Event)
			}
		}
		dir, read := filepath.Join(t.TempDir(), "work"), 0
		environ := (&examination{}).environ(dir)
		for _, event := range events {
			_, e, ok := payload(a, event, environ, dir, harmless, "default")
			if !ok {
				continue
			}
			read++
			if e.Call.Dir != dir && e.Project != dir {
				t.Errorf("%s, %s: runs in %q", a.Name(), event, e.Call.Dir)
			}
			if row := hosts.ByName(a.Name()); row.Project != "" && e.Project != dir {
				t.Errorf("%s, %s: %s is not read", a.Name(), event, row.Project)
			}
		}
		if read == 0 {
			t.Errorf("%s reads no payload of its row at %q: write one into Payloads, internal/hosts", a.Name(), events)
		}
	}
}

// installed installs nod for an agent in a home of its own.
func installed(t *testing.T, name string) *install.Installed {
	t.Helper()
	home := t.TempDir()
	o := install.Options{Agent: name, Level: install.User, Home: home, Hook: "/opt/nod-hook", Nod: "/opt/nod"}
	p, err := install.PlanInstall(o)
	if err == nil {
		_, err = install.Apply(p, time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	in, err := install.Inspect(o)
	if err != nil || in == nil {
		t.Fatalf("%v %v", in, err)
	}
	if in.Again != "" {
		t.Errorf("installing again would change: %s", in.Again)
	}
	for _, r := range in.Hooks {
		if !r.Written {
			t.Errorf("%s: not taken for what nod writes", r.Event)
		}
	}
	return in
}

// Whatever the script says, the stand-in is what is started.
func TestStandIn(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "nod-hook")
	if why := standIn(t.Context(), path, "#!/bin/sh\necho all is well\n"); why != nil {
		t.Fatal(why)
	}
	got := install.Start(t.Context(), install.Command{Words: []string{path}}, dir, nil, nil)
	if string(got.Stdout) != "all is well\n" || got.Exit != 0 {
		t.Errorf("%+v", got)
	}
	if why := standIn(t.Context(), filepath.Join(dir, "gone", "nod-hook"), ""); why == nil {
		t.Error("a directory that is not there")
	}
}

// A hook that hangs is ended with all that it started.
func TestStartEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	got := install.Start(ctx, install.Command{Shell: "sleep 60 & sleep 60"}, t.TempDir(),
		testworld.Started(t.TempDir()), nil)
	if got.Ended || got.Exit != -1 {
		t.Errorf("%+v", got)
	}
}

func TestWorst(t *testing.T) {
	for _, row := range []struct {
		states []State
		want   int
	}{
		{nil, 0}, {[]State{OK, Note}, 0}, {[]State{OK, NotTried}, 3}, {[]State{Open}, 3}, {[]State{Failed, Open}, 4},
		{[]State{Open, Failed, OK}, 4},
	} {
		var b Block
		for _, s := range row.states {
			b.add(s, "x", "x")
		}
		if got := Worst([]Block{b}); got != row.want {
			t.Errorf("%v: %d, want %d", row.states, got, row.want)
		}
	}
}

// What failed to answer, or answered something else, is never called fine.
func TestJudge(t *testing.T) {
	e := examination{adapter: agent.ClaudeCode{}}
	denied := agent.Answer{Stdout: []byte("{}"), Said: "deny"}
	for _, row := range []struct {
		name, want, quiet string
		expected          agent.Answer
		got               install.Ran
		state             State
	}{
		{"as expected", "deny", "", denied, install.Ran{Stdout: []byte("{}\n")}, OK},
		{"another answer", "deny", "", denied, install.Ran{Stdout: []byte("{ }")}, Failed},
		{"another exit", "deny", "", denied, install.Ran{Stdout: []byte("{}"), Exit: 1}, Failed},
		{"silence for a denial", "deny", "", denied, install.Ran{}, Failed},
		{"settings that allow it", "deny", "", agent.Answer{Said: "allow"}, install.Ran{}, Failed},
		{"settings that deny it", "allow", "", denied, install.Ran{Stdout: []byte("{}")}, NotTried},
		{"no reason", "deny", "", agent.Answer{Exit: 2, Said: "deny"}, install.Ran{Exit: 2}, Failed},
		{"a seat that cannot grant", "allow", "no hook can grant here", agent.Answer{Said: "abstained"}, install.Ran{}, OK},
		{"silence where it could grant", "allow", "", agent.Answer{Said: "abstained"}, install.Ran{}, NotTried},
	} {
		if l := e.judge("", row.want, row.quiet, row.expected, row.got); l.State != row.state {
			t.Errorf("%s: %v (%s), want %v", row.name, l.State, l.Text, row.state)
		}
	}
}

// Behind the guard script, everything but the host's denial with a reason is a
// fault.
func TestJudgeFailure(t *testing.T) {
	codex, agy := agent.Adapter(agent.Codex{}), agent.Adapter(agent.Generic{Agent: "antigravity"})
	blocked := install.Ran{Exit: 2, Stderr: []byte("why\n"), Ended: true}
	object := install.Ran{Stdout: []byte(`{"decision":"deny","reason":"why"}` + "\n"), Ended: true}
	for _, row := range []struct {
		agent agent.Adapter
		name  string
		got   install.Ran
		state State
	}{
		{codex, "blocked", blocked, OK},
		{codex, "no reason", install.Ran{Exit: 2, Ended: true}, Failed},
		{codex, "runs", install.Ran{Ended: true}, Failed},
		{codex, "exit 1", install.Ran{Exit: 1, Stderr: []byte("x"), Ended: true}, Failed},
		{codex, slow, install.Ran{Exit: -1}, Open},
		{codex, slow, blocked, OK},
		{codex, "another host's denial", object, Failed},
		{agy, "denied", object, OK},
		{agy, "no reason", install.Ran{Stdout: []byte(`{"decision":"deny","reason":""}`), Ended: true},
			Failed},
		{agy, "silent", install.Ran{Ended: true}, Failed},
		{agy, "an allow", install.Ran{Stdout: []byte(`{"decision":"allow","reason":"why"}`), Ended: true},
			Failed},
		{agy, "another host's denial", blocked, Failed},
	} {
		var b Block
		e := examination{adapter: row.agent}
		e.judgeFailure(&b, failure{name: row.name}, row.got, 1)
		if b.Lines[0].State != row.state {
			t.Errorf("%s: %v", row.name, b.Lines[0])
		}
	}
}
