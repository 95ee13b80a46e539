package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// input is what a command would read on its standard input.
type input struct {
	kind inputKind
	text word // of a here-document or here-string
	from int  // the commands that feed a pipe
	to   int
	path string // of a file
	// outer: it is the standard input that the whole line was started with.
	outer bool
}

type inputKind uint8

const (
	inherited inputKind = iota
	piped
	fromText
	fromFile
)

// stmts walks a list and returns the state after it.
func (a *analysis) stmts(list []*syntax.Stmt, st state) state {
	for _, s := range list {
		yes, no := a.stmt(s, st, input{})
		st = merge(yes, no)
		if a.over != "" {
			break
		}
	}
	return st
}

// subshell walks a list whose changes of state are lost.
func (a *analysis) subshell(list []*syntax.Stmt, st state) {
	if len(list) > 0 {
		a.stmts(list, st)
	}
}

// background walks a list that runs beside what follows.
func (a *analysis) background(list []*syntax.Stmt, st state) {
	a.pipes++
	a.subshell(list, st)
	a.pipes--
}

// condition walks a list and returns the state after success and failure.
func (a *analysis) condition(list []*syntax.Stmt, st state) (yes, no state) {
	if len(list) == 0 {
		return st, st
	}
	st = a.stmts(list[:len(list)-1], st)
	return a.stmt(list[len(list)-1], st, input{})
}

// stmt walks one statement and returns the state after its success and after
// its failure.
func (a *analysis) stmt(s *syntax.Stmt, st state, in input) (yes, no state) {
	if !a.spend() || s == nil {
		return st, st
	}
	if !a.where.fixed && a.where.file != "" {
		a.where.line = int(s.Pos().Line())
	}
	if s.Background || s.Coprocess || s.Disown {
		a.pipes++
		a.redirected(s, st, in)
		a.pipes--
		return st, st
	}
	yes, no = a.redirected(s, st, in)
	if s.Negated {
		return no, yes
	}
	return yes, no
}

func (a *analysis) redirected(s *syntax.Stmt, st state, in input) (yes, no state) {
	command := a.command
	if len(s.Redirs) > 0 {
		if c, ok := s.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			a.command = len(a.report.Commands) // that of the call below
		}
		in, st = a.redirects(s.Redirs, st, in)
		a.command = command
	}
	if s.Cmd == nil {
		return st, st
	}
	yes, no = a.cmd(s.Cmd, st, in)
	a.command = command
	return yes, no
}

func (a *analysis) cmd(c syntax.Command, st state, in input) (yes, no state) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		return a.call(c, st, in)
	case *syntax.BinaryCmd:
		return a.binary(c, st, in)
	case *syntax.Block:
		return a.blockWith(c.Stmts, st, in)
	case *syntax.Subshell:
		a.blockWith(c.Stmts, st, in)
		return st, st
	case *syntax.IfClause:
		return a.ifClause(c, st)
	case *syntax.WhileClause:
		return a.whileClause(c, st, in)
	case *syntax.ForClause:
		return a.forClause(c, st, in)
	case *syntax.CaseClause:
		return a.caseClause(c, st)
	case *syntax.FuncDecl:
		return a.declare(c, st)
	case *syntax.ArithmCmd:
		st = a.arithm(c.X, st)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			st = a.arithm(x, st)
		}
	case *syntax.TestClause:
		st = a.test(c.X, st)
	case *syntax.DeclClause:
		st = a.declaration(c, st)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return a.stmt(c.Stmt, st, in)
		}
	case *syntax.CoprocClause:
		a.coproc(c, st)
	default:
		a.unknown(PartOther, a.raw(c), "a kind of command that is not known")
	}
	return st, st
}

// coproc walks a coprocess. Only before a compound command is the first word
// its name; where the grammar took it for one otherwise, nobody knows.
func (a *analysis) coproc(c *syntax.CoprocClause, st state) {
	switch c.Stmt.Cmd.(type) {
	case *syntax.Block, *syntax.Subshell, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause, *syntax.TestClause, *syntax.ArithmCmd:
	default:
		if c.Name != nil {
			a.unknown(PartOther, a.raw(c), "a coprocess that cannot be read")
		}
	}
	a.pipes++
	a.stmt(c.Stmt, st, input{kind: piped})
	a.pipes--
}

// blockWith walks a list in which every command may read in.
func (a *analysis) blockWith(list []*syntax.Stmt, st state, in input) (yes, no state) {
	yes, no = st, st
	for i, s := range list {
		if i > 0 {
			st = merge(yes, no)
		}
		if yes, no = a.stmt(s, st, in); a.over != "" {
			break
		}
	}
	return yes, no
}

