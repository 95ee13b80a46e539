//go:build unix

package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
)

var update = flag.Bool("update", false, "rewrite testdata/edit")

// paths are the ones in the golden files.
func paths() Options {
	return Options{Hook: "/opt/nod/nod-hook", Nod: "/opt/nod/nod", Settings: "/home/u/.config/nod/nod.toml",
		Managed: "/etc/nod/nod.toml", State: "/home/u/.local/state/nod"}
}

// edit applies a change to a text.
func edit(t testing.TB, text []byte, change func(*document, Options) error, o Options) []byte {
	t.Helper()
	d, err := parse("settings.json", text)
	if err == nil {
		err = change(d, o)
	}
	must(t, err)
	return d.pack()
}

func installed(t testing.TB, text []byte) []byte {
	t.Helper()
	return edit(t, text, (*document).register, paths())
}

func uninstalled(t testing.TB, text []byte) []byte {
	t.Helper()
	return edit(t, text, (*document).unregister, paths())
}

// TestEdit runs each directory of testdata/edit: before.json becomes installed.json; that, installed again, stays;
// and uninstalled it becomes uninstalled.json, which is before.json where there is no such file.
func TestEdit(t *testing.T) {
	dirs, err := filepath.Glob("testdata/edit/*")
	if err != nil || len(dirs) < 10 {
		t.Fatalf("testdata/edit: %d directories, %v", len(dirs), err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { editDir(t, dir) })
	}
}

func editDir(t *testing.T, dir string) {
	before := golden(t, dir, "before.json")
	in := installed(t, before)
	out := uninstalled(t, in)
	if *update {
		writeEdit(t, dir, before, in, out)
	}
	if d := cmp.Diff(string(golden(t, dir, "installed.json")), string(in)); d != "" {
		t.Errorf("installed (-want +got):\n%s", d)
	}
	if d := cmp.Diff(string(in), string(installed(t, in))); d != "" {
		t.Errorf("installed twice (-once +twice):\n%s", d)
	}
	want := golden(t, dir, "uninstalled.json")
	if want == nil {
		want = before
	}
	if d := cmp.Diff(string(want), string(out)); d != "" {
		t.Errorf("uninstalled (-want +got):\n%s", d)
	}
	if json.Valid(before) && !json.Valid(in) {
		t.Error("plain JSON became something else")
	}
}

// golden reads a file of a case, nil if the case has no such file.
func golden(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return b
}

func writeEdit(t *testing.T, dir string, before, in, out []byte) {
	write := func(name string, data []byte) {
		must(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	write("installed.json", in)
	os.Remove(filepath.Join(dir, "uninstalled.json"))
	if !bytes.Equal(before, out) {
		write("uninstalled.json", out)
	}
}

// TestEditBytes covers what a golden file cannot hold.
func TestEditBytes(t *testing.T) {
	pretty := "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": []\n  }\n}"
	crlf := strings.ReplaceAll(pretty, "\n", "\r\n")
	for _, tc := range []struct{ name, before string }{
		{"no line end at the end", pretty},
		{"CRLF", crlf},
		{"byte order mark", "\ufeff" + pretty},
		{"one line", `{"model":"opus"}`},
		{"one line, spaced", `{ "model": "opus", "hooks": { "Stop": [] } }`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := installed(t, []byte(tc.before))
			if d := cmp.Diff(in, installed(t, in)); d != "" {
				t.Errorf("not idempotent: %s", d)
			}
			if d := cmp.Diff(tc.before, string(uninstalled(t, in))); d != "" {
				t.Errorf("not undone (-before +after):\n%s", d)
			}
			if strings.Contains(tc.before, "\r\n") && strings.Count(string(in), "\n") != strings.Count(string(in),
				"\r\n") {
				t.Errorf("mixed line ends: %q", in)
			}
			if !strings.Contains(tc.before, "\n") && bytes.Contains(in, []byte("\n")) {
				t.Errorf("one line became many: %q", in)
			}
			if bytes.HasPrefix([]byte(tc.before), []byte("\ufeff")) != bytes.HasPrefix(in, []byte("\ufeff")) {
				t.Errorf("byte order mark: %q", in[:8])
			}
			if !json.Valid(bytes.TrimPrefix(in, []byte("\ufeff"))) {
				t.Errorf("not JSON: %s", in)
			}
		})
	}
}

