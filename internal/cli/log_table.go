package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
)

// logColumns are the table's columns; the last one is as wide as it likes.
var logColumns = [...]struct {
	title string
	max   int
}{{"TIME", 19}, {"ID", 12}, {"VERDICT", 15}, {"LAYER", 9}, {"TOOL", 20}, {"CALL", 60}, {"REASON", 160}}

// logRow is one line of the table.
type logRow [len(logColumns)]string

// print writes lines, as they are stored or as rows of the table.
func (v *logView) print(list ...audit.Line) {
	if v.flags.json {
		for _, l := range list {
			v.write(string(l.Raw) + "\n")
		}
		return
	}
	rows := make([]logRow, 0, len(list)+1)
	if v.widths == nil && (len(list) > 0 || v.flags.follow) {
		rows = append(rows, header())
	}
	for _, l := range list {
		rows = append(rows, v.rowOf(l.Entry))
		if v.flags.follow && v.wasAsked(l.Entry) && v.said[keyOf(l.Entry)] == "" {
			v.asked[keyOf(l.Entry)] = true
		}
	}
	v.widen(rows)
	for _, r := range rows {
		v.write(v.format(r))
	}
}

func (v *logView) write(s string) {
	if v.broken == nil {
		_, v.broken = fmt.Fprint(v.process.Stdout, s)
	}
}

func header() (r logRow) {
	for i, c := range logColumns {
		r[i] = c.title
	}
	return r
}

// widen makes the columns fit. While following they only grow.
func (v *logView) widen(rows []logRow) {
	for _, r := range rows {
		if v.widths == nil {
			v.widths = make([]int, len(r))
		}
		for i, cell := range r {
			v.widths[i] = max(v.widths[i], utf8.RuneCountInString(cell))
		}
	}
}

func (v *logView) format(r logRow) string {
	if w := v.process.Width; w > 0 && w < narrowTable {
		return v.formatNarrow(r)
	}
	var b strings.Builder
	v.fit(&r)
	for i, cell := range r {
		pad := ""
		if i < len(r)-1 {
			pad = strings.Repeat(" ", v.widths[i]-utf8.RuneCountInString(cell)+2)
		}
		if logColumns[i].title == "VERDICT" {
			cell = v.colored(cell)
		}
		b.WriteString(cell + pad)
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}

// narrowTable is the width below which the columns leave too little for the reason.
const narrowTable = 180

// formatNarrow shows an entry as a line that says which call it is, and below it
// why, on as many lines as that takes.
func (v *logView) formatNarrow(r logRow) string {
	const day, minute = len("2006-"), len("2006-01-02 15:04")
	width, at, head := v.process.Width, r[0], r == header()
	if !head {
		at = at[day:minute]
	}
	verdict := fmt.Sprintf("%-*s", v.widths[2], r[2])
	if !head {
		verdict = strings.Replace(verdict, r[2], v.colored(r[2]), 1)
	}
	call := r[5]
	if tool := r[4]; !head && tool != "bash" && tool != "-" {
		call = tool + " " + strings.TrimPrefix(call, "-")
	}
	line := fmt.Sprintf("%-*s  %-*s  %s  ", minute-day, at, v.widths[1], r[1], verdict)
	line += printable.Line(call, max(width-columnsOf(line), leastCell)) + "\n"
	if head || r[6] == "-" {
		return line
	}
	return line + fold("    "+r[6], width) + "\n"
}

// leastCell is what a cell that is cut off keeps.
const leastCell = 16

// fit cuts off the reason, and where that is not enough the call, so that a line
// fits the terminal: a line that the terminal breaks has no columns.
func (v *logView) fit(r *logRow) {
	if v.process.Width <= 0 {
		return
	}
	last := len(r) - 1
	call := last - 1
	before := 0 // all columns but the call and the reason
	for _, w := range v.widths[:call] {
		before += w + 2
	}
	rest := max(v.process.Width-before-2, 2*leastCell)
	v.widths[call] = min(v.widths[call], max(rest/2, leastCell))
	r[call] = printable.Line(r[call], v.widths[call])
	r[last] = printable.Line(r[last], max(rest-v.widths[call], leastCell))
}

// colored colours a verdict on a terminal.
func (v *logView) colored(cell string) string {
	if !v.process.colors() {
		return cell
	}
	word, _, _ := strings.Cut(cell, "/")
	color := ""
	switch word, _, _ = strings.Cut(word, ","); word {
	case "allow":
		color = "32"
	case "ask", "unanswered":
		color = "33"
	case "deny", "host denied", "bad input":
		color = "31"
	default:
		return cell
	}
	return "\x1b[" + color + "m" + cell + "\x1b[0m"
}

// rowOf shows an entry. Everything in it may come from an agent or a model,
// so all of it is escaped.
func (v *logView) rowOf(e audit.Entry) logRow {
	layer := "-"
	if e.Kind == audit.Decision {
		layer = e.Layer.String()
	}
	tool := e.Tool
	if tool == "" || tool == "mcp" { // which server and tool, stands in the agent's name
		tool = e.RawTool
	}
	call := printable.Near(callOf(e), []string{e.Root}, v.process.Getenv("HOME"))
	reason := why(e)
	if e.Kept > 0 {
		reason = strings.TrimSuffix(fmt.Sprintf("kept %d; %s", e.Kept, reason), "; ")
	}
	r := logRow{e.Time.Local().Format(time.DateTime), endOfID(e), v.verdict(e), layer, tool, call, reason}
	for i := range r {
		if r[i] = printable.Line(r[i], logColumns[i].max); r[i] == "" {
			r[i] = "-"
		}
	}
	return r
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
		if s := argument(args[name]); s != "" {
			return s
		}
	}
	return ""
}

// argument reads a string, or a command given as a list of words.
func argument(raw json.RawMessage) string {
	var s string
	var words []string
	switch {
	case json.Unmarshal(raw, &s) == nil:
		return s
	case json.Unmarshal(raw, &words) == nil:
		return strings.Join(words, " ")
	}
	return ""
}

// summary says on standard error what the table held.
func (v *logView) summary(list []audit.Line) {
	if len(list) == 0 {
		fmt.Fprintln(v.process.Stderr, "nod log: nothing to show in", printable.Text(v.flags.state))
		return
	}
	counts, order, cost := map[string]int{}, []string{}, 0.0
	for _, l := range list {
		word := v.verdict(l.Entry)
		if counts[word]++; counts[word] == 1 {
			order = append(order, word)
		}
		cost += l.Cost
	}
	slices.Sort(order)
	var parts []string
	for _, word := range order {
		shown := word
		if before, after, asked := strings.Cut(word, ", "); asked {
			shown = before + " (" + after + ")"
		}
		parts = append(parts, fmt.Sprintf("%d %s", counts[word], shown))
	}
	text := fmt.Sprintf("%d shown: %s", len(list), strings.Join(parts, ", "))
	if cost > 0 {
		text += fmt.Sprintf("; $%.4f", cost)
	}
	if v.process.Width > 0 {
		text = fold(text, v.process.Width)
	}
	fmt.Fprintln(v.process.Stderr, text)
	v.silencers(list)
}

// silencers names the workspaces among the entries whose settings now keep
// nod from being asked, unless it stands at the managed level.
func (v *logView) silencers(list []audit.Line) {
	var roots []string
	for _, l := range list {
		if l.Root != "" && !slices.Contains(roots, l.Root) {
			roots = append(roots, l.Root)
		}
	}
	for _, found := range install.Silencers(roots...) {
		if found.Kind == install.Silences {
			fmt.Fprintln(v.process.Stderr, "nod log:", found)
		}
	}
}
