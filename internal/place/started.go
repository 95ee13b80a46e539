package place

import (
	"io/fs"
	"iter"
	"maps"
	"path"
	"slices"
	"strconv"
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
		name, at := strings.ToLower(real[len(root)+1:]), w.settingsAt(root)
		return slices.ContainsFunc(at.texts, func(text string) bool { return starts(text, name) }) ||
			slices.ContainsFunc(startedAs(real), func(name string) bool { return slices.Contains(at.linked, name) })
	})
}

// leadsToGuarded reports whether settings of an agent or of git, PATH or a link name
// something below a path, there or not: who puts a link there says what it is.
func (w *Workspace) leadsToGuarded(root, real string) bool {
	dir := strings.ToLower(real[len(root):])[1:] + "/"
	for _, text := range w.settingsAt(root).texts {
		for range pathsIn(text, dir) {
			return true
		}
	}
	named := slices.Concat(slices.Collect(maps.Keys(w.hookDirectories(real))), w.PathDirs())
	for _, link := range w.aliases() {
		named = append(named, link.real)
	}
	for _, link := range w.Machine.homeLinks() {
		named = append(named, link.real)
	}
	return slices.ContainsFunc(named, func(name string) bool { return name != real && view.Below(real, name) })
}

// settingsOfAgents is what settings of agents say at a root.
type settingsOfAgents struct {
	texts  []string // in lower case
	linked []string // the real paths to which names in the texts lead through a link of the root
}

func (w *Workspace) settingsAt(root string) settingsOfAgents {
	if w.settings == nil {
		w.settings = map[string]settingsOfAgents{}
	}
	at, looked := w.settings[root]
	if !looked {
		texts := append(w.Machine.settings(root, "", settingsDepth), w.Machine.personsSettings()...)
		for _, d := range definitionsBelow(w.Machine, root, startingDirectories()) {
			texts = append(texts, d.head)
		}
		for _, text := range texts {
			plain := plainPaths(text)
			at.texts = append(at.texts, strings.ToLower(text), strings.ToLower(plain))
			at.linked = append(at.linked, w.linkedIn(root, plain)...)
		}
		w.settings[root] = at
	}
	return at
}

// plainPaths is a text of settings as the shell reads the names in it: without what JSON
// escapes, quotes, doubled slashes and ./ within a name.
func plainPaths(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		char, length := escaped(text[i:])
		switch c := text[i]; {
		case length > 0:
			b.WriteRune(char)
			i += length - 1
		case c == '\\' && i+1 < len(text) && strings.IndexByte("tnrbf", text[i+1]) >= 0:
			b.WriteByte(' ')
			i++
		case c != '\\' && c != '"' && c != '\'':
			b.WriteByte(c)
		}
	}
	text = b.String()
	for _, twice := range []string{"//", "/./"} {
		for strings.Contains(text, twice) {
			text = strings.ReplaceAll(text, twice, "/")
		}
	}
	return text
}

// escaped is the character that an escape of JSON, TOML or YAML means at the start of a
// text (\u0069, \x69), and how long the escape is: 0 where no such escape is.
func escaped(text string) (char rune, length int) {
	if len(text) < 2 || text[0] != '\\' {
		return 0, 0
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if digits == 0 || len(text) < 2+digits {
		return 0, 0
	}
	n, err := strconv.ParseUint(text[2:2+digits], 16, 31)
	if err != nil {
		return 0, 0
	}
	return rune(n), 2 + digits
}

// maxNamed bounds how many names of a text of settings are followed.
const maxNamed = 2000

// linkedIn are the real paths to which the names in a text lead that go through a
// link of the root: scripts/fmt.sh, where scripts leads to src.
func (w *Workspace) linkedIn(root, text string) (reals []string) {
	words := strings.FieldsFunc(text, func(c rune) bool {
		return c < 0x80 && c != '/' && c != '@' && c != '+' && !pathByte(byte(c|0x20)) && !pathByte(byte(c))
	})
	for _, word := range words[:min(len(words), maxNamed)] {
		for name := word; name != ""; _, name, _ = strings.Cut(name, "/") {
			if real, ok := w.throughLink(root, name); ok {
				reals = append(reals, real)
			}
		}
	}
	return reals
}

// throughLink is where a name below a root leads, if a link is in its way.
func (w *Workspace) throughLink(root, name string) (real string, ok bool) {
	at := root
	for part := range strings.SplitSeq(name, "/") {
		at += "/" + part
		info, err := w.Machine.Files.Lstat(at)
		switch {
		case err != nil && !ok:
			return "", false
		case err == nil && info.Mode&fs.ModeSymlink != 0:
			ok = true
		}
	}
	if real = w.Machine.Real(root + "/" + name); !ok || !view.Below(root, real) || real == root {
		return "", false
	}
	return real, true
}

// personsSettings are the texts of the person's own settings of agents, which may
// start a file of a workspace too: a hook, a status line.
func (m *Machine) personsSettings() (texts []string) {
	for _, name := range [...]string{".claude/settings.json", ".codex/hooks.json", ".codex/config.toml",
		".gemini/settings.json", ".qwen/settings.json", ".copilot/settings.json", ".cursor/hooks.json"} {
		if data, err := m.Files.Read(m.Real(m.Home+"/"+name), settingsSize); m.Home != "" && err == nil {
			texts = append(texts, withoutRules(string(data)))
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
				texts = append(texts, withoutRules(string(data)))
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

// starts reports whether a text names a file.
func starts(text, name string) bool {
	return slices.ContainsFunc(startedAs(name), func(name string) bool { return namesPath(text, name) })
}

// startedAs are the names by which a file is started: all of its name, or as Node does,
// which adds the ending and takes a directory's index.
func startedAs(name string) []string {
	switch ext := path.Ext(name); ext {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts":
		short := strings.TrimSuffix(name, ext)
		if dir, index := strings.CutSuffix(short, "/index"); index {
			return []string{name, short, dir}
		}
		return []string{name, short}
	}
	return []string{name}
}

// namesPath reports whether a text holds a path that ends in a name. A name that
// is only a word must stand behind a slash.
func namesPath(text, name string) bool {
	for after := range pathsIn(text, name) {
		if after == "" || !pathByte(after[0]) && after[0] != '/' {
			return true
		}
	}
	return false
}

// pathsIn are what stands behind a name wherever it begins a path in a text, or goes
// on with one behind a slash.
func pathsIn(text, name string) iter.Seq[string] {
	word := !strings.ContainsAny(name, "./")
	return func(yield func(string) bool) {
		for from := 0; ; from++ {
			i := strings.Index(text[from:], name)
			if i < 0 {
				return
			}
			from += i
			before := from == 0 || !pathByte(text[from-1]) && !word || text[from-1] == '/'
			if before && !yield(text[from+len(name):]) {
				return
			}
		}
	}
}

// pathByte reports whether a byte goes on with the name of a file.
func pathByte(b byte) bool {
	return b == '_' || b == '-' || b == '.' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z'
}
