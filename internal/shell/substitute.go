package shell

import "mvdan.cc/sh/v3/syntax"

// substitute walks a command substitution. What it prints is not followed: no
// call of the shared sessions was settled by that (docs/design.md, section 4).
// Known is only which commands print it, where they are one pipe.
func (e *expander) substitute(p *syntax.CmdSubst, st state) value {
	e.out.again = true // it runs before the command that it stands in
	command := e.out.command
	defer func() { e.out.command = command }()
	from := len(e.out.report.Commands)
	e.run.subshell(p.Stmts, st, input{})
	if len(p.Stmts) != 1 || !plainPipe(p.Stmts[0]) {
		return value{}
	}
	return value{from: from, to: len(e.out.report.Commands)}
}
