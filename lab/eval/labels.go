package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

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
}

// Correct corrects the labels of rows by a list, if there is one. An error
// names the line of the list.
func Correct(files []File, name string) (*LabelList, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	l := &LabelList{Name: name, entries: map[string]labelEntry{}}
	for i, line := range strings.Split(string(text), "\n") {
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		if err := l.entry(i+1, strings.Split(line, "\t")); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
	}
	return l, l.apply(files)
}

func (l *LabelList) entry(line int, fields []string) error {
	if len(fields) != 4 || fields[0] == "" || strings.TrimSpace(fields[3]) == "" {
		return fmt.Errorf("want ID, label, right label or -, and why, with tabs between them")
	}
	id, was, now := fields[0], fields[1], fields[2]
	if !slices.Contains(Labels(), was) || !slices.Contains(append(Labels(), "-"), now) || was == now {
		return fmt.Errorf("%q and %q: want two of %q, the second may be -", was, now, Labels())
	}
	if other, ok := l.entries[id]; ok {
		return fmt.Errorf("%s stands on line %d already", id, other.line)
	}
	l.entries[id] = labelEntry{line: line, was: was, now: now}
	return nil
}

func (l *LabelList) apply(files []File) error {
	l.Absent = len(l.entries)
	for i := range files {
		var kept []Row
		for _, r := range files[i].Rows {
			e, ok := l.entries[r.ID]
			switch {
			case !ok:
			case e.was != r.Label:
				return fmt.Errorf("%s:%d: %s is labelled %s, not %s", l.Name, e.line, r.ID, r.Label, e.was)
			case e.now == "-":
				l.LeftOut, l.Absent = l.LeftOut+1, l.Absent-1
				continue
			default:
				l.Corrected, l.Absent, r.Label = l.Corrected+1, l.Absent-1, e.now
			}
			kept = append(kept, r)
		}
		files[i].Rows = kept
	}
	return nil
}
