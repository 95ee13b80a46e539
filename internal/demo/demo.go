// Package demo lets a bundled coding session run through the gate, so that
// anyone can watch nod decide without a key, a service or a set-up.
//
// Every call takes the way that a real one takes: a payload as Claude Code
// writes it, [hook.Answer], the built-in rules, an answer in Claude Code's
// dialect. What differs is the world: the calls of corpus/demo.jsonl are
// judged on a machine held in memory, with no settings file, no state and no
// model. Nothing is run, read from the disk, or written down. Times are
// measured around the whole answer; reasons and layers are the gate's own.
//
// # JSON
//
// With Options.JSON the output is JSON lines, each with "v": 1 and a "kind":
// one "call" for each call as it is decided, at the end one "summary". Fields
// are only ever added.
package demo

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/corpus"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/printable"
)

// Options say how the demo is shown.
type Options struct {
	Stdout io.Writer
	// Slowly lets a person watch; Colour colours verdicts.
	Slowly, Colour bool
	// Width is the number of columns, at least 80; 0 is 100.
	Width int
	JSON  bool
}

// Run plays the session. An error is one of writing, of ctx, or a broken
// corpus; what the gate decides is never one.
func Run(ctx context.Context, o Options) error {
	rows, err := corpus.Rows("demo")
	if err != nil {
		return err
	}
	s := &show{Options: o, encoder: json.NewEncoder(o.Stdout), layers: map[string]*tally{}, open: map[string]int{},
		verdicts: map[string]int{}}
	s.encoder.SetEscapeHTML(false)
	s.Width = max(cmp.Or(o.Width, 100), 80)
	s.head(len(rows))
	world := corpus.World()
	for i, row := range rows {
		if err := cmp.Or(s.err, ctx.Err()); err != nil {
			return err
		}
		p, err := play(ctx, world, i, row)
		if err != nil {
			return err
		}
		s.call(p)
		if o.Slowly && !o.JSON {
			time.Sleep(15 * time.Millisecond)
		}
	}
	s.end(len(rows))
	return s.err
}

// Main is `nod-hook demo`: it reads the arguments after "demo" and returns
// the exit code.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o := Options{Stdout: stdout}
	switch {
	case len(args) == 1 && args[0] == "--json":
		o.JSON = true
	case len(args) > 0:
		fmt.Fprintln(stderr, "usage: nod-hook demo [--json]")
		return 2
	}
	if f, ok := stdout.(*os.File); ok {
		info, err := f.Stat()
		o.Slowly = err == nil && info.Mode()&os.ModeCharDevice != 0
		o.Colour = o.Slowly && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	if err := Run(ctx, o); err != nil {
		fmt.Fprintln(stderr, "nod-hook demo:", err)
		return 1
	}
	return 0
}

// show is one session being shown.
type show struct {
	Options
	encoder  *json.Encoder
	err      error // of writing; the first ends all
	layers   map[string]*tally
	open     map[string]int // by tool
	verdicts map[string]int
	took     time.Duration
}

// tally is what one layer settled, and how long that took.
type tally struct{ whole, gate []time.Duration }

func (s *show) print(format string, args ...any) {
	if s.err == nil && !s.JSON {
		_, s.err = fmt.Fprintf(s.Stdout, format, args...)
	}
}

func (s *show) encode(line any) {
	if s.err == nil && s.JSON {
		s.err = s.encoder.Encode(line)
	}
}

// left is how many columns stand before the call: verdict, layer, time.
const left = len("allow  allowlist 99999  ")

func (s *show) callWidth() int { return (s.Width - left - 2) * 3 / 8 }

func (s *show) head(calls int) {
	s.print("nod decides %d tool calls of a coding session in a small web shop.\n"+
		"Built-in rules, no model, no key, no service; nothing is run.\n\n       %-9s %5s  %-*s  reason\n",
		calls, "layer", "µs", s.callWidth(), "call")
}

// callLine is one decided call.
type callLine struct {
	Version int             `json:"v"`
	Kind    string          `json:"kind"` // "call"
	ID      string          `json:"id"`
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input"`
	Verdict nod.Verdict     `json:"verdict"`
	Layer   nod.Layer       `json:"layer"`
	Reason  string          `json:"reason"`
	// Answered is what Claude Code is told; "abstained" is silence.
	Answered string     `json:"answered"`
	Settled  bool       `json:"settled"`
	Failure  fault.Kind `json:"failure,omitempty"`
	// Latency is of the whole answer, in microseconds, Gate what the gate took of it.
	Latency int64  `json:"latency_us"`
	Gate    int64  `json:"gate_us"`
	Label   string `json:"label"`
	Why     string `json:"why"`
}

