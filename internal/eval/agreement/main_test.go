package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/eval"
)

const judged = "../../../corpus/judge"

func load(t *testing.T) collection {
	t.Helper()
	c, err := read(judged)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTheConversations holds what docs/judge.md says of corpus/judge.
func TestTheConversations(t *testing.T) {
	c := load(t)
	scenarios, categories, twins := map[string]bool{}, map[string]int{}, 0
	for _, r := range c.rows {
		scenarios[r.Scenario] = true
		categories[r.Category]++
		if r.Twin != "" {
			twins++
		}
		if r.Scenario == "" || r.Why == "" || len(r.Turns) == 0 {
			t.Errorf("%s: a row has a scenario, a reason and a conversation", r.ID)
		}
	}
	if len(c.rows) < 400 || 2*twins < len(c.rows) || twins < 200 || len(scenarios) < 100 {
		t.Errorf("%d rows, %d in twins, %d scenarios", len(c.rows), twins, len(scenarios))
	}
	for _, name := range []string{
		"consent named", "consent vague", "consent withdrawn", "forbidden long ago", "denial then detour",
		"mid-turn stop", "text posing as a person",
	} {
		if categories[name] < 10 {
			t.Errorf("%d rows of %q", categories[name], name)
		}
	}
	if share := 1 - float64(len(c.disputed()))/float64(len(c.rows)); share < 0.9 {
		t.Errorf("the two readings agree on %.3f", share)
	}
}

// TestTwins: two rows of which one word of the person's decides.
func TestTwins(t *testing.T) {
	c := load(t)
	at := map[string]eval.Row{}
	for _, r := range c.rows {
		at[r.ID] = r
	}
	for _, r := range c.rows {
		if r.Twin == "" {
			continue
		}
		twin, ok := at[r.Twin]
		if !ok || twin.Twin != r.ID || first(twin) == first(r) {
			t.Errorf("%s: %q is no twin of it with the other label", r.ID, r.Twin)
			continue
		}
		if n := wordsApart(r, twin); n != 1 {
			t.Errorf("%s and %s: %d words of the person's differ", r.ID, twin.ID, n)
		}
		if diff := cmp.Diff(rest(r), rest(twin)); diff != "" {
			t.Errorf("%s and %s differ in more than the person's words:\n%s", r.ID, twin.ID, diff)
		}
	}
}

// wordsApart counts words of the person's that differ, 99 where the messages
// have different lengths.
func wordsApart(a, b eval.Row) (n int) {
	for i := range a.Turns {
		one, other := strings.Fields(a.Turns[i].User), strings.Fields(b.Turns[i].User)
		if len(one) != len(other) {
			return 99
		}
		for j := range one {
			if one[j] != other[j] {
				n++
			}
		}
	}
	return n
}

// rest is a row without what twins may differ in.
func rest(r eval.Row) eval.Row {
	r.ID, r.Twin, r.Label, r.Category, r.Line = "", "", "", "", 0
	r.Turns = slices.Clone(r.Turns)
	for i := range r.Turns {
		r.Turns[i].User = ""
	}
	return r
}

// TestEveryConversationReachesTheModel: layers 0 to 3 leave each row open, and
// the question holds every word of the person's.
func TestEveryConversationReachesTheModel(t *testing.T) {
	c := load(t)
	var asked []string // in the order of the rows, since one worker asks
	counter := eval.Counter{Asked: func(p nod.Prompt) { asked = append(asked, p.Text("")) }}
	all, err := eval.Judge(context.Background(), []eval.File{{Rows: c.rows}}, eval.Options{
		Sets:   []eval.RuleSet{{Name: "default", Rules: nod.DefaultRules()}},
		Models: []nod.Model{counter}, Profile: nod.Profile{Ledger: true, Stages: 2}, Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range all {
		if !j.Answers[0].Asked && j.Answers[0].Outcome != eval.Open {
			t.Errorf("%s is settled before the model: %s", j.Row.ID, j.Answers[0].Reason)
		}
	}
	if len(asked) != len(c.rows) {
		t.Fatalf("%d questions for %d rows", len(asked), len(c.rows))
	}
	for i, r := range c.rows {
		for _, turn := range r.Turns {
			if turn.User != "" && !strings.Contains(asked[i], strings.ReplaceAll(turn.User, `"`, `\"`)) {
				t.Errorf("%s: the model does not hear %q", r.ID, turn.User)
			}
			if turn.Other != "" && strings.Contains(asked[i], turn.Other) {
				t.Errorf("%s: the model is shown words of nobody's: %q", r.ID, turn.Other)
			}
		}
	}
}

// TestDisputed holds disputed.txt, which leaves the disputed rows out of an
// evaluation, to what the two readings say.
func TestDisputed(t *testing.T) {
	text, err := os.ReadFile(judged + "/disputed.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(load(t).leftOut(), string(text)); diff != "" {
		t.Errorf("go run ./internal/eval/agreement -disputed corpus/judge > corpus/judge/disputed.txt\n%s", diff)
	}
}

// TestNumbersOfTheConversations holds docs/judge.md to what the command prints.
func TestNumbersOfTheConversations(t *testing.T) {
	var b strings.Builder
	load(t).print(&b)
	text, err := os.ReadFile("../../../docs/judge.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if !strings.HasPrefix(line, " ") && !strings.Contains(string(text), line) {
			t.Errorf("docs/judge.md does not hold the line\n%s", line)
		}
	}
}

// TestSecondLabels: a second reading that does not fit the rows is no reading.
func TestSecondLabels(t *testing.T) {
	row := `{"id":"a","tool":"bash","input":{"command":"x"},"label":"harmful"}` + "\n"
	for _, c := range []struct{ second, says string }{
		{"a\tblock\n", ""},
		{"", "0 labels for 1 rows"},
		{"b\tblock\n", `there is no row "b"`},
		{"a\tmaybe\n", "neither allow nor block"},
		{"a\tblock\na\tallow\n", "occurs twice"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"r.jsonl": row, "second.tsv": c.second} {
			if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := read(dir); (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.second, err)
		}
	}
}
