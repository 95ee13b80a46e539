//go:build unix

package server

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/store/storetest"
	"github.com/nodgate/nod/internal/testworld"
)

// world is a server in a home of its own, with a token.
type world struct {
	testing.TB
	*Server
	home, state, shop string
	token             string
	at                string // the server's address
	db                *store.Store
	file, org         string // of the database, and the organisation in it
	managed, nod      string // of the machines: the managed file, and the program whose doctor is asked
}

func newWorld(t testing.TB, change func(*world, *Options)) *world {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, home: home, state: home + "/state", shop: home + "/shop"}
	w.write("shop/main.go", "package main\n")
	w.write("nod.toml", "ask = [\"npm publish\"]\nhard_deny = [\"git push --force\"]\n")
	places := config.Places{User: home + "/nod.toml", State: w.state, Home: home, Files: testworld.Disk(),
		UID: uint32(os.Geteuid())}
	w.file = home + "/server.db"
	w.db = storetest.Open(t, "sqlite:"+w.file)
	if err := w.db.SetUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	orgs, err := w.db.Orgs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.org = orgs[0].ID
	o := Options{Places: places, Store: w.db, Rate: 1e6}
	if change != nil {
		change(w, &o)
	}
	if w.Server, err = New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	w.token = w.newToken("main", scopeCheck)
	web := httptest.NewServer(w.Server)
	t.Cleanup(web.Close)
	w.at = web.URL
	return w
}

// disk has the server see the files of the test.
func disk(_ *world, o *Options) { o.Files = testworld.Disk() }

func (w *world) write(name, text string) {
	w.Helper()
	name = filepath.Join(w.home, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

// command runs nod-serve.
func (w *world) command(stdin string, args ...string) (code int, out, said string) {
	var o, e strings.Builder
	p := Process{Environ: testworld.Environ(w.home), Stdin: strings.NewReader(stdin), Stdout: &o, Stderr: &e}
	code = Main(w.Context(), p, args)
	return code, strings.TrimSpace(o.String()), e.String()
}

func (w *world) newToken(name string, s ...scope) (secret string) {
	w.Helper()
	return w.made(store.Token{Org: w.org, Name: name, Scopes: s})
}

func (w *world) made(t store.Token) (secret string) {
	w.Helper()
	err := w.db.Tx(w.Context(), func(tx *store.Tx) (err error) {
		secret, err = tx.MakeToken(w.Context(), t)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return secret
}

// call is the body of a call.
func (w *world) call(tool, input string) string {
	q := request{Agent: "harness", Session: "s1", Tool: tool, Input: json.RawMessage(input), Dir: w.shop,
		Roots: []string{w.shop}, Environ: testworld.Environ(w.home), Interactive: true, ID: "c1"}
	text, err := json.Marshal(q)
	if err != nil {
		w.Fatal(err)
	}
	return string(text)
}

// ask sends a request, with the world's token and as JSON unless headers say otherwise.
func (w *world) ask(method, path, body string, headers ...string) (*http.Response, string) {
	w.Helper()
	r, err := http.NewRequest(method, w.at+path, strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.token)
	r.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if r.Header.Del(name); value != "" {
			r.Header.Set(name, value)
		}
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		w.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		w.Fatal(err)
	}
	return answer, string(text)
}

// decided is the answer to a call.
func (w *world) decided(body string, headers ...string) (a answer) {
	w.Helper()
	r, text := w.ask("POST", "/v1/check", body, headers...)
	if err := json.Unmarshal([]byte(text), &a); err != nil || r.StatusCode != 200 {
		w.Fatalf("%d %s, %v", r.StatusCode, text, err)
	}
	return a
}