func (a *analysis) binary(c *syntax.BinaryCmd, st state, in input) (yes, no state) {
	switch c.Op {
	case syntax.AndStmt:
		yes, no = a.stmt(c.X, st, in)
		yes2, no2 := a.stmt(c.Y, yes, in)
		return yes2, merge(no, no2)
	case syntax.OrStmt:
		yes, no = a.stmt(c.X, st, in)
		yes2, no2 := a.stmt(c.Y, no, in)
		return merge(yes, yes2), no2
	}
	a.pipes++
	from := len(a.report.Commands)
	a.stmt(c.X, st, in)
	fed := a.pipeText(c.X, st)
	if in.kind != inherited && in.from < in.to {
		from = in.from // what feeds the whole may pass through
	}
	fed.from, fed.to = from, len(a.report.Commands)
	yes, no = a.stmt(c.Y, st, fed)
	a.pipes--
	if a.lang == syntax.LangBash && !a.both {
		return st, st
	}
	out := merge(st, merge(yes, no)) // zsh runs the last one in this shell
	return out, out
}

func (a *analysis) ifClause(c *syntax.IfClause, st state) (yes, no state) {
	if c.ThenPos.IsValid() {
		yes, no = a.condition(c.Cond, st)
		out := a.stmts(c.Then, yes)
		if c.Else != nil {
			y, n := a.ifClause(c.Else, no)
			no = merge(y, n)
		}
		out = merge(out, no)
		return out, out
	}
	st = a.stmts(c.Then, st) // else
	return st, st
}

func (a *analysis) whileClause(c *syntax.WhileClause, st state, in input) (yes, no state) {
	st = a.forget(c, st)
	a.exhausting(c)
	body, _ := a.blockWith(c.Cond, st, in)
	y, n := a.blockWith(c.Do, body, in)
	out := merge(st, merge(y, n))
	return out, out
}

// exhausting reports an endless loop that starts jobs without waiting.
func (a *analysis) exhausting(c *syntax.WhileClause) {
	if len(c.Cond) != 1 || c.Until || len(c.Do) == 0 {
		return
	}
	call, ok := c.Cond[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 1 || call.Args[0].Lit() != "true" && call.Args[0].Lit() != ":" {
		return
	}
	for _, s := range c.Do {
		if !s.Background {
			return
		}
	}
	a.does(Exhaust, "", a.raw(c))
}

// forget returns st without what the loop may change before its body runs
// again: every variable that is assigned anywhere inside, and the directory.
func (a *analysis) forget(loop syntax.Node, st state) state {
	syntax.Walk(loop, func(n syntax.Node) bool {
		if a.passed++; a.passed > maxPassed {
			a.over = "65536 nodes of loops"
		}
		if a.over != "" {
			return false
		}
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil && st.lookup(n.Name.Value) != nil {
				st = st.assign(n.Name.Value, value{})
			}
		case *syntax.WordIter:
			st = st.assign(n.Name.Value, value{})
		case *syntax.CallExpr:
			st = a.forgetCall(n, st)
		case *syntax.ParamExp:
			if n.Param != nil && n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				st = st.assign(n.Param.Value, value{})
			}
		}
		return true
	})
	return st
}

func (a *analysis) forgetCall(c *syntax.CallExpr, st state) state {
	if len(c.Args) == 0 {
		return st
	}
	switch name := c.Args[0].Lit(); name {
	case "cd", "pushd", "popd":
		st.dir = ""
	case "read", "mapfile", "readarray", "printf", "getopts", "unset", "export", "local", "declare", "typeset", "readonly":
		for _, w := range c.Args[1:] {
			if lit := w.Lit(); plainIdentifier(lit) {
				st = st.assign(lit, value{})
			}
		}
	case "shift", "set":
		st.args, st.argsKnown = nil, false
	default:
		if name == "" || name == "eval" || name == "source" || name == "." || name == "builtin" || name == "command" || st.function(name) != nil {
			st = st.lost()
		}
	}
	return st
}

// lost is a state of which nothing is known any more.
func (s state) lost() state {
	for b := s.vars; b != nil; b = b.prev {
		s = s.assign(b.name, value{})
		if b.depth > maxWords {
			break
		}
	}
	s.dir, s.args, s.argsKnown = "", nil, false
	return s
}

func (a *analysis) forClause(c *syntax.ForClause, st state, in input) (yes, no state) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		loop := c.Loop.(*syntax.CStyleLoop)
		st = a.arithm(loop.Init, a.forget(c, st))
		st = a.arithm(loop.Cond, st)
		st = a.arithm(loop.Post, st)
		y, n := a.blockWith(c.Do, st, in)
		out := merge(st, merge(y, n))
		return out, out
	}
	items, st := a.expand(iter.Items, st)
	if !iter.InPos.IsValid() {
		items = append([]word(nil), st.args...)
		if !st.argsKnown {
			items = []word{{many: true}}
		}
	}
	if c.Select {
		st = a.forget(c, st)
	}
	return a.each(c, iter.Name.Value, items, st, in)
}

// maxRounds bounds how many values a loop is unrolled for.
const maxRounds = 64

