//go:build unix

package agent

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nodgate/nod/transcript"
)

// TestThePersonsWords: testdata/records.txt has claims, and below each the records of sessions with what is read in
// them, newest first: whose words they are, what became of a call, and what the session opens with.
func TestThePersonsWords(t *testing.T) {
	readers := map[string]record{"claude-code": claudeRecord("now", ""), "codex": codexRecord("call_1", false),
		"codex-child": codexRecord("call_1", true), "copilot": copilotRecord(), "gemini": geminiRecord(),
		"qwen": qwenRecord("call_7")}
	text, err := os.ReadFile("testdata/records.txt")
	if err != nil {
		t.Fatal(err)
	}
	claim := ""
	for _, block := range strings.Split(strings.TrimSpace(string(text)), "\n\n")[1:] {
		var lines, want []string
		host := ""
		for line := range strings.SplitSeq(block, "\n") {
			switch turn, is := strings.CutPrefix(line, "=> "); {
			case strings.HasPrefix(line, "# "):
				claim = line
			case is:
				want = append(want, turn)
			case host == "":
				host = line
			default:
				lines = append(lines, strings.TrimPrefix(line, "(empty)"))
			}
		}
		name := writeTranscript(t, lines...)
		for range 2 { // it can be read again
			if got := heard(t, readers[host], name); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%s\n%s\nis heard as\n%s\nwant\n%s", claim, block, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// heard is a record in words.
func heard(t *testing.T, r record, name string) (all []string) {
	who := map[transcript.Origin]string{transcript.Other: "other", transcript.Person: "person",
		transcript.Agent: "agent", transcript.Tool: "tool", transcript.OtherAgent: "other agent",
		transcript.Harness: "harness"}
	ended := map[transcript.Ended]string{transcript.EndedFailed: " (failed)", transcript.EndedRefused: " (refused)"}
	for turn, err := range r.transcript(name)(t.Context()) {
		if err != nil {
			return append(all, "error: "+err.Error())
		}
		said := who[turn.Origin] + ended[turn.Ended] + ": " + turn.Text
		if turn.Tool != "" {
			said += turn.Tool + " " + string(turn.Input)
		}
		if turn.Time.IsZero() {
			said += " (at no time)"
		}
		all = append(all, strings.TrimSpace(strings.ReplaceAll(said, "\n", `\n`)))
	}
	if first, ok := r.opening(name)(t.Context()); ok {
		all = append(all, "opens: "+strings.ReplaceAll(first.Text, "\n", `\n`))
	}
	return all
}

// A path that is no file of lines is an error, and opens with nothing; an invalid session id has no file.
func TestRecordsThatAreNone(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"": "absolute", "relative": "absolute",
		filepath.Join(dir, "none"): "no such file",
		dir:                        "regular", fifo: "not a regular file", writeTranscript(t): "no message",
		writeTranscript(t, "{"): "no JSON"} {
		_, err := readTurns(name, "", 100)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if strings.Contains(want, "no such") && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a missing file is %v", err)
		}
		if first, ok := claudeRecord("", "").opening(name)(t.Context()); ok {
			t.Errorf("%s: opens with %q", name, first.Text)
		}
	}
	long := strings.Repeat("x", 1<<20)
	name := writeTranscript(t, userLine(`"never push"`, typed), agentLine(`{"type":"text","text":"`+long+`"}`, ""))
	if first, ok := claudeRecord("", "").opening(name)(t.Context()); !ok || first.Text != "never push" {
		t.Errorf("a long record opens with %q", first.Text)
	}
	for session, want := range map[string]string{"1-a": "/h/.copilot/session-state/1-a/events.jsonl", "../../etc": "", "": ""} {
		if got := copilotEvents([]string{"HOME=/h"}, session); got != want {
			t.Errorf("session %q: %q", session, got)
		}
	}
}
