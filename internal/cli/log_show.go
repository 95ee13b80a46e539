package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/history"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
)

// callKey names a call of an agent's across the lines of the log.
type callKey struct{ agent, session, call string }

// keyOf returns the name of the call that a line is about.
func keyOf(e audit.Entry) callKey {
	id := e.CallID
	if id == "" && e.Kind == audit.Outcome {
		id = e.ID
	}
	return callKey{e.Agent, e.Session, id}
}

// wasAsked reports whether the agent was told to ask a person.
func wasAsked(e audit.Entry) bool {
	return e.Kind == audit.Decision && e.CallID != "" && e.Answered == "ask"
}

// personSaid finds what became of the questions among list: a call that ran was
// answered with yes, and a transcript says where a person said no. Where neither
// is known nothing is said.
func (v *logView) personSaid(list []audit.Line) {
	open := map[callKey]bool{}
	since := time.Now()
	for _, l := range list {
		if wasAsked(l.Entry) {
			open[keyOf(l.Entry)] = true
			if l.Time.Before(since) {
				since = l.Time
			}
		}
	}
	if len(open) == 0 {
		return
	}
	for l, err := range audit.Newest(v.flags.state, audit.Filter{Kinds: []audit.Kind{audit.Outcome}, Since: since}) {
		if key := keyOf(l.Entry); err == nil && open[key] {
			v.said[key] = "yes"
			delete(open, key)
		}
	}
	if len(open) == 0 {
		return
	}
	files, _ := transcripts(v.process, "")
	for key := range open {
		if history.Refused(files, key.agent, key.session, key.call) {
			v.said[key] = "no"
		}
	}
}

// print writes lines, as they are stored or for people.
func (v *logView) print(list ...audit.Line) {
	v.table = tabwriter.NewWriter(v.process.Stdout, 0, 0, 2, ' ', 0)
	defer func() {
		if err := v.table.Flush(); v.broken == nil {
			v.broken = err
		}
	}()
	for _, l := range list {
		if v.flags.json {
			v.write(string(l.Raw) + "\n")
			continue
		}
		if !v.headed {
			v.headed = true
			v.row("TIME", "ID", "VERDICT", "LAYER", "TOOL", "CALL", "REASON")
		}
		v.entry(l.Entry)
		if v.flags.follow && wasAsked(l.Entry) && v.said[keyOf(l.Entry)] == "" {
			v.asked[keyOf(l.Entry)] = true
		}
	}
	if v.flags.follow && !v.headed && !v.flags.json {
		v.headed = true
		v.row("TIME", "ID", "VERDICT", "LAYER", "TOOL", "CALL", "REASON")
	}
}

func (v *logView) write(s string) {
	if v.broken == nil {
		_, v.broken = fmt.Fprint(v.process.Stdout, s)
	}
}

// row prints the columns: on a terminal what was decided of which call, and below
// it why; else one line.
func (v *logView) row(at, id, verdict, layer, tool, call, reason string) {
	width := cmp.Or(v.process.Width, 100)
	if !v.process.Terminal {
		fmt.Fprintln(v.table, strings.Join([]string{at, id, verdict, layer, tool, call, reason}, "\t"))
		return
	}
	if tool != "bash" && tool != "-" && tool != "TOOL" {
		call = tool + " " + strings.TrimPrefix(call, "-")
	}
	line := fmt.Sprintf("%-11s  %-12s  %s  ", strings.TrimPrefix(at, time.Now().Format("2006-")), id,
		v.coloured(verdict, 15))
	v.write(line + printable.Line(call, max(width-columnsOf(line), leastCall)) + "\n")
	if reason != "-" && reason != "REASON" {
		v.write("    " + reason + "\n")
	}
}

// leastCall is what a call that is cut off keeps.
const leastCall = 16

// coloured is a verdict in a cell of a width, coloured on a terminal.
func (v *logView) coloured(cell string, width int) string {
	padded := fmt.Sprintf("%-*s", width, cell)
	word, _, _ := strings.Cut(strings.ReplaceAll(cell, "/", ","), ",")
	verdict := nod.Deny
	switch word {
	case "allow":
		verdict = nod.Allow
	case "ask", "unanswered":
		verdict = nod.Ask
	case "deny", "host denied", "bad input":
	default:
		return padded
	}
	return v.process.paint(verdict, cell) + padded[len(cell):]
}

// entry shows one. Everything in it may come from an agent or a model, so all of
// it is escaped.
func (v *logView) entry(e audit.Entry) {
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
	cell := func(text string, most int) string {
		if text = printable.Line(text, most); text == "" {
			return "-"
		}
		return text
	}
	at := e.Time.Local().Format(time.DateTime)
	if v.process.Terminal {
		at = e.Time.Local().Format("2006-01-02 15:04")
	}
	v.row(at, cell(endOfID(e), 12), cell(v.verdict(e), 15), cell(layer, 9), cell(tool, 20),
		cell(printable.Near(callOf(e), []string{e.Root}, v.process.Getenv("HOME")), 60), cell(reason, 160))
}

// endOfID is the part of a decision's id that the table shows and that a reason
// names; "" for entries whose id is another's, such as the agent's own.
func endOfID(e audit.Entry) string {
	if e.Kind != audit.Decision && e.Kind != audit.Begun {
		return ""
	}
	return e.ID[strings.LastIndexByte(e.ID, '-')+1:]
}

// verdict is [said], and what the person answered to a question.
func (v *logView) verdict(e audit.Entry) string {
	if !wasAsked(e) {
		return said(e)
	}
	return strings.TrimSuffix("ask, "+v.said[keyOf(e)], ", ")
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
	case audit.Passed:
		return "passed"
	case audit.Approved:
		return "approved"
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
	case e.Reason == "":
		return string(e.Error.Kind) + ": " + e.Error.Message
	}
	return string(e.Error.Kind) + ": " + e.Reason
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
	v.personSaid([]audit.Line{found})
	for _, line := range v.aboutOne(found.Entry) {
		if line[1] == "" {
			continue
		}
		v.write(fmt.Sprintf("%-9s %s\n", line[0], printable.Line(line[1], 20_000)))
	}
	return nil
}

// aboutOne is what a person may want to know of a decision, in the order in
// which they would ask. What is empty is not shown.
func (v *logView) aboutOne(e audit.Entry) [][2]string {
	var rule, failure, next, kept string
	call, model := callOf(e), e.Model
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
	answer := map[string]string{"yes": "yes: the call ran", "no": "no, says the agent's transcript"}[v.said[keyOf(e)]]
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

// summary says on standard error what the table held, and names the workspaces
// among the entries whose settings now keep nod from being asked.
func (v *logView) summary(list []audit.Line) {
	if len(list) == 0 {
		fmt.Fprintln(v.process.Stderr, "nod log: nothing to show in", printable.Text(v.flags.state))
		return
	}
	counts, cost, roots := map[string]int{}, 0.0, []string(nil)
	for _, l := range list {
		word, answer, answered := strings.Cut(v.verdict(l.Entry), ", ")
		if answered {
			word += " (" + answer + ")"
		}
		counts[word]++
		cost += l.Cost
		if l.Root != "" && !slices.Contains(roots, l.Root) {
			roots = append(roots, l.Root)
		}
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
	for _, found := range install.Silencers(roots...) {
		if found.Kind == install.Silences {
			fmt.Fprintln(v.process.Stderr, "nod log:", found)
		}
	}
}
