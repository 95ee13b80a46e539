//go:build unix

package index

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
)

// world is a log that is written at random, with torn lines, lines of a newer nod and rotations.
type world struct {
	*testing.T
	*rand.Rand
	dir string
	log *audit.Log
	n   int
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{T: t, Rand: rand.New(rand.NewPCG(seed, 1)), dir: filepath.Join(t.TempDir(), "state")}
	var err error
	if w.log, err = audit.Open(w.dir); err != nil {
		t.Fatal(err)
	}
	w.log.MaxBytes = 20_000
	t.Cleanup(func() { w.log.Close() })
	return w
}

func (w *world) one(words ...string) string { return words[w.IntN(len(words))] }

func (w *world) entry() audit.Entry {
	w.n++
	e := audit.Entry{
		Kind: audit.Kind(w.one("decision", "decision", "begun", "outcome", "denied_by_host", "approved", "bad_input")),
		ID:   fmt.Sprintf("20261120T000000.000000-%012d", w.n), Nod: "1",
		Time:  time.Date(2026, 11, 1+w.IntN(9), w.IntN(24), 0, 0, w.IntN(1e6)*1000, time.UTC),
		Agent: w.one("claude-code", "codex", ""), Session: w.one("s1", "s12", "t", `"quoted"`, "Ω"),
		Setting: "enforce", Tool: w.one("bash", "edit", "mcp", ""), RawTool: w.one("Bash", "mcp__a__b"),
		Root: w.one("/home/ada/shop", "/home/ada/web", "/tmp/a \\b", ""), Input: json.RawMessage(w.one(
			`{"command":"go test ./..."}`, `{"a":[1,-2.5e3,null,true,{"b":"\u00e9\n"}],"c":""}`, `"text"`)),
		Verdict: nod.Verdict(w.IntN(3)), Layer: nod.Layer(w.IntN(7)), Reason: w.one("", "<it> \"may\"\x00\xff"),
		Answered: w.one("allow", "ask", "deny", "abstained"), Latency: w.Int64N(9_000_000),
	}
	if w.IntN(3) == 0 {
		e.Model, e.Usage, e.Cost = "m", &nod.Usage{In: w.IntN(9000), Out: w.IntN(99), Cached: 3}, w.Float64()/50
		e.Rule = &audit.Rule{Text: w.one("go test *", "é", "a\tb"), Origin: "x:1"}
		e.Error = &audit.Error{Kind: fault.NoModel, Message: "m"}
		e.Evidence = []nod.Evidence{{Path: "/p", SHA256: "ab"}}
		e.Approvable = &nod.Approvable{Key: "k", Once: true}
	}
	return e
}

func (w *world) write(n int) {
	for range n {
		if w.IntN(15) == 0 {
			w.raw(w.one("{\"v\":1,\"kind\":\"deci\n", "\n\n", `{"v":2,"kind":"decision","id":"x"}`+"\n", "{\"v\":1,\"id\":",
				`{"v":1,"kind":"decision","id":"x","verdict":"maybe"}`+"\n", "[]\r\n", `{"v":1,"verdict":"ask"}`+"\r\n"))
		}
		if err := w.log.Write(w.entry()); err != nil {
			w.Fatal(err)
		}
	}
}

