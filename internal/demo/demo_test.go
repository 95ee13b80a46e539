package demo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

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
	if err := Run(ctx, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
