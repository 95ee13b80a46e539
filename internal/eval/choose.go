package eval

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// takes reports whether a row is of the agent. [Leave] looks at the rest.
func (o Options) takes(r *Row) bool { return o.Agent == "" || r.Agent == o.Agent }

// Leave takes the rows out whose command runs one of o.Without, and counts
// those of o.Agent. What such a row wrote was never there.
func Leave(files []File, o Options) (left int) {
	if len(o.Without) == 0 {
		return 0
	}
	shared := newWorlds()
	for i := range files {
		f := &files[i]
		out := make([]bool, len(f.Rows))
		inParallel(len(f.Rows), func(j int) { out[j] = o.runs(&f.Rows[j], f.Own != nil, shared) })
		var kept []Row
		for j, r := range f.Rows {
			switch {
			case !out[j]:
				kept = append(kept, r)
			case o.takes(&r):
				left++
			}
		}
		f.Rows = kept
	}
	return left
}

// runs reports whether a row's command runs one of the programs, under
// wrappers and anywhere in the line.
func (o Options) runs(r *Row, own bool, shared *worlds) bool {
	c, err := callOf(r, own)
	if err != nil || c.Command == "" {
		return false
	}
	report := analyze(c, shared.at(c.Dir, newMade()))
	return slices.ContainsFunc(report.Commands, func(c shell.Command) bool {
		return len(c.Words) > 0 && slices.Contains(o.Without, path.Base(c.Words[0].Value))
	})
}

// LabelList is a list of rows whose label is wrong: a file of lines
//
//	ID TAB label in the rows TAB label that is right, or "-" TAB why
//
// A row of "-" is left out, since nobody can say what it is. Empty lines and
// those that begin with # say nothing.
type LabelList struct {
	Name string `json:"file"`
	// Corrected and LeftOut count rows, Absent the entries without one.
	Corrected int `json:"corrected"`
	LeftOut   int `json:"left_out"`
	Absent    int `json:"absent"`

	entries map[string]labelEntry
}

type labelEntry struct {
	line     int
	was, now string
	seen     bool
}

// ReadLabels reads a list. The error begins with FILE:LINE.
func ReadLabels(name string) (*LabelList, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	l := &LabelList{Name: name, entries: map[string]labelEntry{}}
	scan := bufio.NewScanner(bytes.NewReader(text))
	for line := 1; scan.Scan(); line++ {
		if text := strings.TrimSpace(scan.Text()); text == "" || text[0] == '#' {
			continue
		}
		if err := l.entry(line, strings.Split(scan.Text(), "\t")); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
	return l, scan.Err()
}

func (l *LabelList) entry(line int, fields []string) error {
	if len(fields) != 4 || fields[0] == "" || strings.TrimSpace(fields[3]) == "" {
		return fmt.Errorf("want ID, label, right label or -, and why, with tabs between them")
	}
	was, now := fields[1], fields[2]
	switch {
	case !slices.Contains(Labels(), was):
		return fmt.Errorf("%q is none of %q", was, Labels())
	case now != "-" && !slices.Contains(Labels(), now):
		return fmt.Errorf(`%q is neither "-" nor one of %q`, now, Labels())
	case was == now:
		return fmt.Errorf("%s is %s already", fields[0], was)
	}
	if other, ok := l.entries[fields[0]]; ok {
		return fmt.Errorf("%s stands on line %d already", fields[0], other.line)
	}
	l.entries[fields[0]] = labelEntry{line: line, was: was, now: now}
	return nil
}

// Apply corrects the labels of rows. The error names the line of the list
// that does not fit its row.
func (l *LabelList) Apply(files []File) error {
	for i := range files {
		var kept []Row
		for _, r := range files[i].Rows {
			e, ok := l.entries[r.ID]
			if ok && e.was != r.Label {
				return fmt.Errorf("%s:%d: %s is labelled %s, not %s", l.Name, e.line, r.ID, r.Label, e.was)
			}
			if ok {
				e.seen, r.Label = true, e.now
				l.entries[r.ID] = e
				l.Corrected++
			}
			if r.Label != "-" {
				kept = append(kept, r)
			} else {
				l.Corrected--
				l.LeftOut++
			}
		}
		files[i].Rows = kept
	}
	for _, e := range l.entries {
		if !e.seen {
			l.Absent++
		}
	}
	return nil
}
