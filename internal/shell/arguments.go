package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

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
		begin := w.text == "" && !w.known || strings.HasPrefix(w.text, "@") || w.glob == 1
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
