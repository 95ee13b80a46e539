package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/internal/propose"
)

// opencodeCalls are the calls that the reader finds in a store.
func opencodeCalls(t *testing.T, f File) (list []past, err error) {
	t.Helper()
	var r opencodeReader
	_, err = f.lines(t.Context(), func(text []byte) {
		calls, at := r.line(text)
		if list = append(list, calls...); len(calls) > 0 && at.IsZero() {
			t.Errorf("%s: no time", text)
		}
	}, func(int) {})
	return list, err
}

// store copies the database of testdata, as SQLite 3.40 wrote it: pages of 512
// bytes, 41 rows in the file with one that overflows, three committed in the log,
// and behind them rows of a transaction that was not committed.
func store(t *testing.T) (db File) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"opencode.db", "opencode.db-wal"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o400)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	files, problems := Find([]Place{{opencode, dir}})
	if len(files) != 1 || len(problems) > 0 || files[0].Size < 10_000 {
		t.Fatal(files, problems)
	}
	return files[0]
}

// TestOpencodeDatabase: what is committed is read, in the file and in the log
// beside it, nothing else, and nothing is left behind.
func TestOpencodeDatabase(t *testing.T) {
	f := store(t)
	var want []past
	bash := func(n int, command, session, dir string, o propose.Outcome) {
		id := fmt.Sprintf("prt_%03d", n)
		input, _ := json.Marshal(map[string]string{"command": command, "description": "d"})
		want = append(want, past{id: id, session: session, tool: "bash", input: input, dir: dir},
			past{id: id, outcome: o})
	}
	for n := range 40 {
		bash(n, fmt.Sprint("echo ", n), "ses_1", "/usr", propose.Ran)
	}
	bash(40, "ls", "ses_1", "/usr", propose.Ran)
	bash(41, "rm -rf ~", "ses_2", "/usr/bin", propose.Refused)
	want = append(want, past{id: "prt_043", session: "ses_2", tool: "read",
		input: json.RawMessage(`{"filePath": "/usr/x"}`),
		dir:   "/usr/bin"})
	got, err := opencodeCalls(t, f)
	same := cmp.Transformer("compact", func(raw json.RawMessage) (v any) { json.Unmarshal(raw, &v); return v })
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(past{}), same); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(f.Path), "*")); len(left) != 2 {
		t.Error(left)
	}
}

// TestOpencodeFiles: what versions before the database wrote.
func TestOpencodeFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"session/p/ses_1.json":  `{"id":"ses_1","directory":"/usr"}`,
		"part/msg_1/prt_1.json": `{"id":"prt_1","messageID":"msg_1","sessionID":"ses_1","type":"tool","tool":"bash","state":{"status":"completed","input":{"command":"ls"},"time":{"start":1795397359117}}}`,
		"part/msg_1/prt_2.json": `{"id":"prt_2","sessionID":"ses_1","type":"text","text":"done"}`,
		"part/msg_1/prt_3.json": `{`,
	} {
		path := filepath.Join(dir, "storage", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := Find([]Place{{opencode, dir}})
	if len(files) != 1 {
		t.Fatal(files)
	}
	got, err := opencodeCalls(t, files[0])
	if err != nil || len(got) != 2 || got[0].id != "prt_1" || got[0].dir != "/usr" || got[0].tool != "bash" {
		t.Errorf("%v %+v", err, got)
	}
}

// TestDamagedDatabase: whatever stands in the bytes, reading ends, without a
// panic, and a file that is none is a problem that names it.
func TestDamagedDatabase(t *testing.T) {
	f := store(t)
	text, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := File{Path: filepath.Join(t.TempDir(), "opencode.db"), Agent: opencode}
	for at := range 2 * 512 {
		for _, b := range []byte{0, 1, 5, 0x7f, 0xff} {
			copied := append([]byte{}, text...)
			copied[at] = b
			if err := os.WriteFile(damaged.Path, copied, 0o600); err != nil {
				t.Fatal(err)
			}
			opencodeLines(t.Context(), damaged.Path, func([]byte) {}, func(int) {})
		}
	}
	for _, text := range []string{"", "no database", strings.Repeat("x", 5000), string(text[:512])} {
		if err := os.WriteFile(damaged.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := opencodeCalls(t, damaged); err == nil {
			t.Errorf("%.20q is read", text)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := opencodeLines(ended, f.Path, func([]byte) {}, func(int) {}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzDatabase: the bytes of a page and of the log decide nothing but what is read.
func FuzzDatabase(f *testing.F) {
	file, err := os.ReadFile(filepath.Join("testdata", "opencode.db"))
	log, err2 := os.ReadFile(filepath.Join("testdata", "opencode.db-wal"))
	if err := errors.Join(err, err2); err != nil {
		f.Fatal(err)
	}
	f.Add(file, log)
	f.Fuzz(func(t *testing.T, file, log []byte) {
		path := filepath.Join(t.TempDir(), "opencode.db")
		if err := errors.Join(os.WriteFile(path, file, 0o600), os.WriteFile(path+"-wal", log, 0o600)); err != nil {
			t.Skip(err)
		}
		opencodeLines(t.Context(), path, func([]byte) {}, func(int) {})
	})
}

// TestOpencodePlaces: the variables that opencode heeds lead nod too, and a database
// that is named is read under any name.
func TestOpencodePlaces(t *testing.T) {
	for _, test := range []struct {
		data, database string
		want           []string
	}{
		{"", "", []string{"/h/.local/share/opencode"}},
		{"/data", "", []string{"/data/opencode"}},
		{"relative", ":memory:", []string{"/h/.local/share/opencode"}},
		{"/data", "opencode-beta.db", []string{"/data/opencode"}},
		{"/data", "mine.db", []string{"/data/opencode", "/data/opencode/mine.db"}},
		{"", "/else/../elsewhere/s.sqlite", []string{"/h/.local/share/opencode", "/elsewhere/s.sqlite"}},
	} {
		env := map[string]string{"XDG_DATA_HOME": test.data, "OPENCODE_DB": test.database}
		var got []string
		for _, p := range Places("/h", func(name string) string { return env[name] }) {
			if p.Agent == opencode {
				got = append(got, p.Dir)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q %q:\n%s", test.data, test.database, diff)
		}
	}
	f := store(t)
	named := filepath.Join(filepath.Dir(f.Path), "mine")
	for _, suffix := range []string{"", "-wal"} {
		if err := os.Rename(f.Path+suffix, named+suffix); err != nil {
			t.Fatal(err)
		}
	}
	files, problems := Find([]Place{{opencode, named}})
	if len(files) != 1 || len(problems) > 0 || files[0].Size != f.Size {
		t.Fatal(files, problems)
	}
	if calls, err := opencodeCalls(t, files[0]); err != nil || len(calls) == 0 {
		t.Errorf("%d calls, %v", len(calls), err)
	}
}
