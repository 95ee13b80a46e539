package agent

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The opening is the first thing that the person said, found from the start of the file however long it is.
func TestOpening(t *testing.T) {
	long := strings.Repeat("x", 2000)
	filler := func(line string) string { return strings.Repeat(line+"\n", 3000) }
	dir := t.TempDir()
	file := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	claude := file("claude.jsonl", `{"type":"summary","summary":"x"}`+"\n"+
		`{"type":"user","isMeta":true,"message":{"role":"user","content":"<system-reminder>no</system-reminder>"}}`+
		"\n"+
		`{"type":"user","message":{"role":"user","content":"never touch billing"}}`+"\n"+
		filler(`{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"`+long+`"}]}}`))
	codex := file("codex.jsonl", `{"type":"session_meta","payload":{}}`+"\n"+
		`{"type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"be good"}]}}`+"\n"+
		`{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"never touch billing"}],"internal_chat_message_metadata_passthrough":{"content_item_kinds":["user.text"]}}}`+"\n")
	session := "11111111-2222-3333-4444-555555555555"
	file(filepath.Join(".copilot", "session-state", session, "events.jsonl"), `{"type":"session.start","data":{}}`+"\n"+
		`{"type":"user.message","data":{"content":"never touch billing"}}`+"\n")
	for name, find := range map[string]func() (string, bool){
		"claude": func() (string, bool) {
			turn, ok := claudeRecord("", "").opening(claude)(t.Context())
			return turn.Text,
				ok
		},
		"codex": func() (string, bool) {
			turn, ok := codexRecord("", false).opening(codex)(t.Context())
			return turn.Text, ok
		},
		"copilot": func() (string, bool) {
			turn, ok := copilotRecord().opening(copilotEvents([]string{"HOME=" + dir}, session))(t.Context())
			return turn.Text, ok
		},
	} {
		if text, ok := find(); !ok || text != "never touch billing" {
			t.Errorf("%s: %q, %v", name, text, ok)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "relative", filepath.Join(dir, "missing"), dir, filepath.Join(dir, "fifo"),
		file("rubbish", "{\n")} {
		if turn, ok := claudeRecord("", "").opening(name)(t.Context()); ok {
			t.Errorf("%s: %q", name, turn.Text)
		}
	}
}
