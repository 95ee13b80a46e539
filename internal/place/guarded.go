package place

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

// RunsLater is said behind what is guarded.
const RunsLater = ", which changes what runs later or what the agent may do"

// Writable reports what speaks against writing to the real path, "" if
// nothing does.
func (w *Workspace) Writable(real string) (why Objection) {
	switch {
	case !w.Machine.Inside(w.Roots, real):
		return Objection("this writes " + printable.Text(real) + ", which is outside the workspace")
	case w.Guarded(real):
		return Objection("this writes " + printable.Text(real) + RunsLater)
	}
	return Because("this writes ", w.Machine.Ordinary(real))
}

// Guarded reports whether a real path in the workspace is on the guarded
// list, in a PATH directory, in a directory of an agent's own, wherever that
// leads, or in the repository's git directory, or is started by settings of an
// agent. Names above the root count with
// those below it (.github, hooks); alone they say nothing, since such a root is
// no workspace. What unpacks to a guarded name is guarded too.
func (w *Workspace) Guarded(real string) bool {
	if plain, ok := unpacked(real); ok && w.Guarded(plain) || w.InPath(real) || w.Machine.agentsOwn(real) ||
		w.isHook(real) || w.isStarted(real) || w.inBareRepository(real) {
		return true
	}
	for _, root := range w.Roots {
		if view.Below(w.Machine.gitDir(root), real) {
			return true
		}
		if view.Below(root, real) &&
			(w.Machine.Guards.Match(real[len(root):]) || w.Machine.Guards.Match(afterWorktree(real))) {
			return true
		}
	}
	return slices.ContainsFunc(w.aliases(), func(a alias) bool {
		return view.Below(a.real, real) && w.Machine.Guards.Match(a.name+real[len(a.real):])
	})
}

// inBareRepository reports whether a path is the HEAD by which git takes a
// directory for a repository, or lies below a directory that has a HEAD: git runs
// what the settings there say, whoever starts git there. Where a .git is, git looks
// at nothing else.
func (w *Workspace) inBareRepository(real string) bool {
	is := func(name string) bool {
		info, err := w.Machine.Files.Lstat(name)
		return err == nil && (!info.Mode.IsDir() || path.Base(name) == ".git")
	}
	return slices.ContainsFunc(w.Roots, func(root string) bool {
		for dir := real; dir != root && view.Below(root, dir); {
			dir = path.Dir(dir)
			if is(dir + "/.git") {
				return false
			}
			if is(dir+"/HEAD") || dir == path.Dir(real) && paths.FoldName(path.Base(real)) == "head" {
				return true
			}
		}
		return false
	})
}

// alias is a link at the top of a workspace whose name is guarded, or that of a directory
// in which guarded names lie, or a link in such a directory.
type alias struct {
	name, real string // name starts at the workspace
}

// aliases finds them: AGENTS.md -> docs/house.md, .github -> meta,
// .claude/settings.json -> ../team.json.
func (w *Workspace) aliases() []alias {
	if w.linked == nil {
		w.linked = []alias{}
		for _, root := range w.Roots {
			w.aliasesIn(root, "")
		}
	}
	return w.linked
}

func (w *Workspace) aliasesIn(root, dir string) {
	entries, _ := view.Entries(w.Machine.Files, root+dir, MaxMatches)
	for _, e := range entries {
		name := dir + "/" + e.Name
		isLink := e.Type&fs.ModeSymlink != 0
		deeper := dir == "" || path.Dir(dir) == "/" && dir[1] == '.' // .git/hooks, .claude/skills
		if !isLink && (!deeper || !e.Type.IsDir()) ||
			!w.Machine.Guards.Match(name) && !w.Machine.Guards.HoldsNext(name) {
			continue
		}
		if isLink {
			w.linked = append(w.linked, alias{name, w.Machine.Real(root + name)})
		} else {
			w.aliasesIn(root, name)
		}
	}
}

// unpacked returns what a name is without the ending of a compressed file.
func unpacked(name string) (plain string, ok bool) {
	ext := path.Ext(name)
	return name[:len(name)-len(ext)], slices.Contains([]string{".gz", ".xz", ".bz2", ".zst", ".lzma", ".lz", ".lz4",
		".lzo", ".br", ".z"}, strings.ToLower(ext))
}

// HoldsGuarded reports whether a path of the workspace may be a directory that
// guarded names lie in.
func (w *Workspace) HoldsGuarded(real string) bool {
	return slices.ContainsFunc(w.Roots, func(root string) bool {
		return view.Below(root, real) && real != root && w.Machine.Guards.HoldsNext(real[len(root):])
	})
}

// Ordinary refuses what an edit would not simply replace: devices, FIFOs,
// directories, and files with a second name somewhere else.
func (m *Machine) Ordinary(real string) (why Objection) {
	info, err := m.Files.Lstat(real)
	shown := printable.Text(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil:
		return Objection(shown + ", which cannot be looked at: " + printable.Text(err.Error()))
	case info.Mode.IsDir():
		return Objection(shown + ", which is a directory")
	case info.Mode&fs.ModeType != 0:
		return Objection(shown + ", which is not a regular file")
	case info.Links > 1:
		return Objection(shown + ", which has another name elsewhere (hard link)")
	}
	return ""
}
