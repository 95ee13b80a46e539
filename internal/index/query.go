package index

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sort"
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

// Row is what the index knows of a line. Times are to the microsecond, costs to seven digits.
type Row struct {
	Key      Key
	Time     time.Time
	Kind     audit.Kind
	Verdict  nod.Verdict
	Layer    nod.Layer
	Answered string
	Setting  string
	Agent    string
	Session  string
	Root     string
	Tool     string // canonical; the agent's own name of a tool that has no other, or of an MCP server
	Model    string
	Rule     string // its text
	Latency  time.Duration
	Cost     float64
	Tokens   int // in and out
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
		s.classes[i] = only.Match(audit.Entry{Kind: audit.Kind(c.kind), Verdict: c.verdict, Layer: c.layer}) &&
			oneOf(f.Agents, c.agent) && oneOf(f.Tools, c.tool)
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
	return s.classes[r.class] && (s.sessions == nil || s.sessions[r.session]) && (s.roots == nil || s.roots[r.root]) &&
		r.time >= s.since && r.time < s.until
}

func (v view) row(segment int, r *row) Row {
	c := &v.names.classes[r.class]
	return Row{Key: keyOf(segment, r.offset), Time: time.UnixMicro(r.time).UTC(), Kind: audit.Kind(c.kind),
		Verdict: c.verdict, Layer: c.layer, Answered: c.answered, Setting: c.setting, Agent: c.agent,
		Session: v.names.texts[r.session], Root: v.names.texts[r.root], Tool: c.tool, Model: c.model,
		Rule: v.names.texts[r.rule], Latency: time.Duration(r.latency) * time.Microsecond, Cost: float64(r.cost),
		Tokens: int(r.tokens)}
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
			end = sort.Search(end, func(j int) bool { return keyOf(i, part.rows[j].offset) >= before })
		}
		if part.queued || read > textLimit {
			return rows, keyOf(i+1, 0), nil
		}
		holds := func(*row) bool { return true }
		if s.text != nil {
			if holds, err = x.holds(i, s.text); err != nil {
				return rows, 0, err
			}
			read += part.read
		}
		for j := end - 1; j >= 0; j-- {
			if r := &part.rows[j]; s.takes(r) && holds(r) {
				if len(rows) == n {
					return rows, rows[n-1].Key, nil
				}
				rows = append(rows, v.row(i, r))
			}
		}
	}
	return rows, 0, nil
}

// holds tells which rows of a segment have a text in their lines.
func (x *Index) holds(segment int, text []byte) (func(*row) bool, error) {
	file, err := x.openAt(segment)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all, err := io.ReadAll(file)
	return func(r *row) bool {
		line, _, _ := bytes.Cut(all[min(int(r.offset), len(all)):], []byte("\n"))
		return bytes.Contains(line, text)
	}, err
}

func (x *Index) openAt(segment int) (*os.File, error) {
	x.mu.RLock()
	s := x.segments[segment]
	x.mu.RUnlock()
	return x.open(s)
}

// Entry reads the line of a row.
func (x *Index) Entry(r Row) (audit.Line, error) { return x.line(r.Key) }

func (x *Index) line(k Key) (audit.Line, error) {
	segment := int(k>>32) - 1
	if segment < 0 || segment >= len(x.view().segments) {
		return audit.Line{}, errors.New("the log has no such line; open it again")
	}
	file, err := x.openAt(segment)
	if err != nil {
		return audit.Line{}, err
	}
	defer file.Close()
	in := bufio.NewReader(io.NewSectionReader(file, int64(uint32(k)), lines.Limit<<4))
	raw, err := in.ReadBytes('\n')
	if err != nil && err != io.EOF {
		return audit.Line{}, err
	}
	line, _, err := audit.Decode(bytes.TrimRight(raw, "\r\n"))
	return line, err
}

// Each visits the lines that f selects, oldest first, with their rows. It waits until the whole log is read, and reads
// each file once. An error of visit ends it.
func (x *Index) Each(ctx context.Context, f Filter, visit func(Row, audit.Line) error) error {
	if err := x.Wait(ctx); err != nil {
		return err
	}
	v := x.view()
	s := v.selection(f)
	for i := range v.segments {
		if err := x.each(ctx, v, s, i, visit); err != nil {
			return err
		}
	}
	return nil
}

func (x *Index) each(ctx context.Context, v view, s selection, segment int, visit func(Row, audit.Line) error) error {
	var all []byte
	for i := range v.segments[segment].rows {
		r := &v.segments[segment].rows[i]
		if !s.takes(r) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if all == nil {
			file, err := x.openAt(segment)
			if err != nil {
				return err
			}
			all, err = io.ReadAll(file)
			file.Close()
			if err != nil {
				return err
			}
		}
		raw, _, _ := bytes.Cut(all[min(int(r.offset), len(all)):], []byte("\n"))
		if !bytes.Contains(raw, s.text) {
			continue
		}
		line, _, err := audit.Decode(bytes.Clone(bytes.TrimRight(raw, "\r")))
		if err != nil {
			return err
		}
		if err := visit(v.row(segment, r), line); err != nil {
			return err
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
			if r.id != tail || v.names.classes[r.class].kind != string(audit.Decision) {
				continue
			}
			line, err := x.line(keyOf(i, r.offset))
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
