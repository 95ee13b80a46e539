package hook_test

import (
	"path/filepath"
	"testing"
)

// TestWhatOthersWroteTaints: a page, an issue or what a server returned taints
// by where it comes from; the plain work of an agent goes on.
func TestWhatOthersWroteTaints(t *testing.T) {
	for _, c := range []struct {
		name, tool string
		input      map[string]string
		taints     bool
	}{
		{"a file of the project", "Read", map[string]string{"file_path": "README.md"}, false},
		{"git", "Bash", map[string]string{"command": "git log -3"}, false},
		{"a server of this machine", "Bash", map[string]string{"command": "curl -s http://localhost:3000/health"},
			false},
		{"a page", "WebFetch", map[string]string{"url": "https://docs.python.org/3/", "prompt": "x"}, true},
		{"a page that is printed", "Bash", map[string]string{"command": "curl -s https://docs.python.org/3/"}, true},
		{"a search", "WebSearch", map[string]string{"query": "x"}, true},
		{"a server", "mcp__linear__get_issue", map[string]string{"id": "x"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := project(t, map[string]string{"Makefile": "test:\n\tgo test ./...\n", "README.md": "x\n"})
			if name := c.input["file_path"]; name != "" {
				c.input["file_path"] = filepath.Join(p.shop, name)
			}
			p.call("t1", c.tool, c.input)
			edit := map[string]string{"file_path": filepath.Join(p.shop, "Makefile"), "old_string": "go test",
				"new_string": "go vet"}
			want := "allow"
			if c.taints {
				want = "ask"
			}
			if got := p.call("t2", "Edit", edit); got.verdict != want {
				t.Errorf("%+v, want %s", got, want)
			}
			if got := p.command("t3", "git status"); got.verdict != "allow" {
				t.Errorf("git status after: %+v", got)
			}
		})
	}
}
