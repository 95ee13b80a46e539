package page

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/view"
	"github.com/nodgate/nod/internal/web"
)

// change is what an edit does to a file.
type change struct {
	Path  string
	Note  string // why there are no lines
	Lines []web.DiffLine
}

// maxFile bounds what is compared.
const maxFile = 256 << 10

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
	ch.Lines = web.Diff(before, after)
	if len(ch.Lines) == 0 {
		ch.Note = "nothing changes"
	}
	return ch
}
