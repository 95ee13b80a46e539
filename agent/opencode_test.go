package agent_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nodgate/nod/agent"
)

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
