package shell

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

// maxMatched bounds how many names of a directory a glob is laid beside.
const maxMatched = 4096

// globs lays the globs of a command line beside the names that are there.
type globs struct {
	machine *machine
	defs    *definitions
	out     *draft
	inv     *invocation
}

func (u *use) globs() *globs {
	return &globs{machine: u.machine, defs: &u.defs, out: &u.out, inv: u.inv}
}

// oneWord states that the value of an option may turn out to be several words:
// the rest of them nobody has read.
func (m *globs) oneWord(w word) {
	if m.several(w) {
		m.out.unknown(PartWords, m.inv.raw,
			grammar.Escaped(w.raw)+" may be several words, since its value is not known")
	}
}

// response states that a word may name a file of further arguments, as those
// that begin with @ do for programs with the directive responses, wherever
// they stand.
func (m *globs) response(s *sheet, args []word) {
	if !s.responses {
		return
	}
	for _, w := range args {
		switch {
		case w.known && !w.many && w.glob != 1 && !strings.HasPrefix(w.text, "@"):
		case !w.known && w.text != "" && w.text[0] != '@':
		case w.glob == 1 && m.plainNames(w):
		default:
			what := grammar.Escaped(w.shown()) + " may name a file of further arguments of " + s.name
			m.out.unknown(PartWords, m.inv.raw, what)
		}
	}
}

// several reports whether a word may be none or more than one: what is
// computed, and a glob that is not known to match one name at most.
func (m *globs) several(w word) bool {
	if w.glob == 0 || w.one {
		return w.many
	}
	names, ok := m.matched(w)
	return !ok || len(names) > 1
}

// spills gives the words that a single place cannot hold to the role of those
// that follow.
func (u *use) spills(role string, w word) {
	if !startsRole(role) {
		u.role(role, w)
		return
	}
	u.out.unknown(PartWords, u.inv.raw, grammar.Escaped(w.raw)+" may be several words, since its value is not known")
}

// plainNames reports whether all that a glob matches are names that no program
// takes for anything else: options, files of arguments, operators of find.
func (m *globs) plainNames(w word) bool {
	names, ok := m.matched(w)
	for _, name := range names {
		ok = ok && strings.IndexByte("-+@!(),;|=", name[0]) < 0 && !strings.ContainsAny(name, ":|@") &&
			grammar.Disguise(name) == ""
	}
	return ok
}

// dashed reports whether a word stands for names of which some may begin with a dash
// now: what a glob matches, or what the commands that print it list. A directory
// that cannot be listed to the end may hold such a name.
func (m *globs) dashed(w word) bool {
	if w.glob > 1 {
		return w.text[0] == '-' // grep -*
	}
	if names, ok := m.matched(w); w.glob == 1 && ok {
		return slices.ContainsFunc(names, beginsWithDash)
	}
	if w.glob == 0 && w.from >= w.to || m.machine.env.Files == nil {
		return false
	}
	dirs := []string{m.inv.st.dir}
	for _, e := range m.out.report.Effects {
		if e.Kind == Read && e.Names && e.Command >= w.from && e.Command < w.to {
			dirs = append(dirs, e.Target)
		}
	}
	return slices.Contains(dirs, "") || slices.ContainsFunc(dirs, func(dir string) bool {
		names, err := m.machine.env.Files.List(dir, maxMatched)
		if errors.Is(err, fs.ErrNotExist) {
			return false
		}
		return err != nil || len(names) >= maxMatched || slices.ContainsFunc(names, beginsWithDash)
	})
}

// endsEarly states that a word of the command of find -exec may turn out to be the ; or +
// that ends it, so that what stands behind it is read by find.
func endsEarly(u *use, words []word) {
	for i, w := range words {
		behind := words[i+1:]
		if end := slices.IndexFunc(behind, func(w word) bool { return w.known && w.text == ";" }); end >= 0 {
			behind = behind[:end]
		}
		switch {
		case w.known && !w.many && w.glob == 0:
			if w.text == ";" || w.text == "+" && i > 0 && words[i-1].text == "{}" {
				return
			}
			continue
		case w.text != "" && w.glob != 1 && strings.IndexByte(";+", w.text[0]) < 0 && (!w.many || w.glob > 0):
			continue
		case w.glob == 1 && u.globs().plainNames(w):
			continue
		case !w.many && w.glob == 0 && !slices.ContainsFunc(behind, mayBeExec):
			continue // what is left over behind the end, find refuses
		}
		u.out.unknown(PartWords, u.inv.raw, grammar.Escaped(w.raw)+" may end the command that "+u.sheet.name+" runs")
	}
}

// mayBeExec reports whether a word may begin another command of find.
func mayBeExec(w word) bool {
	return !w.known || w.many || strings.HasPrefix(w.text, "-exec") || strings.HasPrefix(w.text, "-ok")
}

func beginsWithDash(name string) bool { return strings.HasPrefix(name, "-") }

// matched returns the names that a glob in the last part of a path matches
// now. ok is false where that cannot be said. What the line does in that
// directory counts: it is watched.
func (m *globs) matched(w word) (names []string, ok bool) {
	name, known := absolute(w, m.inv.st)
	if !known || w.many || m.machine.env.Files == nil || m.out.away != "" {
		return nil, false
	}
	dir, pattern := globDir(name, len(name)-len(w.text)+w.glob-1)
	last := strings.TrimPrefix(strings.TrimPrefix(pattern, dir), "/")
	if strings.ContainsAny(last, `/(){}|^#~<>\[]`) || strings.HasPrefix(last, ".") {
		return nil, false
	}
	real, err := view.Resolve(m.machine.env.Files, dir)
	if err != nil {
		return nil, false
	}
	all, err := m.machine.env.Files.List(real, maxMatched)
	if err != nil || len(all) >= maxMatched {
		return nil, false
	}
	if m.out.mayMake(real, "") { // which names it matches then is not known
		return nil, false
	}
	for _, n := range all {
		hit, err := path.Match(last, n)
		bytes := strings.Contains(last, "?") && len(n) != len([]rune(n)) // ? is one byte to dash, and in the locale C
		if err != nil || (hit || bytes) && n[0] != '.' {
			names = append(names, n)
		}
	}
	return names, true
}

// modes states that two options ask for two things of which the last, or the
// first, would count.
func (o *operands) modes() {
	if o.marks.has(markMakes) && o.marks.has(markLists) {
		o.out.unknown(PartWords, o.inv.raw, "this gives "+o.sheet.name+" options that contradict each other")
	}
}

// packing states what a program of the family of gzip does to a file that it
// is not told to print: its name tells what appears beside it or in its place.
func (o *operands) packing() {
	o.modes()
	if !o.marks.has(markLists) && !o.marks.has(markPrints) && len(o.pos) > 0 {
		o.out.unknown(PartWords, o.inv.raw, o.sheet.name+" makes a file of another name")
	}
}

// endless states that a source without an end is written to a file.
func (o *operands) endless() {
	for _, e := range o.out.report.Effects {
		if e.Kind == Write && e.Command == o.out.command && e.Place != Null && e.Place != Network &&
			!strings.HasPrefix(e.Target, "/dev/") {
			o.out.unknown(PartWords, o.inv.raw, o.sheet.name+" fills the disk: what it reads has no end")
			return
		}
	}
}

// bottomless reports whether a device gives bytes for as long as it is read.
func bottomless(w word) bool {
	switch w.text {
	case "/dev/zero", "/dev/full", "/dev/urandom", "/dev/random", "/dev/arandom":
		return w.known
	}
	return false
}
