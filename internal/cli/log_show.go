package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/printable"
)

// print writes lines: as they are stored, or as rows of a table.
func (v *logView) print(list ...audit.Line) {
	table := tabwriter.NewWriter(v.process.Stdout, 0, 0, 2, ' ', 0)
	if !v.headed && !v.flags.json && (len(list) > 0 || v.flags.follow) {
		v.headed = true
		fmt.Fprintln(table, "TIME\tID\tVERDICT\tLAYER\tTOOL\tCALL\tREASON")
	}
	for _, l := range list {
		if v.flags.json {
			v.write(string(l.Raw) + "\n")
		} else {
			fmt.Fprintln(table, strings.Join(v.row(l.Entry), "\t"))
		}
	}
	if err := table.Flush(); v.broken == nil {
		v.broken = err
	}
}

func (v *logView) write(s string) {
	if v.broken == nil {
		_, v.broken = fmt.Fprint(v.process.Stdout, s)
	}
}

// row is an entry in the table. Everything in it may come from an agent or a model, so
// all of it is escaped.
func (v *logView) row(e audit.Entry) []string {
	layer, tool, reason := "", e.Tool, why(e)
	if e.Kind == audit.Decision {
		layer = e.Layer.String()
	}
	if tool == "" || tool == "mcp" { // which server and tool, stands in the agent's name
		tool = e.RawTool
	}
	if e.Kept > 0 {
		reason = strings.TrimSuffix(fmt.Sprintf("kept %d; %s", e.Kept, reason), "; ")
	}
	call := printable.Near(callOf(e), []string{e.Root}, v.process.Getenv("HOME"))
	cell := func(text string, most int) string { return cmp.Or(printable.Line(text, most), "-") }
	return []string{e.Time.Local().Format(time.DateTime), cell(endOfID(e), 12), cell(said(e), 15), cell(layer, 9),
		cell(tool, 20), cell(call, 60), cell(reason, 160)}
}

// endOfID is the part of a decision's id that the table shows and that a reason
// names; "" for entries whose id is another's, such as the agent's own.
func endOfID(e audit.Entry) string {
	if e.Kind != audit.Decision && e.Kind != audit.Begun {
		return ""
	}
	return e.ID[strings.LastIndexByte(e.ID, '-')+1:]
}

// said is the verdict, and what the agent was told where that differs.
func said(e audit.Entry) string {
	switch e.Kind {
	case audit.Begun:
		if time.Since(e.Time) > answerWithin {
			return "unanswered"
		}
		return "begun"
	case audit.Outcome:
		if e.Reason != "" || e.Error != nil {
			return "failed"
		}
		return "ran"
	case audit.HostDeny:
		return "host denied"
	case audit.BadInput:
		return "bad input"
	case audit.Passed, audit.Approved:
		return string(e.Kind)
	}
	if v := e.Verdict.String(); e.Answered != "" && e.Answered != v {
		return v + "/" + e.Answered
	}
	return e.Verdict.String()
}

// why is the reason, led by the kind of failure where one decided. That there is
// no model is no failure of this call's.
func why(e audit.Entry) string {
	switch {
	case e.Error == nil, e.Error.Kind == fault.NoModel && e.Reason != "", e.Kind == audit.Outcome && e.Reason != "":
		return e.Reason
	}
	return string(e.Error.Kind) + ": " + cmp.Or(e.Reason, e.Error.Message)
}

// callOf is what the call would do, in few words: the argument that says the
// most, else all of them.
func callOf(e audit.Entry) string {
	var args map[string]json.RawMessage
	if json.Unmarshal(e.Input, &args) == nil {
		if s := mostTelling(args); s != "" {
			return s
		}
	}
	var head string
	if json.Unmarshal(e.Input, &head) == nil {
		return head
	}
	return string(e.Input)
}

// mostTelling is the argument that says the most; of a question over ACP, that of the
// call itself, else its title.
func mostTelling(args map[string]json.RawMessage) string {
	var inner map[string]json.RawMessage
	if json.Unmarshal(args["rawInput"], &inner) == nil {
		if s := mostTelling(inner); s != "" {
			return s
		}
	}
	for _, name := range []string{"command", "cmd", "file_path", "filePath", "notebook_path", "path", "url",
		"query", "pattern", "prompt", "description", "title"} {
		var text string
		var words []string
		if json.Unmarshal(args[name], &text) == nil && text != "" {
			return text
		}
		if json.Unmarshal(args[name], &words) == nil && len(words) > 0 {
			return strings.Join(words, " ")
		}
	}
	return ""
}

// showOne prints all about one decision.
func (v *logView) showOne() error {
	found, err := findDecision(v.flags.state, v.flags.id, v.flags.filter, v.problem)
	if err != nil {
		return err
	}
	if v.flags.json {
		v.write(string(found.Raw) + "\n")
		return nil
	}
	for _, line := range aboutOne(found.Entry) {
		if line[1] != "" {
			v.write(fmt.Sprintf("%-9s %s\n", line[0], printable.Line(line[1], 20_000)))
		}
	}
	return nil
}

// aboutOne is what a person may want to know of a decision, in the order in
// which they would ask. What is empty is not shown.
func aboutOne(e audit.Entry) [][2]string {
	var rule, failure, next, kept string
	call, model, tool := callOf(e), e.Model, e.RawTool
	if e.Tool != "" && e.Tool != tool {
		tool = strings.TrimSpace(tool + " (" + e.Tool + ")")
	}
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
	if e.Kept > 0 {
		kept = fmt.Sprintf("%d: nod undo %s", e.Kept, endOfID(e))
	}
	if e.InputBytes > 0 {
		call += fmt.Sprintf(" (only the beginning: it has %d bytes)", e.InputBytes)
	}
	var files []string
	for _, f := range e.Evidence {
		files = append(files, f.Path)
	}
	return [][2]string{
		{"id", e.ID}, {"time", e.Time.Local().Format(time.DateTime)}, {"call", call}, {"tool", tool}, {"in", e.Dir},
		{"verdict", said(e)}, {"layer", e.Layer.String()}, {"why", e.Reason}, {"rule", rule}, {"failure", failure},
		{"files", strings.Join(files, ", ")}, {"agent", e.Agent}, {"mode", e.Mode}, {"session", e.Session},
		{"model", model}, {"approve", next}, {"kept", kept},
	}
}

// summary says on standard error what the table held.
func (v *logView) summary(list []audit.Line) {
	if len(list) == 0 {
		fmt.Fprintln(v.process.Stderr, "nod log: nothing to show in", printable.Text(v.flags.state))
		return
	}
	counts, cost := map[string]int{}, 0.0
	for _, l := range list {
		counts[said(l.Entry)]++
		cost += l.Cost
	}
	var parts []string
	for _, word := range sortedKeys(counts) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[word], word))
	}
	text := fmt.Sprintf("%d shown: %s", len(list), strings.Join(parts, ", "))
	if cost > 0 {
		text += fmt.Sprintf("; $%.4f", cost)
	}
	fmt.Fprintln(v.process.Stderr, text)
}
