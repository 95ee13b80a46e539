package index

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/printable"
)

// Key says where a line stands in the log: a larger one is newer. It holds while no file of the log is taken away.
type Key uint64

func keyOf(segment int, offset uint32) Key { return Key(segment+1)<<32 | Key(offset) }

// Row is what a list shows of a line, to the microsecond.
type Row struct {
	Key     Key
	Time    time.Time
	Verdict nod.Verdict
	Layer   nod.Layer
	Agent   string
	Tool    string // canonical; the agent's own name of a tool that has no other, or of an MCP server
}

// Filter selects rows. The zero value selects all.
type Filter struct {
	audit.Filter
	Agents []string
	Roots  []string
	Tools  []string
	Until  time.Time // not selected any more
	Text   string    // stands in the line, as it is written; looked for in the files
}

// Since reads a day, or how long before now a time is.
func Since(s string, now time.Time) (time.Time, error) {
	if n, err := strconv.Atoi(strings.TrimSuffix(s, "d")); err == nil && n >= 0 && strings.HasSuffix(s, "d") {
		return now.AddDate(0, 0, -n), nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, s, time.Local); err == nil {
		return t, nil
	}
	return time.Time{}, errors.New("want a duration (2h, 7d) or a date (2026-01-31)")
}

// view is what was there when a query began.
type view struct {
	segments []segment
	names    names
}

func (x *Index) view() view {
	x.mu.RLock()
	defer x.mu.RUnlock()
	v := view{segments: make([]segment, len(x.segments)), names: names{texts: x.names.texts, classes: x.names.classes}}
	for i, s := range x.segments {
		v.segments[i] = *s
	}
	return v
}

// selection is a filter in the numbers of a view.
type selection struct {
	classes, sessions, roots []bool // by number; nil: all
	since, until             int64
	text                     []byte
}

func (v view) selection(f Filter) selection {
	s := selection{classes: make([]bool, len(v.names.classes)), since: math.MinInt64, until: math.MaxInt64}
	if !f.Since.IsZero() {
		s.since = f.Since.UnixMicro()
	}
	if !f.Until.IsZero() {
		s.until = f.Until.UnixMicro()
	}
	only := audit.Filter{Verdicts: f.Verdicts, Layers: f.Layers, Kinds: f.Kinds}
	for i, c := range v.names.classes {
		s.classes[i] = only.Match(audit.Entry{Kind: audit.Kind(c.Kind), Verdict: c.Verdict, Layer: c.Layer}) &&
			oneOf(f.Agents, c.Agent) && oneOf(f.Tools, c.Tool)
	}
	if f.Session != "" {
		s.sessions = v.texts(func(text string) bool { return strings.HasPrefix(text, f.Session) })
	}
	if f.Roots != nil {
		s.roots = v.texts(func(text string) bool { return slices.Contains(f.Roots, text) })
	}
	if f.Text != "" {
		quoted, _ := lines.JSON(f.Text) // a text: cannot fail
		s.text = quoted[1 : len(quoted)-1]
	}
	return s
}

func oneOf(list []string, text string) bool { return list == nil || slices.Contains(list, text) }

func (v view) texts(takes func(string) bool) []bool {
	list := make([]bool, len(v.names.texts))
	for i, text := range v.names.texts {
		list[i] = takes(text)
	}
	return list
}

func (s *selection) takes(r *row) bool {
	return s.classes[r.Class] && (s.sessions == nil || s.sessions[r.Session]) && (s.roots == nil || s.roots[r.Root]) &&
		r.Time >= s.since && r.Time < s.until
}

func (v view) row(segment int, r *row) Row {
	c := &v.names.classes[r.Class]
	return Row{keyOf(segment, r.Offset), time.UnixMicro(r.Time).UTC(), c.Verdict, c.Layer, c.Agent, c.Tool}
}

// textLimit is how much of the log one call of Rows reads to look for a text.
const textLimit = 64 << 20

