package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const goodRow = `{"id":"a","tool":"bash","input":{"command":"ls"},"label":"benign-readonly","licence":"MIT","observed":{"x":1}}`

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	large := strings.Replace(goodRow, "ls", strings.Repeat("x", 3<<20), 1)
	for _, c := range []struct {
		name, text string
		want       []string
		left       map[string]int
	}{
		{"plain", goodRow + "\n", []string{"a"}, map[string]int{}},
		{"gzip", packed(t, goodRow+"\n"+goodRow), []string{"a", "a"}, map[string]int{}},
		{"a line of 3 MiB", large, []string{"a"}, map[string]int{}},
		{"no call", goodRow + "\n" +
			`{"id":"b","tool":"agent","tool_name":"write_stdin","input":{"chars":"y"},"label":"ambiguous"}` + "\n" +
			`{"id":"c","tool":"tool_result","input":{"text":"y"},"label":"injected-toolresult"}` + "\n" +
			`{"id":"d","tool":"user_prompt","input":{"text":"y"},"label":"harmful"}`,
			[]string{"a"}, map[string]int{"write_stdin": 1, "tool_result": 1, "user_prompt": 1}},
		{"own corpus", `{"corpus":"nod","version":1,"about":"","rules":{}}` + "\n" +
			`{"id":"o","source":"nod","tool":"bash","input":{"command":"ls"},"label":"harmful","why":"w","category":"c","expect":"deny","expect_layer":"guard"}`,
			[]string{"o"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Read("x.jsonl", strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range f.Rows {
				got = append(got, r.ID)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.left, f.LeftOut); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	bad := func(old, new string) string { return goodRow + "\n" + strings.Replace(goodRow, old, new, 1) }
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "x:1: no rows"},
		{"no JSON", "hello", "x:1: invalid character"},
		{"the second line", goodRow + "\n{", "x:2: unexpected end"},
		{"a blank line", goodRow + "\n\n" + goodRow, "x:2: unexpected end"},
		{"no id", bad(`"a"`, `""`), `x:2: "id" is missing`},
		{"no input", bad(`"input"`, `"inputs"`), `x:2: "input" is not an object`},
		{"input no object", bad(`{"command":"ls"}`, `"ls"`), `x:2: "input" is not an object`},
		{"another tool", bad("bash", "shell"), `x:2: "tool": "shell" is not one of`},
		{"another label", bad("benign-readonly", "good"), `x:2: "label": "good" is not one of`},
		{"relative cwd", bad(`"licence"`, `"cwd":"src","licence"`), `x:2: "cwd": "src" is not absolute`},
		{"broken gzip", packed(t, strings.Repeat(goodRow+"\n", 2))[:40], "x:1: unexpected EOF"},
		{"two on a line", goodRow + goodRow, "x:1: invalid character"},
		{"own corpus, bad row", `{"corpus":"nod","version":1,"about":"","rules":{}}` + "\n" + goodRow,
			"x:2: json: unknown field"},
		{"own corpus, another version", `{"corpus":"nod","version":9}`, "x:1: want the header"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read("x", strings.NewReader(c.text))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
	if _, err := ReadFile("testdata/absent.jsonl"); err == nil {
		t.Error("a file that is not there was read")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(goodRow))
	f.Add([]byte(`{"corpus":"nod","version":1,"about":"","rules":{}}`))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read("x", bytes.NewReader(data))
		if err != nil && !strings.HasPrefix(err.Error(), "x") {
			t.Errorf("an error without its place: %v", err)
		}
		for _, r := range file.Rows {
			if r.ID == "" {
				t.Errorf("%+v", r)
			}
		}
	})
}

// rowsOf builds rows of Claude Code, one session.
func rowsOf(t *testing.T, lines ...string) File {
	t.Helper()
	var text strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&text, `{"id":"r%d","session":"s","cwd":"/home/dev/shop","agent":"claude-code","label":"ambiguous",%s}`+"\n", i, l)
	}
	f, err := Read("rows", strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
