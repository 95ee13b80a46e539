//go:build unix

package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/system"
)

// The test binary starts itself as a writer.
func TestMain(m *testing.M) {
	if dir := os.Getenv("AUDIT_CHILD"); dir != "" {
		os.Exit(writer(dir))
	}
	os.Exit(m.Run())
}

func writer(dir string) int {
	l, err := Open(dir)
	if err != nil {
		fmt.Println(err)
		return 3
	}
	return roughWriter(l)
}

func quoted(s string) json.RawMessage {
	raw, _ := json.Marshal(s)
	return raw
}

func stateDir(t testing.TB) string { return filepath.Join(t.TempDir(), "state") }

func write(t testing.TB, dir string, entries ...Entry) {
	t.Helper()
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, e := range entries {
		if err := l.Write(e); err != nil {
			t.Fatal(err)
		}
	}
}

func executable(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

func TestRotationKeepsOrderWhenTheClockGoesBack(t *testing.T) {
	dir := stateDir(t)
	write(t, dir, Entry{ID: "0"})
	future := filepath.Join(dir, "decisions-29990101T000000.000000000Z.jsonl")
	if err := os.Rename(filepath.Join(dir, FileName), future); err != nil {
		t.Fatal(err)
	}
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.MaxBytes = 1
	for i := range 3 {
		// The times of the entries go backwards too: files keep their order.
		if err := l.Write(Entry{ID: fmt.Sprint(i + 1), Time: time.Unix(int64(1000-i), 0)}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := ids(t, Read(dir, Filter{})), []string{"0", "1", "2", "3"}; !cmp.Equal(got, want) {
		t.Errorf("Read: %v", got)
	}
	if got, want := ids(t, Newest(dir, Filter{})), []string{"3", "2", "1", "0"}; !cmp.Equal(got, want) {
		t.Errorf("Newest: %v", got)
	}
	if rotated, _ := rotatedFiles(dir); len(rotated) != 3 || rotated[0] != future {
		t.Errorf("rotated: %v", rotated)
	}
}

func ids(t *testing.T, seq func(func(Line, error) bool)) (list []string) {
	t.Helper()
	for l, err := range seq {
		if err != nil {
			t.Error(err)
		}
		list = append(list, l.ID)
	}
	return list
}

func call() nod.Call {
	return nod.Call{
		ID: "c1", Agent: "claude-code", Session: "s1", Tool: "bash", RawTool: "Bash", Dir: "/w/sub",
		Roots: []string{"/w", "/x"},
		Input: json.RawMessage("{\n \"command\": \"echo a && PASSWORD=hunter2 b > c\"}"),
	}
}

func TestFromDecision(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	d := nod.Decision{
		ID: "d1", Verdict: nod.Ask, Layer: nod.LayerModel, Reason: "because",
		Rule: nod.Rule{Text: "rm *", Origin: "f:1"},
		Err:  &fault.Error{Kind: fault.TimedOut, Message: "late"},
		Classification: &nod.Classification{Model: "m", QuickSaid: "block",
			Usage: nod.Usage{In: 1, Out: 2}},
		Cost: 0.5, Latency: 1500 * time.Microsecond,
		Evidence: []nod.Evidence{{Path: "/w/x", SHA256: "00"}},
	}
	want := Entry{
		Version: 1, Kind: Decision, ID: "d1", Time: now.UTC(), Agent: "claude-code", Session: "s1", CallID: "c1",
		Tool: "bash", RawTool: "Bash",
		Dir: "/w/sub", Root: "/w", Input: call().Input, InputSHA256: digest(call().Input),
		Verdict: nod.Ask, Layer: nod.LayerModel, Reason: "because", Rule: &Rule{Text: "rm *", Origin: "f:1"},
		Error: &Error{Kind: fault.TimedOut, Message: "late"}, Evidence: d.Evidence,
		Latency: 1500, Model: "m", Quick: "block",
		Usage: &nod.Usage{In: 1, Out: 2}, Cost: 0.5,
	}
	got := FromDecision(call(), d, now)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	dir := stateDir(t)
	write(t, dir, got)
	for l, err := range Read(dir, Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		want.Input = json.RawMessage(`{"command":"echo a && PASSWORD=[masked-7] b > c"}`)
		want.Prev = "e3b0c44298fc1c149afbf4c8996fb924" // the hash of nothing
		if diff := cmp.Diff(want, l.Entry); diff != "" {
			t.Errorf("read back (-want +got):\n%s", diff)
		}
		if !bytes.Contains(l.Raw, []byte("a && ")) {
			t.Errorf("& is not readable in %s", l.Raw)
		}
	}
	empty := FromDecision(nod.Call{}, nod.Decision{}, now)
	if empty.Verdict != nod.Deny || empty.InputSHA256 != digest(nil) || empty.Rule != nil || empty.Error != nil ||
		empty.Usage != nil {
		t.Errorf("entry of nothing: %+v", empty)
	}
}

// Any entry becomes one readable line of less than 1 MiB, without a secret.
func TestWriteShortensAndMasks(t *testing.T) {
	huge := strings.Repeat("<\x01é", 1<<17)
	secret := "Zq7Wk3Rt9Yp2Mn5Bv8Xc"
	manyPaths := make([]nod.Evidence, 10000)
	for i := range manyPaths {
		manyPaths[i] = nod.Evidence{Path: huge[:4096], SHA256: huge[:4096]}
	}
	for _, tt := range []struct {
		name  string
		entry Entry
		check func(e Entry) bool
	}{
		{"large input", Entry{Input: quoted(strings.Repeat("é", 40000) + " PASSWORD=" + secret)}, func(e Entry) bool {
			return len(e.Input) < 9<<10 && e.InputBytes == 80000+len(secret)+12
		}},
		{"secret across the cut",
			Entry{Input: quoted(strings.Repeat("x", headLimit-14) + " PASSWORD=" + secret + strings.Repeat(" y",
				40000))}, func(e Entry) bool {
				return e.InputBytes > InputLimit && !bytes.Contains(e.Input, []byte(secret[:3]))
			}},
		{"no json", Entry{Input: json.RawMessage("{not json PASSWORD=" + secret)},
			func(e Entry) bool { return string(e.Input) == `"{not json PASSWORD=[masked-20]"` }},
		{"all too long", Entry{ID: huge, Nod: huge, Agent: huge, Session: huge, CallID: huge, Mode: huge, Setting: huge,
			Tool: huge, RawTool: huge, Dir: huge, Root: huge,
			Input: json.RawMessage(huge), InputSHA256: huge, Answered: huge, Reason: huge,
			Rule:  &Rule{Text: huge, Origin: huge},
			Error: &Error{Kind: fault.Kind(huge), Message: huge}, Evidence: manyPaths, Model: huge, Kind: Kind(huge)},
			func(e Entry) bool { return len(e.Evidence) == tightList }},
		{"secrets everywhere", Entry{Reason: "token: " + secret, Dir: "/x/token=" + secret, Root: "/password=" + secret,
			RawTool: "a token=" + secret,
			Rule:    &Rule{Text: "x --password " + secret}, Error: &Error{Message: "https://u:" + secret + "@h"}},
			func(Entry) bool { return true }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := stateDir(t)
			write(t, dir, tt.entry)
			data, err := os.ReadFile(filepath.Join(dir, FileName))
			if err != nil || len(data) > lines.Limit || bytes.Count(data, []byte("\n")) != 1 {
				t.Fatalf("%d bytes, %d lines, %v", len(data), bytes.Count(data, []byte("\n")), err)
			}
			if bytes.Contains(data, []byte(secret)) {
				t.Error("the secret was written")
			}
			for l, err := range Read(dir, Filter{}) {
				if err != nil || !tt.check(l.Entry) {
					t.Errorf("%v, %.2000s", err, l.Raw)
				}
			}
		})
	}
}

func TestEntryIsNotChangedByWrite(t *testing.T) {
	e := Entry{Rule: &Rule{Text: "token: abc1"}, Error: &Error{Message: "token: abc1"},
		Reason: strings.Repeat("x", 2<<20)}
	write(t, stateDir(t), e)
	if e.Rule.Text != "token: abc1" || e.Error.Message != "token: abc1" || len(e.Reason) != 2<<20 {
		t.Errorf("changed: %+v", e.Rule)
	}
}

func appendRaw(t testing.TB, dir, text string) {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(dir, FileName), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// Read and Newest agree on what they read, also in damaged files.
func TestReadersAgree(t *testing.T) {
	long := `{"v":1,"kind":"decision","id":"long","verdict":"deny","layer":"none","reason":"` + strings.Repeat("x",
		9000) + `"}`
	for _, text := range []string{
		"", "\n", "\n\n\n", `{"v":1,"id":"a"}`, "{\"v\":1,\"id\":\"a\"}\n", "x\n{\"v\":1,\"id\":\"a\"}\ny",
		"\n{\"v\":1,\"id\":\"a\"}\n\n\n{\"v\":1,\"id\":\"b\"}\r\n",
		long + "\n" + long + "\n", "{\"v\":0}\n{}\n[]\n{\"v\":1,\"verdict\":\"maybe\"}\n{\"v\":9}\n",
	} {
		dir := stateDir(t)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		appendRaw(t, dir, text)
		forward, backward := readings(Read(dir, Filter{})), readings(Newest(dir, Filter{}))
		slices.Sort(forward)
		slices.Sort(backward)
		if diff := cmp.Diff(forward, backward); diff != "" {
			t.Errorf("%.60q: Read - Newest +\n%s", text, diff)
		}
	}
}

func readings(seq func(func(Line, error) bool)) (list []string) {
	for l, err := range seq {
		if err != nil {
			list = append(list, err.Error())
			continue
		}
		list = append(list, string(l.Raw))
	}
	return list
}

// A line that somebody else writes, who has the lock, is not taken for a torn one.
func TestReadWhileALineIsWritten(t *testing.T) {
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, FileName))
	if err != nil || !system.Lock(file) {
		t.Fatal(err)
	}
	defer file.Close()
	_, _ = file.WriteString(`{"v":1,"kind":"alarm",`)
	var written sync.WaitGroup
	written.Go(func() {
		time.Sleep(50 * time.Millisecond)
		_, _ = file.WriteString(`"reason":"why"}` + "\n")
		system.Unlock(file)
	})
	defer written.Wait()
	for l, err := range Read(dir, Filter{}) {
		if err != nil || l.Reason != "why" {
			t.Error(l, err)
		}
	}
}

func TestFilter(t *testing.T) {
	base := Entry{Kind: Decision, Verdict: nod.Ask, Layer: nod.LayerShell, Agent: "a", Session: "abc",
		Time: time.Unix(1000, 0)}
	for _, tt := range []struct {
		name   string
		filter Filter
		entry  Entry
		want   bool
	}{
		{"all", Filter{}, base, true},
		{"other verdict", Filter{Verdicts: []nod.Verdict{nod.Allow}}, base, false},
		{"an outcome has no verdict", Filter{Verdicts: []nod.Verdict{nod.Deny}}, Entry{Kind: Outcome}, false},
		{"a begun line has no layer", Filter{Layers: []nod.Layer{nod.LayerNone}}, Entry{Kind: Begun}, false},
		{"a host's denial is one", Filter{Verdicts: []nod.Verdict{nod.Deny}}, Entry{Kind: HostDeny}, true},
		{"layer", Filter{Layers: []nod.Layer{nod.LayerModel}}, base, false},
		{"kind", Filter{Kinds: []Kind{Begun}}, base, false},
		{"session prefix", Filter{Session: "ab"}, base, true},
		{"other session", Filter{Session: "b"}, base, false},
		{"since later", Filter{Since: time.Unix(1001, 0)}, base, false},
	} {
		if got := tt.filter.Match(tt.entry); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
