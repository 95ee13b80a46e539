//go:build unix

package server

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/daemon"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/store/storetest"
	"github.com/nodgate/nod/internal/team"
)

// as sends a request with another token.
func (w *world) as(token, method, path, body string) (status int, text string) {
	w.Helper()
	r, text := w.ask(method, path, body, "Authorization: Bearer "+token)
	return r.StatusCode, text
}

// publishes drafts a document and publishes it.
func (w *world) publishes(admin, document string) {
	w.Helper()
	status, text := w.as(admin, "POST", "/v1/policies/drafts", document)
	var d store.Draft
	if err := json.Unmarshal([]byte(text), &d); err != nil || status != 200 {
		w.Fatalf("%d %s", status, text)
	}
	if status, text = w.as(admin, "POST", "/v1/policies/drafts/"+d.ID+"/publish", "{}"); status != 200 {
		w.Fatalf("%d %s", status, text)
	}
}

// joins makes a machine a member of the team by the command, and returns its state directory.
func (w *world) joins(name, of string) (state string) {
	w.Helper()
	var code string
	teams, err := w.db.Teams(w.Context(), w.org)
	for _, t := range teams {
		if t.Name == of {
			err = w.db.Tx(w.Context(), func(tx *store.Tx) (err error) {
				code, err = tx.MakeCode(w.Context(), store.Code{Org: w.org, Kind: store.MachineCode, Team: t.ID,
					Expires: time.Now().Add(time.Hour)})
				return err
			})
		}
	}
	if err != nil {
		w.Fatal(err)
	}
	state = filepath.Join(w.home, name)
	args := []string{"join", "--managed", w.managed, "--state", state, "--name", name, w.at}
	if exit, _, said := w.command(code, args...); exit != 0 {
		w.Fatal(said)
	}
	return state
}

// decides has the hook of a machine decide a command.
func (w *world) decides(state, command string) string {
	w.Helper()
	payload := fmt.Sprintf(`{"session_id":"s","transcript_path":"","cwd":%q,"permission_mode":"default",
		"hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t","tool_input":{"command":%q}}`, w.shop, command)
	var out, errs bytes.Buffer
	args := []string{"claude-code", "--settings", w.home + "/user.toml", "--managed", w.managed, "--state", state}
	environ := []string{"HOME=" + w.home, "PATH=/usr/bin:/bin"}
	hook.Main(w.Context(), args, environ, strings.NewReader(payload), &out, &errs, func(int) {})
	return out.String() + errs.String()
}

// runs runs the daemon of a machine until stop, or the test's end.
func (w *world) runs(state string) (stop func()) {
	ctx, cancel := context.WithCancel(hang.Context(w))
	ended := make(chan error, 1)
	o := daemon.Options{State: state, Stderr: io.Discard, Retry: time.Millisecond, Nod: w.nod,
		Places: config.Places{Managed: w.managed, State: state, Home: w.home, UID: uint32(os.Geteuid())}}
	go func() { ended <- daemon.Run(ctx, o) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := hang.Receive(w, "the daemon's end", ended); err != nil {
			w.Error(err)
		}
	})
	w.Cleanup(stop)
	return stop
}