// each walks a loop body once per value while all are constant, and once with
// an unknown value otherwise.
func (a *analysis) each(c *syntax.ForClause, name string, items []word, st state, in input) (yes, no state) {
	if !a.unrolls(items) {
		st = a.forget(c, st)
		items = []word{commonValue(items)}
	}
	for _, item := range items {
		before := st
		b := a.assigned(name, item.value, item.raw, st)
		y, n := a.blockWith(c.Do, b, in)
		st = merge(y, n)
		if len(items) == 1 {
			st = merge(before, st)
		}
		if a.over != "" {
			break
		}
	}
	return st, st
}

func (a *analysis) unrolls(items []word) bool {
	if len(items) > maxRounds || a.work*len(items) > maxWork {
		return false
	}
	for _, item := range items {
		if !item.known || item.many || item.glob > 0 && len(items) > 1 {
			return false
		}
	}
	return true
}

// commonValue is what is known of a loop variable over all its values.
func commonValue(items []word) word {
	if len(items) == 1 && !items[0].many {
		return items[0]
	}
	if len(items) == 1 && items[0].from < items[0].to {
		return word{value: value{from: items[0].from, to: items[0].to}}
	}
	numeric := len(items) > 0
	for _, item := range items {
		numeric = numeric && item.isNumber() && !item.many
	}
	return word{value: value{numeric: numeric}}
}

func (a *analysis) caseClause(c *syntax.CaseClause, st state) (yes, no state) {
	_, st = a.single(c.Word, st)
	out := st
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			_, st = a.single(p, st)
		}
		out = merge(out, a.stmts(item.Stmts, st))
		st = merge(st, out) // ;& falls through
	}
	return out, out
}

func (a *analysis) declare(c *syntax.FuncDecl, st state) (yes, no state) {
	names := c.Names
	if c.Name != nil {
		names = []*syntax.Lit{c.Name}
	}
	if len(names) == 0 { // zsh runs an anonymous function at once
		return a.stmt(c.Body, st, input{})
	}
	for _, n := range names {
		if shellCalls(n.Value) {
			a.unknown(PartOther, a.raw(c), "the shell itself calls "+escaped(n.Value))
			a.subshell([]*syntax.Stmt{c.Body}, st.lost())
		}
		st.funcs = &function{name: n.Value, body: c.Body, src: a.src, where: a.where, prev: st.funcs}
	}
	return st, st
}

// shellCalls reports whether a shell calls a function of that name unasked.
func shellCalls(name string) bool {
	switch name {
	case "preexec", "precmd", "chpwd", "periodic", "zshexit", "zshaddhistory", "command_not_found_handler", "command_not_found_handle":
		return true
	}
	return strings.HasPrefix(name, "TRAP")
}

// frame is a function being walked.
type frame struct {
	name  string
	pipes int // around the call
}

// callFunction walks a function's body.
func (a *analysis) callFunction(f *function, args []word, raw string, st state, in input) (yes, no state) {
	for _, fr := range a.calls {
		if fr.name != f.name {
			continue
		}
		if a.pipes > fr.pipes {
			a.does(Exhaust, f.name, raw)
			return st, st
		}
		a.unknown(PartWords, raw, "a function that calls itself")
		return st.lost(), st.lost()
	}
	if len(a.calls) >= maxCalls {
		a.unknown(PartWords, raw, "more than 16 functions inside each other")
		return st.lost(), st.lost()
	}
	a.calls = append(a.calls, frame{f.name, a.pipes})
	src, where, outer, outerKnown := a.src, a.where, st.args, st.argsKnown
	a.src, a.where = f.src, f.where
	inner := st
	inner.args, inner.argsKnown = args, allConstant(args)
	yes, no = a.stmt(f.body, inner, in)
	a.src, a.where = src, where
	a.calls = a.calls[:len(a.calls)-1]
	yes.args, yes.argsKnown = outer, outerKnown
	no.args, no.argsKnown = outer, outerKnown
	return yes, no
}

// allConstant reports whether the number and order of the arguments is known.
func allConstant(args []word) bool {
	for _, w := range args {
		if w.many || w.glob > 0 && !w.one {
			return false
		}
	}
	return true
}

// test walks [[ ... ]].
func (a *analysis) test(x syntax.TestExpr, st state) state {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			return a.testNumber(x.Y, a.testNumber(x.X, st))
		}
		return a.test(x.Y, a.test(x.X, st))
	case *syntax.UnaryTest:
		w, ok := x.X.(*syntax.Word)
		if !ok {
			return a.test(x.X, st)
		}
		v, st := a.single(w, st)
		if x.Op == syntax.TsVarSet && (!v.known || !plainIdentifier(v.text)) {
			a.unknown(PartWords, a.raw(x), "a variable name that is not known")
		}
		return st
	case *syntax.ParenTest:
		return a.test(x.X, st)
	case *syntax.Word:
		_, st = a.single(x, st)
	}
	return st
}

func (a *analysis) testNumber(x syntax.TestExpr, st state) state {
	if w, ok := x.(*syntax.Word); ok {
		return a.operand(w, st)
	}
	return a.test(x, st)
}
