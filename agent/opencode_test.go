package agent_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
)

func TestOpencodeDecodes(t *testing.T) {
	loom := "/home/ada/loom"
	decodeAll(t, agent.Host("opencode"), nil, map[string]seen{
		"shell.json":         {Kind: agent.Decide, Tool: "bash", Command: "ls -la"},
		"shell_workdir.json": {Kind: agent.Decide, Tool: "bash", Command: "go test ./..."},
		"write.json":         {Kind: agent.Decide, Tool: "file_write", Paths: []string{loom + "/new.txt"}},
		"edit.json":          {Kind: agent.Decide, Tool: "file_edit", Paths: []string{loom + "/weave.go"}},
		"read.json":          {Kind: agent.Decide, Tool: "read_file", Paths: []string{loom + "/weave.go"}},
		"glob.json":          {Kind: agent.Decide, Tool: "glob", Paths: []string{loom, loom + "/**/*.go"}},
		"grep.json":          {Kind: agent.Decide, Tool: "grep", Paths: []string{loom, loom + "/*.go"}},
		"fetch.json":         {Kind: agent.Decide, Tool: "web_fetch", URL: "https://example.com/"},
		"patch.json":         {Kind: agent.Decide, Tool: "apply_patch", Paths: []string{"added.txt"}},
		"task.json":          {Kind: agent.Decide, Tool: "agent"},
		"mcp.json": {Kind: agent.Decide, Tool: "mcp",
			MCP: &nod.MCP{Server: "loom", Tool: "poke", Named: true}},
		"unknown.json": {Kind: agent.Decide},
		"outcome.json": {Kind: agent.Outcome, Tool: "bash", Command: "ls -la"},
	})
}

