package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/nodgate/nod/llm/llmtest"
)

// What the model wants runs if it is harmless, and not if it is not; then the model reads why. The
// home directory is one of the test's own, so that nothing of anyone's is at stake.
func TestAgent(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, work := filepath.Join(base, "home"), filepath.Join(base, "work")
	keep := filepath.Join(home, "keep")
	for _, dir := range []string{keep, work} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	bash := func(name, command string) llmtest.Call {
		return llmtest.Call{Name: name, Tool: "bash", Input: map[string]any{"command": command}}
	}
	write := func(name, path string) llmtest.Call {
		return llmtest.Call{Name: name, Tool: "file_write", Input: map[string]any{"path": path, "content": "text"}}
	}
	srv := llmtest.NewServer(t, llmtest.Script{Steps: []llmtest.Step{
		{Calls: []llmtest.Call{bash("look", "pwd"), write("inside", "notes.txt")}},
		{Calls: []llmtest.Call{bash("wipe", "rm -rf ~"), write("outside", "../outside.txt"),
			bash("unknown", "./never-read")}},
		{Calls: []llmtest.Call{{Name: "other", Tool: "launch", Input: map[string]any{}}}},
		{Text: "done"},
	}})
	client := anthropic.NewClient(option.WithBaseURL(srv.URL), option.WithAPIKey("none"))
	a := newAgent(client, work, home, []string{"HOME=" + home, "PATH=/usr/bin:/bin"})
	if err := a.run(t.Context(), "do what the test wants"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		text string
		ran  bool
	}{
		"look":    {work, true},
		"inside":  {"written", true},
		"wipe":    {"not run (deny): this cannot be undone", false},
		"outside": {"outside the workspace", false},
		"unknown": {"not run (ask)", false},
		"other":   {"not run", false},
	} {
		got, ok := srv.Result(name)
		if !ok || !strings.Contains(got.Text, want.text) || got.IsError == want.ran {
			t.Errorf("%s: the model was told %+v, want %q", name, got, want.text)
		}
	}
	for name, want := range map[string]bool{keep: true, filepath.Join(work, "notes.txt"): true,
		filepath.Join(base, "outside.txt"): false} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", name, err == nil, want)
		}
	}
}
