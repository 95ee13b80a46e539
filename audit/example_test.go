//go:build unix

package audit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
)

// A decision is written down with its secrets masked, and read again.
func Example() {
	dir, err := os.MkdirTemp("", "audit-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	log, err := audit.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	call := nod.NewCall("bash", json.RawMessage(`{"command":"deploy --token=ghp_Ab3dEf6hIj9lMn2pQr5tUv8xYz1"}`), dir, nil)
	d := nod.New(nod.Options{Rules: nod.DefaultRules()}).Check(context.Background(), call)
	if err := log.Write(audit.FromDecision(call, d, time.Now())); err != nil {
		fmt.Println(err)
	}
	for line, err := range audit.Read(dir, audit.Filter{Verdicts: []nod.Verdict{nod.Ask}}) {
		fmt.Println(line.Entry.Verdict, string(line.Entry.Input), err)
	}
	// Output: ask {"command":"deploy --token=[masked-31]"} <nil>
}
