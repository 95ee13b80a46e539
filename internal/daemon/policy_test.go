//go:build unix

package daemon_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/daemon"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/team"
)

// policyServer gives one text to machines that have another.
type policyServer struct {
	*httptest.Server
	mu     sync.Mutex
	text   []byte
	change chan struct{} // closed when another text comes
}

func newPolicyServer(t *testing.T) *policyServer {
	s := &policyServer{change: make(chan struct{})}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *policyServer) publish(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = text
	close(s.change)
	s.change = make(chan struct{})
}

func (s *policyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for {
		s.mu.Lock()
		text, change := s.text, s.change
		s.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if text != nil && team.Tag(text) != r.Header.Get("If-None-Match") {
			_, _ = w.Write(text)
			return
		}
		select {
		case <-change:
		case <-r.Context().Done():
			return
		}
	}
}

// machine is a member's home, with a user who allows git push.
type machine struct {
	*testing.T
	home, state, shop string
	key               ed25519.PrivateKey
	said              *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

func newMachine(t *testing.T, server string) *machine {
	home := t.TempDir()
	m := &machine{t, home, home + "/state", home + "/src/shop", ed25519.NewKeyFromSeed(make([]byte, 32)), &lockedBuffer{}}
	for _, dir := range []string{m.shop + "/.git", home + "/.config/nod"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	public := base64.StdEncoding.EncodeToString(m.key.Public().(ed25519.PublicKey))
	err := team.Member{Version: 1, Server: server, Org: "acme", Team: "web", Machine: "m1", Token: "secret",
		Key: public}.Save(m.state)
	if err == nil {
		err = os.WriteFile(m.settings(), []byte("allow = [\"git push\"]\nmode = \"off\"\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *machine) settings() string { return m.home + "/.config/nod/nod.toml" }

// run runs the machine's daemon until stop.
func (m *machine) run() (stop func()) {
	ctx, cancel := context.WithCancel(hang.Context(m))
	ended := make(chan error, 1)
	o := daemon.Options{State: m.state, Places: config.Places{State: m.state, Home: m.home, UID: uint32(os.Getuid())},
		Stderr: m.said, Retry: time.Millisecond}
	go func() { ended <- daemon.Run(ctx, o) }()
	return func() {
		cancel()
		if err := hang.Receive(m, "the daemon's end", ended); err != nil {
			m.Error(err)
		}
	}
}

// decide has the hook decide a command, and returns what it answers.
func (m *machine) decide(command string) string {
	m.Helper()
	payload := fmt.Sprintf(`{"session_id":"s","transcript_path":"","cwd":%q,"permission_mode":"default",
		"hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t","tool_input":{"command":%q}}`, m.shop, command)
	var out, errs bytes.Buffer
	code := hook.Main(m.Context(), []string{"claude-code", "--settings", m.settings(), "--managed", "", "--state", m.state},
		[]string{"HOME=" + m.home, "PATH=/usr/bin:/bin"}, strings.NewReader(payload), &out, &errs, func(int) {})
	return fmt.Sprint(code, " ", out.String(), errs.String())
}

func (m *machine) denies(what string) {
	m.Helper()
	if said := m.decide("git push"); !strings.Contains(said, `"deny"`) {
		m.Errorf("%s: %s", what, said)
	}
}

func (m *machine) logged(kind audit.Kind) (list []audit.Entry) {
	m.Helper()
	for l, err := range audit.Read(m.state, audit.Filter{Kinds: []audit.Kind{kind}}) {
		if err != nil {
			m.Fatal(err)
		}
		list = append(list, l.Entry)
	}
	return list
}

func (m *machine) policy(version int64, text string) team.Policy {
	return team.Policy{Org: "acme", Team: "web", Version: version, Made: time.Now(), MaxAge: 3600,
		Documents: []team.Document{{Name: "base", For: team.ForOrg, Text: text}}}
}

func (m *machine) sign(p team.Policy, key ed25519.PrivateKey) []byte {
	m.Helper()
	text, err := team.Seal(p, key)
	if err != nil {
		m.Fatal(err)
	}
	return text
}

func (m *machine) kept() string {
	text, _ := os.ReadFile(filepath.Join(m.state, "team", team.PolicyFile))
	return string(text)
}

const noPush = "hard_deny = [\"git push\"]\nmode = \"enforce\"\n"

// A policy arrives and denies what the user allows. What is no good policy changes nothing, and raises an alarm.
func TestAPolicyArrives(t *testing.T) {
	server := newPolicyServer(t)
	m := newMachine(t, server.URL)
	if said := m.decide("git push"); said != "0 " {
		t.Errorf("the user switched nod off, and it said %s", said)
	}
	stop := m.run()
	defer func() { stop() }()
	arrives := func(text []byte) {
		t.Helper()
		server.publish(text)
		hang.Until(t, "the policy", func() bool { return m.kept() == string(text) })
	}
	arrives(m.sign(m.policy(1, "mode = \"enforce\""), m.key))
	if said := m.decide("git push"); strings.Contains(said, `"deny"`) {
		t.Errorf("before it is forbidden: %s", said)
	}
	arrives(m.sign(m.policy(2, noPush), m.key))
	m.denies("forbidden")
	good := m.kept()
	foreign, team2 := m.policy(3, ""), m.policy(3, "")
	foreign.Org, team2.Team = "evil", "db"
	alarms := 0
	for _, c := range []struct {
		name, why string
		text      []byte
	}{
		{"forged", "did not sign", m.sign(m.policy(3, ""), ed25519.NewKeyFromSeed([]byte(strings.Repeat("x", 32))))},
		{"truncated", "no signed policy", []byte(good[:len(good)-9])},
		{"older", "its version is 1, and 2 was kept", m.sign(m.policy(1, ""), m.key)},
		{"as old", "its version is 2, and 2 was kept", m.sign(m.policy(2, ""), m.key)},
		{"another organisation's", "organisation evil", m.sign(foreign, m.key)},
		{"another team's", "team db", m.sign(team2, m.key)},
		{"no settings", "base:1:1", m.sign(m.policy(3, "nonsense = 1"), m.key)},
		{"too long", "no signed policy", bytes.Repeat([]byte(" "), team.MaxPolicy+1)},
		{"a page of a proxy", "no signed policy", []byte("<html>")},
	} {
		server.publish(c.text)
		alarms++
		hang.Until(t, "the alarm: "+c.name, func() bool { return len(m.logged(audit.Alarm)) >= alarms })
		if all := m.logged(audit.Alarm); len(all) > alarms || !strings.Contains(all[alarms-1].Reason, c.why) {
			t.Errorf("%s: %d alarms, the last %s", c.name, len(all), all[len(all)-1].Reason)
		}
		if m.kept() != good {
			t.Fatalf("%s: it was kept", c.name)
		}
		m.denies(c.name)
	}
	if !strings.Contains(m.said.String(), "ALARM: the team's server sent a policy that was refused") {
		t.Error(m.said)
	}
	server.CloseClientConnections()
	server.Close()
	stop()
	stop = m.run()
	m.denies("the server has gone")
	all := m.logged(audit.Decision)
	if last := all[len(all)-1]; last.Policy == nil || *last.Policy != (audit.Policy{Version: 2}) ||
		!strings.HasPrefix(last.Rule.Origin, "policy 2/base:1") {
		t.Errorf("%+v", last)
	}
}

// Who removes what was kept does not make an older policy acceptable, and the hook says that none holds.
func TestAPolicyThatWasRemoved(t *testing.T) {
	server := newPolicyServer(t)
	m := newMachine(t, server.URL)
	server.publish(m.sign(m.policy(5, noPush), m.key))
	stop := m.run()
	hang.Until(t, "the policy", func() bool { return m.kept() != "" })
	m.denies("forbidden")
	stop()
	if err := os.Remove(filepath.Join(m.state, "team", team.PolicyFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.settings(), []byte("allow = [\"git push\"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.decide("git push")
	all := m.logged(audit.Decision)
	if p := all[len(all)-1].Policy; p == nil || *p != (audit.Policy{Stale: true}) {
		t.Errorf("%+v", p)
	}
	server.publish(m.sign(m.policy(4, ""), m.key))
	defer m.run()()
	hang.Until(t, "the alarm", func() bool { return len(m.logged(audit.Alarm)) == 1 })
	server.publish(m.sign(m.policy(5, noPush), m.key))
	hang.Until(t, "the policy", func() bool { return m.kept() != "" })
	m.denies("it came back")
}

// A policy that an agent could reach is guarded: STATE/team is nod's own.
func TestAnAgentCannotChangeThePolicy(t *testing.T) {
	m := newMachine(t, "https://nod.example")
	if err := os.WriteFile(m.settings(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"rm " + m.state + "/team/policy.json", "echo x > " + m.state + "/team/heard.json",
		"rm -r " + m.state + "/team"} {
		if said := m.decide(command); !strings.Contains(said, `"deny"`) || !strings.Contains(said, "change nod") {
			t.Errorf("%s: %s", command, said)
		}
	}
}
