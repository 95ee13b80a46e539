//go:build unix

package session

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The test binary starts itself as a hook that runs beside others.
func TestMain(m *testing.M) {
	if dir := os.Getenv("SESSION_CHILD"); dir != "" {
		os.Exit(child(dir))
	}
	os.Exit(m.Run())
}

func child(dir string) int {
	for i := range 20 {
		s, err := Open(dir, "agent", "session")
		if err != nil {
			fmt.Println(err)
			return 3
		}
		root, err := s.Root(fmt.Sprint("/w/", os.Getpid()))
		if err == nil {
			err = s.Answer(Record{Call: fmt.Sprint(os.Getpid(), " ", i),
				Digest: Digest("bash", fmt.Append(nil, os.Getpid(), i)), Cost: 0.25})
		}
		s.Close()
		if err != nil {
			fmt.Println(err)
			return 4
		}
		if i == 0 {
			fmt.Println(root)
		}
	}
	return 0
}

// Many processes agree on one root, and no cost is lost between them.
func TestManyProcesses(t *testing.T) {
	dir := stateDir(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var running []*exec.Cmd
	var outs []*strings.Builder
	for range 16 {
		cmd := exec.Command(program)
		cmd.Env = []string{"SESSION_CHILD=" + dir}
		out := &strings.Builder{}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running, outs = append(running, cmd), append(outs, out)
	}
	roots := map[string]bool{}
	for i, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, outs[i])
		}
		roots[outs[i].String()] = true
	}
	s := open(t, dir, "session")
	if root, err := s.Root("/late"); len(roots) != 1 || !roots[root+"\n"] || err != nil {
		t.Errorf("roots %v, now %q, %v", roots, root, err)
	}
	if got, want := s.Cost(), 16*20*0.25; got != want {
		t.Errorf("cost %v, want %v", got, want)
	}
	if n := strings.Count(ended(t, s), `"kind":"pre"`); n != 16*20 {
		t.Errorf("%d answers, want %d", n, 16*20)
	}
}

func stateDir(t testing.TB) string { return filepath.Join(t.TempDir(), "state") }

