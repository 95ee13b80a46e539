package shell

import (
	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/variables"
	"mvdan.cc/sh/v3/syntax"
)

// followed says what in a text is more shell than nod follows, by its form.
func (e *expander) followed(list []*syntax.Stmt) {
	for _, form := range grammar.Outside(list, e.now.src, e.now.interp) {
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

// within walks every command that stands in a construct that nod does not
// follow, as if each ran.
func (a *analysis) within(n syntax.Node, st state, in input) state {
	syntax.Walk(n, func(n syntax.Node) bool {
		s, ok := n.(*syntax.Stmt)
		if !ok || a.limits.over != "" {
			return a.limits.over == ""
		}
		_, st = a.andOr(s, st, in, false)
		return false
	})
	return st
}

// survey is what a text assigns, wherever in it that stands.
type survey struct {
	names  []string
	writes map[string]int
}

// surveyed lists what a text assigns. A name that is written once, by an
// assignment, has 1.
func (e *environment) surveyed(list []*syntax.Stmt) survey {
	s := survey{writes: grammar.WritesOf(list)}
	for name := range s.writes {
		s.names = append(s.names, name)
	}
	for _, stmt := range list {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			if d, ok := n.(*syntax.DeclClause); ok && d.Variant.Value == "export" {
				e.exports = append(e.exports, exportedNames(d)...)
			}
			return true
		})
	}
	return s
}

// exportedNames are what an export hands to every program of the text, before
// it too: a loop comes round.
func exportedNames(d *syntax.DeclClause) (names []string) {
	for _, as := range d.Args {
		if as.Name != nil && variables.Of(as.Name.Value) == variables.Unknown {
			names = append(names, as.Name.Value)
		}
	}
	return names
}

// ownName reports a variable that a shell fills, ties to something else or
// reads itself: what assigning it does does not follow from its value.
func (e *expander) ownName(name string, n syntax.Node) {
	if variables.ShellsOwn(name) {
		e.out.beyond = true
		e.outside(n, "this sets "+grammar.Escaped(name)+
			", which the shell itself uses, and nod does not follow what that changes")
	}
}
