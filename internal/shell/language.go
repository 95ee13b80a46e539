package shell

import (
	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// followed says what in a text is more shell than nod follows, by its form.
func (a *analysis) followed(list []*syntax.Stmt) {
	for _, form := range grammar.Outside(list, a.now.src) {
		a.out.beyond = a.out.beyond || form.Hides
		a.outside(form.Node, notFollowed(form.What))
	}
}

// unfollowed reports a construct that nod does not follow. The line stays open,
// whatever the rest of it does; what stands in the construct is read all the
// same, for what is looked for wherever it stands.
func (a *analysis) unfollowed(n syntax.Node, what string) {
	a.out.beyond = true
	a.outside(n, notFollowed(what))
}

// notFollowed is the reason for a construct.
func notFollowed(what string) string {
	return "this uses " + what + ", a part of the shell that nod does not follow"
}

// outside reports a form that nod does not follow, though it reads what stands in
// it.
func (a *analysis) outside(n syntax.Node, why string) {
	parts := a.out.parts
	a.out.parts = 0
	a.out.unknown(PartOther, a.now.raw(n), why)
	a.out.parts = parts
}
