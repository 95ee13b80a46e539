package place

import (
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/view"
)

const (
	settingsSize  = 256 << 10 // of one file of settings
	stateSize     = 8 << 20   // of one in which an agent keeps more than settings
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
		return real != root && view.Below(root, real) && slices.ContainsFunc(w.settingsAbout(root, real),
			func(dir string) bool { return w.startsFrom(root, dir, real) })
	})
}

// startsFrom reports whether settings in a directory below a root name a file: from
// there, or from the top.
func (w *Workspace) startsFrom(root, dir, real string) bool {
	at := w.settingsAt(root, dir)
	name, top := namesFrom(root, dir, real)
	return slices.ContainsFunc(at.texts, func(text string) bool {
		return starts(text, name) || top != "" && namesPath(text, top)
	}) ||
		slices.ContainsFunc(at.here, func(text string) bool { return startsFromBelow(text, name) }) ||
		slices.ContainsFunc(startedAs(real), func(name string) bool { return slices.Contains(at.linked, name) }) ||
		slices.ContainsFunc(at.searched, func(dir string) bool { return strings.HasPrefix(name, dir+"/") })
}

// namesFrom are the names of a path that settings in a directory may use, in lower case:
// from there and, for settings further down, from the top, behind a slash ($TOP/x).
func namesFrom(root, dir, real string) (name, top string) {
	name, err := filepath.Rel(dir, real)
	if err != nil {
		name = real
	}
	if dir != root {
		top = strings.ToLower(real[len(root):])
	}
	return strings.ToLower(name), top
}

// settingsAbout are the directories whose settings may name a path: the root, those
// between it and the path, and those of which git knows that they have settings, but for
// those that lie below the path and would go with it.
func (w *Workspace) settingsAbout(root, real string) []string {
	dirs := slices.DeleteFunc(slices.Clone(w.innerSettings(root)), func(dir string) bool {
		return view.Below(real, dir)
	})
	for dir := path.Dir(real); dir != root && view.Below(root, dir); dir = path.Dir(dir) {
		dirs = append(dirs, dir)
	}
	if r := w.RepositoryAt(root); r != nil {
		for dir := root; dir != r.Top && view.Below(r.Top, dir); { // where the repository's own settings lie
			dir = path.Dir(dir)
			dirs = append(dirs, dir)
		}
	}
	return append(dirs, root)
}

// maxInner bounds how many directories with settings of their own are looked at.
const maxInner = 500

// innerSettings are the directories below a root in which git tracks settings of agents.
func (w *Workspace) innerSettings(root string) []string {
	if dirs, looked := w.inner[root]; looked {
		return dirs
	}
	var dirs []string
	if r := w.RepositoryAt(root); r != nil && view.Below(r.Top, root) {
		begin := w.Machine.obeyed().begin
		r.Tracked(func(f repo.File) bool {
			if dir, ok := innerDirectory(begin, r.Top+"/"+f.Name, root); ok && len(dirs) < maxInner &&
				!slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
			return false
		})
	}
	if w.inner == nil {
		w.inner = map[string][]string{}
	}
	w.inner[root] = dirs
	return dirs
}

// innerDirectory is the directory below a root of whose settings a file is one, by a
// part of its name with which such names begin.
func innerDirectory(begin map[string]bool, name, root string) (dir string, ok bool) {
	if !view.Below(root, name) || name == root {
		return "", false
	}
	for at := len(root); ; {
		i := strings.IndexByte(name[at+1:], '/')
		part := name[at+1:]
		if i >= 0 {
			part = part[:i]
		}
		if at > len(root) && (part[0] == '.' || strings.HasSuffix(part, ".json")) && begin[paths.FoldName(part)] {
			return name[:at], true
		}
		if i < 0 {
			return "", false
		}
		at += 1 + i
	}
}

