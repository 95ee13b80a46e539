package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
)

// disk is the virtual world, made on disk below a temporary directory.
type disk struct {
	t    *testing.T
	top  string // stands for /
	shop string
	hook hook.Options
}

func newDisk(t *testing.T) *disk {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &disk{t: t, top: top, shop: filepath.Join(top, "home/dev/shop")}
	for _, f := range gitFiles() {
		d.file("home/dev/shop/.git/"+f.name, f.content)
	}
	for _, name := range []string{"hooks", "info", "refs/tags", "objects/info", "objects/pack"} {
		if err := os.MkdirAll(filepath.Join(d.shop, ".git", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(top, "home/dev")
	environ := []string{"CLAUDE_PROJECT_DIR=" + d.shop, "CLAUDE_CODE_ENTRYPOINT=cli"}
	for _, kv := range Environ("/home/dev/shop") {
		environ = append(environ, strings.Replace(kv, "HOME=", "HOME="+top, 1))
	}
	d.hook = hook.Options{Adapter: agent.ClaudeCode{}, Version: "test", Places: config.DefaultPlaces(home),
		Environ: environ}
	d.hook.Places.Managed = ""
	return d
}

func (d *disk) file(name, content string) {
	d.t.Helper()
	name = filepath.Join(d.top, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

// answer asks the hook, and reads what it decided from its log.
func (d *disk) answer(tool, input string) string {
	d.t.Helper()
	payload := fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"s","cwd":%q,"permission_mode":"default","tool_name":%q,"tool_input":%s,"tool_use_id":"x"}`,
		d.shop, tool, strings.ReplaceAll(input, "/home/dev", d.top+"/home/dev"))
	hook.Answer(context.Background(), d.hook, strings.NewReader(payload))
	data, err := os.ReadFile(filepath.Join(d.hook.Places.State, "decisions.jsonl"))
	if err != nil {
		d.t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	var e audit.Entry
	if err := json.Unmarshal(lines[len(lines)-1], &e); err != nil {
		d.t.Fatal(err)
	}
	outcome := e.Verdict.String()
	if e.Layer == nod.LayerNone {
		outcome = "open"
	}
	return fmt.Sprintf("%s %s: %s", outcome, e.Layer, strings.ReplaceAll(e.Reason, d.top, ""))
}

// TestTheHookAgrees gives the hook the virtual world on disk and asks it the
// same calls. Programs are those that every system has in /usr/bin or /bin.
func TestTheHookAgrees(t *testing.T) {
	d := newDisk(t)
	sample := []struct{ tool, input, wrote string }{ // wrote: what the call leaves in the workspace, if it ran
		{"Bash", `{"command":"ls -la"}`, ""}, {"Bash", `{"command":"cat main.go | head -20"}`, ""},
		{"Bash", `{"command":"grep -rn foo src | sort | uniq -c"}`, ""},
		{"Bash", `{"command":"git status --short && git log --oneline -5"}`, ""},
		{"Bash", `{"command":"git push --force"}`, ""},
		{"Bash", `{"command":"git add -A && git commit -m 'x'"}`, ""}, {"Bash", `{"command":"git stash"}`, ""},
		{"Bash", `{"command":"git checkout -- main.go"}`, ""},
		{"Bash", `{"command":"git reset --hard HEAD~1"}`, ""}, {"Bash", `{"command":"git clean -fd"}`, ""},
		{"Bash", `{"command":"git config core.hooksPath x"}`, ""},
		{"Bash", `{"command":"git show HEAD:main.go"}`, ""}, {"Bash", `{"command":"git fetch origin"}`, ""},
		{"Bash", `{"command":"git --git-dir=/tmp/x log"}`, ""},
		{"Bash", `{"command":"mkdir -p a/b && touch a/b/c"}`, ""},
		{"Bash", `{"command":"ls ~ && cat /etc/hostname"}`, ""},
		{"Bash", `{"command":"cat <<'E' > note.md\nrm -rf ~\nE"}`, "note.md"},
		{"Bash", `{"command":"rm note.md"}`, ""}, {"Bash", `{"command":"cd /home/dev/shop && pwd"}`, ""},
		{"Bash", `{"command":"chmod +x build.sh"}`, ""}, {"Bash", `{"command":"echo x > new.txt"}`, "new.txt"},
		{"Bash", `{"command":"echo y > new.txt"}`, ""}, // it is there now
		{"Bash", `{"command":"cat ~/.ssh/id_rsa"}`, ""}, {"Bash", `{"command":"rm -rf ~"}`, ""}, {"Bash", `{"command":"rm -rf /home/dev"}`, ""},
		{"Bash", `{"command":"rm src/a.go"}`, ""}, {"Bash", `{"command":"cd nowhere; rm a"}`, ""},
		{"Bash", `{"command":"find . -name '*.go' -exec grep -l foo {} +"}`, ""},
		{"Bash", `{"command":"frobnicate --now"}`, ""}, {"Bash", `{"command":"./build.sh"}`, ""},
		{"Bash", `{"command":"for f in a b; do wc -l $f; done"}`, ""},
		{"Bash", `{"command":"touch /home/dev/.config/nod/nod.toml"}`, ""},
		{"Bash", `{"command":"cat /home/dev/shop/.env"}`, ""}, {"Bash", `{"command":"sed -i s/a/b/ main.go"}`, ""},
		{"Read", `{"file_path":"/home/dev/shop/main.go"}`, ""},
		{"Read", `{"file_path":"/home/dev/.aws/credentials"}`, ""},
		{"Write", `{"file_path":"/home/dev/shop/src/b.go","content":"package b\n"}`, "src/b.go"},
		{"Bash", `{"command":"cd src && touch c.go && cd .. && touch d.go"}`, ""}, // src is there now
		{"Edit", `{"file_path":"/home/dev/shop/src/b.go","old_string":"b","new_string":"c"}`, ""},
		{"Edit", `{"file_path":"/home/dev/shop/.git/config","old_string":"b","new_string":"c"}`, ""},
		{"Edit", `{"file_path":"/home/dev/other/a.go","old_string":"b","new_string":"c"}`, ""},
		{"Grep", `{"pattern":"foo","path":"/home/dev/shop"}`, ""},
		{"WebFetch", `{"url":"https://example.com","prompt":"x"}`, ""},
		{"mcp__linear__get_issue", `{"id":"1"}`, ""}, {"TodoWrite", `{"todos":[]}`, ""},
	}
	var lines []string
	for _, s := range sample {
		kind, outcome := "meta", "error"
		if s.tool == "Bash" {
			kind = "bash"
		}
		if s.wrote != "" {
			outcome = "ok"
		}
		lines = append(lines, fmt.Sprintf(`"tool":%q,"tool_name":%q,"input":%s,"outcome":%q`, kind, s.tool, s.input,
			outcome))
	}
	seen := map[string]int{}
	keeping := builtin()
	keeping.Keeps = true
	for i, j := range judge(t, rowsOf(t, lines...), keeping) {
		s, a := sample[i], j
		want := fmt.Sprintf("%s %s: %s", a.Outcome, a.Layer, a.Reason)
		if diff := cmp.Diff(want, d.answer(s.tool, s.input)); diff != "" {
			t.Errorf("%s %s: eval says -, the hook +\n%s", s.tool, s.input, diff)
		}
		if seen[string(a.Outcome)]++; s.wrote != "" {
			d.file("home/dev/shop/"+s.wrote, "x")
		}
	}
	if seen["allow"] < 8 || seen["deny"] < 3 || seen["open"] < 8 {
		t.Errorf("the sample is one-sided: %v", seen)
	}
}
