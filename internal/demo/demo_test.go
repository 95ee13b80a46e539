package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/corpus"
	"github.com/nodgate/nod/fault"
)

func session(t *testing.T) (all []played) {
	t.Helper()
	rows, err := corpus.Rows("demo")
	if err != nil {
		t.Fatal(err)
	}
	world := corpus.World()
	for i, row := range rows {
		p, err := play(t.Context(), world, i, row)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// outcome is what a row expects of the hook, and what it did.
type outcome struct{ Verdict, Layer, Said string }

func TestEveryCallIsDecidedAsTheCorpusSays(t *testing.T) {
	for _, p := range session(t) {
		want := outcome{p.row.Expect, p.row.Layer, p.row.Expect}
		got := outcome{p.decision.Verdict.String(), p.decision.Layer.String(), p.answer.Said}
		switch {
		case p.row.Expect == "model":
			want = outcome{"ask", "none", "ask"}
			if p.decision.Deferrable {
				want.Said = "abstained" // the host decides as without nod
			}
		case slices.Contains([]string{"ask_user_question", "todo_write", "task_create", "agent"}, p.row.Tool):
			// They are the host's own: its prompt is the point of the first, and the others have none.
			want.Said = "abstained"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s: %s\n(-want +got)\n%s", p.row.ID, describe(p.row), p.decision.Reason, diff)
		}
		if p.decision.Reason == "" || p.took <= 0 {
			t.Errorf("%s: reason %q, took %v", p.row.ID, p.decision.Reason, p.took)
		}
		if p.row.Expect == "model" && (p.decision.Err == nil || p.decision.Err.Kind != fault.NoModel) {
			t.Errorf("%s is open for another reason than the missing model: %v", p.row.ID, p.decision.Err)
		}
	}
}

func TestTableFits(t *testing.T) {
	for width, limit := range map[int]int{0: 100, 40: 80, 80: 80, 120: 120} {
		var out bytes.Buffer
		if err := Run(t.Context(), Options{Stdout: &out, Width: width}); err != nil {
			t.Fatal(err)
		}
		rows := 0
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > limit {
				t.Errorf("width %d: %d columns: %s", width, n, line)
			}
			if word, _, _ := strings.Cut(line, " "); word == "allow" || word == "ask" || word == "deny" {
				rows++
			}
		}
		if rows != len(session(t)) || !strings.Contains(out.String(), "were left open") {
			t.Errorf("width %d: %d rows are shown\n%s", width, rows, out.String())
		}
	}
}

func TestColourWhereItIsAskedFor(t *testing.T) {
	for _, o := range []Options{{Colour: true}, {}, {Colour: true, JSON: true}} {
		var out bytes.Buffer
		o.Stdout = &out
		if err := Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "\x1b[32mallow\x1b[0m"); got != (o.Colour && !o.JSON) {
			t.Errorf("%+v: coloured %v", o, got)
		}
	}
}

func TestJSONLines(t *testing.T) {
	var out bytes.Buffer
	if err := Run(t.Context(), Options{Stdout: &out, JSON: true}); err != nil {
		t.Fatal(err)
	}
	got := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	calls := got[:len(got)-1]
	for i, p := range session(t) {
		var line callLine
		strictly(t, calls[i], &line)
		if line.Version != 1 || line.Kind != "call" || line.ID != p.row.ID || line.Verdict != p.decision.Verdict ||
			line.Reason == "" {
			t.Errorf("line %d: %s", i+1, calls[i])
		}
	}
	var sum summaryLine
	strictly(t, got[len(got)-1], &sum)
	percent, n := 0.0, 0
	for _, s := range sum.Shares {
		percent, n = percent+s.Percent, n+s.Calls
	}
	if sum.Kind != "summary" || sum.Calls != len(calls) || n != len(calls) || percent < 99.999 || percent > 100.001 {
		t.Errorf("summary of %v %%: %s", percent, got[len(got)-1])
	}
}

func strictly(t *testing.T, text []byte, into any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// TestNothingIsWritten runs the demo in an empty directory, which must stay
// empty, and looks for the home directory of its world on the real disk.
func TestNothingIsWritten(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	_, before := os.Stat(corpus.Home)
	session(t)
	if _, after := os.Stat(corpus.Home); (before == nil) != (after == nil) {
		t.Errorf("%s was made", corpus.Home)
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) > 0 {
		t.Errorf("the demo wrote %v (%v)", names, err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		args   []string
		out    io.Writer
		code   int
		stderr string
	}{
		{nil, io.Discard, 0, ""},
		{[]string{"--json"}, io.Discard, 0, ""},
		{[]string{"--colour"}, io.Discard, 2, "usage: nod-hook demo"},
		{nil, broken{}, 1, "gone"},
	} {
		var stderr bytes.Buffer
		if code := Main(t.Context(), c.args, c.out, &stderr); code != c.code || !strings.Contains(stderr.String(),
			c.stderr) {
			t.Errorf("demo %q: exit %d, %s; want %d, %s", c.args, code, stderr.String(), c.code, c.stderr)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, Options{Stdout: io.Discard}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestWrap(t *testing.T) {
	for text, want := range map[string][]string{
		"": {""}, "short": {"short"}, "two words here": {"two words", "here"}, "exactly10c x": {"exactly10c", "x"},
		"aaaaaaaaaaaaaaa bb": {"aaaaaaaaa…", "bb"},
	} {
		if diff := cmp.Diff(want, wrap(text, 10)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}
