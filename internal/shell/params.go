package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/variables"
	"mvdan.cc/sh/v3/syntax"
)

// param returns the value of $x or ${x}. Any other expansion is outside of
// what nod follows.
func (e *expander) param(p *syntax.ParamExp, st state) value {
	if !e.now.plainParam(p) {
		e.unfollowed(p, "an expansion with an operator")
		e.run.within(p, st, input{})
		return value{}
	}
	return e.variable(p, st)
}

// plainParam reports whether an expansion is nothing but $NAME or ${NAME}, by
// the text itself: a flag that the grammar knows and this package does not
// would be overlooked otherwise.
func (rd *reading) plainParam(p *syntax.ParamExp) bool {
	if p.Param == nil {
		return false
	}
	raw, name := rd.raw(p), p.Param.Value
	return raw == "$"+name || raw == "${"+name+"}"
}

// variable returns what a parameter holds. What is inherited is not taken for
// known: the environment can be the repository's. HOME and PWD are.
func (e *expander) variable(p *syntax.ParamExp, st state) value {
	name := p.Param.Value
	b := st.lookup(name)
	if b == nil || !b.known {
		if v, ok := e.vars.supposed[name]; ok {
			return v
		}
		e.vars.missed = append(e.vars.missed, name)
	}
	if b != nil {
		return b.value
	}
	switch name {
	case "HOME":
		if e.machine.env.Home != "" && !st.homeless {
			return constant(e.machine.env.Home)
		}
	case "PWD":
		if st.dir == e.machine.env.Dir && len(st.more) == 0 { // where no cd has been
			return constant(st.dir)
		}
	case "?", "$":
		return value{numeric: true}
	}
	if !grammar.Identifier(name) || name == "_" {
		e.unfollowed(p, "$"+grammar.Escaped(name))
	}
	if variables.Secret(name) {
		e.out.effect(Effect{Kind: Secret, Target: name, Words: e.now.raw(p), Part: PartWords})
	}
	return value{}
}

// arithmetic is the value of $(( )). A shell evaluates the text of a variable
// in it once more, and an index in that text runs commands, so nothing but
// integers that the text itself holds is followed.
func (e *expander) arithmetic(p *syntax.ArithmExp, st state) value {
	if p.X == nil || !strings.HasPrefix(e.now.raw(p), "$((") || !e.integer(p.X, st) {
		e.unfollowed(p, "arithmetic on more than integers that are known")
		e.run.within(p, st, input{})
		return value{}
	}
	return value{numeric: true}
}

// integer reports whether an expression is made of known integers, and cannot
// fail.
func (e *expander) integer(x syntax.ArithmExpr, st state) bool {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		return (x.Op == syntax.Add || x.Op == syntax.Sub || x.Op == syntax.Mul) &&
			e.integer(x.X, st) && e.integer(x.Y, st)
	case *syntax.Word:
		return e.integerWord(x, st)
	}
	return false
}

func (e *expander) integerWord(w *syntax.Word, st state) bool {
	if text := w.Lit(); text != "" {
		b := st.lookup(text)
		return grammar.Decimal(text) || b != nil && b.known && grammar.Decimal(b.text)
	}
	if len(w.Parts) != 1 {
		return false
	}
	p, ok := w.Parts[0].(*syntax.ParamExp)
	if !ok || !e.now.plainParam(p) {
		return false
	}
	b := st.lookup(p.Param.Value)
	return p.Param.Value == "?" || b != nil && b.known && grammar.Decimal(b.text)
}
