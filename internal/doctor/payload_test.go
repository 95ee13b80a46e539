package doctor

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/testworld"
)

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
			b.Add(s, "x", "x")
		}
		if got := Worst([]Block{b}); got != row.want {
			t.Errorf("%v: %d, want %d", row.states, got, row.want)
		}
	}
}

// What failed to answer, or answered something else, is never called fine.
func TestJudge(t *testing.T) {
	e := examination{adapter: agent.Host("claude-code")}
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