func (w *world) raw(text string) {
	file, err := os.OpenFile(filepath.Join(w.dir, audit.FileName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		w.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		w.Fatal(err)
	}
}

func (w *world) open() *Index {
	x, err := Open(w.Context(), w.dir)
	if err == nil {
		err = x.Wait(w.Context())
	}
	if err != nil {
		w.Fatal(err)
	}
	return x
}

// filter is a random one.
func (w *world) filter() (f Filter) {
	if w.IntN(2) == 0 {
		f.Verdicts = []nod.Verdict{nod.Verdict(w.IntN(3))}
	}
	if w.IntN(3) == 0 {
		f.Layers = []nod.Layer{nod.Layer(w.IntN(7)), nod.LayerShell}
	}
	if w.IntN(3) == 0 {
		f.Kinds = []audit.Kind{audit.Decision, audit.Outcome}
	}
	f.Session = w.one("", "", "s1", `"`)
	if w.IntN(3) == 0 {
		f.Since = time.Date(2026, 11, 3, 5, 0, 0, 0, time.UTC)
		f.Until = f.Since.Add(72 * time.Hour)
	}
	if w.IntN(4) == 0 {
		f.Agents, f.Roots, f.Tools = []string{"codex", ""}, []string{"/home/ada/shop"}, []string{"bash", "mcp__a__b"}
	}
	f.Text = w.one("", "", "", `"command":"go`, "/tmp/a \\b")
	return f
}

// plain is what package audit reads of the log, with the filter said again in plain words.
func (w *world) plain(f Filter) (list []audit.Line) {
	for l, err := range audit.Read(w.dir, f.Filter) {
		if err == nil && (f.Until.IsZero() || l.Time.Before(f.Until)) && oneOf(f.Agents, l.Agent) &&
			oneOf(f.Roots, l.Root) && oneOf(f.Tools, toolOf(l.Entry)) && w.holds(l, f.Text) {
			list = append(list, l)
		}
	}
	return list
}

func (w *world) holds(l audit.Line, text string) bool {
	quoted, err := json.Marshal(text)
	if err != nil {
		w.Fatal(err)
	}
	return strings.Contains(string(l.Raw), string(quoted[1:len(quoted)-1]))
}

func toolOf(e audit.Entry) string {
	if e.Tool == "" || e.Tool == "mcp" {
		return e.RawTool
	}
	return e.Tool
}

func rowOfLine(l audit.Line) Row {
	return Row{Time: l.Time, Verdict: l.Verdict, Layer: l.Layer, Agent: l.Agent, Tool: toolOf(l.Entry)}
}

// check holds rows and sums of the index to what a plain reading gives, for a few filters.
func (w *world) check(x *Index) {
	w.Helper()
	for range 5 {
		f := w.filter()
		lines := w.plain(f)
		var want []Row
		for _, l := range slices.Backward(lines) {
			want = append(want, rowOfLine(l))
		}
		if diff := cmp.Diff(want, w.pages(x, f)); diff != "" {
			w.Fatalf("%+v: -plain +index\n%s", f, diff)
		}
		if f.Text == "" {
			w.sums(x, f)
		}
	}
}

// pages reads all rows page by page, and each row's line.
func (w *world) pages(x *Index, f Filter) (all []Row) {
	for before := Key(0); ; {
		rows, next, err := x.Rows(f, before, 1+w.IntN(40))
		if err != nil {
			w.Fatal(err)
		}
		for _, r := range rows {
			l, err := x.Entry(r)
			if err != nil || l.Agent != r.Agent || l.Layer != r.Layer || !l.Time.Equal(r.Time) {
				w.Fatalf("the line of %+v: %s, %v", r, l.Raw, err)
			}
			r.Key = 0
			all = append(all, r)
		}
		if before = next; next == 0 {
			return all
		}
	}
}

func (w *world) sums(x *Index, f Filter) {
	w.Helper()
	f.Kinds = []audit.Kind{audit.Decision}
	lines := w.plain(f)
	for by, name := range map[By]func(audit.Line) string{
		All: func(audit.Line) string { return "" }, ByAgent: func(l audit.Line) string { return l.Agent },
		ByDay:   func(l audit.Line) string { return l.Time.Local().Format(time.DateOnly) },
		ByHour:  func(l audit.Line) string { return l.Time.Local().Format("2006-01-02 15") },
		ByRoot:  func(l audit.Line) string { return l.Root },
		ByTool:  func(l audit.Line) string { return toolOf(l.Entry) },
		ByLayer: func(l audit.Line) string { return l.Layer.String() },
	} {
		groups := map[string][]audit.Line{}
		for _, l := range lines {
			groups[name(l)] = append(groups[name(l)], l)
		}
		got := x.Sum(f, by)
		for _, s := range got {
			if !same(s, groups[s.Name]) {
				w.Fatalf("by %v, %q: %+v of %d lines", by, s.Name, s, len(groups[s.Name]))
			}
		}
		if len(got) != len(groups) {
			w.Fatalf("by %v: %d groups, want %d", by, len(got), len(groups))
		}
	}
}

func same(s Sum, lines []audit.Line) bool {
	var verdicts, layers = [3]int{}, [7]int{}
	var latencies []int64
	cost, tokens, approved := 0.0, 0, 0
	for _, l := range lines {
		verdicts[l.Verdict]++
		if l.Verdict != nod.Ask {
			layers[l.Layer]++
		}
		if l.Verdict == nod.Allow && l.Layer == nod.LayerApproval {
			approved++
		}
		if l.Usage != nil {
			tokens += l.Usage.In + l.Usage.Out
		}
		latencies, cost = append(latencies, l.Latency), cost+l.Cost
	}
	slices.Sort(latencies)
	median := latencies[(len(latencies)-1)/2]
	return s.Decisions == len(lines) && s.Verdicts == verdicts && s.Layers == layers && s.Approved == approved &&
		s.Tokens == tokens && math.Abs(s.Cost-cost) <= 1e-6*cost && s.P50.Microseconds() == median
}

// The index says of a log what a plain reading of it says: opened anew, refreshed while it is written and rotated, and
// opened from its sidecars.
func TestSameAsThePlainReading(t *testing.T) {
	for seed := range uint64(3) {
		w := newWorld(t, seed)
		w.write(w.IntN(50))
		x := w.open()
		for range 4 {
			w.write(w.IntN(120))
			w.raw("\n") // nothing stands behind the last end
			if err := x.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.check(x)
		}
		w.check(w.open()) // which writes the sidecars of what was rotated
		again := w.open()
		w.check(again)
		if done, total := again.Progress(); total != 0 || again.Len() != x.Len() {
			t.Errorf("with sidecars: %d of %d bytes read, %d rows, want %d", done, total, again.Len(), x.Len())
		}
	}
}

// A line is not torn because it is still being written.
func TestALineInTheMaking(t *testing.T) {
	w := newWorld(t, 1)
	x := w.open()
	line := `{"v":1,"kind":"decision",|"id":"abcdef","verdict":"ask","layer":"none"}|` + "\n"
	for part := range strings.SplitSeq(line, "|") {
		if x.Len() != 0 {
			t.Fatal("a part of a line is a row")
		}
		w.raw(part)
		if err := x.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if torn, newer := x.Unread(); x.Len() != 1 || torn+newer != 0 {
		t.Errorf("%d rows, %d torn, %d newer", x.Len(), torn, newer)
	}
}

// A sidecar that does not fit is not believed, and written again.
func TestSidecarsThatDoNotFit(t *testing.T) {
	w := newWorld(t, 2)
	w.write(60)
	w.open()
	logs, err := filepath.Glob(w.dir + "/decisions-*.jsonl")
	sidecars, _ := filepath.Glob(w.dir + "/index/*.idx")
	if err != nil || len(logs) == 0 || len(sidecars) != len(logs) {
		t.Fatal(err, logs, sidecars)
	}
	good, err := os.ReadFile(sidecars[0])
	if err != nil {
		t.Fatal(err)
	}
	flip := func(at int) []byte {
		b := slices.Clone(good)
		b[at] ^= 1
		return b
	}
	for name, spoil := range map[string]func() error{
		"missing": func() error { return os.Remove(sidecars[0]) },
		"empty":   func() error { return os.WriteFile(sidecars[0], nil, 0o600) },
		"cut":     func() error { return os.WriteFile(sidecars[0], good[:len(good)/2], 0o600) },
		"a bit":   func() error { return os.WriteFile(sidecars[0], flip(len(good)/2), 0o600) },
		"version": func() error { return os.WriteFile(sidecars[0], flip(len(`{"Version":`)), 0o600) },
		"touched": func() error { return os.Chtimes(logs[0], time.Time{}, time.Now().Add(time.Hour)) },
		"grown": func() error {
			file, err := os.OpenFile(logs[0], os.O_APPEND|os.O_WRONLY, 0)
			if err == nil {
				_, err = file.WriteString(`{"v":1,"kind":"decision","id":"late"}` + "\n")
				file.Close()
			}
			return err
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		x := w.open()
		if _, total := x.Progress(); total == 0 {
			t.Errorf("%s: the sidecar was believed", name)
		}
		w.check(x)
		if _, total := w.open().Progress(); total != 0 {
			t.Errorf("%s: the sidecar was not written again", name)
		}
	}
}

// FuzzSidecar: what no index wrote is refused, and makes no index fall over.
func FuzzSidecar(f *testing.F) {
	b := &batch{names: newNames()}
	b.line(0, []byte(`{"v":1,"kind":"decision","id":"a","session":"s","verdict":"ask","layer":"none","latency_us":1}`))
	info, err := os.Stat(".")
	if err != nil {
		f.Fatal(err)
	}
	text := b.sidecar(info)
	f.Add(text[:len(text)-4])
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, b, ok := parseSidecar(text); ok {
			n := newNames()
			n.translate(b)
		}
	})
}

// Find takes the end of an id, as nod log shows it.
func TestFind(t *testing.T) {
	w := newWorld(t, 3)
	for _, id := range []string{"one-aaaaaa", "two-aaaaaa", "bbbbbb", "long-bbbbbb", "cccccc7"} {
		e := w.entry()
		e.ID, e.Kind = id, audit.Decision
		if err := w.log.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	x := w.open()
	for id, want := range map[string]string{"one-aaaaaa": "one-aaaaaa", "bbbbbb": "bbbbbb", "cccccc7": "cccccc7",
		"aaaaaa": "both end so", "ccccc7": "cccccc7", "ccc7": "6 characters at least", "dddddd": "no decision"} {
		l, err := x.Find(t.Context(), id)
		if err == nil && l.ID != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v; want %s", id, l.ID, err, want)
		}
	}
}

// Many may ask while the log is written, rotated and refreshed.
func TestManyAtOnce(t *testing.T) {
	w := newWorld(t, 4)
	w.write(100)
	x := w.open()
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for range 30 {
				rows, _, err := x.Rows(Filter{Text: "e"}, 0, 5)
				if err != nil || len(rows) == 0 {
					t.Errorf("%d rows, %v", len(rows), err)
				}
				for _, r := range rows {
					if _, err := x.Entry(r); err != nil {
						t.Error(err)
					}
				}
				x.Sum(Filter{}, ByDay)
				if err := x.Refresh(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	w.write(200)
	all.Wait()
}
