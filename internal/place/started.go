package place

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

const (
	settingsSize  = 256 << 10 // of one file of settings
	settingsNames = 1000      // of an agent's directory, for links
	settingsDepth = 3         // .github/copilot/settings.json
)

// obeyed is what agents run or obey in a repository, with how those names begin.
type obeyed struct {
	paths.List
	begin map[string]bool
}

func newObeyed() obeyed {
	list := paths.New(hosts.AgentsObey(), "")
	return obeyed{list, list.Beginnings()}
}

// isStarted reports whether an agent's settings at a root name a file by its plain
// path from there: a hook's script, a server, a status line. The agent starts by itself
// what they name. A rarer spelling is not looked for.
func (w *Workspace) isStarted(real string) bool {
	return slices.ContainsFunc(w.Roots, func(root string) bool {
		name, below := strings.CutPrefix(strings.ToLower(real), strings.ToLower(root)+"/")
		return below && slices.ContainsFunc(w.settingsAt(root), func(text string) bool { return namesPath(text, name) })
	})
}

// settingsAt are the texts of the agents' settings at a root, in lower case, read once.
func (w *Workspace) settingsAt(root string) []string {
	texts, looked := w.settings[root]
	if !looked {
		for _, text := range w.Machine.settings(root, "", settingsDepth) {
			texts = append(texts, strings.ToLower(text))
		}
		if w.settings == nil {
			w.settings = map[string][]string{}
		}
		w.settings[root] = texts
	}
	return texts
}

// namesPath reports whether a text holds a path from the top that ends in a name. One
// without a slash must stand behind one (./fmt.sh).
func namesPath(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		at, end := from+i, from+i+len(name)
		from = end
		whole := end == len(text) || !pathByte(text[end]) && text[end] != '/'
		if whole && beginsPath(text[:at], strings.Contains(name, "/")) {
			return true
		}
	}
}

// beginsPath reports whether a path from the top goes on behind a text: behind ./, behind a
// variable or the directory itself, or, where its name says that it is a path, anywhere.
func beginsPath(before string, isPath bool) bool {
	before, here := strings.CutSuffix(before, "./")
	if here && (before == "" || before[len(before)-1] != '/' && !pathByte(before[len(before)-1])) {
		return true
	}
	if isPath {
		return before == "" || before[len(before)-1] == '/' || !pathByte(before[len(before)-1])
	}
	before, below := strings.CutSuffix(before, "/")
	variable := strings.LastIndexAny(before, "${")
	return below && variable >= 0 && !strings.ContainsAny(before[variable:], "/ ")
}

// pathByte reports whether a byte goes on with the name of a file.
func pathByte(b byte) bool {
	return b == '_' || b == '-' || b == '.' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z'
}

// settings are the texts of agents' settings below a root, in a directory of it and
// so many levels below that. What no agent obeys (.github/workflows) is passed over.
func (m *Machine) settings(root, dir string, depth int) (texts []string) {
	obeyed := m.obeyed()
	names, _ := m.Files.List(m.Real(root+dir), MaxMatches) // .claude may be a link
	for _, name := range names {
		file := dir + "/" + name
		switch ext := strings.ToLower(path.Ext(name)); {
		case slices.Contains([]string{".json", ".jsonc", ".toml", ".yml", ".yaml", ".hook"}, ext):
			if !obeyed.Match(file) {
				continue
			}
			if data, err := m.Files.Read(m.Real(root+file), settingsSize); err == nil && !onRequest(name, data) {
				texts = append(texts, withoutRules(string(data)))
			}
		case depth > 1 && (ext == "" || ext == strings.ToLower(name)) &&
			(dir != "" || obeyed.begin[paths.FoldName(name)]):
			texts = append(texts, m.settings(root, file, depth-1)...)
		}
	}
	return texts
}

// onRequest reports whether a person starts what a file of an editor names: a debugger's
// targets, and tasks that do not run when the folder is opened.
func onRequest(name string, data []byte) bool {
	return name == "launch.json" || name == "tasks.json" && !strings.Contains(string(data), "folderOpen")
}

// withoutRules is a text of JSON without the values of keys that start nothing: the lists
// of what an agent may do, since a rule that lets a file be edited does not start it, and
// what editors are told of files by their names.
func withoutRules(text string) string {
	for _, key := range hosts.DataKeys() {
		var kept strings.Builder
		for {
			before, after, found := strings.Cut(text, `"`+key+`"`)
			kept.WriteString(before)
			if !found {
				break
			}
			text = strings.TrimLeft(after, " \t\r\n:")
			text = text[closed(text):]
		}
		text = kept.String()
	}
	return text
}

// closed is how long the object or list is that begins a text of JSON; 0 where none
// does, or none ends.
func closed(text string) (length int) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		if depth == 0 {
			return 0
		}
	}
	return 0
}

// isHook reports whether a file is one of a repository's hooks, by what its settings and
// its links say. Where that is the top of a working tree, the names of hooks alone count.
func (w *Workspace) isHook(real string) bool {
	if w.hooks == nil {
		w.hooks = []string{}
		for _, root := range w.Roots {
			if r := w.RepositoryAt(root); r != nil {
				for _, name := range r.Hooks(w.Machine.Home) {
					w.hooks = append(w.hooks, w.Machine.Real(name))
				}
			}
		}
	}
	return slices.ContainsFunc(w.hooks, func(hook string) bool {
		if slices.Contains(w.Roots, hook) {
			return path.Dir(real) == hook && shell.IsGitHook(path.Base(real))
		}
		return view.Below(hook, real)
	})
}
