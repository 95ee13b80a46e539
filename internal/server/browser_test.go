//go:build unix

package server

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/testbrowser"
	"github.com/nodgate/nod/internal/testworld"
)

// shots is where the page's pictures go: go test ./internal/server -run TestTheTeamsPage -args -shots DIR
var shots = flag.String("shots", "", "a directory for screenshots")

// From the set-up link to a machine that joined, in a browser.
func TestTheTeamsPage(t *testing.T) {
	w := newWorld(t, nil)
	b := testbrowser.New(t)
	said, stop := w.starts()
	defer stop()
	start := link(t, said)
	at, _, _ := strings.Cut(start, "/enter/")
	b.Do(chromedp.Navigate(start), chromedp.SetValue(chromedp.CSS("input[name=email]"), "ada@acme.example"))
	b.Press("main button")
	b.Sees(`location.pathname === '/' && document.querySelector('h1').textContent === 'Overview'`)
	b.Press("nav a[href='/machines']", "form[action='/machines/code'] button")
	b.Sees(`document.getElementById('secret')`)
	code := testbrowser.Value[string](b, `document.getElementById('secret').textContent`)
	var out, told strings.Builder
	p := Process{Environ: testworld.Environ(w.home), Stdin: strings.NewReader(code + "\n"), Stdout: &out, Stderr: &told}
	if Main(t.Context(), p, []string{"join", "--state", w.home + "/m", "--name", "till-7", at}) != 0 {
		t.Fatal(told.String())
	}
	b.Press("a.button")
	b.Sees(`document.querySelector('.list td')?.textContent === 'till-7'`)
	if *shots != "" {
		w.fill()
		w.pictures(b, at)
	}
	b.Do(chromedp.Navigate(at + "/machines"))
	b.Press("form[action='/machines/remove'] button")
	b.Sees(`document.body.innerText.includes('No machine is here') || ` + fmt.Sprint(*shots != ""))
	b.Press("footer button")
	b.Sees(`document.body.innerText.includes('The session is over')`)
	b.Do(chromedp.Navigate("about:blank"))
}

// pictures are of all parts of the page.
func (w *world) pictures(b testbrowser.Browser, at string) {
	for _, look := range []struct {
		name  string
		width int64
		dark  bool
	}{{"light", 1280, false}, {"dark", 1280, true}, {"phone", 360, false}, {"phone-dark", 360, true}} {
		for _, part := range []string{"", "machines", "people", "tokens", "events", "settings"} {
			b.Shot(filepath.Join(*shots, fmt.Sprintf("%s-%s.png", part, look.name)), look.width, look.dark, at+"/"+part,
				`document.querySelector('h1')`)
			if wide := testbrowser.Value[float64](b, `document.documentElement.scrollWidth`); wide > float64(look.width) {
				w.Errorf("/%s is %v wide", part, wide)
			}
		}
	}
}

// fill makes what a team has after some weeks.
func (w *world) fill() {
	ctx := w.Context()
	teams, err := w.db.Teams(ctx, w.org)
	if err != nil {
		w.Fatal(err)
	}
	var machines []store.Machine
	err = w.db.Tx(ctx, func(tx *store.Tx) error {
		web, err := tx.MakeTeam(ctx, w.org, "web")
		for i := range 14 {
			var m store.Machine
			if err == nil {
				m, _, err = tx.Join(ctx, w.org, []string{teams[0].ID, web.ID}[i%2], fmt.Sprintf("laptop-%02d.acme.example", i), scopes())
				machines = append(machines, m)
			}
		}
		for i, name := range []string{"grace", "linus", "barbara", "a-very-long-name-of-somebody.who-works-here"} {
			var p store.Person
			if err == nil {
				p, err = tx.Arrive(ctx, store.Person{Org: w.org, Issuer: "https://id.acme.example/realms/work", Subject: name,
					Email: name + "@acme.example", Name: strings.ToUpper(name[:1]) + name[1:]})
			}
			if err == nil && i < 3 {
				err = tx.SetRole(ctx, store.Identity{Org: w.org, Name: "nod-serve"}, p.ID, store.Roles()[i],
					[]string{"", web.ID, ""}[i])
			}
		}
		return err
	})
	for i, m := range machines {
		if err == nil && i > 0 {
			err = w.db.Seen(ctx, w.org, m.ID, store.Report{Version: "0.2.0", Policy: int64(7 - i%3),
				Heard:  w.db.Now().AddDate(0, 0, -i/4),
				Doctor: []string{"all well", "all well", "the hook of Codex is not installed"}[i%3]})
		}
	}
	if err != nil {
		w.Fatal(err)
	}
	w.newToken("ci", "check", "read")
}
