package shell

import (
	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/variables"
	"mvdan.cc/sh/v3/syntax"
)

// unfollowed reports a construct that nod does not follow. The line stays open,
// whatever the rest of it does; what stands in the construct is read all the
// same, for what is looked for wherever it stands.
func (a *analysis) unfollowed(n syntax.Node, what string) {
	a.beyond = true
	parts := a.parts
	a.parts = 0
	a.unknown(PartOther, a.raw(n), what+" is more shell than nod follows")
	a.parts = parts
}

// within walks every command that stands in a construct that nod does not
// follow, as if each ran.
func (a *analysis) within(n syntax.Node, st state, in input) state {
	syntax.Walk(n, func(n syntax.Node) bool {
		s, ok := n.(*syntax.Stmt)
		if !ok || a.over != "" {
			return a.over == ""
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
func (a *analysis) surveyed(list []*syntax.Stmt) survey {
	s := survey{writes: grammar.WritesOf(list)}
	for name := range s.writes {
		s.names = append(s.names, name)
	}
	for _, stmt := range list {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			if d, ok := n.(*syntax.DeclClause); ok && d.Variant.Value == "export" {
				a.exports = append(a.exports, exportedNames(d)...)
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
func (a *analysis) ownName(name string, n syntax.Node) {
	if variables.ShellsOwn(name) {
		a.unfollowed(n, "assigning "+grammar.Escaped(name)+", which is the shell's own,")
	}
}