// TestRefusedSettings names what is wrong and where, and never guesses.
func TestRefusedSettings(t *testing.T) {
	all := []row{
		{"too deep", strings.Repeat("[", maxBrackets+1), "settings.json: too large"},
		{"too long", `"` + strings.Repeat("a", maxSettings) + `"`, "settings.json: too large"},
	}
	for _, tc := range append(all, rows(t, "refused")...) {
		t.Run(tc.name, func(t *testing.T) {
			d, err := parse("settings.json", []byte(tc.text))
			if err == nil {
				err = d.register(paths())
			}
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

// row is one of testdata/rows.txt: a text of settings, and what is wanted of it.
type row struct{ name, text, want string }

// rows are those of a kind. The text is quoted.
func rows(t *testing.T, kind string) (all []row) {
	t.Helper()
	for line := range strings.Lines(read(t, "testdata/rows.txt")) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if text, err := strconv.Unquote(f[2]); err != nil {
			t.Fatalf("%s: %v", line, err)
		} else if f[0] == kind {
			all = append(all, row{f[1], text, f[3]})
		}
	}
	return all
}

// TestIsNod says which handlers are nod's.
func TestIsNod(t *testing.T) {
	for _, tc := range rows(t, "isnod") {
		d, err := parse("x", []byte(tc.text))
		must(t, err)
		if got := isNod(object(&d.root)); got != (tc.want == "true") {
			t.Errorf("%s: %v", tc.text, got)
		}
	}
}

// FuzzEdit: for every settings file that install accepts, installing twice is installing once, plain JSON stays plain
// JSON, each event asks nod once, and uninstalling leaves what uninstalling would have left without it.
func FuzzEdit(f *testing.F) {
	files, _ := filepath.Glob("testdata/edit/*/*.json")
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil {
			f.Add(text)
		}
	}
	f.Add([]byte(`{"hooks":{"PreToolUse":[{"hooks":[{"command":"a"} , ] } , ] } , /* c */ }`))
	f.Add([]byte("{ // a\r\n\"hooks\" /*b*/ : /*c*/ { \"Stop\":[{\"hooks\":[{\"command\":\"nod-hook\"} //d\n]}]//e\n} }"))
	f.Fuzz(checkEdit)
}

func checkEdit(t *testing.T, text []byte) {
	d, err := parse("x", text)
	if err != nil {
		return
	}
	if !bytes.Equal(d.pack(), text) && len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))) > 0 {
		t.Fatalf("parsing changed %q to %q", text, d.pack())
	}
	if d.register(paths()) != nil {
		return
	}
	in := d.pack()
	if twice := installed(t, in); !bytes.Equal(in, twice) {
		t.Fatalf("once:  %q\ntwice: %q", in, twice)
	}
	if json.Valid(text) && !json.Valid(in) {
		t.Fatalf("not JSON: %q", in)
	}
	if got := asked(t, in); got != len(paths().registrations()) {
		t.Fatalf("nod is asked %d times: %q", got, in)
	}
	d, _ = parse("x", text)
	if d.unregister(paths()) != nil {
		return
	}
	out := uninstalled(t, in)
	if json.Valid(text) && !json.Valid(out) {
		t.Fatalf("not JSON: %q", out)
	}
	if d := cmp.Diff(meaning(t, uninstalled(t, text)), meaning(t, out)); d != "" {
		t.Fatalf("%q\n%q\n%s", text, in, d)
	}
	if missing := lostComment(text, out); missing != "" {
		t.Fatalf("lost the comment %q of %q: %q", missing, text, out)
	}
}

// asked counts the handlers of nod's.
func asked(t *testing.T, text []byte) (n int) {
	d, err := parse("x", text)
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return len(paths().owned(object(&d.root)))
}

// meaning is what a reader makes of a settings file, but for empty lists of
// hooks, which say nothing and which uninstall takes along.
func meaning(t *testing.T, text []byte) any {
	d, err := parse("x", text)
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	d.root.Standardize()
	var v any
	decoder := json.NewDecoder(bytes.NewReader(d.root.Pack()))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		return string(d.root.Pack()) // deeper than encoding/json reads
	}
	root, ok := v.(map[string]any)
	if !ok {
		return v
	}
	if hooks, ok := root["hooks"].(map[string]any); ok {
		for event, list := range hooks {
			if l, ok := list.([]any); ok && len(l) == 0 {
				delete(hooks, event)
			}
		}
		if len(hooks) == 0 {
			delete(root, "hooks")
		}
	}
	return v
}

// lostComment returns the first comment of text that other lacks, "" if it has
// all. Comments inside an older nod's entries may go with them.
func lostComment(text, other []byte) string {
	d, err := parse("x", text)
	if err != nil || bytes.Contains(text, []byte(HookName)) || bytes.Contains(text, []byte(`\u`)) {
		return ""
	}
	var extras []hujson.Extra
	for v := range d.root.All() {
		extras = append(extras, v.BeforeExtra, v.AfterExtra)
		switch c := v.Value.(type) {
		case *hujson.Object:
			extras = append(extras, c.AfterExtra)
		case *hujson.Array:
			extras = append(extras, c.AfterExtra)
		}
	}
	for _, e := range extras {
		for _, c := range comments(e) {
			if !bytes.Contains(other, c) {
				return string(c)
			}
		}
	}
	return ""
}

// comments splits what stands between two tokens into its comments.
func comments(e hujson.Extra) (all [][]byte) {
	for e = bytes.TrimSpace(e); len(e) > 0; e = bytes.TrimSpace(e) {
		end := bytes.Index(e, []byte("*/")) + len("*/")
		if bytes.HasPrefix(e, []byte("//")) {
			if end = bytes.IndexByte(e, '\n'); end < 0 {
				end = len(e)
			}
		}
		all = append(all, bytes.TrimSpace(e[:end]))
		e = e[end:]
	}
	return all
}
