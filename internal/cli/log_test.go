//go:build unix

package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
)

func writeEntries(t *testing.T, dir string, entries ...audit.Entry) {
	t.Helper()
	log, err := audit.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for _, e := range entries {
		if err := log.Write(e); err != nil {
			t.Fatal(err)
		}
	}
}

func someEntry(id string, kind audit.Kind, v nod.Verdict) audit.Entry {
	return audit.Entry{Kind: kind, ID: id, Verdict: v, Layer: nod.LayerShell,
		Input: json.RawMessage(`{"command":"echo ` + id + `"}`)}
}

// An entry says how many names were kept before its call, in the table and alone.
func TestLogSaysWhatWasKept(t *testing.T) {
	dir := t.TempDir() + "/state"
	reasoned := someEntry("call-aaaaaaa", audit.Decision, nod.Allow)
	bare := someEntry("call-bbbbbbb", audit.Decision, nod.Allow)
	reasoned.Kept, reasoned.Reason, bare.Kept = 3, "only what git has", 1
	writeEntries(t, dir, reasoned, bare)
	for args, want := range map[string]string{"": "  kept 3; only what git has\n", "-n 1": "  kept 1\n",
		"aaaaaaa": "\nkept      3: nod undo aaaaaaa\n", "--json": `"kept":3`} {
		var out strings.Builder
		p := &Process{Stdout: &out, Stderr: io.Discard, Dir: dir}
		code := Main(t.Context(), p, append([]string{"log", "--state", dir}, strings.Fields(args)...))
		if code != ExitOK || !strings.Contains(out.String(), want) {
			t.Errorf("nod log %s: exit %d, %s", args, code, out.String())
		}
	}
}

// What comes while following is shown once; of a begun line, which is not overdue, its decision is.
func TestLogFollows(t *testing.T) {
	dir := t.TempDir() + "/state"
	old := someEntry("old", audit.Begun, nod.Deny)
	old.Time = time.Now().Add(-2 * answerWithin)
	writeEntries(t, dir, someEntry("first", audit.Decision, nod.Allow), old)
	in, ends := follows(t, dir)
	next := func(want ...string) {
		t.Helper()
		got := line(t, in)
		for _, s := range want {
			if !strings.Contains(got, s) {
				t.Errorf("line %q, want %q", got, s)
			}
		}
	}
	next("VERDICT")
	next("allow", "echo first")
	next("unanswered", "echo old")
	writeEntries(t, dir, someEntry("x", audit.Begun, nod.Deny), someEntry("x", audit.Decision, nod.Deny),
		someEntry("x", audit.Outcome, nod.Deny))
	next("deny", "echo x")
	ends()
}

// follows starts nod log --follow. ends stops it, and holds that it printed no more.
func follows(t *testing.T, dir string) (in *bufio.Scanner, ends func()) {
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	r, w := io.Pipe()
	done := make(chan int, 1)
	go func() {
		p := &Process{Stdout: w, Stderr: io.Discard, Dir: dir}
		done <- Main(ctx, p, []string{"log", "--follow", "--state", dir})
		w.Close()
	}()
	in = bufio.NewScanner(r)
	return in, func() {
		t.Helper()
		stop()
		if in.Scan() {
			t.Errorf("one more line: %q", in.Text())
		}
		if code := <-done; code != ExitOK {
			t.Errorf("exit %d", code)
		}
	}
}

func line(t *testing.T, in *bufio.Scanner) string {
	t.Helper()
	if !in.Scan() {
		t.Fatal("no more output")
	}
	return in.Text()
}