// A policy is published, reaches the machines of its team and denies there what the user allows; it goes back, and the
// user's rule holds again.
func TestAPolicyReachesItsMachines(t *testing.T) {
	w := newWorld(t, nil)
	admin := w.newToken("admin", scopeAdmin)
	w.write("user.toml", "allow = [\"git push\"]\n")
	if err := w.db.Tx(t.Context(), func(tx *store.Tx) error {
		_, err := tx.MakeTeam(t.Context(), w.org, "web")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	web, other := w.joins("one", "web"), w.joins("two", "default")
	w.runs(web)
	w.runs(other)
	until := func(what, state string, denied bool) {
		t.Helper()
		hang.Until(t, what, func() bool {
			return strings.Contains(w.decides(state, "git push"), `"deny"`) == denied
		})
	}
	w.publishes(admin, `{"name":"base","for":"org","text":"approvals = \"off\""}`)
	w.publishes(admin, `{"name":"web.cedar","for":"team","team":"web","text":"forbid (principal, action == `+
		`Action::\"run\", resource) when { context.command like \"git push *\" };"}`)
	until("the denial", web, true)
	until("the other team's", other, false)
	if status, text := w.as(admin, "POST", "/v1/policies/1/restore", "{}"); status != 200 ||
		!strings.Contains(text, `"version":3,`) {
		t.Errorf("%d %s", status, text)
	}
	until("what was before", web, false)
	hang.Until(t, "the report", func() bool {
		all, err := w.db.Machines(t.Context(), w.org, "", 9)
		return err == nil && len(all) == 2 && all[0].Report.Policy == 3 && !all[0].Report.Heard.IsZero()
	})
	status, text := w.as(w.newToken("r", scopeRead), "GET", "/v1/policies", "")
	var list policyList
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Versions) != 3 || len(list.Drafts) != 2 ||
		list.Versions[0].What != "back to version 1" || list.Versions[0].Who != "token admin" {
		t.Errorf("%d %s", status, text)
	}
}

// Where root joined for the whole machine a user joins too: the policy that holds stays root's, whatever the user's
// team has, and the user's log and the doctor's result come by the user's own membership.
func TestAUserJoinsWhereRootDid(t *testing.T) {
	w := newWorld(t, nil)
	admin, reader, db := w.newToken("admin", scopeAdmin), w.newToken("reader", scopeRead), "sqlite:"+w.file
	w.write("user.toml", "allow = [\"git push\"]\n")
	w.command("", "team", "add", "--db", db, "web")
	w.publishes(admin, `{"name":"base","for":"team","team":"default","text":"hard_deny = [\"git push\"]"}`)
	root, err := team.Load("", w.joins("roots", "default"))
	_, policy := w.as(root.Token, "GET", "/v1/policy", "")
	w.managed, w.nod = w.home+"/etc/nod.toml", w.home+"/nod"
	seat := team.Seat{Dir: team.Managed(w.managed), Public: true}
	err = errors.Join(err, root.SaveAt(seat), seat.Keep([]byte(policy), team.Heard{At: time.Now(), Version: 1}),
		os.Remove(seat.Dir+"/"+team.MemberFile)) // which a user cannot read
	w.write("nod", "#!/bin/sh\necho '{\"nod\":[{\"lines\":[{\"state\":\"ok\"}"+
		strings.Repeat(",{\"state\":\"failed\",\"what\":\"log\"}", 12)+"]}]}'\nexit 4\n")
	trust, wrong := os.ReadFile(seat.Dir + "/" + team.TrustFile)
	if err := errors.Join(err, wrong, os.Chmod(w.nod, 0o700)); err != nil {
		t.Fatal(err)
	}
	user := w.joins("user", "web")
	stop := w.runs(user)
	until := func(said string) {
		hang.Until(t, said, func() bool {
			w.publishes(admin, `{"name":"web","for":"team","team":"web","text":"mode = \"off\""}`)
			all, err := w.db.Machines(t.Context(), w.org, "", 9)
			_, log := w.as(reader, "GET", "/v1/log", "")
			return err == nil && strings.HasSuffix(all[1].Report.Doctor, said) && all[1].Report.Policy == 1 &&
				strings.Contains(log, "git push")
		})
	}
	w.decides(user, "git push")
	until("Z 12 faults: nod log" + strings.Repeat(", nod log", 9) + "; 1 checks hold, 0 notes")
	if said := w.decides(user, "git push"); !strings.Contains(said, `"deny"`) {
		t.Error("root's policy does not hold:", said)
	}
	w.write("etc/nod.toml", "[team]\ninputs = false\n")
	until("Z 12 faults: 1 checks hold, 0 notes")
	if _, out, _ := w.command("", "machine", "list", "--db", db); !strings.HasSuffix(out, "Z 12 faults") {
		t.Error(out)
	}
	stop()
	key := strings.Repeat("A", 43) + "="
	for of, other := range map[string]string{root.Org: "x", root.Key: key, w.at: "https://x.example"} {
		w.write("etc/team/"+team.TrustFile, strings.Replace(string(trust), of, other, 1))
		o := daemon.Options{State: user, Places: config.Places{Managed: w.managed}, Stderr: io.Discard}
		if err := daemon.Run(hang.Context(t), o); err == nil || !strings.Contains(err.Error(), "root joined") {
			t.Errorf("%s: %v", other, err)
		}
		late := []string{"join", "--managed", w.managed, "--state", w.home + "/late", w.at}
		if _, _, said := w.command("", late...); strings.Contains(said, "root joined") != (of == w.at) {
			t.Error("the code is asked for:", said)
		}
	}
}

// served gives one text to machines that have another.
type served struct {
	mu     sync.Mutex
	text   []byte
	change chan struct{} // closed when another text comes
	waits  []string      // how long each request for it may be held
}

func (g *served) publish(text []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.change)
	g.text, g.change = text, make(chan struct{})
}

