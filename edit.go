package nod

import (
	"io/fs"

	"github.com/nodgate/nod/internal/view"
)

// IsEdit reports whether the call changes exactly the files in Paths.
func (c Call) IsEdit() bool { return isEdit(c.Tool) }

// isEdit reports whether the tool changes exactly the files in Call.Paths.
func isEdit(tool string) bool {
	switch tool {
	case "file_edit", "file_write", "notebook_edit", "apply_patch":
		return true
	}
	return false
}

const notAnEdit = "not a file edit"

// uneditable is layer 2: every file that the call would change lies in the
// workspace, is an ordinary file or will be one, and is not guarded. why says
// what stands in the way, "" where nothing does.
func (t *trial) uneditable() (why string) {
	if !isEdit(t.call.Tool) || len(t.call.Paths) == 0 {
		return notAnEdit
	}
	for _, name := range t.call.Paths {
		if why := t.unwritable(name); why != "" {
			return why
		}
	}
	return ""
}

// unwritable answers for one file, as written in the call.
func (t *trial) unwritable(name string) (why string) {
	if name == "" {
		return "an edit without a path"
	}
	reals, err := t.readings(name)
	if err != nil {
		return Printable(name) + ": nobody can say where this leads"
	}
	for _, real := range reals {
		if why := t.writable(real); why != "" {
			return why
		}
	}
	return ""
}

// writable reports what speaks against writing to the real path, "" if
// nothing does.
func (t *trial) writable(real string) (why string) {
	switch {
	case !t.gate.inside(t.roots, real):
		return Printable(real) + " is outside the workspace"
	case t.guarded(real):
		return Printable(real) + " changes what runs later or what the agent may do"
	}
	return t.gate.ordinary(real)
}

// guarded reports whether a real path in the workspace is on the guarded
// list, in a PATH directory, or in the repository's git directory. Names
// above the root say nothing: a project may live in ~/.config.
func (t *trial) guarded(real string) bool {
	if t.inPath(real) {
		return true
	}
	for _, root := range t.roots {
		if view.Below(t.gate.gitDir(root), real) {
			return true
		}
		if view.Below(root, real) && t.gate.guards.match(real[len(root):]) {
			return true
		}
	}
	return false
}

// inPath reports whether a real path lies in a PATH directory of the
// workspace: what is written there is run by name later.
func (t *trial) inPath(real string) bool {
	for _, dir := range t.pathDirs() {
		if view.Below(dir, real) {
			return true
		}
	}
	return false
}

// ordinary refuses what an edit would not simply replace: devices, FIFOs,
// directories, and files with a second name somewhere else.
func (g *Gate) ordinary(real string) (why string) {
	info, err := g.files.Lstat(real)
	shown := Printable(real)
	switch {
	case isMissing(err):
		return ""
	case err != nil:
		return shown + ": " + Printable(err.Error())
	case info.Mode&fs.ModeType != 0:
		return shown + " is not a regular file"
	case info.Links > 1:
		return shown + " has another name elsewhere (hard link)"
	}
	return ""
}
