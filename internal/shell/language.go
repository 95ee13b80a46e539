package shell

import (
	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// followed says what in a text is more shell than nod follows, by its form.
func (e *expander) followed(list []*syntax.Stmt) {
	for _, form := range grammar.Outside(list, e.now.src) {
		e.out.beyond = e.out.beyond || form.Hides
		e.outside(form.Node, notFollowed(form.What))
	}
}

// unfollowed reports a construct that nod does not follow. The line stays open,
// whatever the rest of it does; what stands in the construct is read all the
// same, for what is looked for wherever it stands.
func (e *expander) unfollowed(n syntax.Node, what string) {
	e.out.beyond = true
	e.outside(n, notFollowed(what))
}

// notFollowed is the reason for a construct.
func notFollowed(what string) string {
	return "this uses " + what + ", a part of the shell that nod does not follow"
}

// outside reports a form that nod does not follow, though it reads what stands in
// it.
func (e *expander) outside(n syntax.Node, why string) {
	parts := e.out.parts
	e.out.parts = 0
	e.out.unknown(PartOther, e.now.raw(n), why)
	e.out.parts = parts
}