func (g *served) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil && r.Method == "GET" { // a report is taken
		g.mu.Lock()
		text, change := g.text, g.change
		if r.URL.Path == "/v1/policy" {
			g.waits = append(g.waits, r.URL.Query().Get("wait"))
		}
		g.mu.Unlock()
		if text != nil && team.Tag(text) != r.Header.Get("If-None-Match") {
			_, _ = w.Write(text)
			return
		}
		select {
		case <-change:
		case <-r.Context().Done():
		}
	}
}

// member is a machine of a server that gives what the test has it give. Its user allows git push, and switched nod off.
type member struct {
	*world
	*served
	web   *httptest.Server
	state string
	key   ed25519.PrivateKey
}

func newMember(t *testing.T) *member {
	m := &member{world: newWorld(t, nil), served: &served{change: make(chan struct{})},
		key: ed25519.NewKeyFromSeed(make([]byte, 32))}
	m.web, m.state = httptest.NewServer(m.served), m.home+"/member"
	t.Cleanup(m.web.Close)
	t.Cleanup(m.web.CloseClientConnections)
	m.write("user.toml", "allow = [\"git push\"]\nmode = \"off\"\n")
	j := team.Member{Version: 1, Server: m.web.URL, Org: "acme", Team: "web", Machine: "m1", Token: "secret",
		Key: base64.StdEncoding.EncodeToString(m.key.Public().(ed25519.PublicKey))}
	if err := j.SaveAt(team.Seat{Dir: team.Dir(m.state)}); err != nil {
		t.Fatal(err)
	}
	return m
}

// signed is a signed policy, changed before it is signed.
func (m *member) signed(version int64, text string, change ...func(*team.Policy)) []byte {
	m.Helper()
	p := team.Policy{Org: "acme", Team: "web", Version: version, Made: time.Now(), MaxAge: 3600,
		Documents: []team.Document{{Name: "base", For: team.ForOrg, Text: text}}}
	for _, c := range change {
		c(&p)
	}
	signed, err := team.Seal(p, m.key)
	if err != nil {
		m.Fatal(err)
	}
	return signed
}

func (m *member) kept() string {
	text, _ := os.ReadFile(filepath.Join(m.state, "team", team.PolicyFile))
	return string(text)
}

func (m *member) logged(kind audit.Kind) (list []audit.Entry) {
	m.Helper()
	for l, err := range audit.Read(m.state, audit.Filter{Kinds: []audit.Kind{kind}}) {
		if err != nil {
			m.Fatal(err)
		}
		list = append(list, l.Entry)
	}
	return list
}

func (m *member) arrives(text []byte) {
	m.Helper()
	m.publish(text)
	hang.Until(m, "the policy", func() bool { return m.kept() == string(text) })
}

func (m *member) denies(what string) {
	m.Helper()
	if said := m.decides(m.state, "git push"); !strings.Contains(said, `"deny"`) {
		m.Errorf("%s: %s", what, said)
	}
}

const noPush = "hard_deny = [\"git push\"]\nmode = \"enforce\"\n"