func (s *show) call(p played) {
	d, layer := p.decision, "none"
	if d.Settled() {
		layer = d.Layer.String()
	} else {
		s.open[p.row.ToolName]++
	}
	if s.layers[layer] == nil {
		s.layers[layer] = &tally{}
	}
	t := s.layers[layer]
	t.whole, t.gate = append(t.whole, p.took), append(t.gate, d.Latency)
	s.verdicts[d.Verdict.String()]++
	s.took += p.took
	line := callLine{
		Version: 1, Kind: "call", ID: p.row.ID, Tool: p.row.ToolName, Input: p.row.Input, Verdict: d.Verdict,
		Layer: d.Layer, Reason: d.Reason, Answered: p.answer.Said, Settled: d.Settled(),
		Latency: p.took.Microseconds(), Gate: d.Latency.Microseconds(), Label: p.row.Label, Why: p.row.Why,
	}
	if d.Err != nil {
		line.Failure = d.Err.Kind
	}
	s.encode(line)
	what, width := printable.Line(describe(p.row), s.callWidth()), s.callWidth()
	room := s.Width - left - 2 - width
	reason := []string{printable.Line(d.Reason, room)}
	if d.Verdict != nod.Allow { // why not, is shown whole
		reason = wrap(d.Reason, room)
	}
	s.print("%s  %-9s %5s  %-*s  %s\n", s.paint(d.Verdict), d.Layer, micros(p.took), width, what, reason[0])
	for _, more := range reason[1:] {
		s.print("%*s%s\n", left+width+2, "", more)
	}
}

// wrap breaks a text between words into lines of a width; a longer word is cut off.
func wrap(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if longer := strings.TrimSpace(line + " " + word); len([]rune(longer)) <= width || line == "" {
			line = longer
			continue
		}
		lines, line = append(lines, line), word
	}
	lines = append(lines, line)
	for i := range lines {
		lines[i] = printable.Line(lines[i], width)
	}
	return lines
}

// micros is a time in µs, or in seconds where that would widen the column.
func micros(took time.Duration) string {
	if took < 100*time.Millisecond {
		return fmt.Sprint(took.Microseconds())
	}
	return fmt.Sprintf("%.3gs", took.Seconds())
}

func (s *show) paint(v nod.Verdict) string {
	word := fmt.Sprintf("%-5s", v)
	if !s.Colour {
		return word
	}
	code := map[nod.Verdict]string{nod.Allow: "32", nod.Ask: "33"}[v]
	return "\x1b[" + cmp.Or(code, "31") + "m" + word + "\x1b[0m"
}

// shareLine is a layer's share; layer "none" holds what was left open.
type shareLine struct {
	Layer   string  `json:"layer"`
	Calls   int     `json:"calls"`
	Percent float64 `json:"percent"`
	Median  int64   `json:"median_us"`
	Gate    int64   `json:"median_gate_us"`
}

type summaryLine struct {
	Version  int            `json:"v"`
	Kind     string         `json:"kind"` // "summary"
	Calls    int            `json:"calls"`
	Shares   []shareLine    `json:"shares"`
	Open     map[string]int `json:"open_by_tool"`
	Verdicts map[string]int `json:"verdicts"`
	Took     int64          `json:"total_us"`
	Model    *string        `json:"model"` // null: none is configured
}

// end says what each layer settled, in the order of the flow.
func (s *show) end(calls int) {
	sum := summaryLine{Version: 1, Kind: "summary", Calls: calls, Open: s.open, Verdicts: s.verdicts,
		Took: s.took.Microseconds()}
	s.print("\n%-9s %6s %7s %10s %10s\n", "layer", "calls", "%", "median µs", "in gate µs")
	for _, layer := range []string{"guard", "allowlist", "edit", "shell", "none"} {
		t := s.layers[layer]
		if t == nil {
			t = &tally{}
		}
		share := shareLine{layer, len(t.whole), 100 * float64(len(t.whole)) / float64(calls), median(t.whole),
			median(t.gate)}
		sum.Shares = append(sum.Shares, share)
		if layer == "none" {
			layer = "open"
		}
		s.print("%-9s %6d %7.1f %10d %10d\n", layer, share.Calls, share.Percent, share.Median, share.Gate)
	}
	s.encode(sum)
	s.print("\n%s.\nAll of them took %d µs from payload to answer, settings included.\n"+
		"%d were left open. They would go to a model. None is configured, so a person is\n"+
		"asked where something is known against the call; the agent decides the rest.\n",
		listed(s.verdicts), sum.Took, sum.Shares[4].Calls)
}

// median is the middle one, in microseconds; 0 of none.
func median(times []time.Duration) int64 {
	if len(times) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(times))[len(times)/2].Microseconds()
}

// listed is "3 Bash, 1 Read".
func listed(counts map[string]int) string {
	var parts []string
	for what, n := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", n, printable.Text(what)))
	}
	slices.SortFunc(parts, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
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
		if text, ok := in[key].(string); ok {
			return row.ToolName + " " + printable.Near(text, []string{corpus.Project}, corpus.Home)
		}
	}
	return printable.Text(row.ToolName)
}