// leadsToGuarded reports whether settings of an agent or of git, PATH or a link name
// something below a path, there or not: who puts a link there says what it is.
func (w *Workspace) leadsToGuarded(root, real string) bool {
	for _, dir := range w.settingsAbout(root, real) {
		at := w.settingsAt(root, dir)
		name, top := namesFrom(root, dir, real)
		if slices.ContainsFunc(at.texts, func(text string) bool {
			return namesBelow(text, name) || top != "" && strings.Contains(text, top+"/")
		}) || slices.ContainsFunc(at.here, func(text string) bool { return startsFromBelow(text, name+"/") }) ||
			slices.ContainsFunc(at.searched, func(dir string) bool { return strings.HasPrefix(dir+"/", name+"/") }) {
			return true
		}
	}
	named := slices.Clone(w.PathDirs())
	for _, s := range w.gitStarts(real) {
		named = slices.AppendSeq(named, maps.Keys(s.hooks))
		name, ok := strings.CutPrefix(strings.ToLower(real), strings.ToLower(s.top)+"/")
		if ok && slices.ContainsFunc(s.texts, func(text string) bool { return namesBelow(text, name) }) {
			return true
		}
	}
	for _, link := range w.aliases() {
		named = append(named, link.real)
	}
	for _, link := range w.Machine.homeLinks() {
		named = append(named, link.real)
	}
	return slices.ContainsFunc(named, func(name string) bool { return name != real && view.Below(real, name) })
}

// settingsOfAgents is what settings of agents say in a directory.
type settingsOfAgents struct {
	texts  []string // in lower case
	here   []string // those that have hooks, which may start where the session stands
	linked []string // the real paths to which names in the texts lead through a link of the directory
	// searched are directories, in lower case, in which programs look for what they start:
	// the texts set PATH or another such variable to them.
	searched []string
}

// settingsAt is what the settings in a directory say, at the root with the person's own.
func (w *Workspace) settingsAt(root, dir string) settingsOfAgents {
	if w.settings == nil {
		w.settings = map[string]settingsOfAgents{}
	}
	at, looked := w.settings[dir]
	if !looked {
		texts := w.Machine.settings(dir, "", settingsDepth)
		if dir == root {
			texts = append(texts, w.Machine.personsSettings()...)
		}
		for _, d := range definitionsBelow(w.Machine, dir, startingDirectories()) {
			texts = append(texts, d.head)
		}
		for _, text := range texts {
			for i, reading := range readings(text) {
				low := strings.ToLower(reading)
				at.texts = append(at.texts, low)
				if strings.Contains(low, "hooks") || strings.Contains(low, "statusline") {
					at.here = append(at.here, here(low))
				}
				if i > 0 {
					at.linked = append(at.linked, w.linkedIn(dir, reading)...)
					at.searched = append(at.searched, w.searchedIn(dir, reading)...)
				}
			}
		}
		w.settings[dir] = at
	}
	return at
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
	real = w.Machine.Real(root + "/" + name)
	return real, ok && w.Machine.Inside(w.Roots, real) && !slices.Contains(w.Roots, real)
}

// searchedIn are the directories, from that of the settings and in lower case, to which a
// text sets a variable that says where programs look for what they start.
func (w *Workspace) searchedIn(top, text string) (dirs []string) {
	text = strings.NewReplacer("$(pwd)/", "./", "`pwd`/", "./", "/proc/self/cwd/", "./").Replace(text)
	for _, variable := range hosts.SearchVariables() {
		for at := range occurrences(text, variable) {
			value, set := valueBehind(text[at+len(variable):])
			if !set || at > 0 && (text[at-1] == '_' || pathByte(text[at-1]|0x20)) {
				continue
			}
			for dir := range strings.SplitSeq(value, ":") {
				if dir = path.Clean(atHome(w.Machine.Home, dir)); strings.HasPrefix(dir, "$") {
					_, dir, _ = strings.Cut(dir, "/") // $CLAUDE_PROJECT_DIR/bin
				}
				if !path.IsAbs(dir) {
					dir = path.Clean(top + "/" + dir)
				}
				for _, dir := range []string{dir, w.Machine.Real(dir)} {
					below, ok := strings.CutPrefix(strings.ToLower(dir), strings.ToLower(top)+"/")
					if ok && below != "." && !strings.HasPrefix(below, "..") {
						dirs = append(dirs, below)
					}
				}
			}
		}
	}
	return dirs
}