// What is no good policy changes nothing, and raises an alarm. A server that has gone changes nothing either.
func TestAPolicyThatIsRefused(t *testing.T) {
	m := newMember(t)
	if said := m.decides(m.state, "git push"); said != "" {
		t.Errorf("the user switched nod off, and it said %s", said)
	}
	stop := m.runs(m.state)
	m.arrives(m.signed(1, "mode = \"enforce\""))
	m.arrives(m.signed(2, noPush))
	m.denies("forbidden")
	m.mu.Lock()
	if m.waits[0] != "0s" || m.waits[len(m.waits)-1] != "50s" {
		t.Errorf("a new member is not seen at once, or asks all the time: %q", m.waits)
	}
	m.mu.Unlock()
	good, alarms := m.kept(), 0
	mine := m.key
	m.key = ed25519.NewKeyFromSeed([]byte(strings.Repeat("x", 32)))
	forged := m.signed(3, "")
	m.key = mine
	for _, c := range []struct {
		name, why string
		text      []byte
	}{
		{"forged", "did not sign", forged},
		{"truncated", "no signed policy", []byte(good[:len(good)-9])},
		{"older", "its version is 1, and 2 was kept", m.signed(1, "")},
		{"as old", "its version is 2, and 2 was kept", m.signed(2, "")},
		{"another organisation's", "organisation evil", m.signed(3, "", func(p *team.Policy) { p.Org = "evil" })},
		{"another team's", "team db", m.signed(3, "", func(p *team.Policy) { p.Team = "db" })},
		{"no settings", "base:1:1", m.signed(3, "nonsense = 1")},
		{"too long", "no signed policy", bytes.Repeat([]byte(" "), team.MaxPolicy+1)},
		{"a page of a proxy", "no signed policy", []byte("<html>")},
	} {
		m.publish(c.text)
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
	m.web.CloseClientConnections()
	m.web.Close()
	stop()
	m.runs(m.state)
	m.denies("the server has gone")
	all := m.logged(audit.Decision)
	if last := all[len(all)-1]; last.Policy == nil || *last.Policy != (audit.Policy{Version: 2}) ||
		!strings.HasPrefix(last.Rule.Origin, "policy 2/base:1") {
		t.Errorf("%+v", last)
	}
}

// Who removes what was kept does not make an older policy acceptable, and no call is allowed until it came back. To an
// agent all of it is guarded.
func TestAPolicyThatWasRemoved(t *testing.T) {
	m := newMember(t)
	stop := m.runs(m.state)
	m.arrives(m.signed(5, noPush))
	stop()
	for _, command := range []string{"rm STATE/team/policy.json", "echo x > STATE/team/heard.json", "rm -r STATE/team"} {
		said := m.decides(m.state, strings.ReplaceAll(command, "STATE", m.state))
		if !strings.Contains(said, `"deny"`) || !strings.Contains(said, "change nod") {
			t.Errorf("%s: %s", command, said)
		}
	}
	if err := os.Remove(filepath.Join(m.state, "team", team.PolicyFile)); err != nil {
		t.Fatal(err)
	}
	m.write("user.toml", "allow = [\"git push\"]")
	if said := m.decides(m.state, "ls"); !strings.Contains(said, "version 5 was here before") ||
		strings.Contains(said, `"allow"`) {
		t.Error(said)
	}
	m.publish(m.signed(4, ""))
	m.runs(m.state)
	hang.Until(t, "the alarm", func() bool { return len(m.logged(audit.Alarm)) == 1 })
	m.arrives(m.signed(5, noPush))
	m.denies("it came back")
}

// A draft that is no settings is refused, and where.
func TestADraftIsChecked(t *testing.T) {
	w := newWorld(t, nil)
	admin := w.newToken("admin", scopeAdmin)
	for document, want := range map[string]string{
		`{"name":"a","for":"org","text":"mode = \"enforce\"\nhard_deny = [7]"}`:                       "a:2:14: ",
		`{"name":"a","for":"org","text":"hard_denies = []"}`:                                          "a:1:1: ",
		`{"name":"a","for":"repository","repository":"github.com/a/*","text":"allow = [\"make x\"]"}`: "a:1:1: allow may",
		`{"name":"a","for":"team","team":"nobody","text":""}`:                                         "names one of the",
		`{"name":"a","for":"org","team":"default","text":""}`:                                         "names one of the",
		`{"name":"a.cedar","for":"org","text":"permit (principal, action, resource);"}`:               "only tightens",
		`{"name":"a b","for":"org","text":""}`:                                                        "a name has",
		`{"name":"a","for":"org","text":"","extra":1}`:                                                "unknown field",
	} {
		if status, text := w.as(admin, "POST", "/v1/policies/drafts", document); status != 400 ||
			!strings.Contains(text, want) {
			t.Errorf("%s: %d %s", document, status, text)
		}
	}
	if err := w.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.SetOrg(t.Context(), w.org, store.OrgSettings{TwoPeople: true})
	}); err != nil {
		t.Fatal(err)
	}
	_, text := w.as(admin, "POST", "/v1/policies/drafts", `{"name":"a","for":"org","text":""}`)
	var d store.Draft
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"publish", "review"} {
		status, text := w.as(admin, "POST", "/v1/policies/drafts/"+d.ID+"/"+what, "{}")
		if status != 409 || !strings.Contains(text, "another person") {
			t.Errorf("%s: %d %s", what, status, text)
		}
	}
}

