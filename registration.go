package nod

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// A registration is a file by which an agent asks nod. It is known by where it
// stands, links followed, by its name, or by what is in it: settings that
// people keep elsewhere and link to count like those in their usual place.

// registration is a file in which an agent's hooks may stand.
type registration struct {
	ownPath
	agent hosts.Agent
}

// registrations lists them for the person, the machine, and the call's
// workspaces, each as named and as it leads.
func (t *trial) registrations() []registration {
	if t.hooked != nil {
		return t.hooked
	}
	t.hooked = make([]registration, 0, 256)
	real := t.realFiles()
	roots, homes := cleaned(slices.Concat(t.call.Roots, t.gate.roots)), cleaned([]string{t.gate.home, t.gate.realHome})
	for _, a := range hosts.Agents() {
		of := len(t.hooked)
		for _, name := range t.there(t.hookFiles(a, roots, homes)) {
			for _, n := range [...]string{name, real(name)} {
				if !slices.ContainsFunc(t.hooked[of:], func(r registration) bool { return r.name == n }) {
					t.hooked = append(t.hooked, registration{ownPath{n, strings.ToLower(n)}, a})
				}
			}
		}
	}
	return t.hooked
}

// realFiles is [Gate.real] for many files of few directories: what leads to a
// directory is looked at once, and nothing below one that is not there.
func (t *trial) realFiles() func(name string) string {
	type directory struct {
		real string
		none bool
	}
	known := map[string]directory{}
	return func(name string) string {
		dir, base := path.Split(name)
		d, ok := known[dir]
		if !ok {
			d.real = t.gate.real(path.Clean(dir))
			d.none = t.missing(d.real)
			known[dir] = d
		}
		if name = strings.TrimSuffix(d.real, "/") + "/" + base; d.none || !t.isLink(name) {
			return name
		}
		return t.gate.real(name)
	}
}

// cleaned are the names as path.Clean spells them, each once, without "".
func cleaned(names []string) (list []string) {
	for _, name := range names {
		if clean := path.Clean(name); name != "" && !slices.Contains(list, clean) {
			list = append(list, clean)
		}
	}
	return list
}

// hookFiles are the absolute names of an agent's files of hooks.
func (t *trial) hookFiles(a hosts.Agent, roots, homes []string) (files []string) {
	moved, _ := lookup(t.call.Environ, a.HomeVariable)
	for _, name := range a.Hooks {
		below, home := strings.CutPrefix(name, "~/")
		dirs := roots
		switch {
		case home:
			name, dirs = below, homes
		case path.IsAbs(name):
			name, dirs = name[1:], []string{""}
		}
		for _, dir := range dirs {
			files = append(files, strings.TrimSuffix(dir, "/")+"/"+name)
		}
		if home && a.HomeVariable != "" && path.IsAbs(moved) {
			if rest, ok := strings.CutPrefix(below, a.Home[0]+"/"); ok {
				files = append(files, path.Join(moved, rest))
			}
		}
	}
	return files
}

// there puts the files that a pattern matches in its place.
func (t *trial) there(names []string) (files []string) {
	for _, name := range names {
		if star := strings.IndexByte(name, '*'); star < 0 {
			files = append(files, name)
		} else if !t.missing(name[:star]) {
			matched, _ := t.gate.matched(name)
			files = append(files, matched...)
		}
	}
	return files
}

// registers reports whether a file may be the one by which an agent asks nod.
func (t *trial) registers(real string) bool {
	return isAgentSettings(real) || len(t.registeredAs(real)) > 0 || t.namesThisNod(real)
}

// registeredAs returns the agents whose hooks stand in this very file, by its
// path or by a hard link.
func (t *trial) registeredAs(real string) (agents []hosts.Agent) {
	info, err := t.gate.files.Lstat(real)
	linked := err == nil && info.Links > 1 && info.Mode.IsRegular()
	lower := strings.ToLower(real)
	for _, r := range t.registrations() {
		same := r.lower == lower
		if linked && !same {
			other, err := t.gate.files.Lstat(r.name)
			same = err == nil && info.Same(other)
		}
		if same {
			agents = append(agents, r.agent)
		}
	}
	return agents
}

// namesThisNod reports whether settings, wherever they stand, have a hook that
// calls this very nod. Copies that nod install keeps do not count.
func (t *trial) namesThisNod(real string) bool {
	data, err := t.gate.files.Read(real, 256<<10)
	if err != nil || !callsIn(real, data) || strings.Contains(path.Base(real), ".nod-backup-") {
		return false
	}
	if _, _, ok := readJSON(data); !ok && !isTOML(real) {
		return strings.HasPrefix(string(data), pluginMark)
	}
	calls := wiring(real, data)
	return slices.ContainsFunc(t.gate.self(), func(own ownPath) bool { return strings.Contains(calls, own.name) })
}

// takesRegistration finds a registration of nod's in what an effect deletes,
// moves or does to a tree, or behind a link that it removes.
func (t *trial) takesRegistration(e shell.Effect) (name string) {
	if e.Place == shell.Network || e.Place == shell.Null || e.Moved && e.Target == "/" {
		return ""
	}
	targets, all := t.gate.names(e)
	if e.Pattern != "" && all {
		targets, _ = t.gate.matched(e.Pattern)
	}
	for _, target := range targets {
		if !e.Recursive && !e.Moved && !t.isLink(target) {
			continue
		}
		for _, r := range t.registrations() {
			below := len(r.name) > len(target) && view.Below(strings.ToLower(target), r.lower)
			if below && passes(e.Picked, r.name[len(target):]+"/"+path.Base(r.name)) && t.gate.callsNodNow(r.name) {
				return r.name
			}
		}
	}
	return ""
}

