package llm

import (
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/fault"
)

// dumpTo makes a model keep its exchanges and its notices.
func dumpTo(dir string, notices *[]string) func(*Options) {
	return func(o *Options) {
		o.DumpDir, o.Notice = dir, func(s string) { *notices = append(*notices, s) }
		o.Headers = map[string]string{"X-Gateway": "Bearer gateway-secret-1"}
	}
}

func privateDir(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "dump")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func readDump(t *testing.T, path string) (dumped, string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var d dumped
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	for _, secret := range []string{testKey, "gateway-secret-1"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the dump shows a secret:\n%s", text)
		}
	}
	return d, string(text)
}

func TestDump(t *testing.T) {
	for _, provider := range providers() {
		t.Run(provider, func(t *testing.T) {
			dir, notices := privateDir(t), []string(nil)
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Set-Cookie", "session=1")
				w.Header().Set("Request-Id", "req_1")
				w.Header().Set("X-Echo", r.Header.Get("X-Api-Key")+r.Header.Get("Authorization"))
				raw(200, classified(provider, `{"thinking":"saw `+testKey+`","should_block":true,"reason":"r <b>"}`))(w,
					r)
			})
			m := newModel(t, provider, url, dumpTo(dir, &notices))
			p := prompt
			p.User += " " + testKey
			got, err := m.Classify(context.Background(), p)
			if err != nil || len(notices) > 0 {
				t.Fatal(err, notices)
			}
			d, text := readDump(t, filepath.Join(dir, "d-1.json"))
			if d.ID != p.ID || d.Digest != p.Digest || d.Provider != provider || d.Failure != nil ||
				!d.Classification.ShouldBlock || !got.ShouldBlock {
				t.Errorf("%s", text)
			}
			if d.Request.Method != "POST" || !strings.HasPrefix(d.Request.URL,
				url) || !strings.Contains(string(d.Request.Body),
				`"should_block"`) || d.Response.Status != 200 || len(d.Response.Body) == 0 {
				t.Errorf("%s", text)
			}
			for name, values := range map[string][]string{"Set-Cookie": {"[masked]"}, "Request-Id": {"req_1"},
				"X-Echo": {"[masked]"}} {
				if diff := cmp.Diff(values, d.Response.Header[name]); diff != "" {
					t.Errorf("%s: %s", name, diff)
				}
			}
			if diff := cmp.Diff([]string{"[masked]"}, d.Request.Header["X-Gateway"]); diff != "" {
				t.Error(diff)
			}
			// The same decision again replaces the file and leaves no other.
			if _, err := m.Classify(context.Background(), p); err != nil || len(notices) > 0 {
				t.Fatal(err, notices)
			}
			if names := list(t, dir); cmp.Diff([]string{"d-1.json"}, names) != "" {
				t.Errorf("%v", names)
			}
		})
	}
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestFailuresAreDumped(t *testing.T) {
	dir, notices := privateDir(t), []string(nil)
	for name, tc := range map[string]struct {
		h    http.HandlerFunc
		kind fault.Kind
		text string
	}{
		"html": {answering(502, "text/html", "<html>bad gateway</html>"), fault.ServerError,
			"<html>bad gateway</html>"},
		"shape":  {raw(200, `{"a":1}`), fault.Malformed, ""},
		"broken": {hijack("", false), fault.Unreachable, ""},
	} {
		p := prompt
		p.ID = name
		_, err := newModel(t, ProviderAnthropic, serve(t, tc.h), dumpTo(dir, &notices)).Classify(context.Background(),
			p)
		if err == nil || len(notices) > 0 {
			t.Fatal(err, notices)
		}
		d, text := readDump(t, filepath.Join(dir, name+".json"))
		if d.Classification != nil || d.Failure["kind"] != string(tc.kind) || len(d.Request.Body) == 0 {
			t.Errorf("%s", text)
		}
		if (d.Response == nil) != (name == "broken") || d.Response != nil && d.Response.Text != tc.text {
			t.Errorf("%s", text)
		}
	}
}

// A dump that cannot be written does not change the answer, and is told.
func TestDumpsThatFail(t *testing.T) {
	open := privateDir(t)
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(privateDir(t), link); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	occupied := privateDir(t)
	if err := os.Mkdir(filepath.Join(occupied, "d-1.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	url := serve(t, raw(200, classified(ProviderOpenAI, allowInput)))
	for name, tc := range map[string]struct{ dir, says string }{
		"open":     {open, "chmod 700"},
		"link":     {link, "not a directory"},
		"file":     {file, "not a directory"},
		"absent":   {filepath.Join(t.TempDir(), "absent"), "no such file"},
		"relative": {"dump", "absolute"},
		"occupied": {occupied, "d-1.json"},
	} {
		var notices []string
		got, err := newModel(t, ProviderOpenAI, url, dumpTo(tc.dir, &notices)).Classify(context.Background(), prompt)
		if err != nil || got.Reason != "r" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if len(notices) != 1 || !strings.Contains(notices[0], tc.says) {
			t.Errorf("%s: notices %q", name, notices)
		}
	}
	if names := list(t, open); len(names) > 0 {
		t.Errorf("written anyway: %v", names)
	}
	if names := list(t, occupied); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

func TestDumpDirOfAnother(t *testing.T) {
	if os.Geteuid() == 0 {
		dir := privateDir(t)
		if err := os.Chown(dir, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		if err := checkDumpDir(dir); err == nil || !strings.Contains(err.Error(), "belongs to user") {
			t.Errorf("%v", err)
		}
	}
}

func TestDumpNames(t *testing.T) {
	seen := map[string]bool{}
	for _, id := range []string{"", ".", "..", "../x", "a/b", "a\x00b", ".hidden", "a b", "ä", strings.Repeat("x", 101),
		"-", "01K-a_B"} {
		name := dumpName(id)
		if filepath.Base(name) != name || !fs.ValidPath(name) || strings.HasPrefix(name,
			".") || seen[name] || len(name) > 110 {
			t.Errorf("%q is named %q", id, name)
		}
		seen[name] = true
	}
	if dumpName("01K-a_B") != "01K-a_B.json" {
		t.Error("a plain id is not its own name")
	}
}