func open(t testing.TB, dir, id string) *Session {
	t.Helper()
	s, err := Open(dir, "agent", id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func raw(t testing.TB, s *Session, text string) {
	t.Helper()
	file, err := os.OpenFile(s.file.Name(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func TestRootIsFixed(t *testing.T) {
	dir := stateDir(t)
	for _, first := range []string{"/w/app/", "/elsewhere", "", "relative"} {
		if root, err := open(t, dir, "a").Root(first); root != "/w/app" || err != nil {
			t.Errorf("Root(%q) = %q, %v; want /w/app", first, root, err)
		}
	}
	if root, err := open(t, dir, "b").Root("/other"); root != "/other" || err != nil {
		t.Errorf("another session: %q, %v", root, err)
	}
	if _, err := open(t, dir, "c").Root("relative"); err == nil || !strings.Contains(err.Error(),
		"not an absolute path") {
		t.Errorf("a relative root: %v", err)
	}
	if _, err := open(t, dir, "c").Root("/" + strings.Repeat("x",
		headLimit)); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("a root that would not be found again: %v", err)
	}
}

// In a file with any content, the root is the first valid root in its head, or there is an error.
func TestRootInDamagedFiles(t *testing.T) {
	valid := `{"v":1,"kind":"root","time":"2026-01-02T03:04:05Z","root":"/first","sum_usd":0}` + "\n"
	for _, tt := range []struct{ name, text, want string }{
		{"torn before", `{"v":1,"kind":"ro` + "\n" + valid, "/first"},
		{"foreign before", `{"v":9,"kind":"root","root":"/new"}` + "\n" + valid, "/first"},
		{"relative before", `{"v":1,"kind":"root","root":"x"}` + "\n" + valid, "/first"},
		{"two", valid + strings.ReplaceAll(valid, "first", "second"), "/first"},
		{"in a value", `{"v":1,"kind":"pre","tool":"\"kind\":\"root\",\"root\":\"/forged\""}` + "\n" + valid, "/first"},
		{"torn only", `{"v":1,"kind":"root","root":"/half`, "/asked"},
		{"empty lines", "\n\n\n", "/asked"},
		{"binary", "\x00\xff\n\x00", "/asked"},
		{"no end in sight", strings.Repeat("x", headLimit) + "\n", ""},
		{"late", strings.Repeat("x\n", headLimit) + valid, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, stateDir(t), "a")
			raw(t, s, tt.text)
			root, err := s.Root("/asked")
			if root != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("root %q, %v; want %q", root, err, tt.want)
			}
		})
	}
}

func TestSeen(t *testing.T) {
	s := open(t, stateDir(t), "a")
	digest := Digest("bash", []byte(`{"command":"ls"}`))
	if _, ok := s.Seen(digest); ok || s.Answered(digest) {
		t.Error("seen in an empty file")
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, said := range []string{"allow", "ask"} {
		note(t, s.Answer(Record{Call: fmt.Sprint(i), At: at, Digest: digest, Tool: "Bash", Said: said}))
	}
	raw(t, s, `{"v":1,"kind":"pre","digest":"`+digest+`","sa`) // torn
	note(t, s.Outcome(Record{Call: "1", Error: `"digest":"` + digest + `"`}))
	got, ok := s.Seen(digest)
	if !ok || got.Call != "1" || got.Said != "ask" || !got.At.Equal(at) || !s.Answered(digest) {
		t.Errorf("seen %+v, %v", got, ok)
	}
	if s.Answered("") || s.Answered(digest[:10]) || s.Answered(strings.ToUpper(digest)) {
		t.Error("another digest was seen")
	}
}

func TestOutOfSight(t *testing.T) {
	dir := stateDir(t)
	s := open(t, dir, "a")
	s.Root("/w")
	s.Answer(Record{Digest: "early", Cost: 1})
	for i := range 40 {
		note(t, s.Answer(Record{Digest: fmt.Sprint(i), Changes: []string{strings.Repeat("p", 10000)}}))
	}
	s = open(t, dir, "a")
	if s.Answered("early") || !s.Answered("39") {
		t.Errorf("early %v, late %v", s.Answered("early"), s.Answered("39"))
	}
	if s.Cost() != 1 {
		t.Errorf("cost %v, want 1: each record carries the sum", s.Cost())
	}
	if root, err := s.Root("/x"); root != "/w" || err != nil {
		t.Errorf("root %q, %v", root, err)
	}
}

func TestCost(t *testing.T) {
	s := open(t, stateDir(t), "a")
	for _, cost := range []float64{0.5, 0, -3, math.NaN(), math.Inf(1), 0.25} {
		if err := s.Answer(Record{Digest: "d", Cost: cost}); err != nil {
			t.Errorf("cost %v: %v", cost, err)
		}
	}
	raw(t, s, `{"v":1,"sum_usd":1e999}`+"\n"+`{"sum_usd":x}`+"\n"+`{"sum_usd":`)
	if got := s.Cost(); got != 0.75 {
		t.Errorf("cost %v, want 0.75", got)
	}
}

func TestNothingRemembered(t *testing.T) {
	s, err := Open(stateDir(t), "agent", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Session{s, nil, {}} {
		root, err := s.Root("/cwd")
		if s.Remembers() || root != "/cwd" || err != nil || s.Answer(Record{Digest: "d",
			Cost: 1}) != nil || s.Outcome(Record{}) != nil ||
			s.Answered("d") || s.Cost() != 0 || s.Close() != nil {
			t.Errorf("%v remembers: %q, %v", s, root, err)
		}
	}
}

func TestDigest(t *testing.T) {
	base := Digest("bash", []byte(`{"command":"ls","a":[1, 2]}`))
	for _, tt := range []struct {
		tool, input string
		same        bool
	}{
		{"bash", " {\"command\" : \"ls\",\n\"a\":[1,2]}", true},
		{"Bash", `{"command":"ls","a":[1,2]}`, false},
		{"bash", `{"command":"ls ","a":[1,2]}`, false},
		{"bash", `{"a":[1,2],"command":"ls"}`, false},
		{"bash", `not json`, false},
	} {
		if got := Digest(tt.tool, []byte(tt.input)) == base; got != tt.same {
			t.Errorf("%s %s: same %v, want %v", tt.tool, tt.input, got, tt.same)
		}
	}
	if Digest("1 a", []byte("b")) == Digest("1", []byte(" ab")) || Digest("a", []byte("1")) == Digest("a1", nil) {
		t.Error("tool and input run together")
	}
}

func TestFileIsPrivateAndHashed(t *testing.T) {
	dir := stateDir(t)
	open(t, dir, "../../etc/passwd")
	names, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(names) != 1 || !isOurs(filepath.Base(names[0])) {
		t.Fatalf("files %v, %v", names, err)
	}
	if info, err := os.Stat(names[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if FileName("", "a", "b") == FileName("", "ab", "") || FileName("", "a", "b") == FileName("", "b", "a") {
		t.Error("two sessions share a file")
	}
	if err := os.Chmod(names[0], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, "agent", "../../etc/passwd"); err == nil || !strings.Contains(err.Error(),
		"open to other users") {
		t.Errorf("a file that others may read: %v", err)
	}
}

func ended(t *testing.T, s *Session) string {
	t.Helper()
	text, err := os.ReadFile(s.file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestErrorsAreMaskedAndCut(t *testing.T) {
	s := open(t, stateDir(t), "a")
	secret := "Zq7Wk3Rt9Yp2Mn5Bv8Xc"
	note(t, s.Outcome(Record{Error: "PASSWORD=" + secret + " " + strings.Repeat("é", 1000),
		Failed: true}))
	if text := ended(t, s); strings.Contains(text, secret) || len(text) > 1000 {
		t.Errorf("%s", text)
	}
}

func TestLongRecords(t *testing.T) {
	s := open(t, stateDir(t), "a")
	var paths []string
	for i := range 1000 {
		paths = append(paths, fmt.Sprint("/", strings.Repeat("<", 4000), i))
	}
	note(t, s.Answer(Record{Digest: "d", Changes: paths}))
	if text := ended(t, s); len(text) > lineLimit || !s.Answered("d") {
		t.Errorf("%d bytes, seen %v", len(text), s.Answered("d"))
	}
}

func TestPrune(t *testing.T) {
	dir := stateDir(t)
	note(t, Prune(dir, 48*time.Hour)) // a missing directory
	note(t, Spend(dir, time.Now(), 1))
	day := filepath.Join(dir, spentDir, spentFile(time.Now()))
	old, young := open(t, dir, "old"), open(t, dir, "young")
	foreign := filepath.Join(dir, dirName, "notes.jsonl")
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-72 * time.Hour)
	for _, name := range []string{old.file.Name(), foreign, day} {
		if err := os.Chtimes(name, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := Prune(dir, time.Hour); err == nil {
		t.Error("an hour was accepted")
	}
	note(t, Prune(dir, 48*time.Hour))
	left, _ := filepath.Glob(filepath.Join(dir, "s*", "*"))
	if diff := cmp.Diff(map[string]bool{young.file.Name(): true, foreign: true}, set(left)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

func set(names []string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}
