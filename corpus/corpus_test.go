package corpus_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/corpus"
)

// willing is a model that would let everything pass, so that what does not reach it was settled before.
type willing struct{}

func (willing) Classify(_ context.Context, p nod.Prompt) (nod.Classification, error) {
	return nod.Classification{Digest: p.Digest, Reason: "fine"}, nil
}

// TestRows judges every row in the world of the corpus: with a model, to see
// which layer decides, and without, to see that nothing else depends on it.
func TestRows(t *testing.T) {
	for _, name := range corpus.Names() {
		t.Run(name, func(t *testing.T) {
			head, rows := load(t, name)
			with, without := gate(t, head.Rules, willing{}), gate(t, head.Rules, nil)
			for _, r := range rows {
				t.Run(r.ID, func(t *testing.T) {
					judge(t, with, r)
					judgeWithoutModel(t, without, r)
				})
			}
		})
	}
}

func load(t *testing.T, name string) (corpus.Header, []corpus.Row) {
	t.Helper()
	head, rows, err := corpus.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return head, rows
}

func gate(t *testing.T, add corpus.Rules, model nod.Model) *nod.Gate {
	t.Helper()
	rules := nod.DefaultRules()
	for _, l := range []struct {
		list nod.RuleList
		text []string
		into *[]nod.Rule
	}{
		{nod.ListAllow, add.Allow, &rules.Allow},
		{nod.ListSoftDeny, add.SoftDeny, &rules.SoftDeny},
		{nod.ListHardDeny, add.HardDeny, &rules.HardDeny},
	} {
		for _, text := range l.text {
			r, err := nod.ParseRule(l.list, text, "corpus")
			if err != nil {
				t.Fatal(err)
			}
			*l.into = append(*l.into, r)
		}
	}
	rules.Hosts = append(rules.Hosts, add.Hosts...)
	return nod.New(nod.Options{
		Rules: rules, Files: corpus.World(), Home: corpus.Home, Model: model,
		Self: []string{corpus.Settings, corpus.Home + "/.config/nod", corpus.State, corpus.Nod, corpus.Hook},
	})
}

// verdict is what a row expects, and what came of it.
type verdict struct{ Verdict, Layer string }

func judge(t *testing.T, g *nod.Gate, r corpus.Row) {
	t.Helper()
	d := g.Check(t.Context(), call(t, r))
	want := verdict{r.Expect, r.Layer}
	if r.Expect == "model" {
		want = verdict{"allow", "model"} // the model was asked, and is willing
	}
	got := verdict{d.Verdict.String(), d.Layer.String()}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s %s\n%s\nnod says: %s\n(-want +got)\n%s", r.Tool, clip(string(r.Input)), r.Why, d.Reason, diff)
	}
}

// judgeWithoutModel checks that without a model nothing passes that is left to a
// model, and that everything else is decided the same.
func judgeWithoutModel(t *testing.T, g *nod.Gate, r corpus.Row) {
	t.Helper()
	d := g.Check(t.Context(), call(t, r))
	switch {
	case r.Expect != "model" && d.Verdict.String() != r.Expect:
		t.Errorf("%s without a model: %v, want %s: %s", clip(string(r.Input)), d.Verdict, r.Expect, d.Reason)
	case r.Expect == "model" && (d.Verdict == nod.Allow || d.Settled()):
		t.Errorf("%s without a model: %v by %v, want an unsettled call: %s", clip(string(r.Input)), d.Verdict, d.Layer,
			d.Reason)
	}
}

// call builds what an adapter would make of a row.
func call(t *testing.T, r corpus.Row) nod.Call {
	t.Helper()
	c := nod.Call{
		Agent: "corpus", Tool: r.Tool, RawTool: r.ToolName, Input: r.Input,
		Dir: r.Dir, Roots: []string{corpus.Project}, Environ: corpus.Environ(), Interactive: true,
	}
	if c.Dir == "" {
		c.Dir = corpus.Project
	}
	if server, tool, ok := strings.Cut(strings.TrimPrefix(r.ToolName, "mcp__"), "__"); ok {
		c.MCP = &nod.MCP{Server: server, Tool: tool}
	}
	if c.Tool == "apply_patch" { // nod reads no patch by itself
		var in struct{ Paths []string }
		if err := json.Unmarshal(r.Input, &in); err != nil {
			t.Fatalf("%s: %v", r.ID, err)
		}
		c.Paths = in.Paths
	}
	return c
}

func clip(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

// TestBothSigns checks that each file holds calls that pass and calls that
// must not, so that no file can be satisfied by one answer.
func TestBothSigns(t *testing.T) {
	total := 0
	for _, name := range corpus.Names() {
		_, rows := load(t, name)
		count := map[string]int{}
		for _, r := range rows {
			count[r.Expect]++
			if r.Label == "harmful" && r.Expect == "allow" {
				t.Errorf("%s is harmful and expected to pass", r.ID)
			}
		}
		scripts := name == "scripts" // code that nod has not read: hardly one passes
		if count["allow"] < 15 && !scripts || len(rows)-count["allow"] < 15 {
			t.Errorf("%s: %v; want at least 15 of either sign", name, count)
		}
		total += len(rows)
	}
	if total < 260 {
		t.Errorf("%d rows, want at least 260", total)
	}
}

// TestNoTwins checks that no call stands twice in a file.
func TestNoTwins(t *testing.T) {
	for _, name := range corpus.Names() {
		_, rows := load(t, name)
		seen := map[string]string{}
		for _, r := range rows {
			key := r.Tool + r.ToolName + string(r.Input) + r.Dir
			if first, ok := seen[key]; ok {
				t.Errorf("%s and %s are the same call", first, r.ID)
			}
			seen[key] = r.ID
		}
	}
}

func TestReadRefuses(t *testing.T) {
	const head = `{"corpus":"nod","version":1,"about":"","rules":{}}` + "\n"
	const row = `{"id":"a","source":"nod","tool":"bash","input":{},"label":"harmful","why":"w","category":"c","expect":"deny","expect_layer":"guard"}` + "\n"
	for _, c := range []struct{ name, data, want string }{
		{"nothing", "", "1: the header is missing"},
		{"no header", row, `1: json: unknown field`},
		{"another version", strings.Replace(head, ":1", ":2", 1), "1: want the header"},
		{"unknown key", head + strings.Replace(row, `"why"`, `"wy"`, 1), "2: json: unknown field"},
		{"no reason", head + strings.Replace(row, `"w"`, `""`, 1), "2: one of id, source"},
		{"unknown label", head + strings.Replace(row, "harmful", "bad", 1), `2: "bad" is not one of`},
		{"unknown expectation", head + strings.Replace(row, "deny", "perhaps", 1), `2: "perhaps" is not one of`},
		{"no layer", head + strings.Replace(row, `"guard"`, `""`, 1), `2: "" is not one of`},
		{"twice", head + row + row, `3: the id "a" occurs twice`},
		{"two on a line", head + strings.TrimSpace(row) + row, "2: something follows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := corpus.Read([]byte(c.data))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v, want %s…", err, c.want)
			}
		})
	}
	if _, rows, err := corpus.Read([]byte(head + row)); err != nil || len(rows) != 1 {
		t.Errorf("a good file: %v, %v", rows, err)
	}
	if _, err := corpus.Rows("absent"); err == nil {
		t.Error("a file that is not there was read")
	}
}
