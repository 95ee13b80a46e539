package shell

import (
	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// input is what a command would read on its standard input.
type input struct {
	kind inputKind
	text word // of a here-document or here-string
}

type inputKind uint8

const (
	inherited inputKind = iota
	piped
	fromText
	fromFile
)

// whole walks a text that a shell runs from its first line to its last, and returns the state after it.
func (a *analysis) whole(list []*syntax.Stmt, st state) state {
	for _, form := range grammar.Outside(list, a.now.src) {
		a.out.beyond = a.out.beyond || form.Hides
		a.outside(form.Node, notFollowed(form.What))
	}
	return a.stmts(list, st, input{}, true)
}

// stmts walks a list; first says that nothing stands before it in its shell.
func (a *analysis) stmts(list []*syntax.Stmt, st state, in input, first bool) state {
	for i, s := range list {
		if _, st = a.andOr(s, st, in, first && i == 0); a.limits.over != "" {
			break
		}
	}
	return st
}

// subshell walks a list in a shell of its own, which leaves st as it is.
func (a *analysis) subshell(list []*syntax.Stmt, st state, in input) {
	defer func(sets bool) { a.out.sets = sets }(a.out.sets)
	a.stmts(list, st, in, true)
}

// andOr walks a statement that may be a list of && and ||. after is the state behind it; chained is the state of what
// runs only where it succeeded. The two differ behind a cd that is the first command of its shell.
func (a *analysis) andOr(s *syntax.Stmt, st state, in input, first bool) (chained, after state) {
	c, ok := s.Cmd.(*syntax.BinaryCmd)
	if !ok || c.Op != syntax.AndStmt && c.Op != syntax.OrStmt || len(s.Redirs) > 0 {
		return a.one(s, st, in, first)
	}
	yes, any := a.andOr(c.X, st, in, first)
	if c.Op == syntax.OrStmt {
		yes = any
	}
	chained, after = a.andOr(c.Y, yes, in, false)
	after = any.or(after)
	if c.Op == syntax.OrStmt {
		chained = after
	}
	return chained, after
}

// one walks a statement that is no list of && and ||.
func (a *analysis) one(s *syntax.Stmt, st state, in input, first bool) (chained, after state) {
	out := a.stmt(s, st, in)
	if call, ok := s.Cmd.(*syntax.CallExpr); ok && first && len(call.Args) == 2 && call.Args[0].Lit() == "cd" &&
		grammar.Plain(s) {
		return out, st.or(out)
	}
	return st.or(out), st.or(out)
}

// stmt walks one statement, for each directory in which it may run, and returns where the shell may stand after it.
func (a *analysis) stmt(s *syntax.Stmt, st state, in input) (after state) {
	if s == nil || !a.limits.spend() {
		return st
	}
	if call, simple := s.Cmd.(*syntax.CallExpr); simple {
		after = a.simple(s, call, st.in(st.dir), in)
		for _, dir := range st.more {
			after = after.or(a.simple(s, call, st.in(dir), in))
		}
		return after
	}
	for _, dir := range st.dirs() {
		in = a.redirects(s.Redirs, st.in(dir), in)
	}
	if s.Cmd == nil {
		return st
	}
	return a.compound(s.Cmd, st, in)
}

// simple walks a simple command and its redirections in one directory.
func (a *analysis) simple(s *syntax.Stmt, call *syntax.CallExpr, st state, in input) state {
	command := a.out.command
	if len(call.Args) > 0 {
		a.out.command = len(a.out.report.Commands) // that of the call below
	}
	in = a.redirects(s.Redirs, st, in)
	a.out.command = command
	after := a.call(call, st, in)
	a.out.command = command
	return after
}

func (a *analysis) compound(c syntax.Command, st state, in input) state {
	switch c := c.(type) {
	case *syntax.BinaryCmd: // zsh runs the last command of a pipe in this shell
		left := a.stmt(c.X, st, in)
		return st.or(left).or(a.stmt(c.Y, st, input{kind: piped}))
	case *syntax.Block:
		return a.stmts(c.Stmts, st, in, false)
	case *syntax.Subshell:
		a.subshell(c.Stmts, st, in)
		return st
	case *syntax.DeclClause:
		a.declaration(c, st)
		return st
	case *syntax.TimeClause:
		return a.stmt(c.Stmt, st, in)
	}
	a.unfollowed(c, grammar.Construct(c))
	if f, ok := c.(*syntax.FuncDecl); ok && f.Name != nil && grammar.Multiplies(a.now.raw(f.Body), f.Name.Value) {
		a.out.does(Exhaust, f.Name.Value, a.now.raw(c))
	}
	return a.within(c, st, in)
}

// within walks every command that stands in a construct that nod does not
// follow, as if each ran. Where a loop leads is not known.
func (a *analysis) within(n syntax.Node, st state, in input) state {
	switch n.(type) {
	case *syntax.ForClause, *syntax.WhileClause:
		a.out.sets = true
		st = st.in("").or(st)
	}
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

// unfollowed reports a construct that nod does not follow. The line stays open, also if the rest is harmless. What
// stands in the construct is read all the same, since some things are looked for in any place.
func (a *analysis) unfollowed(n syntax.Node, what string) {
	a.out.beyond = true
	a.outside(n, notFollowed(what))
}

// notFollowed is the reason for a construct.
func notFollowed(what string) string {
	return "this uses " + what + ", a part of the shell that nod does not follow"
}

// outside reports a form that nod does not follow, though it reads what stands in it.
func (a *analysis) outside(n syntax.Node, why string) {
	parts := a.out.parts
	a.out.parts = 0
	a.out.unknown(PartOther, a.now.raw(n), why)
	a.out.parts = parts
}
