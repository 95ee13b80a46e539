package shell

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

type flags uint8 // how a path is used, beyond the kind of effect

const (
	recursive flags = 1 << iota
	forced
	moved
	names // looks at names and status only
	appends
)

// placed is a path that was resolved before.
type placed struct {
	name, real string
	place      Place
}

// path reports an effect on the file that w names.
func (d *draft) path(kind Kind, w word, st state, f flags) {
	e := Effect{
		Kind: kind, Words: w.raw, Part: PartWords,
		Recursive: f&recursive != 0, Forced: f&forced != 0, Moved: f&moved != 0,
		Names: kind == Read && f&names != 0, Picked: w.picked, Appends: kind == Write && f&appends != 0,
	}
	w = d.machine.slashed(w)
	name, ok := d.machine.absolute(w, st)
	if what := grammar.Disguise(name); what != "" {
		d.unknown(PartWords, w.raw, "this uses a path with "+what+": "+grammar.Escaped(name))
	}
	if !ok {
		d.lostTarget(e, w)
		return
	}
	if w.glob > 0 {
		before := name[:len(name)-len(w.text)] // where the shell stands is no pattern
		name = globDir(name, len(before)+w.glob-1)
		e.Pattern = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(before) + widened(w)
		e.Recursive = true
	}
	e.Target, e.Place = d.machine.place(name)
	if e.Target != name {
		e.Name = name
	}
	d.effect(e)
	d.share(name, kind, w.raw)
	if e.Place != Null && (ofProcess(name) || ofProcess(e.Target)) {
		d.unknown(PartWords, w.raw, "this goes on below what a command has open: "+grammar.Escaped(name))
	}
	// A write to a name that stands for an open descriptor opens the file behind it once more, and empties it.
	harmless := []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom"}
	if kind == Write && e.Place == Null && !slices.Contains(harmless, e.Target) &&
		(e.Target != "/dev/stderr" || d.parts != PartRedirection) {
		d.unknown(PartWords, w.raw, "this writes "+e.Target+", which empties the file that it stands for")
	}
}

// ofProcess reports a name that stands for what a command has open, or goes on there.
func ofProcess(name string) bool {
	clean := path.Clean(name)
	return strings.HasPrefix(clean, "/dev/fd/") || strings.HasPrefix(clean, "/dev/std") ||
		view.Below("/proc", clean) && strings.Contains(clean, "/fd/")
}

// lostTarget reports an effect on a path that is not known.
func (d *draft) lostTarget(e Effect, w word) {
	what := "this " + e.Kind.Name() + "s files, and nod does not know which"
	if w.known && w.text != "" {
		what = "this " + e.Kind.Name() + "s " + grammar.Escaped(w.text) + ", and where that lies is not known"
	}
	d.effect(e)
	if e.Kind != Read {
		d.unknown(PartWords, w.raw, what)
	}
}

// share reports that a name of Windows' lies on another machine, where a login goes along.
func (d *draft) share(name string, kind Kind, raw string) {
	rest, ok := strings.CutPrefix(name, "/unc/")
	if !ok || !view.Windows(d.machine.env.Files) {
		return
	}
	host, _, _ := strings.Cut(rest, "/")
	d.does(Fetch, host, raw)
	d.unknown(PartWords, raw, "this "+kind.Name()+"s a file of another machine, and logs in there: "+
		grammar.Escaped(host))
}

// slashed is a word as a name is held ([view.Slashed]), not known where nobody can say that.
func (m *machine) slashed(w word) word {
	if !view.Windows(m.env.Files) || !w.known {
		return w
	}
	name, ok := view.Slashed(w.text)
	if w.known = ok && (w.glob == 0 || len(name) == len(w.text)); w.known {
		w.text = name
	}
	return w
}

// absolute returns the path that w names, uncleaned (".." is the resolver's), and whether it is known.
func (m *machine) absolute(w word, st state) (string, bool) {
	switch w = m.slashed(w); {
	case !w.known || w.many && w.glob == 0:
		return "", false
	case strings.HasPrefix(w.text, "/"):
		return w.text, true
	case st.dir == "":
		return "", false
	case w.text == "" || w.text == ".":
		return st.dir, true
	}
	return strings.TrimSuffix(st.dir, "/") + "/" + w.text, true
}

// globDir returns the constant directory before the glob at the given index. A component
// such as .* can match "..", so then the directory is the parent.
func globDir(name string, glob int) string {
	glob = min(max(glob, 0), len(name))
	slash := strings.LastIndexByte(name[:glob], '/')
	if slash < 0 {
		return "/"
	}
	dir := cmp.Or(name[:slash], "/")
	before, behind := name[slash+1:glob], name[glob:]
	three := strings.HasPrefix(behind, "??") || strings.HasPrefix(behind, "[!.]")
	if before == "." && !three || before == ".." && strings.HasPrefix(behind, "*") {
		dir += "/.."
	}
	return dir
}

