package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/variables"
	"mvdan.cc/sh/v3/syntax"
)

// param returns the value of $x or ${x}. Any other expansion is outside of
// what nod follows. What is inherited is not taken for known: the environment can be
// the repository's. HOME and PWD are.
func (e *expander) param(p *syntax.ParamExp, st state) value {
	if !e.now.plainParam(p) {
		e.unfollowed(p, "an expansion with an operator")
		e.run.within(p, st, input{})
		return value{}
	}
	name := p.Param.Value
	if v, ok := e.supposed[name]; ok {
		return v
	}
	switch name {
	case "HOME":
		if e.machine.env.Home != "" {
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

// arithmetic is the value of $(( )): a shell evaluates the text of a variable in it once
// more, and an index in that text runs commands, so nothing but integers is followed.
func (e *expander) arithmetic(p *syntax.ArithmExp, st state) value {
	raw := e.now.raw(p)
	if p.X == nil || !strings.HasPrefix(raw, "$((") || strings.Trim(raw[3:], "0123456789 +-*)") != "" {
		e.unfollowed(p, "arithmetic on more than integers that are known")
		e.run.within(p, st, input{})
		return value{}
	}
	return value{numeric: true}
}

// substitute walks a command substitution. What it prints is not followed: no
// call of the shared sessions was settled by that (docs/design.md, section 4).
// Known is only which commands print it, where they are one pipe.
func (e *expander) substitute(p *syntax.CmdSubst, st state) value {
	command := e.out.command
	defer func() { e.out.command = command }()
	from := len(e.out.report.Commands)
	e.run.subshell(p.Stmts, st, input{})
	if len(p.Stmts) != 1 || !plainPipe(p.Stmts[0]) {
		return value{}
	}
	return value{from: from, to: len(e.out.report.Commands)}
}
