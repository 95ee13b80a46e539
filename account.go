package nod

import (
	"path"
	"slices"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// Account says what a call does, for a person who decides about it. It holds facts and no verdict: one line each,
// escaped, with what may not be said left out.
type Account struct {
	Does []string // such as "deletes /src/shop/build and all below it", each once; "not read: " leads what is unknown
	// Files are those that the call names, absolute, as far as they are known: what a person's answer rests on.
	Files []string
	Lost  string // what it loses, publishes or shows, as far as that is known; "" for nothing known
}

// Account looks at a call as Check does. It decides nothing, keeps nothing and records nothing.
func (g *Gate) Account(c Call) (a Account) {
	quiet := *g
	quiet.options.Recorder, quiet.options.Approvals, quiet.options.Keeper = nil, nil, nil
	quiet.told = a.add
	t := quiet.trial(c)
	defer func() {
		if p := recover(); p != nil {
			a.Does = append(a.Does, "nod failed inside while it looked at this call; please report this")
		}
	}()
	t.settle()
	for _, e := range t.report.Effects {
		if e.Kind <= shell.Run && path.IsAbs(e.Target) {
			a.Files = append(a.Files, e.Target)
		}
	}
	if t.call.IsEdit() {
		for _, name := range t.call.Paths {
			a.add(Step{Question: stepEffect, Said: printable.Line("edits "+name, reasonLimit)})
			reals, _ := t.at.Readings(name)
			a.Files = append(a.Files, reals...)
		}
	}
	a.Lost = t.loses()
	return a
}

// add adds the line of a step, once.
func (a *Account) add(s Step) {
	line := map[string]string{stepEffect: s.Said, stepOpen: "not read: " + s.Said}[s.Question]
	if line != "" && len(a.Does) < 24 && !slices.Contains(a.Does, line) {
		a.Does = append(a.Does, line)
	}
}

// doing is an effect as a person says it; "" for what need not be said.
func doing(e shell.Effect) string {
	if e.Kind < shell.Read || e.Kind > shell.Exhaust || e.Kind == shell.Write && e.Place == shell.Null {
		return ""
	}
	verb := [...]string{"reads ", "writes ", "deletes ", "runs ", "reads from the host ", "sends to the host ",
		"changes something elsewhere: ", "ends processes: ", "will be run later: ", "uses a secret: ",
		"becomes somebody else: ", "uses up this machine: "}[e.Kind-shell.Read]
	what := e.Target
	switch {
	case e.Pattern != "":
		what = e.Pattern
	case what == "":
		what = e.Words
	case e.Words != "" && (e.Kind == shell.Run || e.Kind >= shell.Remote):
		what = e.Words
	}
	switch {
	case e.Kind == shell.Write && e.Appends:
		verb = "appends to "
	case e.Moved:
		verb = "moves away "
	}
	if e.Recursive {
		what += " and all below it"
	}
	if e.Picked != "" {
		what += " (" + e.Picked + ")"
	}
	return verb + what
}