// atHome is a path with the home directory in the place of ~ and HOME.
func atHome(home, name string) string {
	for _, spelled := range [...]string{"~/", "$HOME/", "${HOME}/"} {
		if rest, ok := strings.CutPrefix(name, spelled); ok && home != "" {
			return home + "/" + rest
		}
	}
	return name
}

// valueBehind is the value that a text gives the variable before it: PATH=x, PATH : x.
func valueBehind(text string) (value string, set bool) {
	text = strings.TrimLeft(text, " \t")
	if text == "" || text[0] != '=' && text[0] != ':' {
		return "", false
	}
	value = strings.TrimLeft(text[1:], " \t")
	open := false // ${
	for i, c := range value {
		switch {
		case c == '{' && i > 0 && value[i-1] == '$':
			open = true
		case c == '}' && open:
			open = false
		case strings.ContainsRune(" \t\n,;&|(){}[]<>", c):
			return value[:i], true
		}
	}
	return value, true
}

// personsSettings are the texts of the person's own settings of agents, which may
// start a file of a workspace too: a hook, a status line.
func (m *Machine) personsSettings() (texts []string) {
	if m.Home == "" {
		return nil
	}
	for _, name := range hosts.PersonsSettings() {
		if data, err := m.Files.Read(m.Real(m.Home+"/"+name), settingsSize); err == nil {
			texts = append(texts, withoutRules(string(data)))
		}
	}
	for _, dir := range hosts.PersonsDirectories() {
		names, _ := m.Files.List(m.Real(m.Home+"/"+dir), MaxMatches)
		for _, name := range names {
			if data, err := m.Files.Read(m.Real(m.Home+"/"+dir+"/"+name), settingsSize); err == nil {
				texts = append(texts, withoutRules(string(data)))
			}
		}
	}
	for _, d := range definitionsBelow(m, m.Home, append(startingDirectories(), hosts.PersonsCommands()...)) {
		texts = append(texts, d.head)
	}
	// What else stands here, prompts among it, starts nothing.
	if data, err := m.Files.Read(m.Real(m.Home+"/.claude.json"), stateSize); err == nil {
		texts = append(texts, valuesOf(string(data), `"mcpServers"`)...)
	}
	return texts
}

// valuesOf are the objects and lists that stand behind a key in a text of JSON.
func valuesOf(text, key string) (values []string) {
	for {
		_, after, found := strings.Cut(text, key)
		if !found {
			return values
		}
		value := strings.TrimLeft(after, " \t\r\n:")
		text = value[closed(value):]
		values = append(values, value[:len(value)-len(text)])
	}
}

// closed is how long the object or list is that begins a text of JSON, with comments or
// without; 0 where none does, or none ends.
func closed(text string) (length int) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			i += quotedLength(text[i:])
		case strings.HasPrefix(text[i:], "//"):
			i += len(text[i:]) - len(strings.TrimLeftFunc(text[i:], func(c rune) bool { return c != '\n' }))
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		if depth <= 0 {
			break
		}
	}
	return 0
}

// quotedLength is where a string ends that begins a text of JSON.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
}

// settings are the texts of agents' settings below a root, in a directory of it and
// so many levels below that. What no agent obeys (.github/workflows) is passed over.
func (m *Machine) settings(root, dir string, depth int) (texts []string) {
	obeyed := m.obeyed()
	names, _ := m.Files.List(m.Real(root+dir), MaxMatches) // .claude may be a link
	for _, name := range names {
		file := dir + "/" + name
		switch ext := strings.ToLower(path.Ext(name)); {
		case slices.Contains([]string{".json", ".jsonc", ".toml", ".yml", ".yaml", ".hook", ".code-workspace"}, ext):
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
	says := func(word string) bool { return strings.Contains(decoded(string(data)), word) }
	return name == "launch.json" || name == "tasks.json" && !says("folderOpen") ||
		strings.HasSuffix(name, ".code-workspace") && !says("folderOpen") && !says(`"settings"`) && !says(`"mcp"`)
}

// withoutRules is a text without the values of keys that start nothing: the lists of what
// an agent may do, since a rule that lets a file be edited does not start it, and what
// editors are told of files by their names.
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