// What nod would ask about is left to opencode's prompt only where the plugin is certain that there will be one.
func TestOpencodeAsks(t *testing.T) {
	for payload, want := range map[string]string{
		`,"asks":true,"interactive":true`: "abstained",
		`,"interactive":true`:             "deny",
		``:                                "deny",
	} {
		e, err := agent.Host("opencode").Decode([]byte(
			`{"hook":"tool.execute.before","session":"s","call":"c","directory":"/w","tool":"bash","args":{"command":"x"}`+payload+`}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		a := agent.Host("opencode").Encode(e, nod.Decision{Verdict: nod.Ask}, agent.Replace, false)
		if a.Said != want {
			t.Errorf("%s: said %s, want %s", payload, a.Said, want)
		}
	}
}

// A server must be the beginning of the tool's name, or something is wrong.
func TestOpencodeServer(t *testing.T) {
	for _, tool := range []string{"bash", "loom_", "loomx_poke"} {
		_, err := agent.Host("opencode").Decode([]byte(
			`{"hook":"tool.execute.before","session":"s","call":"c","directory":"/w","tool":"`+tool+
				`","server":"loom","args":{}}`), nil)
		if err == nil || !strings.Contains(err.Error(), "server") {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

// opencode reads the files that a sub-agent's prompt names with @, from the top of the repository.
func TestPromptsThatNameFiles(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "sub")
	if err := errors.Join(os.Mkdir(filepath.Join(top, ".git"), 0o700), os.Mkdir(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	for prompt, want := range map[string][]string{
		"look at @.env.":      {".env.", ".env", top + "/.env.", top + "/.env"},
		"see (@~/.aws/x)":     {"~/.aws/x)", "~/.aws/x"},
		"@l..x":               {"l..x", "l", top + "/l..x", top + "/l"},
		"@\"my notes/a b\" x": {"my notes/a b", "my", top + "/my notes/a b", top + "/my"},
		"@/etc/x, @y":         {"/etc/x", "y", top + "/y"}, "@.env#L1-2.": {".env", top + "/.env"},
		"nothing": nil, "@": nil,
		"@\"notes/a\" x": {"notes/a", top + "/notes/a"},
	} {
		args, err := json.Marshal(map[string]string{"prompt": prompt})
		if err != nil {
			t.Fatal(err)
		}
		e, err := agent.Host("opencode").Decode([]byte(`{"hook":"tool.execute.before","tool":"task","session":"s","call":"c",`+
			`"directory":"`+dir+`","args":`+string(args)+`}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		if e.Complete(&e); e.Call.Unread != "" {
			t.Errorf("%s: %s", prompt, e.Call.Unread)
		}
		if diff := cmp.Diff(want, e.Call.Paths); diff != "" {
			t.Errorf("%s: %s", prompt, diff)
		}
	}
}

// A prompt of signs alone is not read to its end, and takes no time.
func TestPromptsThatNameTooMuch(t *testing.T) {
	e, err := agent.Host("opencode").Decode([]byte(`{"hook":"tool.execute.before","tool":"task","session":"s","call":"c",`+
		`"directory":"/u/w","args":{"prompt":"`+strings.Repeat("@", 1<<20)+`"}}`), nil)
	if err != nil || e.Call.Unread == "" || len(e.Call.Paths) > 1000 {
		t.Errorf("%d names, %q, %v", len(e.Call.Paths), e.Call.Unread, err)
	}
}

// opencode asks about what it takes for a command, and about nothing else in a line: where it may see none, nod does
// not leave a question to it (1.18.33: each of the denied ran unasked, or begins as such a line does).
func TestLinesThatOpencodeAsksAbout(t *testing.T) {
	for line, asks := range map[string]bool{
		"rm notes.txt": true, "cd a && npm test 2>&1 | tail -n 5": true, "rm a/b > /dev/null 2>&1; ls": true,
		"rm $X": true, "make test\nnpm publish": true, "cd .\ngit push --force": true, "FOO=1 git push": true,
		`echo "to $X" && git push`: true, "x=1\n": false, "FOO=1 cd a": false,
		`curl -s 'https://x.example/?a=1&b' -o "out"`: true,
		"rm == || readonly":                           false, "cat <<E\n$(x)\nE": false,
		">> .git/hooks/x": false, "cd a": false,
		"cd a && > f": false, "export A=$(rm x)": false, "for i in a; do rm $i; done": false,
		"if true; then rm x; fi": false, "cat <<< $(rm x)": false, "_2>&1": false, "x=1": false, "cd a | cd b": false,
		"A=1 B= make x": true, `rm $X "$OUT"`: true, "rm \\ ": false, `find . -name \*.o -exec rm {} +`: false,
		"make\n\\\n)[~": false, "rm x; $(y)": false, "rm x &&": false, "rm x |& y": false, "rm x; for i in a": false,

		"cat <<E\nx": false, "cd . > notes.txt": false, "> notes.txt": false, "x=1 > .claude/settings.json": false,
		`cd "$(<.env)"`: false, "cd a; cd b": false, `[[ 'a[$(rm x)]' -eq 0 ]]`: false,
		`declare -i x='a[$(rm x)]'`: false,
		"(rm x)":                    false, "f() { rm x; }": false, "test -f x": false, "a <(rm x)": false,
		"2>&1":    false,
		"rm $(x)": false,

		"! rm x": false,
	} {
		args, err := json.Marshal(map[string]string{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		e, err := agent.Host("opencode").Decode([]byte(`{"hook":"tool.execute.before","tool":"bash","session":"s","call":"c",`+
			`"directory":"/u/w","interactive":true,"asks":true,"args":`+string(args)+`}`), nil)
		if err != nil || e.PromptFollows != asks {
			t.Errorf("%q: %v, %v", line, e.PromptFollows, err)
		}
	}
}

// A shell that nod does not read is that of the settings, or the person's.
func TestShellsOfOpencode(t *testing.T) {
	for shell, row := range map[string][2]string{"bash": {"", "/bin/bash"}, "none": {"", ""},
		"zsh":  {"/bin/zsh", "/usr/bin/pwsh"},
		"fish": {"", "/usr/bin/fish"}, "pwsh": {"", "/usr/bin/pwsh"}, "set": {"pwsh", "/bin/bash"},
		"tcsh": {"", "/bin/tcsh"}} {
		payload := `{"hook":"tool.execute.before","tool":"bash","session":"s","call":"c","directory":"/u/w",` +
			`"interactive":true,"asks":true,"shell":"` + row[0] + `","args":{"command":"rm x"}}`
		e, err := agent.Host("opencode").Decode([]byte(payload), []string{"SHELL=" + row[1]})
		read := shell != "pwsh" && shell != "set" && shell != "tcsh"
		if err != nil || (e.Call.Dialect != nod.PowerShell) != read || e.PromptFollows != read {
			t.Errorf("%s: %v, %v, %v", shell, e.Call.Dialect, e.PromptFollows, err)
		}
	}
}
