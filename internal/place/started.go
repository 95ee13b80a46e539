package place

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/view"
)

// maxSettings bounds how much of one file of settings is read.
const maxSettings = 256 << 10

// isStarted reports whether an agent's settings at a root name a file by its plain path
// from there: a hook's script, a status line. A rarer spelling is not looked for.
func (w *Workspace) isStarted(real string) bool {
	return slices.ContainsFunc(w.Roots, func(root string) bool {
		name, below := strings.CutPrefix(strings.ToLower(real), strings.ToLower(root)+"/")
		return below && slices.ContainsFunc(w.settingsAt(root), func(text string) bool { return starts(text, name) })
	})
}

// settingsAt are the texts of the agents' settings at a root, in lower case, read once.
func (w *Workspace) settingsAt(root string) []string {
	texts, looked := w.settings[root]
	if looked {
		return texts
	}
	names := []string{".mcp.json", "opencode.json", ".claude/hooks/hooks.json"}
	for _, a := range hosts.Agents() {
		names = append(names, a.Hooks...)
	}
	for _, name := range names {
		if name[0] == '~' || name[0] == '/' {
			continue
		}
		files, _ := w.Machine.Matches(root + "/" + name)
		for _, file := range files {
			if data, err := w.Machine.Files.Read(w.Machine.Real(file), maxSettings); err == nil {
				texts = append(texts, strings.ToLower(string(data)))
			}
		}
	}
	if w.settings == nil {
		w.settings = map[string][]string{}
	}
	w.settings[root] = texts
	return texts
}

// starts reports whether a string in a text of settings holds a path from the top that
// ends in a name. One without a slash must stand behind one (./fmt.sh). A rule about a file
// (Edit(x)) does not start it.
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
			if r := w.RepositoryAt(root); r != nil {
				for _, dir := range r.HooksPaths() {
					w.hooks = append(w.hooks, w.Machine.Real(path.Clean(w.Machine.full(r.Top, dir))))
				}
			}
		}
	}
	return slices.ContainsFunc(w.hooks, func(dir string) bool { return view.Below(dir, real) })
}
