//go:build unix

package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/lines"
)

const writerLines = 20

// roughWriter writes lines and says which are in the log. Its role ends it in between, or has the disk full for it.
func roughWriter(l *Log) int {
	l.MaxBytes, l.wait = 64<<10, time.Hour // a slow machine is no stopped one
	killAt := -1
	switch os.Getenv("AUDIT_ROLE") {
	case "killed":
		killAt = rand.IntN(writerLines)
	case "limited":
		const most = 48 << 10 // below MaxBytes: now full, and after the next rotation not
		signal.Ignore(syscall.SIGXFSZ)
		syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: most})
	}
	for i := range writerLines {
		if i == killAt {
			go syscall.Kill(os.Getpid(), syscall.SIGKILL) // somewhere in what follows
		}
		e := someDecision(i)
		e.ID = fmt.Sprintf("%d-%d", os.Getpid(), i)
		if l.Write(e) == nil {
			fmt.Println(e.ID)
		}
	}
	return 0
}

// 200 processes write at once. Some are killed, some find the disk full, and files are rotated under all of them: what
// was said to be written is there once, and the chain holds.
func TestChainOfManyWriters(t *testing.T) {
	const writers = 200
	dir := stateDir(t)
	var running []*exec.Cmd
	var said []*bytes.Buffer
	rough := 0
	for i := range writers {
		role := "plain"
		switch i % 5 {
		case 1, 3:
			role = "killed"
			rough++
		case 2:
			role = "limited"
			rough += writerLines
		}
		cmd, out := exec.Command(executable(t)), &bytes.Buffer{}
		cmd.Env = []string{"AUDIT_CHILD=" + dir, "AUDIT_ROLE=" + role}
		cmd.Stdout = out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running, said = append(running, cmd), append(said, out)
	}
	var written []string
	killed := 0
	for i, cmd := range running {
		if cmd.Wait() != nil {
			killed++
		}
		written = append(written, strings.Fields(said[i].String())...)
	}
	count := map[string]int{}
	for l, err := range Read(dir, Filter{}) {
		if err == nil {
			count[l.ID]++
		}
	}
	for _, id := range written {
		if count[id] != 1 {
			t.Errorf("%s is %d times in the log", id, count[id])
		}
	}
	r := verified(t, dir)
	if !r.Whole || r.Torn > rough || r.Unlocked > 0 || r.Files < 3 || len(written) < writers*writerLines/4 {
		t.Errorf("%d written, %+v", len(written), r)
	}
	t.Logf("%d writers, %d killed: %d lines said to be written; %d lines in %d files, %d torn", writers, killed,
		len(written), r.Lines, r.Files, r.Torn)
}

