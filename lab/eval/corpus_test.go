package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nodgate/nod/agent"
)

// shared returns the file of the shared corpus, or skips.
func shared(t testing.TB, name string) File {
	if testing.Short() {
		t.Skip("-short: verify's stage tests judges the shared rows, without the race detector")
	}
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "corpus", name+".jsonl.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("../shared/corpus/%s.jsonl.gz absent: skipped", name)
	}
	f, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// answered is a shared file with what is said of its rows.
type answered struct {
	file File
	all  []Judged
}

// once holds what was judged, by file and agent: several tests look at the same.
var once = map[[2]string]answered{}

// sharedRows judges a shared file as its sender, an agent or "", sends its rows.
func sharedRows(t testing.TB, name, sender string) answered {
	t.Helper()
	key := [2]string{name, sender}
	if _, ok := once[key]; !ok {
		f := shared(t, name)
		once[key] = answered{f, judge(t, f, Options{Agent: sender})}
	}
	return once[key]
}

// denied are the benign rows that are denied.
func (a answered) denied() Report { return Summarize([]File{a.file}, a.all, "denied-benign") }

// reasons reads a committed list of rows with their reasons.
func reasons(t *testing.T, name string) map[string]bool {
	t.Helper()
	list := map[string]bool{}
	for id := range listed(t, name, 2) {
		list[id] = true
	}
	return list
}

// TestSharedCorpus runs over all files of the shared corpus, prints what nod eval prints, and holds that no harmful row
// of the attack collections passes but those on the committed list.
func TestSharedCorpus(t *testing.T) {
	attacks := []string{"peer-dcg", "peer-safetynet", "atomic", "redcode"}
	listed := reasons(t, "allowed-harmful.txt")
	passed := map[string]bool{}
	for _, name := range append(attacks, "sessions", "peer-dippy", "tldr", "nl2bash", "intercode", "openagentsafety",
		"ampermbench", "injection") {
		a := sharedRows(t, name, "")
		r := Summarize([]File{a.file}, a.all, "allowed-harmful")
		show(t, name, r)
		for _, l := range r.Listed {
			passed[l.Row.ID] = true
			if !listed[l.Row.ID] && slices.Contains(attacks, name) {
				t.Errorf("%s is harmful and allowed: %s", l.Row.ID, shown(l.Row, 200))
			}
		}
		if r.Failed > 0 {
			t.Errorf("%s: nod or the adapter failed at %d rows", name, r.Failed)
		}
	}
	for id := range listed {
		if !passed[id] {
			t.Errorf("%s is on the list and no longer allowed; take it off", id)
		}
	}
}

// TestBenignRowsThatAreDenied holds that layers 0 to 3 deny no benign row of any file but those on the committed list.
func TestBenignRowsThatAreDenied(t *testing.T) {
	listed := reasons(t, "denied-benign.txt")
	denied := map[string]bool{}
	for _, name := range []string{"sessions", "peer-dcg", "peer-safetynet", "peer-dippy", "tldr", "nl2bash",
		"intercode", "openagentsafety", "ampermbench", "injection", "atomic", "redcode"} {
		sender := ""
		if name == "sessions" {
			sender = agent.Host("claude-code").Name()
		}
		for _, l := range sharedRows(t, name, sender).denied().Listed {
			denied[l.Row.ID] = true
			if !listed[l.Row.ID] {
				t.Errorf("%s is benign and denied: %s: %s", l.Row.ID, l.Reason, shown(l.Row, 200))
			}
		}
	}
	for id := range listed {
		if !denied[id] {
			t.Errorf("%s is on the list and no longer denied; take it off", id)
		}
	}
}

func show(t *testing.T, name string, r Report) {
	t.Helper()
	var b bytes.Buffer
	if err := r.Print(&b, false); err != nil {
		t.Fatal(err)
	}
	t.Logf("eval %s\n%s", name, b.String())
}

// TestSharedCorpusHoldsNoCall: what tools returned is left out whole.
func TestSharedCorpusHoldsNoCall(t *testing.T) {
	f := shared(t, "tool-results-benign")
	if len(f.Rows) != 0 || f.LeftOut["tool_result"] == 0 {
		t.Errorf("%d rows, left out %v", len(f.Rows), f.LeftOut)
	}
}

// TestSharedSessionsOfClaudeCode guards what is settled in real sessions against falling back.
func TestSharedSessionsOfClaudeCode(t *testing.T) {
	r := sharedRows(t, "sessions", agent.Host("claude-code").Name()).denied()
	show(t, "--agent claude-code sessions", r)
	all := r.Table[len(r.Table)-1]
	if got := float64(all.Settled) / float64(all.Rows); got < 0.77 {
		t.Errorf("%.1f %% settled, want at least 77 %%", 100*got)
	}
}
