package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/printable"
)

// shortestID is how much of an id's end must be given.
const shortestID = 6

// endOfID is the part of a decision's id that the table shows and that a reason
// names; "" for entries whose id is another's, such as the agent's own.
func endOfID(e audit.Entry) string {
	if e.Kind != audit.Decision && e.Kind != audit.Begun {
		return ""
	}
	return e.ID[strings.LastIndexByte(e.ID, '-')+1:]
}

// showOne prints all about one decision.
func (v *logView) showOne() error {
	found, err := v.find()
	if err != nil {
		return err
	}
	if v.flags.json {
		v.write(string(found.Raw) + "\n")
		return nil
	}
	v.askedByHost(found)
	v.personSaid([]audit.Line{found})
	for _, line := range v.aboutOne(found.Entry) {
		text := fmt.Sprintf("%-9s %s", line[0], printable.Line(line[1], 20_000))
		if v.process.Width > 0 {
			text = foldAt(text, v.process.Width, 10)
		}
		if line[1] != "" {
			v.write(text + "\n")
		}
	}
	return nil
}

// find returns the decision whose id is the given one or ends so.
func (v *logView) find() (found audit.Line, err error) {
	id := v.flags.id
	filter := v.flags.filter
	filter.Kinds = []audit.Kind{audit.Decision}
	for l, err := range audit.Newest(v.flags.state, filter) {
		switch {
		case err != nil:
			v.problem(err)
			continue
		case l.ID == id:
			return l, nil
		case len(id) < shortestID || !strings.HasSuffix(l.ID, id):
			continue
		case found.ID != "" && found.ID != l.ID:
			return found, fmt.Errorf("%s and %s both end so; write the whole id", printable.Line(found.ID, 60),
				printable.Line(l.ID, 60))
		}
		found = l
	}
	if found.ID == "" {
		return found, errors.New("the log holds no decision whose id ends in \"" + printable.Line(id, 60) +
			"\"; see the column ID of nod log")
	}
	return found, nil
}

// aboutOne is what a person may want to know of a decision, in the order in
// which they would ask. What is empty is not shown.
func (v *logView) aboutOne(e audit.Entry) [][2]string {
	rule, failure, next, model := "", "", "", e.Model
	if e.Rule != nil {
		rule = e.Rule.Text + ", " + e.Rule.Origin
	}
	switch {
	case e.Error != nil && e.Error.Kind == fault.NoModel:
		model = "not configured: nod help settings"
	case e.Error != nil:
		failure = string(e.Error.Kind) + ": " + e.Error.Message
	}
	if e.Approvable != nil {
		next = "nod approve " + endOfID(e)
	}
	kept := ""
	if e.Kept > 0 {
		kept = fmt.Sprintf("%d: nod undo %s", e.Kept, endOfID(e))
	}
	answer := map[string]string{"yes": "yes: the call ran", "no": "no, says the agent's transcript"}[v.said[keyOf(e)]]
	if answer == "" && v.byHost[keyOf(e)] {
		answer = "not known: the agent asked by itself, and no hook was told that the call ran"
	}
	call := callOf(e)
	if e.InputBytes > 0 {
		call += fmt.Sprintf(" (only the beginning: it has %d bytes)", e.InputBytes)
	}
	var files []string
	for _, f := range e.Evidence {
		files = append(files, f.Path)
	}
	return [][2]string{
		{"id", e.ID}, {"time", e.Time.Local().Format(time.DateTime)}, {"call", call}, {"tool", toolOf(e)},
		{"in", e.Dir},
		{"verdict", said(e)}, {"answer", answer}, {"layer", e.Layer.String()}, {"why", e.Reason}, {"rule", rule},
		{"failure", failure},
		{"files", strings.Join(files, ", ")}, {"agent", e.Agent}, {"mode", e.Mode}, {"session", e.Session},
		{"model", model}, {"approve", next}, {"kept", kept},
	}
}

// toolOf is a tool's name in the agent's words, with nod's where they differ.
func toolOf(e audit.Entry) string {
	switch {
	case e.RawTool == "" || e.RawTool == e.Tool:
		return e.Tool
	case e.Tool == "":
		return e.RawTool
	}
	return e.RawTool + " (" + e.Tool + ")"
}