// Rows returns up to n rows that f selects and that are older than before, newest first; 0 begins with the newest. next
// is the before of the following page, 0 where nothing older is left. Fewer than n rows and a next say that the rest
// was not read yet, or that much was read for a filter's text: go on from there.
func (x *Index) Rows(f Filter, before Key, n int) (rows []Row, next Key, err error) {
	v, read := x.view(), int64(0)
	s := v.selection(f)
	for i, part := range slices.Backward(v.segments) {
		end := len(part.rows)
		if at := keyOf(i, 0); before != 0 && before <= at {
			continue
		} else if before != 0 && before < keyOf(i+1, 0) {
			end = sort.Search(end, func(j int) bool { return keyOf(i, part.rows[j].Offset) >= before })
		}
		if part.queued || read > textLimit {
			return rows, keyOf(i+1, 0), nil
		}
		var lineAt func(uint32) []byte
		if s.text != nil {
			if lineAt, err = x.lines(i); err != nil {
				return rows, 0, err
			}
			read += part.read
		}
		for j := end - 1; j >= 0; j-- {
			if r := &part.rows[j]; s.takes(r) && (s.text == nil || bytes.Contains(lineAt(r.Offset), s.text)) {
				if len(rows) == n {
					return rows, rows[n-1].Key, nil
				}
				rows = append(rows, v.row(i, r))
			}
		}
	}
	return rows, 0, nil
}

// lines gives the lines of a segment, by where they begin.
func (x *Index) lines(segment int) (func(offset uint32) []byte, error) {
	all, err := x.text(x.segment(segment), 0)
	return func(offset uint32) []byte {
		line, _, _ := bytes.Cut(all[min(int(offset), len(all)):], []byte("\n"))
		return bytes.TrimRight(line, "\r")
	}, err
}

func (x *Index) segment(i int) *segment {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if i < 0 || i >= len(x.segments) {
		return nil
	}
	return x.segments[i]
}

// Entry reads the line of a row.
func (x *Index) Entry(r Row) (audit.Line, error) {
	s := x.segment(int(r.Key>>32) - 1)
	if s == nil {
		return audit.Line{}, errors.New("the log has no such line; open it again")
	}
	file, err := x.open(s)
	if err != nil {
		return audit.Line{}, err
	}
	defer file.Close()
	raw, err := bufio.NewReader(io.NewSectionReader(file, int64(uint32(r.Key)), math.MaxInt64>>1)).ReadBytes('\n')
	if err != nil && err != io.EOF {
		return audit.Line{}, err
	}
	line, _, err := audit.Decode(bytes.TrimRight(raw, "\r\n"))
	return line, err
}

// Each visits the lines that f selects, oldest first. It waits until the whole log is read, and reads each file once.
// An error of visit ends it. A filter's text is not heeded.
func (x *Index) Each(ctx context.Context, f Filter, visit func(audit.Line) error) error {
	if err := x.Wait(ctx); err != nil {
		return err
	}
	v := x.view()
	s := v.selection(f)
	for i, part := range v.segments {
		var lineAt func(uint32) []byte
		for j := range part.rows {
			r := &part.rows[j]
			if !s.takes(r) {
				continue
			}
			err := ctx.Err()
			if lineAt == nil && err == nil {
				lineAt, err = x.lines(i)
			}
			var line audit.Line
			if err == nil {
				line, _, err = audit.Decode(bytes.Clone(lineAt(r.Offset)))
			}
			if err == nil {
				err = visit(line)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// ShortestID is how much of an id's end [Index.Find] must be given.
const ShortestID = 6

// Find returns the decision whose id is the given one or ends so. It waits until the whole log is read.
func (x *Index) Find(ctx context.Context, id string) (found audit.Line, err error) {
	if err := x.Wait(ctx); err != nil {
		return found, err
	}
	v, tail := x.view(), tailOf(id)
	for i, part := range slices.Backward(v.segments) {
		for j := len(part.rows) - 1; j >= 0; j-- {
			r := &part.rows[j]
			if r.ID != tail || v.names.classes[r.Class].Kind != string(audit.Decision) {
				continue
			}
			line, err := x.Entry(v.row(i, r))
			switch {
			case err != nil:
				return line, err
			case line.ID == id:
				return line, nil
			case len(id) < ShortestID || !strings.HasSuffix(line.ID, id):
			case found.ID != "" && found.ID != line.ID:
				return found, fmt.Errorf("%s and %s both end so; write the whole id", printable.Line(found.ID, 60),
					printable.Line(line.ID, 60))
			default:
				found = line
			}
		}
	}
	if found.ID == "" {
		return found, fmt.Errorf("the log holds no decision whose id ends in %q (%d characters at least); see the "+
			"column ID of nod log", printable.Line(id, 60), ShortestID)
	}
	return found, nil
}
