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
	v := value{from: from, to: len(e.out.report.Commands)}
	if v.to == from+1 && e.now.quietOnly(p.Stmts[0].Redirs) {
		one := false
		if v.revision, one = printed(e.repos, e.out.report.Commands[from]); one {
			v.by = from + 1
		}
	}
	return v
}

// quietOnly reports whether redirections do no more than to throw away what a command says
// of its failure.
func (rd *reading) quietOnly(list []*syntax.Redirect) bool {
	for _, r := range list {
		if r.N == nil || r.N.Value != "2" || r.Op != syntax.RdrOut || rd.raw(r.Word) != "/dev/null" {
			return false
		}
	}
	return true
}
