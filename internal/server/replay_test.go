//go:build unix

package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/team"
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
