package nod

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
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
	return t.undeletable()
}

// undeletable says which file an edit tool would delete that could not be
// restored, as it is asked of rm; a patch that adds a file, or moves one, where
// another is does the same to that one.
func (t *trial) undeletable() (why string) {
	for _, e := range t.call.Edits {
		replaces := t.call.Tool == "apply_patch" && e.Whole && !e.Moved && !e.Deletes
		if !e.Deletes && !replaces {
			continue
		}
		reals, err := t.readings(e.Path)
		if err != nil {
			return printable.Text(e.Path) + ": nobody can say where this leads"
		}
		for _, real := range reals {
			if replaces && t.missing(real) {
				continue
			}
			if why := t.lostFile(real); why != "" {
				return map[bool]string{true: "this deletes ", false: "this overwrites "}[e.Deletes] + why
			}
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
		return printable.Text(name) + ": nobody can say where this leads"
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
		return printable.Text(real) + " is outside the workspace"
	case t.guarded(real):
		return printable.Text(real) + " changes what runs later or what the agent may do"
	}
	return t.gate.ordinary(real)
}

// guarded reports whether a real path in the workspace is on the guarded
// list, in a PATH directory, in a directory of an agent's own, wherever that
// leads, or in the repository's git directory. Names above the root count with
// those below it (.github, hooks); alone they say nothing, since such a root is
// no workspace. What unpacks to a guarded name is guarded too.
func (t *trial) guarded(real string) bool {
	if plain, ok := unpacked(real); ok && t.guarded(plain) || t.inPath(real) || t.gate.agentsOwn(real) || t.gate.guardedInPlace(real) || t.isHook(real) {
		return true
	}
	for _, root := range t.roots {
		if view.Below(t.gate.gitDir(root), real) {
			return true
		}
		if view.Below(root, real) && (t.gate.guards.Match(real[len(root):]) || t.gate.guards.Match(afterWorktree(real))) {
			return true
		}
	}
	return slices.ContainsFunc(t.aliases(), func(a alias) bool {
		return view.Below(a.real, real) && t.gate.guards.Match(a.name+real[len(a.real):])
	})
}

// isHook reports whether a file lies where the settings of git say that hooks
// are. Where that is the top of a working tree, the names of hooks alone count.
func (t *trial) isHook(real string) bool {
	if t.hookDirs == nil {
		t.hookDirs = map[string]bool{}
		for _, root := range t.roots {
			if r := t.repositoryAt(root); r != nil {
				for _, dir := range r.HooksPaths(t.gate.home) {
					t.hookDirs[dir] = dir == r.Top || dir == root
				}
			}
		}
	}
	for dir, bare := range t.hookDirs {
		if view.Below(dir, real) && (!bare || path.Dir(real) == dir && shell.IsGitHook(path.Base(real))) {
			return true
		}
	}
	return false
}

// guardedInPlace reports whether a file of a repository of dotfiles will be a
// guarded one, or is run, when it is put into its place.
func (g *Gate) guardedInPlace(real string) bool {
	name := strings.ToLower(real)
	return hosts.RunsInPlace(name) || slices.ContainsFunc(hosts.InPlace(name), g.guards.Match)
}

// alias is a link at the top of a workspace whose name is guarded, or that of a
// directory in which guarded names lie.
type alias struct {
	name, real string // name starts at the workspace
}

// aliases finds them: AGENTS.md -> docs/house.md, .github -> meta.
func (t *trial) aliases() []alias {
	if t.linked != nil {
		return t.linked
	}
	t.linked = []alias{}
	begins := t.gate.begins()
	for _, root := range t.roots {
		names, _ := t.gate.files.List(root, maxMatches)
		for _, name := range names {
			if begins[paths.FoldName(name)] && t.isLink(root+"/"+name) {
				t.linked = append(t.linked, alias{"/" + name, t.gate.real(root + "/" + name)})
			}
		}
	}
	return t.linked
}

// unpacked returns what a name is without the ending of a compressed file.
func unpacked(name string) (plain string, ok bool) {
	switch ext := path.Ext(name); strings.ToLower(ext) {
	case ".gz", ".xz", ".bz2", ".zst", ".lzma", ".lz", ".lz4", ".lzo", ".br", ".z":
		return name[:len(name)-len(ext)], true
	}
	return "", false
}

// guardedAfter reports whether a file of a tree that a command moves is
// guarded under its new name; below is its path in that tree.
func (t *trial) guardedAfter(e shell.Effect, below string) bool {
	return slices.ContainsFunc(t.report.Effects, func(o shell.Effect) bool {
		return o.Command == e.Command && o.Kind == shell.Write && !o.Kept && t.guarded(o.Target+below)
	})
}

// leadsGuarded reports whether a command makes a link in the place of a
// directory that guarded names lie in: whatever is put where it leads is under
// those names.
func (t *trial) leadsGuarded(e shell.Effect, real string) bool {
	return t.program(e) == "ln" && t.holdsGuarded(real)
}

// holdsGuarded reports whether a path of the workspace may be a directory that
// guarded names lie in.
func (t *trial) holdsGuarded(real string) bool {
	return slices.ContainsFunc(t.roots, func(root string) bool {
		return view.Below(root, real) && t.gate.guards.HoldsNext(real[len(root):])
	})
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
	shown := printable.Text(real)
	switch {
	case isMissing(err):
		return ""
	case err != nil:
		return shown + ": " + printable.Text(err.Error())
	case info.Mode&fs.ModeType != 0:
		return shown + " is not a regular file"
	case info.Links > 1:
		return shown + " has another name elsewhere (hard link)"
	}
	return ""
}
