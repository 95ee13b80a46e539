package place

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/paths"
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

// isStarted reports whether settings of an agent, here or at home, name a file of it:
// a hook's script, a server, a status line. The agent starts by itself what they
// name. A file that is loaded by such a script is an ordinary file.
func (w *Workspace) isStarted(real string) bool {
	return slices.ContainsFunc(w.Roots, func(root string) bool {
		if real == root || !view.Below(root, real) {
			return false
		}
		name := strings.ToLower(real[len(root)+1:])
		return slices.ContainsFunc(w.settingsAt(root), func(text string) bool { return starts(text, name) })
	})
}

func (w *Workspace) settingsAt(root string) []string {
	if w.settings == nil {
		w.settings = map[string][]string{}
	}
	texts, looked := w.settings[root]
	if !looked {
		texts = append(w.Machine.settings(root, "", settingsDepth), w.Machine.personsSettings()...)
		w.settings[root] = texts
	}
	return texts
}

// personsSettings are the texts of the person's own settings of agents, which may
// start a file of a workspace too: a hook, a status line.
func (m *Machine) personsSettings() (texts []string) {
	for _, name := range [...]string{".claude/settings.json", ".codex/hooks.json", ".codex/config.toml",
		".gemini/settings.json", ".qwen/settings.json", ".copilot/settings.json", ".cursor/hooks.json"} {
		if data, err := m.Files.Read(m.Real(m.Home+"/"+name), settingsSize); m.Home != "" && err == nil {
			texts = append(texts, withoutRules(strings.ToLower(string(data))))
		}
	}
	return texts
}

// settings are the texts of agents' settings below a root, in a directory of it and
// so many levels below that. What no agent obeys (.github/workflows) is passed over.
func (m *Machine) settings(root, dir string, depth int) (texts []string) {
	obeyed := m.obeyed()
	names, _ := m.Files.List(root+dir, MaxMatches)
	for _, name := range names {
		file := dir + "/" + name
		switch ext := strings.ToLower(path.Ext(name)); {
		case slices.Contains([]string{".json", ".jsonc", ".toml", ".yml", ".yaml"}, ext):
			if !obeyed.Match(file) {
				continue
			}
			if data, err := m.Files.Read(m.Real(root+file), settingsSize); err == nil && !onRequest(name, data) {
				texts = append(texts, withoutRules(strings.ToLower(string(data))))
			}
		case depth > 1 && (ext == "" || ext == strings.ToLower(name)) &&
			(dir != "" || obeyed.begin[paths.FoldName(name)]):
			texts = append(texts, m.settings(root, file, depth-1)...)
		}
	}
	return texts
}

// onRequest reports whether a person starts what a file of an editor names: a
// debugger's targets, and tasks that do not run when the folder is opened.
func onRequest(name string, data []byte) bool {
	return name == "launch.json" || name == "tasks.json" && !strings.Contains(string(data), "folderOpen")
}

// withoutRules is a text without the lists of what an agent may do: a rule that
// lets a file be edited does not start it.
func withoutRules(text string) string {
	for _, key := range []string{`"allow"`, `"ask"`, `"deny"`} {
		var kept strings.Builder
		for {
			before, after, found := strings.Cut(text, key)
			kept.WriteString(before)
			if !found {
				break
			}
			text = strings.TrimLeft(after, " \t\r\n:")
			if strings.HasPrefix(text, "[") {
				_, text, _ = strings.Cut(text, "]")
			}
		}
		text = kept.String()
	}
	return text
}

// starts reports whether a text names a file: by all of its name, or as Node does,
// which adds the ending and takes a directory's index.
func starts(text, name string) bool {
	switch ext := path.Ext(name); ext {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts":
		short := strings.TrimSuffix(name, ext)
		dir, index := strings.CutSuffix(short, "/index")
		return namesPath(text, name) || namesPath(text, short) || index && namesPath(text, dir)
	}
	return namesPath(text, name)
}

// namesPath reports whether a text holds a path that ends in a name. A name that
// is only a word must stand behind a slash.
func namesPath(text, name string) bool {
	word := !strings.ContainsAny(name, "./")
	for rest := text; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		end := i + len(name)
		before := i == 0 || !pathByte(rest[i-1]) && !word || i > 0 && rest[i-1] == '/'
		if before && (end == len(rest) || !pathByte(rest[end]) && rest[end] != '/') {
			return true
		}
		rest = rest[i+1:]
	}
}

// pathByte reports whether a byte goes on with the name of a file.
func pathByte(b byte) bool {
	return b == '_' || b == '-' || b == '.' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z'
}