// callsNodNow is callsNod for a name that may be a link.
func (g *Gate) callsNodNow(name string) bool {
	real := g.real(name)
	_, err := g.files.Lstat(real)
	return err == nil && g.callsNod(real)
}

// eclipses names the registration that an agent would pass over for a new file
// beside it.
func (t *trial) eclipses(real string) (name string) {
	base := fold(path.Base(real))
	for _, a := range eclipsing() {
		for _, pair := range a.Eclipsed {
			other := path.Dir(real) + "/" + pair[1]
			if base != pair[0] || !newPathList(a.Settings, "").match(other) {
				continue
			}
			if t.missing(real) && t.gate.callsNodNow(other) {
				return other
			}
		}
	}
	return ""
}

// rewired judges an edit of a file by which an agent may ask nod. why says that
// the agent would no longer ask as before; unsure says that nod cannot show
// that it would, which is for a person to decide.
func (t *trial) rewired(real string, before, after []byte) (why, unsure string) {
	shown := printable.Text(real)
	if string(before) == string(after) || !callsIn(real, before) && !mentionsHook(string(after)) {
		return "", ""
	}
	if wiring(real, before) != wiring(real, after) {
		return "this changes the lines of " + shown + " that call it", ""
	}
	if !callsIn(real, before) || isTOML(real) || strings.HasPrefix(string(before), pluginMark) {
		return "", ""
	}
	was, extended, readable := readJSON(before)
	if !readable {
		return "", "nod cannot read " + shown + ", which calls it, as the agent does"
	}
	is, extends, readable := readJSON(after)
	if !readable || extends && !extended && !t.takesComments(real) {
		return "its agent would pass over the whole of " + shown + ", which calls it", ""
	}
	list := changes(was, is, nil)
	if len(list) > 0 && path.Base(real) == "nod.json" {
		return shown + " is wholly its own", ""
	}
	for _, c := range list {
		if !t.neutral(real, c) {
			key := printable.Text(printable.Line(strings.Join(c.path, "."), 80))
			return "", "nod cannot show that its hook in " + shown + " stays in force when " + key + " changes"
		}
	}
	return "", ""
}

// agentsOf returns the agents that read a file.
func (t *trial) agentsOf(real string) []hosts.Agent {
	if found := t.registeredAs(real); len(found) > 0 {
		return found
	}
	return slices.DeleteFunc(hosts.Agents(), func(a hosts.Agent) bool {
		return !newPathList(a.Settings, "").match(real)
	})
}

func (t *trial) takesComments(real string) bool {
	return slices.ContainsFunc(t.agentsOf(real), func(a hosts.Agent) bool { return a.Comments })
}

// neutral reports whether a change cannot make the file void for its agent.
func (t *trial) neutral(real string, c change) bool {
	if at := c.path; len(at) == 2 && at[0] == "env" && shell.Influences(at[1]) {
		return false // hooks get it too
	}
	return slices.ContainsFunc(t.agentsOf(real), func(a hosts.Agent) bool {
		return slices.ContainsFunc(a.Neutral, c.is)
	})
}

// is reports whether a change is one that "path=type" speaks of.
func (c change) is(neutral string) bool {
	name, kind, _ := strings.Cut(neutral, "=")
	want := strings.Split(name, ".")
	return (c.gone || c.kind() == kind) && len(want) == len(c.path) && !slices.ContainsFunc(c.path, func(part string) bool {
		w := want[0]
		want = want[1:]
		return w != part && w != "*"
	})
}

// callsNod reports whether a settings file has lines that call nod. One that
// cannot be read is taken to; a directory is none.
func (g *Gate) callsNod(real string) bool {
	data, err := g.files.Read(real, 1<<20)
	if err == nil {
		return callsIn(real, data)
	}
	info, ferr := g.files.Lstat(real)
	return !isMissing(err) && (ferr != nil || !info.Mode.IsDir())
}

// settingsNames are where agents are set up, settingsKeys what silences their
// hooks, in small letters, and eclipsing the agents that pass over a file for
// another.
var (
	settingsNames = sync.OnceValue(func() pathList { return newPathList(hosts.Settings(), "") })
	eclipsing     = sync.OnceValue(func() []hosts.Agent {
		return slices.DeleteFunc(hosts.Agents(), func(a hosts.Agent) bool { return len(a.Eclipsed) == 0 })
	})
	settingsKeys = sync.OnceValue(func() (keys []string) {
		for _, a := range hosts.Agents() {
			for _, key := range a.Keys {
				if key = strings.ToLower(key); !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
			}
		}
		return keys
	})
)

// isAgentSettings reports whether a path is where an agent's hooks are
// registered or silenced.
func isAgentSettings(real string) bool {
	last := fold(path.Base(real))
	if last == "nod.js" {
		return settingsNames().match(real)
	}
	for _, ext := range [...]string{".json", ".toml", ".jsonc"} {
		if strings.HasSuffix(last, ext) {
			return settingsNames().match(real)
		}
	}
	return false
}
