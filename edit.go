package nod

import (
	"github.com/nodgate/nod/internal/match"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
)

// IsEdit reports whether the call changes exactly the files in Paths.
func (c Call) IsEdit() bool { return place.IsEditTool(c.Tool) }

// uneditable is layer 2: every file that the call would change lies in the
// workspace, is an ordinary file or will be one, and is not guarded.
func (t *trial) uneditable() objection {
	if !t.call.IsEdit() || len(t.call.Paths) == 0 {
		return t.otherTool()
	}
	for _, name := range t.call.Paths {
		if o := t.unwritable(name); o.stands() {
			return o
		}
	}
	return t.undeletable()
}

// otherTool is why a call that is neither a command nor an edit is open.
func (t *trial) otherTool() objection {
	switch host := match.HostOf(t.call.URL); {
	case t.call.Tool == "web_search":
		return against("this searches the web: what it looks for leaves this machine, and what it finds others wrote")
	case t.call.Tool == "web_fetch" && host != "":
		return against("this fetches a page of " + printable.Text(host) +
			" (its address can carry data out, and others wrote what it says)")
	case t.call.Tool == "web_fetch":
		return against("this fetches a page (its address can carry data out, and others wrote what it says)")
	}
	return against("this uses the tool " + printable.Line(t.call.RawTool, 60) + ", and nod does not know what it does")
}

// undeletable says which file an edit tool would delete that could not be restored, as it is asked of rm; what
// writes a whole file, or moves one, where another is does the same to that one, unless this session made it.
func (t *trial) undeletable() objection {
	for _, e := range t.call.Edits {
		replaces := (t.call.Tool == "apply_patch" || t.call.Tool == "file_write") && e.Whole && !e.Moved && !e.Deletes
		if !e.Deletes && !replaces {
			continue
		}
		reals, err := t.at.Readings(e.Path)
		if err != nil {
			return against("this edits " + printable.Text(e.Path) + ", and where that path leads is not known")
		}
		for _, real := range reals {
			made := t.call.Tool == "file_write" && t.at.Wrote != nil && t.at.Wrote(real)
			if replaces && (made || t.at.Missing(real)) {
				continue
			}
			if why := t.loss.LostFile(real); why != "" {
				return object(map[bool]place.Objection{true: "this deletes ", false: "this overwrites "}[e.Deletes] +
					why)
			}
		}
	}
	return objection{}
}

// unwritable answers for one file, as written in the call.
func (t *trial) unwritable(name string) objection {
	if name == "" {
		return against("this edits a file without naming it")
	}
	reals, err := t.at.Readings(name)
	if err != nil {
		return against("this edits " + printable.Text(name) + ", and where that path leads is not known")
	}
	for _, real := range reals {
		if why := t.at.Writable(real); why != "" {
			return object(why)
		}
	}
	return objection{}
}
