package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"regexp"
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

func TestLogColours(t *testing.T) {
	dir := t.TempDir() + "/state"
	writeEntries(t, dir, someEntry("a", audit.Decision, nod.Allow), someEntry("b", audit.Decision, nod.Ask),
		someEntry("c", audit.Decision, nod.Deny))
	for _, tt := range []struct {
		name     string
		terminal bool
		environ  []string
		want     []string
	}{
		{"terminal", true, nil, []string{"\x1b[32mallow\x1b[0m", "\x1b[33mask\x1b[0m", "\x1b[31mdeny\x1b[0m"}},
		{"no colour wished", true, []string{"NO_COLOR=1"}, nil},
		{"no colours there", true, []string{"TERM=dumb"}, nil},
		{"pipe", false, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			p := &Process{Stdout: &out, Stderr: io.Discard, Environ: tt.environ, Dir: dir, Terminal: tt.terminal}
			if code := Main(t.Context(), p, []string{"log", "--state", dir}); code != ExitOK {
				t.Fatalf("exit %d", code)
			}
			for _, w := range tt.want {
				if !strings.Contains(out.String(), w) {
					t.Errorf("no %q in %q", w, out.String())
				}
			}
			if tt.want == nil && strings.Contains(out.String(), "\x1b") {
				t.Errorf("colours in %q", out.String())
			}
		})
	}
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

// What comes while following is shown once; of a begun line, which is not overdue, its
// decision is.
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

// follows starts nod log --follow. ends stops it, and holds that it printed no
// more.
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

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestLogSaysThatItCannotPrint(t *testing.T) {
	dir := t.TempDir() + "/state"
	writeEntries(t, dir, someEntry("a", audit.Decision, nod.Allow))
	var errs strings.Builder
	p := &Process{Stdout: brokenWriter{}, Stderr: &errs, Dir: dir}
	if code := Main(t.Context(), p, []string{"log", "--state",
		dir}); code != ExitInternal || !strings.Contains(errs.String(), "closed pipe") {
		t.Errorf("exit %d, %q", code, errs.String())
	}
}

// askedEntry is a question of nod's in a session of Claude Code, or what became
// of its call.
func askedEntry(call string, kind audit.Kind) audit.Entry {
	e := someEntry("01-"+call+"00000", kind, nod.Ask)
	e.Agent, e.Session, e.CallID, e.Answered = nod.ClaudeCode, "session-1", call, "ask"
	if kind == audit.Outcome {
		e.ID, e.Answered, e.Verdict = call, "", nod.Deny
	}
	return e
}

// What a person answered stands beside the question: a call that ran was allowed,
// and the transcript says what was refused.
func TestLogSaysTheAnswer(t *testing.T) {
	home := t.TempDir()
	dir := home + "/state"
	projects := home + "/.claude/projects/-w"
	if err := os.MkdirAll(projects, 0o700); err != nil {
		t.Fatal(err)
	}
	refusal := `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"refused","is_error":true,"content":"The user doesn't want to proceed with this tool use. The tool use was rejected"}]}}` + "\n"
	failure := `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"open","is_error":true,"content":"exit status 1"}]}}` + "\n"
	if err := os.WriteFile(projects+"/session-1.jsonl", []byte(refusal+failure), 0o600); err != nil {
		t.Fatal(err)
	}
	abstained := askedEntry("silent", audit.Decision)
	abstained.Answered = "abstained"
	writeEntries(t, dir, askedEntry("ran", audit.Decision), askedEntry("refused", audit.Decision),
		askedEntry("open", audit.Decision), abstained,
		askedEntry("ran", audit.Outcome), askedEntry("silent", audit.Outcome))
	run := func(args ...string) string {
		t.Helper()
		var out strings.Builder
		p := &Process{Stdout: &out, Stderr: &out, Dir: dir, Environ: []string{"HOME=" + home}}
		if code := Main(t.Context(), p, append([]string{"log", "--state", dir}, args...)); code != ExitOK {
			t.Fatalf("exit %d: %s", code, out.String())
		}
		return out.String()
	}
	table := run()
	for call, want := range map[string]string{"ran": "ask, yes ", "refused": "ask, no ", "open": "ask ",
		"silent": "ask/abstained "} {
		row := regexp.MustCompile(`(?m)^.*` + call + `00000 .*$`).FindString(table)
		if !strings.Contains(row,
			call+"00000") || !regexp.MustCompile(`00000 +`+regexp.QuoteMeta(want)).MatchString(row) {
			t.Errorf("%s: %q, want %q\n%s", call, row, want, table)
		}
	}
	if !strings.Contains(table, "4 shown: 1 ask, 1 ask (no), 1 ask (yes), 1 ask/abstained") {
		t.Error(table)
	}
	for id, want := range map[string]string{"ran00000": "answer    yes: the call ran\n",
		"refused00000": "answer    no, says the agent's transcript\n"} {
		if one := run(id); !strings.Contains(one, want) {
			t.Errorf("%s: %s", id, one)
		}
	}
	if one := run("open00000"); strings.Contains(one, "answer ") {
		t.Errorf("an answer that nobody knows: %s", one)
	}
}

// While following, what becomes of a question is a line of its own; outcomes of
// other calls are left out.
func TestLogFollowsAnAnswer(t *testing.T) {
	dir := t.TempDir() + "/state"
	writeEntries(t, dir, askedEntry("asked", audit.Decision), someEntry("other", audit.Decision, nod.Allow))
	in, ends := follows(t, dir)
	var got []string
	for range 3 {
		got = append(got, line(t, in))
	}
	writeEntries(t, dir, someEntry("other", audit.Outcome, nod.Deny), askedEntry("asked", audit.Outcome))
	got = append(got, line(t, in))
	if !strings.Contains(got[1], "ask ") || !strings.Contains(got[3], " ran ") || !strings.Contains(got[3], "asked") {
		t.Errorf("%q", got)
	}
	ends()
}
