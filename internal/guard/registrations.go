package guard

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
	"github.com/nodgate/nod/internal/wiring"
)

// A registration is a file by which an agent asks nod. It is known by where it stands, links followed, by its name,
// or by what is in it: settings that people keep elsewhere and link to count like those in their usual place.

// registrations lists them for the person, the machine, and the call's
// workspaces, each by its name and, where that differs, by its real path.
func (g *Call) registrations() []place.Own {
	if g.hooked == nil {
		m := g.At.Machine
		roots, homes := slices.Concat(g.Roots, m.Roots), []string{m.Home, m.RealHome}
		var names []string
		for _, a := range hosts.Agents() {
			names = append(names, g.hookFiles(a, roots, homes)...)
		}
		g.hooked = append([]place.Own{}, m.Owned(names)...)
	}
	return g.hooked
}

// hookFiles are the absolute names of an agent's files of hooks: what patterns match now.
func (g *Call) hookFiles(a hosts.Agent, roots, homes []string) (files []string) {
	moved, _ := place.Lookup(g.At.Environ, a.HomeVariable)
	for _, name := range a.Hooks {
		below, home := strings.CutPrefix(name, "~/")
		dirs := roots
		switch {
		case home:
			name, dirs = below, homes
		case path.IsAbs(name):
			dirs = []string{"/"}
		}
		for _, dir := range dirs {
			files = append(files, g.there(path.Join(dir, name))...)
		}
		if home && a.HomeVariable != "" && path.IsAbs(moved) {
			if rest, ok := strings.CutPrefix(below, a.Home[0]+"/"); ok {
				files = append(files, path.Join(moved, rest))
			}
		}
	}
	return files
}

// there is a name, or, for a pattern, the files that it matches.
func (g *Call) there(name string) []string {
	star := strings.IndexByte(name, '*')
	if star < 0 {
		return []string{name}
	}
	if g.At.Missing(name[:star]) {
		return nil
	}
	matched, _ := g.At.Machine.Matches(name)
	return matched
}

// registers reports whether a file may be the file by which an agent asks nod.
func (g *Call) registers(real string) bool {
	lower := strings.ToLower(real)
	return wiring.IsSettings(real) ||
		slices.ContainsFunc(g.registrations(), func(own place.Own) bool { return own.Lower == lower })
}

// takesRegistration finds a registration of nod's in what an effect deletes,
// moves or does to a tree, or behind a link that it removes.
func (g *Call) takesRegistration(e shell.Effect) (name string) {
	if e.Place == shell.Network || e.Place == shell.Null || e.Moved && e.Target == "/" {
		return ""
	}
	targets, all := g.At.Machine.Names(e)
	if e.Pattern != "" && all {
		targets, _ = g.At.Machine.Matches(e.Pattern)
	}
	for _, target := range targets {
		if !e.Recursive && !e.Moved && !g.At.IsLink(target) {
			continue
		}
		for _, r := range g.registrations() {
			below := len(r.Name) > len(target) && view.Below(strings.ToLower(target), r.Lower)
			if below && passes(e.Picked, r.Name[len(target):]+"/"+path.Base(r.Name)) && g.callsNodNow(r.Name) {
				return r.Name
			}
		}
	}
	return ""
}

// callsNodNow is callsNod for a name that may be a link.
func (g *Call) callsNodNow(name string) bool {
	real := g.At.Machine.Real(name)
	_, err := g.At.Machine.Files.Lstat(real)
	return err == nil && g.callsNod(real)
}

// rewired judges an edit of a file by which an agent may ask nod. why says that the agent would no longer
// ask as before; unsure says that nod cannot show that it would, which is for a person to decide.
func (g *Call) rewired(real string, before, after []byte) (why, unsure string) {
	shown := printable.Text(real)
	if string(before) == string(after) || !wiring.Calls(real, before) && !wiring.MentionsHook(string(after)) {
		return "", ""
	}
	if wiring.Lines(real, before) != wiring.Lines(real, after) {
		return "this changes the lines of " + shown + " that call nod", ""
	}
	if !wiring.Calls(real, before) || wiring.IsTOML(real) || strings.HasPrefix(string(before), wiring.PluginMark) {
		return "", ""
	}
	if path.Base(real) == "nod.json" {
		return shown + " is wholly nod's own", ""
	}
	if _, readable := wiring.Tree(real, after); !readable {
		return "its agent would pass over the whole of " + shown + ", which calls nod", ""
	}
	return "", "nod cannot show that its hook in " + shown + " stays in force with this change"
}

// callsNod reports whether a settings file has lines that call nod. A file that cannot
// be read counts as such a file; a directory does not.
func (g *Call) callsNod(real string) bool {
	data, err := g.At.Machine.Files.Read(real, 1<<20)
	if err == nil {
		return wiring.Calls(real, data)
	}
	info, ferr := g.At.Machine.Files.Lstat(real)
	return !errors.Is(err, fs.ErrNotExist) && (ferr != nil || !info.Mode.IsDir())
}
