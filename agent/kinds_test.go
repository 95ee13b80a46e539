package agent

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/transcript"
)

// Every kind that a captured transcript holds is classified, and a kind that nobody classified counts as nobody's.
func TestKindsAreClassified(t *testing.T) {
	if codexKnows("oracle.text") || codexKnows("unknown") {
		t.Error("a kind of Codex's that nobody knows is classified")
	}
	name := filepath.Join("..", "..", "shared", "protocols", "claude-code", "fixtures", "transcript.jsonl")
	file, err := os.Open(name)
	if err != nil {
		t.Skip("../shared/protocols absent: the captured kinds were not looked at")
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 8<<20)
	seen := 0
	for ; lines.Scan(); seen++ {
		top, err := readLoosely(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		turns, _ := claudeTurns(top, tail{}, "")
		unknown := func(turn transcript.Turn) bool { return turn.Origin == transcript.Other }
		if *top.err != nil || slices.ContainsFunc(turns, unknown) {
			var kind struct {
				Type       string
				Attachment struct{ Type string }
			}
			_ = json.Unmarshal(lines.Bytes(), &kind)
			t.Errorf("%s %s is a kind that nobody classified: %v", kind.Type, kind.Attachment.Type, *top.err)
		}
	}
	if seen == 0 {
		t.Error("the captured transcript is empty")
	}
}

// The table of docs/judge.md names what the code knows.
func TestTheTableOfKinds(t *testing.T) {
	text, err := os.ReadFile("../docs/judge.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "<!-- kinds -->")
	table, _, ended := strings.Cut(table, "<!-- /kinds -->")
	if !ended {
		t.Fatal("docs/judge.md has no table of kinds")
	}
	for _, a := range []string{"claude-code", "codex", "gemini", "qwen", "copilot", "opencode, pi", "acp"} {
		if !strings.Contains(table, "| "+a+" |") {
			t.Errorf("it says nothing of %s", a)
		}
	}
	for _, name := range append(speakers("others"), "queued_command", "command-name", "command-args", "ExitPlanMode",
		"AskUserQuestion", "`elements`", "`silent`", "`codexhost`", "sourceToolUseID") {
		if !strings.Contains(table, name) {
			t.Errorf("it does not name %s", name)
		}
	}
}
