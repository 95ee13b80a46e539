//go:build unix

package server

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/testworld"
)

// typed is what a command of nod-serve answers.
func (w *world) typed(args ...string) (code int, out, said string) {
	w.Helper()
	var o, e strings.Builder
	p := Process{Environ: testworld.Environ(w.home), Stdin: strings.NewReader(""), Stdout: &o, Stderr: &e}
	code = Main(w.Context(), p, append(args[:2:2], append([]string{"--db", "sqlite:" + w.file}, args[2:]...)...))
	return code, strings.TrimSpace(o.String()), e.String()
}

// starts runs nod-serve serve until stop, and returns what it says, line by line.
func (w *world) starts() (said *bufio.Scanner, stop func()) {
	w.Helper()
	ctx, cancel := context.WithCancel(hang.Context(w))
	read, write := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		p := Process{Environ: testworld.Environ(w.home), Stdout: io.Discard, Stderr: write}
		ended <- Main(ctx, p, []string{"serve", "--db", "sqlite:" + w.file, "--listen", "127.0.0.1:0", "--state",
			w.state + "2", "--settings", w.home + "/nod.toml", "--managed="})
		write.Close()
	}()
	return bufio.NewScanner(read), func() {
		cancel()
		go func() { _, _ = io.Copy(io.Discard, read) }()
		if code := hang.Receive(w, "the server's end", ended); code != 0 {
			w.Errorf("serve ended with %d", code)
		}
	}
}

// link waits for the set-up link of a start.
func link(t *testing.T, said *bufio.Scanner) string {
	for said.Scan() {
		if at, is := strings.CutPrefix(said.Text(), "  http"); is {
			go func() {
				for said.Scan() { // the server must not wait for a reader
				}
			}()
			return "http" + at
		}
	}
	t.Fatal("no link is printed")
	return ""
}

// A start of a server without an admin prints a link, a new start another, and a start with an admin none.
func TestTheFirstStart(t *testing.T) {
	w := newWorld(t, nil)
	said, stop := w.starts()
	old := link(t, said)
	stop()
	said, stop = w.starts()
	defer func() { stop() }()
	newest := link(t, said)
	_, oldCode, _ := strings.Cut(old, "/enter/")
	at, _, _ := strings.Cut(newest, "/enter/")
	enter := func(link string) *http.Response {
		r, err := http.NewRequest("POST", link, strings.NewReader(url.Values{"email": {"root@x.example"}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", at)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		a, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		return a
	}
	for _, c := range []struct {
		link   string
		status int
	}{{at + "/enter/" + oldCode, 403}, {newest, 303}, {newest, 403}} {
		if a := enter(c.link); a.StatusCode != c.status {
			t.Errorf("%s: %s", c.link, a.Status)
		}
	}
	for path, status := range map[string]int{"/": 401, "/machines": 401, "/nothing": 404, "/v1/nothing": 404,
		"/healthz": 200} {
		a, err := http.Get(at + path)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		problem := a.Header.Get("Content-Type") == "application/problem+json"
		if a.StatusCode != status || problem != (path == "/v1/nothing") {
			t.Errorf("%s: %s %s", path, a.Status, a.Header.Get("Content-Type"))
		}
	}
	stop()
	said, stop = w.starts()
	said.Scan()
	hang.Until(t, "an answer", func() bool {
		a, err := http.Get(strings.Replace(strings.TrimPrefix(said.Text(), "nod-serve: answers at "), "/v1/check", "/healthz", 1))
		return err == nil && a.Body.Close() == nil && a.StatusCode == 200
	})
	if w.firstCode() != "" {
		t.Error("a second admin may come by a link")
	}
}

func (w *world) firstCode() (code string) {
	w.Helper()
	if err := w.db.Tx(w.Context(), func(tx *store.Tx) (err error) {
		code, err = tx.FirstCode(w.Context(), w.org)
		return err
	}); err != nil {
		w.Fatal(err)
	}
	return code
}

func TestPeopleByCommand(t *testing.T) {
	w := newWorld(t, nil)
	var ada store.Person
	if err := w.db.Tx(t.Context(), func(tx *store.Tx) (err error) {
		for _, subject := range []string{"1", "2", "ada"} {
			ada, err = tx.Arrive(t.Context(), store.Person{Org: w.org, Issuer: "x", Subject: subject,
				Email: map[bool]string{true: "ada", false: "twin"}[subject == "ada"] + "@x.example", Name: "\x1b[31m"})
			if err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string // of what it prints or says
	}{
		{"person list", 0, "no role"},
		{"person role Ada@X.example editor", 0, ""},
		{"person role --team default ada@x.example approver", 0, ""},
		{"person list", 0, "approver of one team"},
		{"person role --team nobody ada@x.example admin", 1, "no team"},
		{"person role ada@x.example root", 1, "the roles are"},
		{"person role twin@x.example admin", 1, "2 people are"},
		{"person role eve@x.example admin", 1, "0 people are"},
		{"person link --public https://nod.example/ " + ada.ID, 0, "https://nod.example/enter/person/"},
		{"person remove ada@x.example", 0, ""},
		{"person link ada@x.example", 1, "0 people are"},
		{"person list", 0, "removed"},
		{"person make", 2, "type person list"},
		{"org set --retention 90d --two-people --webhook https://chat.example/x", 0, `"retention_days":90`},
		{"org set --no-inputs --two-people=false", 0, `{"retention_days":90,"no_inputs":true,"webhook":"https://chat.example/x"}`},
		{"org set --retention 90", 2, "90d"},
		{"org set --webhook file:///etc/passwd", 2, "https://chat.example/hook"},
		{"org get", 2, "org set"},
	} {
		code, out, said := w.typed(strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(out+said, c.want) || strings.Contains(out, "\x1b") {
			t.Errorf("%s: %d %s %s", c.args, code, out, said)
		}
	}
	events, err := w.db.Events(t.Context(), w.org, "", 20)
	var what []string
	for _, e := range events {
		what = append(what, e.What)
		if strings.Contains(e.Detail, "chat.example") {
			t.Error("a webhook's secret is an event:", e.Detail)
		}
	}
	want := "settings changed, settings changed, person removed, sessions ended, link made, role given, role given, " +
		"person arrived, person arrived, person arrived"
	if got := strings.Join(what, ", "); err != nil || got != want {
		t.Error(got, err)
	}
}

// The page's address is this machine's, or one with TLS.
func TestListeningWithAPage(t *testing.T) {
	for public, good := range map[string]bool{"": true, "https://nod.example": true, "http://localhost:7322": true,
		"http://nod.example": false, "https://nod.example/": false, "https://nod.example/x": false, "nod.example": false,
		"https://a@nod.example": false, "javascript:x": false} {
		at := listening{address: "127.0.0.1:0", files: "none", public: public}
		if err := at.check(); (err == nil) != good {
			t.Errorf("--public %s: %v", public, err)
		}
		for issuer, fits := range map[string]bool{"https://id.example/realms/x": true, "http://id.example": false, "x": false} {
			at := listening{address: "127.0.0.1:0", files: "none"}
			at.login.Issuer, at.login.Client = issuer, "nod"
			if err := at.check(); (err == nil) != fits {
				t.Errorf("--oidc-issuer %s: %v", issuer, err)
			}
		}
	}
}
