package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/transcript"
)

// The lines below have the shapes of 2.1.329, with invented values.

func userLine(content, more string) string {
	return `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":` + content +
		`},"uuid":"u","timestamp":"2026-01-02T03:04:05.006Z","userType":"external","cwd":"/w","version":"2.1.329"` +
		more + `}`
}

func agentLine(block, more string) string {
	return `{"parentUuid":"u","isSidechain":false,"message":{"id":"msg_1","type":"message","role":"assistant","content":[` + block +
		`],"stop_reason":"tool_use"},"type":"assistant","uuid":"a","timestamp":"2026-01-02T03:04:05.006Z","madeBy":"model"` + more + `}`
}

const (
	typed  = `,"promptSource":"typed","turnOrigin":"human","origin":{"kind":"human"}`
	other  = `{"type":"attachment","attachment":{"type":"date"},"rendered":"…"}`
	queued = `{"type":"queue-operation","operation":"enqueue","content":"rm -rf /"}`
)

func writeTranscript(t testing.TB, lines ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// readTurns returns what is yielded, at most limit turns.
func readTurns(name, call string, limit int) (turns []transcript.Turn, err error) {
	for turn, err := range claudeRecord(call, "").transcript(name)(context.Background()) {
		if err != nil {
			return turns, err
		}
		if turns = append(turns, turn); len(turns) == limit {
			break
		}
	}
	return turns, nil
}

// A prompt that the host has not written yet is waited for.
func TestALateTranscriptIsAwaited(t *testing.T) {
	for _, space := range []string{"", " "} {
		name := filepath.Join(t.TempDir(), "session.jsonl")
		if err := os.WriteFile(name, []byte(`{"promptId":`+space+`"p2"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if !isWritten(name, "p2") || isWritten(name, "p3") {
			t.Errorf("%q: an existing prompt is waited for, or a missing prompt is found", space)
		}
	}
	prompt := userLine(`"never push"`, `,"promptId":"p2"`+typed)
	begun := userLine(`"hello"`, `,"promptId":"p1"`+typed) + "\n"
	name := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(name, []byte(begun), 0o600); err != nil {
		t.Fatal(err)
	}
	go func() { time.Sleep(100 * time.Millisecond); appendTo(t, name, prompt+"\n") }()
	for turn, err := range claudeRecord("", "p2").transcript(name)(context.Background()) {
		if err != nil || turn.Text != "never push" {
			t.Errorf("%v %+v", err, turn)
		}
		break
	}
}

// A prompt that never comes leaves a gap that is nobody's: the person may have said anything there.
func TestAPromptThatNeverComesIsAGap(t *testing.T) {
	begun := userLine(`"hello"`, `,"promptId":"p1"`+typed) + "\n"
	for prompt, want := range map[string][]transcript.Origin{
		"p1": {transcript.Person},
		"p2": {transcript.Other, transcript.Person},
		"":   {transcript.Person},
	} {
		var got []transcript.Origin
		for turn, err := range claudeRecord("", prompt).transcript(writeTranscript(t, begun))(context.Background()) {
			if err != nil || turn.Text == "" {
				t.Fatalf("%q: %v %+v", prompt, err, turn)
			}
			got = append(got, turn.Origin)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", prompt, got, want)
		}
	}
}

// A line that is being written is skipped, at any byte of a cut.
func TestTranscriptTorn(t *testing.T) {
	first, second := userLine(`"one"`, typed), userLine(`"two"`, typed)
	name := filepath.Join(t.TempDir(), "x")
	for n := range len(second) + 2 {
		text := (first + "\n" + second + "\n")[:len(first)+1+n]
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want := 1
		if n >= len(second) {
			want = 2
		}
		if turns, err := readTurns(name, "", 10); err != nil || len(turns) != want {
			t.Fatalf("cut after %d bytes: %d turns, %v", n, len(turns), err)
		}
	}
}

func TestTranscriptLimit(t *testing.T) {
	big := strings.Repeat("x", transcriptLimit/8)
	var lines []string
	for range 12 {
		lines = append(lines, userLine(`"`+big+`"`, typed))
	}
	turns, err := readTurns(writeTranscript(t, lines...), "", 100)
	if !errors.Is(err, transcript.ErrEarlier) || len(turns) < 6 || len(turns) > 8 {
		t.Fatalf("%d turns, %v", len(turns), err)
	}
	huge := userLine(`"`+strings.Repeat(big, 9)+`"`, typed)
	if turns, err := readTurns(writeTranscript(t, huge), "", 100); !errors.Is(err,
		transcript.ErrEarlier) || len(turns) != 0 {
		t.Errorf("a line beyond the limit: %d turns, %v", len(turns), err)
	}
}

// appendTo writes behind what a file holds.
func appendTo(t testing.TB, name, text string) {
	t.Helper()
	file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteString(text)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestTranscriptCaptured reads a transcript that the program wrote.
func TestTranscriptCaptured(t *testing.T) {
	name, err := filepath.Abs(filepath.Join("..", "..", "shared", "protocols", "claude-code", "fixtures",
		"transcript.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name); err != nil {
		t.Skipf("../shared/protocols/claude-code absent: skipped")
	}
	turns, err := readTurns(name, "", 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, turn := range turns {
		got = append(got, fmt.Sprint(turn.Origin, " ", turn.Tool, turn.Text))
	}
	want := []string{"2 done", "3 3", "2 Bash", "3 two", "2 Bash", "3 one", "2 Bash", "1 SCENARIO:s please do it"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
