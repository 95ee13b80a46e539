package place

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

// Writable reports what speaks against writing to the real path, "" if
// nothing does.
func (w *Workspace) Writable(real string) (why Objection) {
	switch {
	case !w.Machine.Inside(w.Roots, real):
		return Objection("this writes " + printable.Text(real) + ", which is outside the workspace")
	case w.Guarded(real):
		return Objection("this writes " + printable.Text(real) +
			", which changes what runs later or what the agent may do")
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
		w.Machine.guardedInPlace(real) ||
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

// guardedInPlace reports whether a file lies in a repository of dotfiles: it runs once it is
// put into its place.
func (m *Machine) guardedInPlace(real string) bool {
	_, in := hosts.InDotfiles(strings.ToLower(real))
	return in
}

// alias is a link at the top of a workspace whose name is guarded, or that of a
// directory in which guarded names lie, or a link in such a directory, for agents' own
// one level further down.
type alias struct {
	name, real string // name starts at the workspace
}

// aliases finds them: AGENTS.md -> docs/house.md, .github -> meta,
// .claude/settings.json -> ../team.json.
func (w *Workspace) aliases() []alias {
	if w.linked != nil {
		return w.linked
	}
	w.linked = []alias{}
	begins := w.Machine.begins()
	for _, root := range w.Roots {
		names, _ := w.Machine.Files.List(root, MaxMatches)
		for _, name := range names {
			if !begins[paths.FoldName(name)] {
				continue
			}
			w.alias(root, "/"+name)
			inside, _ := w.Machine.Files.List(root+"/"+name, settingsNames)
			for _, below := range inside {
				w.alias(root, "/"+name+"/"+below)
				if w.Machine.obeyed().begin[paths.FoldName(name)] {
					deeper, _ := w.Machine.Files.List(root+"/"+name+"/"+below, settingsNames)
					for _, last := range deeper {
						w.alias(root, "/"+name+"/"+below+"/"+last)
					}
				}
			}
		}
	}
	return w.linked
}

func (w *Workspace) alias(root, name string) {
	if w.IsLink(root + name) {
		w.linked = append(w.linked, alias{name, w.Machine.Real(root + name)})
	}
}

// unpacked returns what a name is without the ending of a compressed file.
func unpacked(name string) (plain string, ok bool) {
	switch ext := path.Ext(name); strings.ToLower(ext) {
	case ".gz", ".xz", ".bz2", ".zst", ".lzma", ".lz", ".lz4", ".lzo", ".br", ".z":
		return name[:len(name)-len(ext)], true
	}
	return "", false
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
