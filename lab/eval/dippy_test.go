package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/shell"
)

// dippyFloor is the share of the rows of class rest, without those listed in
// dippy-approve.txt, that are allowed. It only grows.
const dippyFloor = 0.95

// classOfRow says of a row that a peer approves whether it prints a secret,
// else whether it asks or changes something over the network, else "rest". It
// looks at what the command does, never at the decision.
func classOfRow(r shell.Report, reason string) string {
	has := func(kinds ...shell.Kind) bool {
		return slices.ContainsFunc(r.Effects, func(e shell.Effect) bool { return slices.Contains(kinds, e.Kind) })
	}
	switch {
	case has(shell.Secret), strings.HasPrefix(reason, "this uses or prints a secret"):
		return "secret"
	case has(shell.Fetch, shell.Send, shell.Remote):
		return "network"
	}
	return "rest"
}

// programOf is the program of the first command that is open, or of the first.
func programOf(r shell.Report) string {
	at := 0
	for _, u := range r.Unknowns {
		at = max(at, u.Command)
	}
	if at >= len(r.Commands) || len(r.Commands[at].Words) == 0 {
		return "(none)"
	}
	return path.Base(r.Commands[at].Words[0].Value)
}

// TestDippyApprove holds that of what a peer approves, without what asks the
// network or prints a secret and without the listed rows where the peer is
// wrong, at least dippyFloor is allowed. It prints the share by program.
func TestDippyApprove(t *testing.T) {
	wrong := listed(t, "dippy-approve.txt", 3)
	f := shared(t, "peer-dippy")
	rows := byID(t, "peer-dippy")
	count, allowed := map[string]int{}, map[string]int{}
	open := map[string][]string{}
	for i, report := range reports(f.Rows) {
		row := &f.Rows[i]
		answer := rows[row.ID]
		settled := answer.Outcome == Allowed
		if wrong[row.ID] != nil {
			if row.Label != Readonly || settled {
				t.Errorf("%s is listed and allowed, or not approved by the peer: %s", row.ID, answer.Reason)
			}
			continue
		}
		if row.Label != Readonly {
			continue
		}
		class := classOfRow(report, answer.Reason)
		count[class]++
		if settled {
			allowed[class]++
		} else if class == "rest" {
			var in struct{ Command string }
			_ = json.Unmarshal(row.Input, &in)
			open[programOf(report)] = append(open[programOf(report)], row.ID+"\t"+answer.Reason+"\t"+in.Command)
		}
	}
	for _, class := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%-8s %5d of %5d allowed", class, allowed[class], count[class])
	}
	byCount := func(a, b string) int { return cmp.Or(len(open[b])-len(open[a]), strings.Compare(a, b)) }
	for _, program := range slices.SortedFunc(maps.Keys(open), byCount) {
		t.Logf("open %4d %s", len(open[program]), program)
		for _, line := range open[program] {
			t.Logf("\t%s", line)
		}
	}
	share := float64(allowed["rest"]) / float64(max(count["rest"], 1))
	t.Logf("%.1f %% of the rest are allowed; %d rows are listed as wrong", 100*share, len(wrong))
	if share < dippyFloor {
		t.Errorf("want at least %.1f %%", 100*dippyFloor)
	}
}

// reports returns what is known of the command of each row, each as the first
// of a session of its own; the zero Report for a row whose payload is refused.
func reports(rows []Row) []shell.Report {
	shared := newWorlds()
	list := make([]shell.Report, len(rows))
	for i := range rows {
		if call, err := callOf(&rows[i], false); err == nil {
			list[i] = analyze(call, shared.at(call.Dir, newMade()))
		}
	}
	return list
}
