//go:build unix

package audit

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// The entry's JSON tags are the format; what marshal writes must read as what
// encoding/json would have written.
func TestMarshalWritesWhatTheTagsSay(t *testing.T) {
	full := Entry{
		Version: 1, Kind: Decision, ID: "id", Time: time.Date(2026, 1, 2, 3, 4, 5, 678000, time.UTC), Nod: "0.1",
		Agent: "a", Session: "s", CallID: "c", Mode: "m", Setting: "enforce",
		Tool: "bash", RawTool: "Bash", Dir: "/d", Root: "/r", Input: json.RawMessage(`{"command":"<ls> & \u2028"}`),
		InputBytes: 7, InputSHA256: "x", Verdict: nod.Ask, Answered: "ask", Layer: nod.LayerShell,
		Reason: "why \"so\"\x01", Rule: &Rule{Text: "t", Origin: "o"},
		Error: &Error{Kind: fault.TimedOut, Message: "m"}, Evidence: []nod.Evidence{{Path: "/p", SHA256: "h"}, {}},
		Latency: 12, Spent: map[string]int64{"shell": 3, "guard": 1}, Model: "mm", Remembered: true,
		Usage: &nod.Usage{In: 1, Out: 2, Cached: 3}, Cost: 0.00123, SessionCost: 1e-7,
	}
	for name, e := range map[string]Entry{"zero": {}, "full": full,
		"spread": {Input: json.RawMessage("{\n \"a\": [1,\r\n2]\n}")}} {
		want, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var got, wanted map[string]any
		if bytes.ContainsAny(marshal(e), "\n\r") {
			t.Errorf("%s: more than one line", name)
		}
		if err := json.Unmarshal(marshal(e), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(want, &wanted); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
