//go:build unix

package server

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/team"
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
		one, draft := w.fill()
		w.pictures(b, at, one, draft)
	}
	b.Do(chromedp.Navigate(at + "/machines"))
	b.Press("form[action='/machines/remove'] button")
	b.Sees(`document.body.innerText.includes('No machine is here') || ` + fmt.Sprint(*shots != ""))
	b.Press("footer button")
	b.Sees(`document.body.innerText.includes('The session is over')`)
	b.Do(chromedp.Navigate("about:blank"))
}

// pictures are of all parts of the page.
func (w *world) pictures(b testbrowser.Browser, at, one, draft string) {
	for _, look := range []struct {
		name  string
		width int64
		dark  bool
	}{{"light", 1280, false}, {"dark", 1280, true}, {"phone", 360, false}, {"phone-dark", 360, true}} {
		for _, part := range []string{"", "decisions", "questions", one, "machines", "policies", draft, "policies/edit?name=base", "people", "tokens", "events", "settings"} {
			name := strings.NewReplacer("/", "_", one, "question", draft, "draft").Replace(part)
			b.Shot(filepath.Join(*shots, name+"-"+look.name+".png"), look.width, look.dark, at+"/"+part,
				`document.querySelector('h1')`)
			if wide := testbrowser.Value[float64](b, `document.documentElement.scrollWidth`); wide > float64(look.width) {
				w.Errorf("/%s is %v wide", part, wide)
			}
		}
	}
}

// fill makes what a team has after some weeks.
func (w *world) fill() (one, draft string) {
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
	text, _ := json.Marshal(question.Question{Agent: "claude-code", Session: "5f0c1a", Tool: "bash", RawTool: "Bash",
		Dir: "/home/ada/shop", Root: "/home/ada/shop", Reason: "an ask rule wants a person: npm publish",
		Input: json.RawMessage(`{"command":"npm publish --access public"}`), Lost: "what others have downloaded",
		Does: []string{"sends files to registry.npmjs.org", "uses the npm token of this machine"}})
	q := store.Question{ID: store.NewID(), Machine: machines[1].ID, Team: machines[1].Team, Name: "q", Key: "k",
		Text: text, Scopes: "once,session", Asked: w.db.Now(), Ends: w.db.Now().Add(5 * time.Minute)}
	by := store.Identity{Org: w.org, Name: "nod-serve"}
	rules := "hard_deny = [\"git push --force\"]\nask = [\"npm publish\"]\n"
	err = w.db.Tx(ctx, func(tx *store.Tx) error {
		_, err := tx.Ask(ctx, w.org, machines[1].ID, []store.Question{q})
		for i, text := range []string{rules, rules + "unknown = \"ask\"\n", rules + "allow = [\"terraform plan\"]\n"} {
			d := team.Document{Name: "base", For: team.ForOrg, Text: text}
			made, wrong := tx.MakeDraft(ctx, by, store.PolicyDocument{Document: d}, false)
			if draft, err = made.ID, errors.Join(err, wrong); i < 2 {
				_, wrong = tx.Publish(ctx, by, made.ID)
			}
			err = errors.Join(err, wrong)
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	for i, m := range machines {
		input, _ := json.Marshal(map[string]string{"command": []string{"go test ./...", "git push --force origin main",
			"npm publish --access public"}[i%3]})
		c := nod.NewCall("bash", input, "/home/ada/shop", nil)
		c.RawTool, c.Agent = "Bash", "claude-code"
		d := nod.Decision{ID: store.NewID(), Verdict: []nod.Verdict{nod.Allow, nod.Deny, nod.Ask}[i%3],
			Layer: nod.LayerShell, Reason: "a rule of the policy"}
		e := audit.FromDecision(c, d, w.db.Now().Add(-time.Duration(i*i)*time.Minute))
		e.Version = audit.Version
		line, _ := json.Marshal(e)
		if _, err := w.db.Ship(ctx, w.org, m.ID, batchOf(line, w.db.Now(), false)); err != nil {
			w.Fatal(err)
		}
	}
	return "questions/" + q.ID, "policies/drafts/" + draft
}