// A machine waits as long as it has what there is, and not where it has something else.
func TestAMachineWaits(t *testing.T) {
	w := newWorld(t, nil)
	admin := w.newToken("admin", scopeAdmin)
	m, err := team.Load("", w.joins("m", "default"))
	if err != nil {
		t.Fatal(err)
	}
	get := func(query, tag string) (*http.Response, string) {
		return w.ask("GET", "/v1/policy"+query, "", "Authorization: Bearer "+m.Token, "If-None-Match: "+tag)
	}
	if r, _ := get("?wait=1ms", ""); r.StatusCode != http.StatusNoContent {
		t.Errorf("before: %d", r.StatusCode)
	}
	w.publishes(admin, `{"name":"a","for":"org","text":""}`)
	first, text := get("?wait=50s", "")
	tag := first.Header.Get("ETag")
	if p, err := team.Open([]byte(text), m.Trust()); err != nil || p.Version != 1 || tag != team.Tag([]byte(text)) {
		t.Errorf("%d %s %v", first.StatusCode, text, err)
	}
	if r, text := get("", tag); r.StatusCode != http.StatusNotModified || text != "" || r.Header.Get("ETag") != tag {
		t.Errorf("not changed: %d %s", r.StatusCode, text)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if r, text := get("?wait=50s", tag); r.StatusCode != 200 || !strings.Contains(text, "signature") {
				t.Errorf("woken: %d %s", r.StatusCode, text)
			}
		})
	}
	w.publishes(admin, `{"name":"a","for":"org","text":"# 2"}`)
	all.Wait()
	for _, query := range []string{"?wait=-1s", "?wait=soon"} {
		if r, _ := get(query, ""); r.StatusCode != 400 {
			t.Errorf("%s: %d", query, r.StatusCode)
		}
	}
	if status, _ := w.as(m.Token, "GET", "/v1/policies", ""); status != 403 {
		t.Errorf("a machine lists: %d", status)
	}
	if status, _ := w.as(w.newToken("r", scopeRead), "GET", "/v1/policy", ""); status != 400 {
		t.Errorf("no machine: %d", status)
	}
}

// Two servers share a database. Each is killed again and again while policies are published, and so is the database.
// What a machine has is always a version that was published, as it was published.
func TestServersAreKilledWhilePublishing(t *testing.T) {
	const versions = 12
	cluster := storetest.Postgres(t)
	w := shared(t, cluster.Address())
	var mu sync.Mutex
	two, turn := []replica{w.replica(cluster.Address()), w.replica(cluster.Address())}, 0
	server := "http://" + w.balance(func() string {
		mu.Lock()
		defer mu.Unlock()
		turn++
		return two[turn%2].address
	})
	m, state := w.join("box", server)
	if err := m.SaveAt(team.Seat{Dir: team.Dir(state)}); err != nil {
		t.Fatal(err)
	}
	w.runs(state)
	admin, drafts := w.newToken("admin", scopeAdmin), []string{}
	for i := range versions {
		_, text := w.as(admin, "POST", "/v1/policies/drafts", fmt.Sprintf(
			`{"name":"a%02d","for":"org","text":"# %d"}`, i, i+1))
		var d store.Draft
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		drafts = append(drafts, d.ID)
	}
	published := make(chan struct{})
	go func() {
		defer close(published)
		for _, id := range drafts { // 409: it was published, and the answer was lost
			w.post(server+"/v1/policies/drafts/"+id+"/publish", admin, "application/json", []byte("{}"), 200, 409)
		}
	}()
	seen := map[int64]string{}
	look := func() int64 {
		p, _, _ := team.Seat{Dir: team.Dir(state)}.Kept(m.Trust())
		if p.Version > 0 {
			seen[p.Version] = p.Documents[p.Version-1].Text
		}
		return p.Version
	}
	for kills, over := 0, false; !over; kills++ {
		select {
		case <-published:
			over = true
		default:
		}
		fresh := w.replica(cluster.Address())
		mu.Lock()
		old := two[kills%2]
		two[kills%2] = fresh
		mu.Unlock()
		if old.kill(); kills%3 == 2 {
			cluster.Kill()
			cluster.Start()
		}
		look()
	}
	hang.Until(t, "the last version", func() bool { return look() == versions })
	for version, text := range seen {
		if text != fmt.Sprint("# ", version) {
			t.Errorf("version %d says %s", version, text)
		}
	}
	for l, err := range audit.Read(state, audit.Filter{}) {
		t.Errorf("%+v %v", l.Entry, err)
	}
	for _, r := range two {
		r.kill()
	}
	t.Logf("%d versions; the machine was seen with %d of them", versions, len(seen))
}

