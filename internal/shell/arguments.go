package shell

import (
	"path"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

// maxMatched bounds how many names of a directory a glob is laid beside.
const maxMatched = 4096

// oneWord states that the value of an option may turn out to be several words:
// the rest of them nobody has read.
func (u *use) oneWord(w word) {
	if several(w) {
		u.out.unknown(PartWords, u.inv.raw,
			grammar.Escaped(w.raw)+" may be several words, since its value is not known")
	}
}

// several reports whether a word may be none or more than one.
func several(w word) bool { return !w.one && (w.many || w.glob > 0) }

// response states that a word may name a file of further arguments, as those
// that begin with @ do for programs with the directive responses.
func (u *use) response(args []word) {
	for _, w := range args {
		begin := w.text == "" && !w.known || strings.HasPrefix(w.text, "@") || w.glob == 1 && !u.plainNames(w)
		if u.responses && begin {
			u.out.unknown(PartWords, u.inv.raw, grammar.Escaped(w.shown())+" may name a file of further arguments")
		}
	}
}

// spills gives the words that a single place cannot hold to the role of those
// that follow.
func (u *use) spills(role string, w word) {
	if !startsRole(role) {
		u.role(role, w)
		return
	}
	u.oneWord(w)
}

// plainNames reports whether all that a glob in the last part of a path matches now are
// names that no program takes for anything else: options, files of arguments, operators
// of find. Where the line may make names there, that is not known.
func (u *use) plainNames(w word) bool {
	name, known := absolute(w, u.inv.st)
	if !known || w.many || u.machine.env.Files == nil || u.out.away != "" {
		return false
	}
	dir, pattern := globDir(name, len(name)-len(w.text)+w.glob-1)
	last := strings.TrimPrefix(strings.TrimPrefix(pattern, dir), "/")
	real, err := view.Resolve(u.machine.env.Files, dir)
	if err != nil || strings.ContainsAny(last, `/(){}|^#~<>\[]`) || strings.HasPrefix(last, ".") ||
		u.out.mayMake(real, "") {
		return false
	}
	all, err := u.machine.env.Files.List(real, maxMatched)
	plain := err == nil && len(all) < maxMatched
	for _, n := range all {
		hit, err := path.Match(last, n)
		bytes := strings.Contains(last, "?") && len(n) != len([]rune(n)) // ? is one byte to dash, and in the locale C
		if err != nil || hit || bytes {
			plain = plain && strings.IndexByte("-+@!(),;|=", n[0]) < 0 && !strings.ContainsAny(n, ":|@") &&
				grammar.Disguise(n) == ""
		}
	}
	return plain
}
