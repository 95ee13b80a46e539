package match

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// ofGit reports whether names are of git's own files, which git writes at each commit: no
// rule for an edit tool as a whole is about those.
func ofGit(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !strings.Contains(name+"/", "/.git/") })
}

// filesFit compares a rule about files with those that the call names, and with what its commands do to files, but
// not, where so asked, to git's own. A rule about reading covers changes too.
func (m *Call) filesFit(p Permission, butGits bool) Degree {
	editing := p.Kind() == AboutEditing
	w := m.wantedPath(p)
	best := Misses
	if !editing || m.IsEdit() {
		for _, name := range m.Paths {
			best = max(best, w.fits(m.namesOf(name), m.Tool == "grep"))
		}
	}
	for _, e := range m.Report.Effects {
		switch {
		case e.Kind != shell.Read && e.Kind != shell.Write && e.Kind != shell.Delete,
			e.Names,
			editing && e.Kind == shell.Read,
			e.Target == "":
			continue
		}
		names, _ := m.At.Machine.Names(e)
		if butGits && ofGit(names) {
			continue
		}
		best = max(best, w.fits(names, e.Recursive))
		if best == Misses && e.Recursive && e.Kind == shell.Delete && w.depth && m.holds(w, names) {
			best = MayFit
		}
	}
	return best
}

// enough bounds how many names are looked at for what a rule names at any depth.
const enough = 20_000

// holds reports whether below one of the names of a directory, which goes, lies what
// the pattern names; so does a directory that is too large to look through.
func (m *Call) holds(w wantedPath, names []string) bool {
	visit := func(name string, kind fs.FileMode, err error) error {
		if err == nil && w.fits([]string{name}, kind.IsDir()) != Misses ||
			err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fs.SkipAll
		}
		return nil
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return view.Walk(m.At.Machine.Files, path.Clean(name), enough, visit) != nil
	})
}

// namesOf are the absolute names that a path in the call may have: as written and real.
func (m *Call) namesOf(name string) []string {
	full := name
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		full = m.At.Machine.Home + name[1:]
	case !strings.HasPrefix(name, "/"):
		full = m.At.Dir + "/" + name
	}
	reals, _ := m.At.Readings(name)
	return append(reals, path.Clean(full))
}

// wantedPath is the path of a permission rule, as gitignore reads it: a match covers all that lies below.
type wantedPath struct {
	bases []string
	parts []string // folded, save for their stars
	depth bool     // at any depth below a base
}

func (m *Call) wantedPath(p Permission) wantedPath {
	spec := strings.TrimPrefix(p.Spec, "./")
	w := wantedPath{}
	switch {
	case strings.HasPrefix(spec, "//"):
		w.bases = []string{"/"}
	case spec == "~" || strings.HasPrefix(spec, "~/"):
		w.bases, spec = []string{m.At.Machine.Home, m.At.Machine.RealHome}, spec[1:]
	case strings.HasPrefix(spec, "/"):
		// Below the settings or the project, says the host; the person may have meant the file of that name.
		w.bases = slices.Concat(m.startingPoints(), []string{p.Dir, "/"})
	case strings.HasPrefix(spec, "../"):
		w.bases = []string{m.At.Dir}
		for strings.HasPrefix(spec, "../") {
			w.bases[0], spec = path.Dir(w.bases[0]), spec[3:]
		}
	default:
		w.bases, w.depth = m.startingPoints(), true
	}
	for part := range strings.SplitSeq(spec, "/") {
		if part != "" && part != "." {
			w.parts = append(w.parts, part)
		}
	}
	return w
}

// startingPoints are where a relative pattern may start.
func (m *Call) startingPoints() []string {
	if m.points == nil {
		m.points = append([]string{m.At.Dir, m.At.Machine.Real(m.At.Dir)}, m.Roots...)
		m.points = append(m.points, m.At.Machine.UsableRoots(m.Roots, m.At.Environ)...)
	}
	return m.points
}

// fits compares with the names of one file. tree says that all below it is read or changed too.
func (w wantedPath) fits(names []string, tree bool) Degree {
	best := Misses
	for _, name := range names {
		for _, base := range w.bases {
			switch {
			case name == "" || base == "":
			case view.Below(base, name) && w.matches(below(base, name, tree)):
				return FitsAll
			case tree && !w.depth && w.lies(base, name):
				best = MayFit
			}
		}
	}
	return best
}

// below are the folded components of a name below a base; of a tree those of
// something in it, so that what names all of it names the tree.
func below(base, name string, tree bool) []string {
	parts := paths.Fold(name[len(strings.TrimSuffix(base, "/")):])
	if tree && len(parts) > 0 {
		parts = append(parts, "\x00")
	}
	return parts
}

func (w wantedPath) matches(parts []string) bool {
	if w.depth {
		return partsMatch(append([]string{"**"}, w.parts...), parts)
	}
	return partsMatch(w.parts, parts)
}

// lies reports whether what the pattern names lies below a directory.
func (w wantedPath) lies(base, dir string) bool {
	literal := base
	for _, part := range w.parts {
		if strings.ContainsAny(part, `*?[\`) {
			break
		}
		literal = path.Join(literal, part)
	}
	return view.Below(strings.ToLower(dir), strings.ToLower(literal))
}

// partsMatch reports whether the first components match a pattern. It errs towards yes.
func partsMatch(want, parts []string) bool {
	switch {
	case len(want) == 0:
		return true
	case want[0] == "**" && len(want) == 1:
		return len(parts) > 0
	case want[0] == "**":
		for i := range parts {
			if partsMatch(want[1:], parts[i:]) {
				return true
			}
		}
		return false
	case len(parts) == 0:
		return false
	}
	ok, err := path.Match(paths.FoldName(want[0]), parts[0])
	return (ok || err != nil || want[0] == parts[0]) && partsMatch(want[1:], parts[1:])
}
