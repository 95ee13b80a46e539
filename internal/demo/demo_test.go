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
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/corpus"
	"github.com/nodgate/nod/fault"
)

func session(t *testing.T) []played {
	t.Helper()
	rows, err := corpus.Rows("demo")
	if err != nil {
		t.Fatal(err)
	}
	all, err := playAll(t.Context(), rows, func(played) error { return nil })
	if err != nil || len(all) != len(rows) {
		t.Fatalf("%d of %d rows played: %v", len(all), len(rows), err)
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

func TestSharesAddUp(t *testing.T) {
	all := session(t)
	s := summarize(all)
	calls, tenths, open := 0, 0, 0
	for _, sh := range s.shares {
		calls, tenths = calls+sh.calls, tenths+sh.tenths
		if sh.calls > 0 && sh.median <= 0 {
			t.Errorf("%v: %d calls, median %v", sh.layer, sh.calls, sh.median)
		}
	}
	for _, c := range s.open {
		open += c.calls
	}
	if calls != len(all) || s.calls != len(all) || tenths != 1000 {
		t.Errorf("the shares hold %d of %d calls and %d tenths of a percent", calls, len(all), tenths)
	}
	if last := s.shares[len(s.shares)-1]; last.layer != nod.LayerNone || last.calls != open {
		t.Errorf("%d calls are open by layer %v, %d by tool", last.calls, last.layer, open)
	}
}

func TestTableIsAligned(t *testing.T) {
	for _, width := range []int{0, 40, 80, 97, 120, 500} {
		var out bytes.Buffer
		if err := Run(t.Context(), Options{Stdout: &out, Width: width}); err != nil {
			t.Fatal(err)
		}
		limit := map[int]int{0: 100, 40: 80, 500: 120}[width]
		if limit == 0 {
			limit = width
		}
		text := out.String()
		if strings.Contains(text, "\x1b") {
			t.Errorf("width %d: escapes in what is no terminal", width)
		}
		rows := 0
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); n > limit {
				t.Errorf("width %d: %d columns: %s", width, n, line)
			}
			if word, _, _ := strings.Cut(line,
				" "); (word == "allow" || word == "ask" || word == "deny") &&
				line[verdictWidth:verdictWidth+2] == "  " {
				rows++
			}
		}
		if rows != len(session(t)) {
			t.Errorf("width %d: %d rows are shown", width, rows)
		}
		for _, want := range []string{"layer", "median µs", "100.0", "were left open"} {
			if !strings.Contains(text, want) {
				t.Errorf("width %d: %q is missing", width, want)
			}
		}
	}
}

func TestColourOnATerminalOnly(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want bool
	}{
		{Options{Terminal: true}, true},
		{Options{Terminal: true, NoColor: true}, false},
		{Options{}, false},
		{Options{Terminal: true, JSON: true}, false},
	} {
		var out bytes.Buffer
		c.o.Stdout = &out
		if err := Run(t.Context(), c.o); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "\x1b[32mallow\x1b[0m"); got != c.want {
			t.Errorf("%+v: coloured %v, want %v", c.o, got, c.want)
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
	percent := 0.0
	for _, s := range sum.Shares {
		percent += s.Percent
	}
	if sum.Kind != "summary" || sum.Calls != len(calls) || percent < 99.999 || percent > 100.001 || sum.Model != nil {
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

func TestRunFails(t *testing.T) {
	if err := Run(t.Context(), Options{Stdout: broken{}}); err == nil {
		t.Error("a broken output is no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, Options{Stdout: io.Discard, Delay: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		args   []string
		out    io.Writer
		code   int
		stderr string
	}{
		{nil, io.Discard, 0, ""},
		{[]string{"--json"}, io.Discard, 0, ""},
		{[]string{"-h"}, io.Discard, 0, ""},
		{[]string{"--colour"}, io.Discard, 2, "usage: nod demo"},
		{[]string{"--width", "80"}, io.Discard, 0, ""},
		{[]string{"--width", "60"}, io.Discard, 2, "--width 60: want 80 to 120"},
		{[]string{"now"}, io.Discard, 2, `unexpected argument "now"`},
		{nil, broken{}, 1, "gone"},
	} {
		var stderr bytes.Buffer
		if code := Main(t.Context(), c.args, c.out, &stderr); code != c.code || !strings.Contains(stderr.String(),
			c.stderr) {
			t.Errorf("demo %q: exit %d, %s; want %d, %s", c.args, code, stderr.String(), c.code, c.stderr)
		}
	}
}

func TestApportion(t *testing.T) {
	for _, c := range []struct {
		counts []int
		want   []int
	}{
		{nil, []int{}},
		{[]int{0, 0}, []int{0, 0}},
		{[]int{1}, []int{1000}},
		{[]int{1, 1, 1}, []int{334, 333, 333}},
		{[]int{2, 1, 0}, []int{667, 333, 0}},
		{[]int{7, 12, 19, 28}, []int{106, 182, 288, 424}},
	} {
		if diff := cmp.Diff(c.want, apportion(c.counts, 1000)); diff != "" {
			t.Errorf("%v: %s", c.counts, diff)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		times []time.Duration
		want  time.Duration
	}{{nil, 0}, {[]time.Duration{5}, 5}, {[]time.Duration{9, 1}, 5}, {[]time.Duration{9, 1, 2}, 2}} {
		if got := median(c.times); got != c.want {
			t.Errorf("median of %v: %v, want %v", c.times, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"short", []string{"short"}},
		{"two words here", []string{"two words", "here"}},
		{"aaaaaaaaaaaaaaa bb", []string{"aaaaaaaaaa", "aaaaa bb"}},
		{"exactly10c x", []string{"exactly10c", "x"}},
		{"a b c d e f g h i j k l m n o p q r s t u v", []string{"a b c d e", "f g h i j", "k l m n o…"}},
	} {
		if diff := cmp.Diff(c.want, wrap(c.text, 10, 3)); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
}
