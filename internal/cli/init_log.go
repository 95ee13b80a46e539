package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/propose"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// proposeFromLog reads what nod itself wrote down.
func (f initFlags) proposeFromLog(p *Process, root string) ([]propose.Rule, error) {
	l := logged{process: p, home: f.places.Home, root: root, at: map[string]int{}}
	for line, err := range audit.Read(f.places.State, audit.Filter{}) {
		var problem *audit.Problem
		switch {
		case errors.As(err, &problem) && problem.Line > 0:
			fmt.Fprintln(p.Stderr, "nod init:", printable.Line(err.Error(), 600))
		case err != nil:
			return nil, err
		default:
			l.entry(line.Entry)
		}
	}
	return propose.Learn(l.calls), nil
}

// logged gathers the open calls of one repository.
type logged struct {
	process    *Process
	home, root string
	calls      []propose.Call
	at         map[string]int // where a call of that id is
}

func (l *logged) entry(e audit.Entry) {
	switch {
	case e.Kind == audit.Decision && (e.Layer == nod.LayerNone || e.Layer == nod.LayerModel):
		l.decision(e)
	case e.Kind == audit.Outcome || e.Kind == audit.HostDeny:
		id := cmp.Or(e.CallID, e.ID)
		if i, ok := l.at[e.Session+"\x00"+id]; ok {
			l.calls[i].Outcome = outcomeOf(e)
		}
	}
}

// decision takes a call that layers 0 to 3 left open. An input that was cut
// off, or of another repository, says nothing.
func (l *logged) decision(e audit.Entry) {
	if e.InputBytes > 0 || e.Error != nil && e.Error.Kind != fault.NoModel || !l.here(e) {
		return
	}
	c := propose.Call{Session: e.Session}
	if e.Tool == "bash" {
		c.Report = l.analyze(e)
	}
	if e.Layer == nod.LayerModel && e.Verdict != nod.Allow {
		c.Outcome = propose.Refused
	}
	l.at[e.Session+"\x00"+e.CallID] = len(l.calls)
	l.calls = append(l.calls, c)
}

func outcomeOf(e audit.Entry) propose.Outcome {
	switch {
	case e.Kind == audit.HostDeny:
		return propose.Refused
	case e.Error != nil:
		return propose.Failed
	}
	return propose.Ran
}

// here reports whether the call's session was one of this repository.
func (l *logged) here(e audit.Entry) bool {
	if e.Root == l.root {
		return true
	}
	of, err := config.RepositoryOf(config.Places{Home: l.home, Files: view.Disk{}}, e.Root)
	return e.Root != "" && err == nil && of == l.root
}

// analyze reads the command as it would be read here and now.
func (l *logged) analyze(e audit.Entry) shell.Report {
	var input struct {
		Command string `json:"command"`
	}
	if json.Unmarshal(e.Input, &input) != nil || input.Command == "" {
		return shell.Report{}
	}
	return shell.Analyze(input.Command, shell.Env{
		Dir: e.Dir, Home: l.home, Roots: []string{e.Root}, Files: view.NewMemo(view.Disk{}),
		Lookup: func(name string) (string, bool) { v := l.process.Getenv(name); return v, v != "" },
	})
}
