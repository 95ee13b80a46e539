package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/printable"
)

// format is how entries are written for another program. One without line is none.
type format struct {
	start string
	line  func(audit.Line) string // "": this one is left out
	end   func() string
}

func formatOf(p *Process, name string) (f format) {
	f.end = func() string { return "" }
	switch name {
	case "jsonl":
		f.line = func(l audit.Line) string { return string(l.Raw) + "\n" }
	case "csv":
		f.start, f.line = csvColumns, func(l audit.Line) string { return csvRow(csvCells(l.Entry)) }
	case "ocsf":
		f.line = func(l audit.Line) string { return ofAnswer(l.Entry, ocsfLine) }
	case "cef":
		f.line = func(l audit.Line) string { return ofAnswer(l.Entry, cefLine) }
	case "sarif":
		f = sarif(p)
	}
	return f
}

// export writes the log for other programs.
func export(ctx context.Context, p *Process, args []string) error {
	a, filter := newArguments(p).state(), audit.Filter{}
	name, piped := a.String("format", "", ""), a.Bool("stdin", false, "")
	a.filter(&filter)
	if err := a.withState(args, 0); err != nil {
		return err
	}
	f := formatOf(p, *name)
	if f.line == nil {
		return usage(fmt.Errorf("--format %q: want jsonl, csv, ocsf, cef or sarif", *name))
	}
	out, unread := bufio.NewWriterSize(p.Stdout, 64<<10), false
	out.WriteString(f.start)
	entries := audit.Read(a.places.State, filter)
	if *piped {
		entries = readLines(p.Stdin, filter)
	}
	for l, err := range entries {
		if err != nil {
			var problem *audit.Problem
			unread = unread || !errors.As(err, &problem) || problem.Line == 0
			fmt.Fprintln(p.Stderr, "nod export:", printable.Line(err.Error(), 600))
			continue
		}
		if _, err = out.WriteString(f.line(l)); err == nil && ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		if err != nil {
			return internal(err)
		}
	}
	out.WriteString(f.end())
	if err := out.Flush(); err != nil || !unread {
		return internal(err)
	}
	return ended(ExitBadInput)
}

// readLines reads entries as nod-serve lines prints them.
func readLines(from io.Reader, f audit.Filter) iter.Seq2[audit.Line, error] {
	return func(yield func(audit.Line, error) bool) {
		in := bufio.NewReader(from)
		for n := 1; ; n++ {
			raw, err := in.ReadBytes('\n')
			if err == io.EOF && len(raw) == 0 {
				return
			}
			if err != nil && err != io.EOF {
				yield(audit.Line{}, err)
				return
			}
			l, newer, err := audit.Decode(raw)
			if newer > 0 {
				err = fmt.Errorf("version %d is of a newer nod", newer)
			}
			if err != nil {
				err = &audit.Problem{File: "standard input", Line: n, Err: err}
			} else if !f.Match(l.Entry) {
				continue
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

// ofAnswer writes what was answered to a call; the other lines are about nod itself.
func ofAnswer(e audit.Entry, write func(audit.Entry) string) string {
	switch e.Kind {
	case audit.Decision, audit.HostDeny, audit.BadInput:
		return write(e)
	}
	return ""
}

// told is what the agent was told.
func told(e audit.Entry) string {
	if e.Kind == audit.HostDeny {
		return "deny"
	}
	return cmp.Or(e.Answered, e.Verdict.String())
}

// toolOf is the tool as the agent calls it, else as nod does.
func toolOf(e audit.Entry) string { return cmp.Or(e.RawTool, e.Tool) }

// ruleOf is the rule that decided.
func ruleOf(e audit.Entry) string {
	if e.Rule == nil {
		return ""
	}
	return e.Rule.Text + ", " + e.Rule.Origin
}

const csvColumns = "time,kind,id,agent,session,tool,call,dir,verdict,answered,layer,reason,rule,model,cost_usd," +
	"latency_us\n"

func csvCells(e audit.Entry) []string {
	layer, verdict := "", ""
	if e.Kind == audit.Decision {
		layer, verdict = e.Layer.String(), e.Verdict.String()
	}
	return []string{e.Time.Format(time.RFC3339Nano), string(e.Kind), e.ID, e.Agent, e.Session, toolOf(e), callOf(e),
		e.Dir, verdict, e.Answered, layer, why(e), ruleOf(e), e.Model,
		strconv.FormatFloat(e.Cost, 'f', -1, 64), strconv.FormatInt(e.Latency, 10)}
}

// csvRow is a row in which no cell is a formula to a spreadsheet.
func csvRow(cells []string) string {
	var b strings.Builder
	for i, cell := range cells {
		cells[i] = printable.Text(cell)
		if strings.IndexAny(strings.TrimLeft(cells[i], " "), "=+-@＝＋－＠") == 0 { // full width counts too
			cells[i] = "'" + cells[i]
		}
	}
	w := csv.NewWriter(&b)
	w.Write(cells) // into memory: cannot fail
	w.Flush()
	return b.String()
}

// cefLine is an entry as ArcSight's Common Event Format, version 0.
func cefLine(e audit.Entry) string {
	severity := cmp.Or(map[string]int{"deny": 6, "ask": 3}[told(e)], 1)
	var b strings.Builder
	fmt.Fprintf(&b, "CEF:0|nodgate|nod|%s|%s|%s|%d|rt=%d", cefHeader(e.Nod), cefHeader(string(e.Kind)),
		cefHeader("a tool call: "+told(e)), severity, e.Time.UnixMilli())
	for _, field := range []struct {
		key, text string // of a field without a name of ArcSight's: its label and its key
		most      int    // ArcSight's limit
	}{
		{"externalId", e.ID, 40}, {"act", told(e), 63}, {"cat", e.Layer.String(), 1023}, {"sproc", e.Agent, 1023},
		{"filePath", e.Dir, 1023}, {"reason", why(e), 1023}, {"msg", callOf(e), 1023},
		{"tool cs1", toolOf(e), 4000}, {"session cs2", e.Session, 4000}, {"rule cs3", ruleOf(e), 4000},
		{"callId cs4", e.CallID, 4000},
	} {
		if field.text == "" {
			continue
		}
		if label, key, own := strings.Cut(field.key, " "); own {
			fmt.Fprintf(&b, " %sLabel=%s", key, label)
			field.key = key
		}
		fmt.Fprintf(&b, " %s=%s", field.key, cefValue(field.text, field.most))
	}
	return b.String() + "\n"
}

// cefHeader is a field between pipes, on one line.
func cefHeader(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(printable.Line(text, 500), `\`, `\\`), `|`, `\|`)
}

// cefValue is a value of the extension. Lines stay lines, written as \n.
func cefValue(text string, most int) string {
	text = printable.Head(printable.Lines(strings.ReplaceAll(text, "\r\n", "\n")), most)
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), "=", `\=`)
	return strings.ReplaceAll(text, "\n", `\n`)
}
