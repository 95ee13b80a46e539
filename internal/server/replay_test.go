//go:build unix

package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/team/client"
)

func ofCommands(commands ...string) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for i, c := range commands {
			input, err := json.Marshal(map[string]string{"command": c})
			e := audit.Entry{Kind: audit.Decision, ID: fmt.Sprint(i), Tool: "bash", RawTool: "Bash", Input: input,
				Dir: "/home/u/shop", Root: "/home/u/shop"}
			if c == "" {
				e.InputBytes = 100_000
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// What a draft would change is told by the calls of the log.
func TestReplay(t *testing.T) {
	before := []team.Document{{Name: "a", For: team.ForOrg, Text: `ask = ["npm publish"]`}}
	after := append(before, team.Document{Name: "b", For: team.ForRepository, Repository: "github.com/acme/*",
		Text: `hard_deny = ["npm publish", "git push"]`})
	got, err := replay(t.Context(), before, after, ofCommands("echo x", "npm publish", "git push", "npm publish", ""))
	if err != nil || got.After.Calls != 4 || got.Missed != 1 || got.Before.Denied != 0 || got.After.Denied != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	var changed []string
	for _, c := range got.Changed {
		changed = append(changed, fmt.Sprint(c.ID, " ", c.Before, " ", c.After))
	}
	if diff := cmp.Diff([]string{"1 ask deny", "2 ask deny", "3 ask deny"}, changed); diff != "" {
		t.Error(diff)
	}
	many, err := replay(t.Context(), before, after, ofCommands(strings.Split(strings.Repeat("git push,", 150), ",")...))
	if err != nil || len(many.Changed) != mostChanged || many.More != 50 {
		t.Errorf("%d changed, %d more: %v", len(many.Changed), many.More, err)
	}
	broken := func(yield func(audit.Entry, error) bool) { yield(audit.Entry{}, errors.New("gone")) }
	if _, err := replay(t.Context(), before, after, broken); err == nil {
		t.Error("half a log is taken for a whole one")
	}
}

// A draft is replayed over what machines shipped, of its own team.
func TestADraftIsReplayed(t *testing.T) {
	w := newWorld(t, nil)
	admin := w.newToken("admin", scopeAdmin)
	m, err := team.Load("", w.joins("m", "default"))
	if err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	for e := range ofCommands("git push", "echo x") {
		e.Version, e.Time = audit.Version, time.Now()
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(text, '\n'))
	}
	if r, text := w.ask("POST", "/v1/log", lines.String(), "Authorization: Bearer "+m.Token,
		"Content-Type: "+client.Lines); r.StatusCode != 200 {
		t.Fatal(text)
	}
	_, text := w.as(admin, "POST", "/v1/policies/drafts",
		`{"name":"a","for":"team","team":"default","text":"hard_deny = [\"git push\"]"}`)
	var d store.Draft
	var got replayed
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	status, text := w.as(admin, "POST", "/v1/policies/drafts/"+d.ID+"/replay", "{}")
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != 200 || got.After.Calls != 2 ||
		got.After.Denied != 1 || len(got.Changed) != 1 {
		t.Errorf("%d %s %v", status, text, err)
	}
}
