package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/corpus"
	"github.com/nodgate/nod/internal/printable"
)

// table shows a session as aligned columns:
//
//	verdict layer     time  call           reason
//
// A reason of a call that may not simply run is shown whole, over several
// lines where it must.
type table struct {
	out         io.Writer
	color       bool
	width       int
	callWidth   int
	reasonWidth int
}

// Columns before the call: verdict, layer, time in µs, and the gaps.
const (
	verdictWidth = 5
	layerWidth   = 9
	timeWidth    = 5
	leftWidth    = verdictWidth + 2 + layerWidth + 1 + timeWidth + 2
	reasonLines  = 4
)

func newTable(o Options) *table {
	width := o.Width
	if width == 0 {
		width = 100
	}
	width = min(max(width, 80), 120)
	rest := width - leftWidth - 2
	return &table{out: o.Stdout, color: o.Terminal && !o.NoColor, width: width, callWidth: rest * 3 / 8,
		reasonWidth: rest - rest*3/8}
}

func (t *table) begin(calls int) error {
	_, err := fmt.Fprintf(t.out, "nod decides %d tool calls of a coding session in a small web shop.\n"+
		"Built-in rules, no model, no key, no service; nothing is run.\n\n%-*s  %-*s %*s  %-*s  %s\n",
		calls, verdictWidth, "", layerWidth, "layer", timeWidth, "µs", t.callWidth, "call", "reason")
	return err
}

func (t *table) call(p played) error {
	reason := []string{clip(p.decision.Reason, t.reasonWidth)}
	if p.decision.Verdict != nod.Allow {
		reason = wrap(p.decision.Reason, t.reasonWidth, reasonLines)
	}
	_, err := fmt.Fprintf(t.out, "%s  %-*s %*s  %s  %s\n", t.paint(p.decision.Verdict), layerWidth, p.decision.Layer,
		timeWidth, timeText(p.took), pad(clip(describe(p.row), t.callWidth), t.callWidth), reason[0])
	for _, more := range reason[1:] {
		if err == nil {
			_, err = fmt.Fprintf(t.out, "%*s%s\n", leftWidth+t.callWidth+2, "", more)
		}
	}
	return err
}

// timeText is a time in µs, with its unit where it is too long for the column.
func timeText(took time.Duration) string {
	switch {
	case took < 100*time.Millisecond:
		return fmt.Sprint(took.Microseconds())
	case took < 10*time.Second:
		return fmt.Sprintf("%.1fs", took.Seconds())
	}
	return fmt.Sprintf("%.0fs", took.Seconds())
}

// paint pads the verdict and colours it.
func (t *table) paint(v nod.Verdict) string {
	word := pad(v.String(), verdictWidth)
	if !t.color {
		return word
	}
	code := "31"
	switch v {
	case nod.Allow:
		code = "32"
	case nod.Ask:
		code = "33"
	}
	return "\x1b[" + code + "m" + word + "\x1b[0m"
}

func (t *table) end(s summary) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-*s %6s %7s %10s %10s\n", layerWidth, "layer", "calls", "%", "median µs", "in gate µs")
	for _, sh := range s.shares {
		name := sh.layer.String()
		if sh.layer == nod.LayerNone {
			name = "open"
		}
		fmt.Fprintf(&b, "%-*s %6d %5d.%d %10s %10s\n", layerWidth, name, sh.calls, sh.tenths/10, sh.tenths%10,
			medianText(sh.calls, sh.median), medianText(sh.calls, sh.gate))
	}
	fmt.Fprintf(&b, "%-*s %6d   100.0\n", layerWidth, "all", s.calls)
	fmt.Fprintf(&b, "\n%s.\nAll of them took %d µs from payload to answer, settings included.\n", list(s.verdicts),
		s.took.Microseconds())
	for _, line := range wrap(openText(s), t.width, 9) {
		fmt.Fprintln(&b, line)
	}
	_, err := io.WriteString(t.out, b.String())
	return err
}

func medianText(calls int, m time.Duration) string {
	if calls == 0 {
		return "-"
	}
	return fmt.Sprint(m.Microseconds())
}

// openText says what would have gone to a model.
func openText(s summary) string {
	n := 0
	for _, c := range s.open {
		n += c.calls
	}
	if n == 0 {
		return "No call was left open."
	}
	return fmt.Sprintf("%d were left open: %s. They would go to a model. None is configured, so a person is "+
		"asked where something is known against the call, and the agent decides as without nod elsewhere.", n, list(s.open))
}

// list is "3 Bash, 1 Read".
func list(counts []count) string {
	var parts []string
	for _, c := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", c.calls, printable.Text(c.what)))
	}
	return strings.Join(parts, ", ")
}

// describe is a call in a few words: the tool and what it is about, paths
// relative to the project.
func describe(row corpus.Row) string {
	var in map[string]any
	if err := json.Unmarshal(row.Input, &in); err != nil {
		return printable.Text(row.ToolName)
	}
	for _, key := range []string{"command", "file_path", "pattern", "url", "subject", "title", "description"} {
		if s, ok := in[key].(string); ok {
			s = strings.TrimPrefix(s, corpus.Project+"/")
			if rest, ok := strings.CutPrefix(s, corpus.Home+"/"); ok {
				s = "~/" + rest
			}
			return printable.Text(row.ToolName) + " " + printable.Line(s, 200)
		}
	}
	return printable.Text(row.ToolName)
}

// clip cuts to n columns; every character counts as one.
func clip(s string, n int) string { return printable.Line(s, n) }

func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
}

// wrap breaks s at blanks, and words that are too long anywhere, into at most
// most lines of n columns; the last is clipped. There is at least one.
func wrap(s string, n, most int) []string {
	var out []string
	rest := []rune(strings.Join(strings.Fields(s), " "))
	for len(rest) > n && len(out) < most-1 {
		cut, next := n, n
		for i := n; i > 0; i-- {
			if rest[i] == ' ' {
				cut, next = i, i+1
				break
			}
		}
		out, rest = append(out, string(rest[:cut])), rest[next:]
	}
	return append(out, clip(string(rest), n))
}