func verified(t testing.TB, dir string, anchors ...Anchor) Report {
	t.Helper()
	r, err := Verify(context.Background(), dir, anchors, func(int64, int64) {})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Somebody changes the log. Three files of four lines each; lines are counted from 1 in all of them.
func TestTampering(t *testing.T) {
	for _, tt := range []struct {
		name   string
		tamper func(l [][]byte) [][]byte // nil: a line that goes
		want   []string                  // LINE: what, by the counts of before
		anchor string
	}{
		{"nothing", func(l [][]byte) [][]byte { return l }, nil, ""},
		{"changed", func(l [][]byte) [][]byte {
			l[5] = bytes.Replace(l[5], []byte("go test"), []byte("go vet "), 1)
			return l
		}, []string{"b:3: line 2 was changed, or lines between the two were removed"}, ""},
		{"removed", func(l [][]byte) [][]byte { l[6] = nil; return l },
			[]string{"b:3: line 2 was changed, or lines between the two were removed"}, "11 lines stood, now 10"},
		{"swapped", func(l [][]byte) [][]byte { l[5], l[6] = l[6], l[5]; return l },
			[]string{"b:4: 1 line(s) before it were put in or moved, from b:3 on"}, ""},
		{"put in", func(l [][]byte) [][]byte { l[6] = slices.Concat(l[1], []byte("\n"), l[6]); return l },
			[]string{"b:4: 1 line(s) before it were put in or moved, from b:3 on"}, "11 lines stood, now 12"},
		{"put in with a link", func(l [][]byte) [][]byte {
			l[6] = slices.Concat(linked(written(someDecision(99)), l[5], true), []byte("\n"), l[6])
			return l
		}, []string{"b:4: 1 line(s) before it were put in or moved, from b:3 on"}, "11 lines stood, now 12"},
		{"put in without a link", func(l [][]byte) [][]byte {
			return append(l, written(someDecision(99)))
		}, []string{"c:5: no link: an older nod wrote it, or it was put in"}, ""},
		{"a file removed", func(l [][]byte) [][]byte { l[4], l[5], l[6], l[7] = nil, nil, nil, nil; return l },
			[]string{"c:1: the file before it was removed, or the end of a:4 was changed or cut off"},
			"11 lines stood, now 7"},
		{"the first file removed", func(l [][]byte) [][]byte { l[0], l[1], l[2], l[3] = nil, nil, nil, nil; return l },
			[]string{"b:1: lines, or files, before it were removed"}, "11 lines stood, now 7"},
		{"newest lines removed", func(l [][]byte) [][]byte { l[10], l[11] = nil, nil; return l }, nil, "lost"},
		{"written anew", func([][]byte) [][]byte { return chain(13) }, nil, "lost"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := chain(12)
			head := linkOf(list[10])
			dir := asFiles(t, tt.tamper(list))
			anchor := Anchor{Lines: 11, Hash: fmt.Sprintf("%x", head[:])}
			var got []string
			r := verified(t, dir, anchor)
			short := strings.NewReplacer(dir+"/", "", "decisions-1.jsonl", "a", "decisions-2.jsonl", "b", FileName, "c")
			for _, b := range r.Breaks {
				got = append(got, short.Replace(b.At+": "+b.What))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			why := strings.Replace(r.Anchors[0].Why, "stood up to here, and", "stood,", 1)
			if tt.anchor == "lost" && strings.HasPrefix(why, "no line has this hash") {
				why = tt.anchor
			}
			if why != tt.anchor || r.Anchors[0].Stands != (tt.anchor == "") {
				t.Errorf("the anchor: %+v", r.Anchors[0])
			}
			if r.Whole != (tt.want == nil && tt.anchor == "") {
				t.Errorf("whole: %v", r.Whole)
			}
		})
	}
}

// chain makes linked lines.
func chain(n int) (list [][]byte) {
	var last []byte
	for i := range n {
		last = linked(written(someDecision(n*100+i)), last, true)
		list = append(list, last)
	}
	return list
}

// asFiles writes lines into three files, four into each of the first two.
func asFiles(t *testing.T, list [][]byte) string {
	t.Helper()
	dir := stateDir(t)
	if err := lines.PrivateDir(dir); err != nil {
		t.Fatal(err)
	}
	text := map[string][]byte{}
	for i, line := range list {
		name := []string{"decisions-1.jsonl", "decisions-2.jsonl", FileName}[min(i/4, 2)]
		if line != nil {
			text[name] = append(append(text[name], line...), '\n')
		}
	}
	for name, text := range text {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A process that was stopped with the lock holds up nobody for long, and what is written without the lock is named.
func TestStoppedWithTheLock(t *testing.T) {
	dir := stateDir(t)
	write(t, dir, Entry{ID: "1"})
	stopped, err := lines.Open(filepath.Join(dir, FileName))
	if err != nil || !stopped.Lock() {
		t.Fatal(err)
	}
	defer stopped.Close()
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.wait, l.MaxBytes = 4*time.Millisecond, 1 // it is not rotated without the lock
	old := readings(Read(dir, Filter{}))
	for range 3 {
		if err := l.Write(Entry{ID: "2"}); err != nil {
			t.Fatal(err)
		}
	}
	late := linked(written(Entry{ID: "3"}), []byte(old[0]), true) // goes on where it was
	appendRaw(t, dir, string(late)+"\n")
	stopped.Unlock()
	write(t, dir, Entry{ID: "4"})
	r := verified(t, dir)
	if !r.Whole || r.Unlocked != 3 || len(r.UnlockedAt) != 3 || r.Lines != 6 || r.Files != 1 {
		t.Errorf("%+v", r)
	}
}

// Lines of an older nod, a torn line and one longer than nod writes: what follows is linked all the same.
func TestChainGoesOn(t *testing.T) {
	for name, text := range map[string]string{
		"before the chain":          "{\"v\":1,\"id\":\"a\"}\n{\"v\":1,\"id\":\"b\"}\n",
		"torn":                      `{"v":1,"id":"to`,
		"empty lines":               "\n\n\n",
		"longer than a line may be": strings.Repeat("x", lines.LastLimit+1),
		"just as long":              strings.Repeat("x", lines.LastLimit),
	} {
		dir := stateDir(t)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		appendRaw(t, dir, text)
		write(t, dir, someDecision(1), someDecision(2))
		if r := verified(t, dir); !r.Whole || r.Lines < 2 || r.BeforeChain+r.Torn != r.Lines-2 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func someDecision(i int) Entry {
	return Entry{Kind: Decision, ID: fmt.Sprintf("20261120-%08d", i), Time: time.Unix(1_790_000_000+int64(i), 0),
		Nod: "0.2.0", Agent: "claude-code", Session: "5f0c1a", CallID: fmt.Sprint("toolu_", i), Mode: "default",
		Setting: "enforce", Tool: "bash", RawTool: "Bash", Dir: "/home/ada/shop", Root: "/home/ada/shop",
		Input:   json.RawMessage(`{"command":"go test ./internal/... -run TestCart","description":"run the tests"}`),
		Verdict: nod.Verdict(i % 3), Answered: "allow", Layer: nod.LayerShell, Reason: "runs the workspace's tests",
		Rule: &Rule{Text: "go test *", Origin: "/home/ada/.config/nod/nod.toml:4"}, Latency: 412}
}

// BenchmarkWrite is a writer at work, BenchmarkOpenWrite the one line of a hook.
func BenchmarkWrite(b *testing.B) {
	l, err := Open(stateDir(b))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	for b.Loop() {
		if err := l.Write(someDecision(1)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenWrite(b *testing.B) {
	dir := stateDir(b)
	for b.Loop() {
		write(b, dir, someDecision(1))
	}
}

// BenchmarkMillion reads a log of 1,000,000 lines, made in NOD_MILLION, a directory, where it is not there.
func BenchmarkMillion(b *testing.B) {
	dir := os.Getenv("NOD_MILLION")
	if dir == "" {
		b.Skip("needs NOD_MILLION=DIR, for a log of 1,000,000 lines: skipped")
	}
	if _, err := os.Stat(filepath.Join(dir, FileName)); err != nil {
		l, err := Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		for i := range 1_000_000 {
			if err := l.Write(someDecision(i)); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("Verify", func(b *testing.B) {
		for b.Loop() {
			if r := verified(b, dir); !r.Whole {
				b.Errorf("%+v", r)
			}
		}
	})
	b.Run("Read", func(b *testing.B) {
		for b.Loop() {
			for _, err := range Read(dir, Filter{}) {
				if err != nil {
					b.Error(err)
				}
			}
		}
	})
}
