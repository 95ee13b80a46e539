//go:build unix

package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/team"
)

// A code makes one machine a member, and what the machine may do is its own: nobody else's code, report or token.
func TestAMachineJoins(t *testing.T) {
	w := newWorld(t, nil)
	db := "sqlite:" + w.file
	code, secret, said := w.command("", "machine", "code", "--db", db, "default")
	if code != 0 || len(secret) < 40 {
		t.Fatal(secret, said)
	}
	elsewhere := httptest.NewServer(http.RedirectHandler(w.at+"/v1/machines", http.StatusTemporaryRedirect))
	defer elsewhere.Close()
	if code, _, said := w.command(secret+"\n", "join", "--state", w.home+"/m", elsewhere.URL); code != 1 ||
		!strings.Contains(said, "307") {
		t.Error("the code is sent on to another server:", said)
	}
	for i, stdin := range []string{"wrong\n", secret + "\n", secret + "\n"} {
		code, out, said := w.command(stdin, "join", "--state", w.home+"/m"+string(rune('0'+i)), "--name", "box", w.at)
		if i == 1 && (code != 0 || !strings.Contains(out, "box is a member")) ||
			i != 1 && (code != 1 || !strings.Contains(said, "401")) {
			t.Errorf("%d: %d %s %s", i, code, out, said)
		}
	}
	m, err := team.Load("", w.home+"/m1")
	if err != nil || m.Server != w.at || m.Machine == "" || len(m.Key) != 44 {
		t.Fatal(m, err)
	}
	bearer := "Authorization: Bearer " + m.Token
	if r, text := w.ask("POST", "/v1/report", `{"version":"0.2\u001b[31m","policy":3}`, bearer); r.StatusCode != 200 {
		t.Error(text)
	}
	other := "Authorization: Bearer " + w.newToken("a harness", scopeShip)
	if r, text := w.ask("POST", "/v1/report", `{}`, other); r.StatusCode != 400 {
		t.Error("a token that is no machine's reports:", text)
	}
	list, err := w.db.Machines(t.Context(), w.org, "", 10)
	if err != nil || len(list) != 1 || list[0].Name != "box" || list[0].Report.Policy != 3 ||
		strings.ContainsRune(list[0].Report.Version, '\x1b') {
		t.Error(list, err)
	}
	if code, out, _ := w.command("", "machine", "list", "--db", db); code != 0 || !strings.Contains(out, m.Machine) {
		t.Error(out)
	}
	if code, _, said := w.command("", "machine", "remove", "--db", db, m.Machine); code != 0 {
		t.Error(said)
	}
	if r, text := w.ask("POST", "/v1/report", `{}`, bearer); r.StatusCode != 401 {
		t.Error("a machine that was removed reports:", text)
	}
	events, err := w.db.Events(t.Context(), w.org, "", 10)
	var what []string
	for _, e := range events {
		what = append(what, e.What)
	}
	if got := strings.Join(what, ", "); err != nil || got != "machine removed, machine joined, machine code made" {
		t.Error(got, err)
	}
}