// widened is a pattern that matches all that the word may: what stands for itself in it, because it is quoted, is not
// known, and a bracket or a backslash would be read as the beginning of something else.
func widened(w word) string {
	if !strings.ContainsAny(w.text, `[\`) || !strings.ContainsAny(w.raw, "\\'\"$`") {
		return w.text
	}
	parts := strings.Split(w.text, "/")
	for i, part := range parts {
		if at := strings.IndexAny(part, `[\`); at >= 0 {
			parts[i] = part[:at] + "*"
		}
	}
	return strings.Join(parts, "/")
}

// place resolves a path and says where it lies.
func (m *machine) place(name string) (string, Place) {
	for i := range m.places {
		if m.places[i].name == name {
			return m.places[i].real, m.places[i].place
		}
	}
	real, place := m.locate(name)
	m.places = append(m.places, placed{name, real, place})
	return real, place
}

func (m *machine) locate(name string) (string, Place) {
	clean := path.Clean(name)
	if harmlessDevice(clean) {
		return clean, Null
	}
	if m.env.Files != nil {
		if real, err := view.Resolve(m.env.Files, name); err == nil {
			return real, m.placeOf(real)
		}
	}
	return clean, Elsewhere
}

func (m *machine) placeOf(real string) Place {
	if view.Windows(m.env.Files) {
		return m.placeOnDrive(strings.ToLower(real))
	}
	return m.placeAt(real)
}

// placeOnDrive says where a path of Windows' lies, in small letters. What a drive holds counts as / does.
func (m *machine) placeOnDrive(lower string) Place {
	on := *m
	on.env.Home, on.env.Roots = strings.ToLower(m.realHome()), nil
	on.home = placed{name: on.env.Home, real: on.env.Home}
	for _, root := range m.env.Roots {
		on.env.Roots = append(on.env.Roots, strings.ToLower(root))
	}
	if place := on.placeAt(lower); place != Elsewhere || len(lower) < 2 || len(lower) > 2 && lower[2] != '/' {
		return place
	}
	return on.placeAt(cmp.Or(lower[2:], "/"))
}

func (m *machine) placeAt(real string) Place {
	if harmlessDevice(real) {
		return Null
	}
	if view.Below("/dev", real) {
		if view.Below("/dev/shm", real) {
			return Temporary
		}
		return Device
	}
	if home := m.env.Home; real == "/" {
		return System
	} else if home != "" && (view.Below(real, home) || real == m.realHome()) {
		return HomeDir
	}
	for _, root := range m.env.Roots {
		if root != "" && root != "/" && view.Below(root, real) {
			return Workspace
		}
	}
	return m.outside(real)
}

func (m *machine) outside(real string) Place {
	for _, root := range m.env.Roots {
		if root != "" && root != "/" && view.Within(m.env.Files, root, real) {
			return Workspace
		}
	}
	inHome := m.env.Home != "" && (view.Below(m.env.Home, real) || view.Below(m.realHome(), real))
	switch {
	case IsTemporary(real) && !inHome:
		return Temporary
	case m.isDevice(real):
		return Device
	case homes(real):
		return HomeDir
	case inHome:
		return InHome
	case system(real):
		return System
	}
	return Elsewhere
}

// realHome is the home directory, links resolved.
func (m *machine) realHome() string {
	if m.home.name == m.env.Home && m.home.real != "" {
		return m.home.real
	}
	m.home = placed{name: m.env.Home, real: m.env.Home}
	if m.env.Files != nil {
		if real, err := view.Resolve(m.env.Files, m.env.Home); err == nil {
			m.home.real = real
		}
	}
	return m.home.real
}

func (m *machine) isDevice(real string) bool {
	info, err := m.env.Files.Lstat(real)
	return err == nil && info.Mode&(fs.ModeDevice|fs.ModeCharDevice) != 0
}

// harmlessDevice reports whether what is written there is not kept, and what is read there is nobody's.
func harmlessDevice(name string) bool {
	if !strings.HasPrefix(name, "/dev/") && !strings.HasPrefix(name, "/proc/self/fd/") {
		return false
	}
	switch name {
	case "/dev/null", "/dev/zero", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/random",
		"/dev/urandom", "/dev/full":
		return true
	}
	fd, ok := strings.CutPrefix(name, "/dev/fd/")
	if !ok {
		fd, ok = strings.CutPrefix(name, "/proc/self/fd/")
	}
	return ok && fd != "" && strings.Trim(fd, "0123456789") == ""
}

// IsTemporary reports whether a real path lies in a directory for everyone's temporary files.
func IsTemporary(real string) bool {
	return slices.ContainsFunc([]string{"/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders",
		"/private/var/folders", "/dev/shm"}, func(dir string) bool { return view.Below(dir, real) })
}

// homes reports whether a real path is the directory of all home directories or somebody's.
func homes(real string) bool {
	return real == "/root" || real == "/var/root" ||
		slices.ContainsFunc([]string{"/home", "/Users", "/users", "/var/home"}, func(dir string) bool {
			return view.Below(dir, real) && strings.LastIndexByte(real[len(dir):], '/') <= 0
		})
}

// system reports whether a real path belongs to the operating system. Case is ignored: on a disk that ignores it /ETC
// is /etc, elsewhere this only errs towards strictness.
func system(real string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(real, "/"), "/")
	switch strings.ToLower(first) {
	case "etc", "usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "boot", "sys", "proc", "var", "opt",
		"root", "srv", "run", "snap", "system", "library", "applications", "private", "nix", "cores", "volumes", "mnt",
		"media", "efi", "windows", "program files", "program files (x86)", "programdata":
		return true
	}
	return false
}
