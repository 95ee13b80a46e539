package place

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

// RunsLater is said behind what is guarded.
const RunsLater = ", which changes what runs later or what the agent may do"

// Writable reports what speaks against writing to the real path, "" if nothing does.
func (w *Workspace) Writable(real string) (why Objection) {
	switch {
	case !w.Machine.Inside(w.Roots, real):
		return Objection("this writes " + printable.Text(real) + ", which is outside the workspace")
	case w.Guarded(real):
		return Objection("this writes " + printable.Text(real) + RunsLater)
	}
	return Because("this writes ", w.Machine.Ordinary(real))
}

// Guarded reports whether a real path in the workspace is on the guarded list, in a PATH directory, in a
// directory of an agent's own, wherever that leads, or in the repository's git directory, or is started by
// settings of an agent. Names above the root count with those below it (.github, hooks); alone they say
// nothing, since such a root is no workspace. What unpacks to a guarded name is guarded too.
func (w *Workspace) Guarded(real string) bool {
	if plain, ok := unpacked(real); ok && w.Guarded(plain) || w.InPath(real) || w.Machine.agentsOwn(real) ||
		w.isHook(real) || w.isStarted(real) || w.inBareRepository(real) {
		return true
	}
	for _, root := range w.Roots {
		if view.Below(gitDir(w.Repository(root), root), real) {
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

// inBareRepository reports whether a path is the HEAD by which git takes a directory for a repository, or
// lies below a directory that has a HEAD: git runs what the settings there say, whoever starts git there.
// Where a .git is, git looks at nothing else.
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

// aliases finds them: AGENTS.md -> docs/house.md, .github -> meta, .claude/settings.json -> ../team.json.
func (w *Workspace) aliases() []alias {
	if w.linked == nil {
		w.linked = []alias{}
		for _, root := range w.Roots {
			w.aliasesIn(root, "")
		}
	}
	return w.linked
}

// top is what lies in a root, listed once. What cannot be listed whole may hold any name.
type top struct {
	root     string
	entries  []view.Entry
	whole    bool
	settings []string // texts of the agents' settings there
}

func (w *Workspace) top(root string) *top {
	for _, t := range w.tops {
		if t.root == root {
			return t
		}
	}
	entries, err := view.Entries(w.Machine.Files, root, MaxMatches)
	t := &top{root: root, entries: entries, whole: err == nil}
	w.tops = append(w.tops, t)
	t.settings = w.Machine.settings(t)
	return t
}

func (w *Workspace) aliasesIn(root, dir string) {
	entries := w.top(root).entries
	if dir != "" {
		entries, _ = view.Entries(w.Machine.Files, root+"/"+dir, MaxMatches)
	}
	for _, e := range entries {
		isLink := e.Type&fs.ModeSymlink != 0
		// .git/hooks, .claude/skills; not .git/objects, nor node_modules, where the workspace's packages are linked to
		deeper := e.Type.IsDir() && (dir == "" && e.Name[0] == '.' || dir == ".git" && e.Name == "hooks" ||
			dir != "" && dir != ".git" && !strings.Contains(dir, "/"))
		if !isLink && !deeper {
			continue
		}
		name := e.Name
		if dir != "" {
			name = dir + "/" + name
		}
		switch {
		case !w.Machine.Guards.HoldsNext(name) && !w.Machine.Guards.Match(name):
		case isLink:
			w.linked = append(w.linked, alias{name, w.Machine.Real(root + "/" + name)})
		default:
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

// HoldsGuarded reports whether a path of the workspace may be a directory that guarded names lie in.
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

const maxSettings = 256 << 10 // bounds how much of one file of settings is read

// isStarted reports whether an agent's settings at a root name a file by its plain path
// from there: a hook's script, a status line. A rarer spelling is not looked for.
func (w *Workspace) isStarted(real string) bool {
	return slices.ContainsFunc(w.Roots, func(root string) bool {
		if len(real) <= len(root) || real[len(root)] != '/' || !strings.EqualFold(real[:len(root)], root) {
			return false
		}
		name := strings.ToLower(real[len(root)+1:])
		return slices.ContainsFunc(w.top(root).settings, func(text string) bool { return starts(text, name) })
	})
}

// settingsNames are the names of the agents' settings below a root, by what is first in them, folded.
var settingsNames = sync.OnceValue(func() map[string][]string {
	names := []string{".mcp.json", "opencode.json", ".claude/hooks/hooks.json"}
	for _, a := range hosts.Agents() {
		names = append(names, a.Hooks...)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name[0] == '~' || name[0] == '/' })
	slices.Sort(names)
	byFirst := map[string][]string{}
	for _, name := range slices.Compact(names) {
		first, _, _ := strings.Cut(name, "/")
		byFirst[paths.FoldName(first)] = append(byFirst[paths.FoldName(first)], name)
	}
	return byFirst
})

// settings are the texts of the agents' settings at a root, in lower case.
func (m *Machine) settings(t *top) (texts []string) {
	var names []string
	for _, e := range t.entries {
		names = append(names, settingsNames()[paths.FoldName(e.Name)]...)
	}
	if !t.whole {
		names = slices.Concat(slices.Collect(maps.Values(settingsNames()))...)
	}
	for _, name := range names {
		files, _ := m.Matches(t.root + "/" + name)
		for _, file := range files {
			if data, err := m.Files.Read(m.Real(file), maxSettings); err == nil {
				texts = append(texts, strings.ToLower(string(data)))
			}
		}
	}
	return texts
}

// starts reports whether a string in a text of settings holds a path from the top that ends in a name. One
// without a slash must stand behind one (./fmt.sh). A rule about a file (Edit(x)) does not start it.
func starts(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		at := from + i
		from = at + len(name)
		before := text[strings.LastIndexByte(text[:at], '"')+1 : at]
		tool, _, rule := strings.Cut(before, "(")
		rule = rule && strings.Trim(tool, "abcdefghijklmnopqrstuvwxyz_") == ""
		if !rule && (from == len(text) || !pathByte(text[from])) && beginsPath(before, strings.Contains(name, "/")) {
			return true
		}
	}
}

// beginsPath reports whether a path from the top goes on behind a text: behind ./, behind a
// variable or the directory itself, or, where its name says that it is a path, anywhere.
func beginsPath(before string, isPath bool) bool {
	if isPath && (before == "" || before[len(before)-1] == '/' || !pathByte(before[len(before)-1])) {
		return true
	}
	dir, slash := strings.CutSuffix(before, "/")
	variable := strings.LastIndexAny(dir, "${")
	return slash && (dir == "" || strings.HasSuffix(dir, ".") && !pathByte((" " + dir)[len(dir)-1]) ||
		variable >= 0 && !strings.ContainsAny(dir[variable:], "/ "))
}

// pathByte reports whether a byte goes on with the name of a file.
func pathByte(b byte) bool {
	return strings.IndexByte("_-./", b) >= 0 || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z'
}

// isHook reports whether a file lies where the repository's settings say that hooks are.
func (w *Workspace) isHook(real string) bool {
	if w.hooks == nil {
		w.hooks = []string{}
		for _, root := range w.Roots {
			if r := w.Repository(root); r != nil {
				for _, dir := range r.HooksPaths() {
					w.hooks = append(w.hooks, w.Machine.Real(path.Clean(w.Machine.full(r.Top, dir))))
				}
			}
		}
	}
	return slices.ContainsFunc(w.hooks, func(dir string) bool { return view.Below(dir, real) })
}
