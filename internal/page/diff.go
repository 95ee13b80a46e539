package page

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/view"
)

// change is what an edit does to a file.
type change struct {
	Path  string
	Note  string // why there are no lines
	Lines []diffLine
}

// diffLine is a line of a unified diff. Kind is "add", "del", "at" or "same".
type diffLine struct{ Kind, Text string }

// The bounds of what is compared and shown.
const (
	maxFile  = 256 << 10
	maxLines = 2000
)

// changes lays the files of an edit beside what the edit makes of them. Both are masked, as the log is.
func changes(c nod.Call) (list []change) {
	for _, e := range c.Edits {
		name := e.Path
		if !path.IsAbs(name) {
			name = path.Join(c.Dir, name)
		}
		list = append(list, edited(name, e))
	}
	return list
}

func edited(name string, e nod.Edit) change {
	ch := change{Path: name}
	text, err := view.Disk{}.Read(name, maxFile)
	before := audit.MaskText(string(text))
	e.Old, e.New = audit.MaskText(e.Old), audit.MaskText(e.New)
	after := e.New
	switch {
	case errors.Is(err, fs.ErrNotExist) && e.Whole:
		before, ch.Note = "", "a new file"
	case errors.Is(err, fs.ErrNotExist):
		ch.Note = "there is no such file"
		return ch
	case err != nil:
		ch.Note = "the file is not shown: " + err.Error()
		return ch
	case e.Whole:
	case e.Old != "" && strings.Count(before, e.Old) == 1 || e.All && strings.Contains(before, e.Old):
		after = strings.ReplaceAll(before, e.Old, e.New)
	default:
		ch.Note = "the file does not hold these lines once; this is what goes and what comes"
		before = e.Old
	}
	if strings.ContainsRune(before+after, 0) {
		ch.Note = "the file is no text"
		return ch
	}
	ch.Lines = unified(before, after)
	if len(ch.Lines) == 0 {
		ch.Note = "nothing changes"
	}
	return ch
}

// unified is a diff without its head.
func unified(before, after string) (list []diffLine) {
	text := string(diff.Diff("a", []byte(before), "b", []byte(after)))
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i < 3 || line == "" {
			continue
		}
		if len(list) == maxLines {
			return append(list, diffLine{"at", "the rest is not shown"})
		}
		kind := map[byte]string{'+': "add", '-': "del", '@': "at", '\\': "at"}[line[0]]
		list = append(list, diffLine{cmp.Or(kind, "same"), line})
	}
	return list
}
