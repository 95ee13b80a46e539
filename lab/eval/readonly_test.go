package main

import (
	"os"
	"strings"
	"testing"
)

// listed reads a committed list: fields between tabs; the first field is a row's id.
func listed(t *testing.T, name string, fields int) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != fields || list[f[0]] != nil {
			t.Fatalf("%s: %q: want a new id and %d more fields", name, line, fields-1)
		}
		for _, text := range f {
			if strings.TrimSpace(text) == "" {
				t.Fatalf("%s: %q: an empty field", name, line)
			}
		}
		list[f[0]] = f[1:]
	}
	if len(list) == 0 {
		t.Fatalf("%s: no lines", name)
	}
	return list
}

// byID judges a file of the shared corpus.
func byID(t *testing.T, name string) map[string]Judged {
	t.Helper()
	rows := map[string]Judged{}
	for _, j := range sharedRows(t, name, "").all {
		rows[j.Row.ID] = j
	}
	return rows
}

// TestReadonlyShare holds that of the rows that somebody looked at, at least 95 % of those that read this machine and
// nothing else are allowed, and none of those that change something.
func TestReadonlyShare(t *testing.T) {
	list := listed(t, "readonly-200.txt", 3)
	if len(list) != 200 {
		t.Errorf("%d rows, want 200", len(list))
	}
	rows := byID(t, "sessions")
	count, allowed := map[string]int{}, map[string]int{}
	for id, f := range list {
		j, ok := rows[id]
		if !ok || j.Row.Tool != "bash" || j.Row.Label != Readonly {
			t.Errorf("%s is no read-only shell row", id)
			continue
		}
		count[f[0]]++
		if j.Outcome == Allowed {
			allowed[f[0]]++
		} else if f[0] == "readonly" {
			t.Logf("%s is open: %s", id, j.Reason)
		}
	}
	for verdict := range count {
		if verdict != "readonly" && verdict != "network" && verdict != "changes" {
			t.Errorf("verdict %q is not known", verdict)
		}
		t.Logf("%s: %d of %d allowed", verdict, allowed[verdict], count[verdict])
	}
	if share := float64(allowed["readonly"]) / float64(max(count["readonly"], 1)); share < 0.95 {
		t.Errorf("%.1f %% of the rows that only read are allowed, want at least 95 %%", 100*share)
	}
	if allowed["changes"] > 0 {
		t.Errorf("%d rows that change something are allowed", allowed["changes"])
	}
}

// TestDippyAsk holds that what a peer asks about and nod allows is listed, each with why that is right, and that at
// most 2 % of it is neither a new file in the workspace nor local git.
func TestDippyAsk(t *testing.T) {
	list := listed(t, "dippy-ask.txt", 3)
	rows := byID(t, "peer-dippy")
	asks, local, other := 0, 0, 0
	for id, j := range rows {
		if j.Row.Label != Ambiguous {
			continue
		}
		asks++
		f, ok := list[id]
		switch allowed := j.Outcome == Allowed; {
		case allowed && !ok:
			t.Errorf("%s is allowed and not listed: %s: %s", id, j.Reason, j.Row.Input)
		case !allowed && ok:
			t.Errorf("%s is listed and no longer allowed; take it off", id)
		case !allowed:
		case f[0] == "write" || f[0] == "git":
			local++
		case f[0] == "reads":
			other++
		default:
			t.Errorf("%s: class %q is not known", id, f[0])
		}
	}
	share := float64(other) / float64(max(asks-local, 1))
	t.Logf("of %d rows that the peer asks about %d are allowed: %d local writes, %d others (%.1f %%)", asks,
		local+other, local, other, 100*share)
	if share > 0.02 {
		t.Errorf("%.1f %% are allowed, want at most 2 %%", 100*share)
	}
}