func TestASigningKeyOfAFile(t *testing.T) {
	w := newWorld(t, nil)
	key := ed25519.NewKeyFromSeed([]byte(strings.Repeat("k", 32)))
	text, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	w.write("key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})))
	got, err := signingKey(w.home + "/key.pem")
	if err != nil || !got.Equal(key) {
		t.Error(err)
	}
	s, err := store.Open(t.Context(), storetest.SQLite(t), store.Options{SigningKey: got})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Tx(t.Context(), func(tx *store.Tx) error {
		signs, err := tx.SigningKey(t.Context(), "any")
		if !signs.Equal(key) {
			t.Error("another key signs")
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	w.write("other", "x")
	for _, file := range []string{w.home + "/none", w.home + "/other"} {
		if _, err := signingKey(file); err == nil {
			t.Errorf("%s is a key", file)
		}
	}
}

// pipes are a listener within the process, so that no limit of open files is met.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p pipes) Close() error {
	close(p)
	return nil
}

func (pipes) Addr() net.Addr { return &net.UnixAddr{} }

// 10,000 machines wait at once, each on a connection of its own, and all get the next policy.
func TestTenThousandMachinesWait(t *testing.T) {
	if os.Getenv("NOD_DEEP") == "" {
		t.Skip("needs NOD_DEEP=1: 10,000 connections")
	}
	const machines = 10_000
	w := newWorld(t, nil)
	admin := w.newToken("admin", scopeAdmin)
	m, err := team.Load("", w.joins("m", "default"))
	if err != nil {
		t.Fatal(err)
	}
	w.publishes(admin, `{"name":"a","for":"org","text":"hard_deny = [\"git push\"]"}`)
	r, _ := w.ask("GET", "/v1/policy", "", "Authorization: Bearer "+m.Token)
	l := pipes(make(chan net.Conn))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Serve(ctx, l, "", "") }()
	used := func() uint64 {
		var now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&now)
		return now.HeapInuse + now.StackInuse
	}
	before, routines := used(), runtime.NumGoroutine()
	conns := make([]net.Conn, machines)
	for i := range conns {
		server, client := net.Pipe()
		l <- server
		conns[i] = client
		fmt.Fprintf(conns[i], "GET /v1/policy?wait=50s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
			"If-None-Match: %s\r\n\r\n", m.Token, r.Header.Get("ETag"))
	}
	// a connection has two while its request waits: one reads in the background, for the end of the client
	hang.Until(t, "all that wait", func() bool { return runtime.NumGoroutine() >= routines+2*machines })
	t.Logf("%d machines wait: %.1f KiB each", machines, float64(used()-before)/machines/1024)
	begun := time.Now()
	w.publishes(admin, `{"name":"a","for":"org","text":"hard_deny = [\"git push\", \"npm publish\"]"}`)
	var all sync.WaitGroup
	var came atomic.Int64
	for _, c := range conns {
		all.Go(func() {
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Error(err)
				return
			}
			text, err := io.ReadAll(answer.Body)
			if p, wrong := team.Open(text, m.Trust()); err != nil || wrong != nil || p.Version != 2 {
				t.Errorf("%d %v %v", answer.StatusCode, err, wrong)
				return
			}
			came.Add(1)
		})
	}
	all.Wait()
	t.Logf("%d have the next policy after %.2f s", came.Load(), time.Since(begun).Seconds())
	for _, c := range conns {
		_ = c.Close()
	}
	cancel()
	if err := hang.Receive(t, "the server's end", ended); err != nil {
		t.Error(err)
	}
}
