package shell

import (
	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/variables"
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

// whole walks a text that a shell runs from its first line to its last, and
// returns the state after it. What the text assigns is settled first.
func (a *analysis) whole(list []*syntax.Stmt, st state, in input) state {
	a.words.followed(list)
	s := a.vars.surveyed(list)
	for _, name := range s.names {
		st = st.assign(name, value{})
	}
	for i, stmt := range list {
		if assigns := grammar.AssignsOnly(stmt); assigns != nil {
			st = a.settled(assigns, s, st)
			continue
		}
		_, st = a.andOr(stmt, st, in, i == 0)
	}
	return st
}

// settled binds what a statement assigns that the text assigns nowhere else.
func (a *analysis) settled(assigns []*syntax.Assign, s survey, st state) state {
	out := st
	for _, as := range assigns {
		w, name := a.words.assignment(as, st), as.Name.Value
		if w.known && grammar.IsConstant(as.Value) && s.writes[name] == 1 && !variables.ShellsOwn(name) {
			out = out.assign(name, w.value)
		}
	}
	return out
}

// stmts walks a list.
func (a *analysis) stmts(list []*syntax.Stmt, st state, in input) state {
	for _, s := range list {
		if _, st = a.andOr(s, st, in, false); a.limits.over != "" {
			break
		}
	}
	return st
}

// subshell walks a list in a shell of its own, which leaves st as it is.
func (a *analysis) subshell(list []*syntax.Stmt, st state, in input) {
	for i, s := range list {
		if _, st = a.andOr(s, st, in, i == 0); a.limits.over != "" {
			break
		}
	}
}

// andOr walks a statement that may be a list of && and ||. after is the state
// behind it; chained is the state of what runs only where it succeeded. The two
// differ behind a cd that is the first command of its shell.
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
		return state{dir: out.dir, more: out.more, vars: st.vars}, st.or(out)
	}
	if call, ok := s.Cmd.(*syntax.CallExpr); ok && len(call.Args) == 0 {
		return st, st
	}
	return st.or(out), st.or(out)
}

// stmt walks one statement, for each directory in which it may run, and
// returns where the shell may stand after it.
func (a *analysis) stmt(s *syntax.Stmt, st state, in input) (after state) {
	if s == nil || !a.limits.spend() {
		return st
	}
	return a.redirected(s, st, in)
}

func (a *analysis) redirected(s *syntax.Stmt, st state, in input) (after state) {
	call, simple := s.Cmd.(*syntax.CallExpr)
	if !simple {
		from := len(a.out.report.Effects)
		for _, dir := range st.dirs() {
			in = a.redirects(s.Redirs, st.in(dir), in)
		}
		if s.Cmd == nil {
			return st
		}
		to := len(a.out.report.Effects)
		after = a.compound(s.Cmd, st, in)
		a.out.feedsItself(a.out.report.Effects[from:to], a.out.report.Effects[from:], a.now.raw(s))
		return after
	}
	for i, dir := range st.dirs() {
		out := a.simple(s, call, st.in(dir), in)
		if i == 0 {
			after = out
		}
		after = after.or(out)
	}
	return after
}

// simple walks a simple command and its redirections in one directory.
func (a *analysis) simple(s *syntax.Stmt, call *syntax.CallExpr, st state, in input) state {
	command := a.out.command
	if len(call.Args) > 0 {
		a.out.command = len(a.out.report.Commands) // that of the call below
	}
	from := len(a.out.report.Effects)
	in = a.redirects(s.Redirs, st, in)
	a.out.command = command
	after := a.call(call, st, in)
	a.out.command = command
	own := a.out.report.Effects[from:]
	a.out.feedsItself(own, own, a.now.raw(s))
	return after
}

func (a *analysis) compound(c syntax.Command, st state, in input) state {
	switch c := c.(type) {
	case *syntax.BinaryCmd:
		return a.binary(c, st, in)
	case *syntax.Block:
		return a.stmts(c.Stmts, st, in)
	case *syntax.Subshell:
		a.subshell(c.Stmts, st, in)
		return st
	case *syntax.IfClause:
		return a.ifClause(c, st, in)
	case *syntax.WhileClause:
		return a.whileClause(c, st, in)
	case *syntax.ForClause:
		return a.forClause(c, st, in)
	case *syntax.DeclClause:
		a.declaration(c, st)
		return st
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return a.stmt(c.Stmt, st, in)
		}
		return st
	}
	a.words.unfollowed(c, grammar.Construct(c))
	a.words.exhausts(c)
	return a.within(c, st, in)
}

func (a *analysis) binary(c *syntax.BinaryCmd, st state, in input) state {
	a.out.again = true
	from, effects := len(a.out.report.Commands), len(a.out.report.Effects)
	defer func(within bool) {
		if a.out.piping = within; !within {
			all := a.out.report.Effects[effects:]
			a.out.feedsItself(all, all, a.now.raw(c))
		}
	}(a.out.piping)
	a.out.piping = true
	left := a.stmt(c.X, st, in)
	fed := input{kind: piped}
	if in.kind != inherited && in.from < in.to {
		from = in.from // what feeds the whole may pass through
	}
	if fed.from, fed.to = from, len(a.out.report.Commands); !plainPipe(c.X) {
		fed.from = fed.to // which of its commands printed what is not known
	}
	right := a.stmt(c.Y, st, fed)
	return st.or(left).or(right) // zsh runs the last command in this shell
}

// plainPipe reports whether a part of a pipe is one command, or a pipe of such.
func plainPipe(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return true
	case *syntax.BinaryCmd:
		return c.Op == syntax.Pipe && plainPipe(c.X) && plainPipe(c.Y)
	}
	return false
}

func (a *analysis) ifClause(c *syntax.IfClause, st state, in input) state {
	for ; c != nil; c = c.Else {
		st = a.stmts(c.Cond, st, in)
		st = a.stmts(c.Then, st, in)
	}
	return st
}

func (a *analysis) whileClause(c *syntax.WhileClause, st state, in input) state {
	a.words.exhausts(c)
	a.out.inLoop(func() { st = a.rounds(c, st, in) })
	return st
}

// rounds walks a loop that ends when its condition says so.
func (a *analysis) rounds(c *syntax.WhileClause, st state, in input) state {
	st = repeated(c, st)
	st = a.stmts(c.Cond, st, in)
	body := st
	if name := lineVariable(c.Cond); name != "" && in.kind == piped && grammar.WritesOf(c.Do)[name] == 0 {
		body = st.assign(name, value{from: in.from, to: in.to})
	}
	return st.or(a.stmts(c.Do, body, in))
}

// lineVariable is the variable that a loop fills with one line after another
// of what it is fed; "" where its condition does anything else.
func lineVariable(cond []*syntax.Stmt) string {
	if len(cond) != 1 || !grammar.Plain(cond[0]) {
		return ""
	}
	call, ok := cond[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 || call.Args[0].Lit() != "read" {
		return ""
	}
	for _, w := range call.Args[1 : len(call.Args)-1] {
		if w.Lit() != "-r" {
			return ""
		}
	}
	if name := call.Args[len(call.Args)-1].Lit(); grammar.Identifier(name) && !variables.ShellsOwn(name) {
		return name
	}
	return ""
}

// repeated is the state in a loop: a cd in it may be taken any number of
// times.
func repeated(loop syntax.Node, st state) state {
	moves := false
	syntax.Walk(loop, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.CallExpr:
			moves = moves || len(n.Args) > 0 && grammar.Leaves(n.Args)
		}
		return true
	})
	if moves {
		return st.in("")
	}
	return st
}

func (a *analysis) forClause(c *syntax.ForClause, st state, in input) state {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select || c.Braces || !iter.InPos.IsValid() || !grammar.Identifier(iter.Name.Value) {
		a.words.unfollowed(c, grammar.Construct(c))
		a.words.exhausts(c)
		return a.within(c, repeated(c, st), in)
	}
	name, items := iter.Name.Value, a.words.expand(iter.Items, st)
	a.words.ownName(name, iter)
	for _, item := range items {
		a.vars.shellVariable(name, item.value, a.now.raw(iter))
	}
	return a.each(c, name, items, repeated(c, st), in)
}

// maxRounds bounds how many values a loop is unrolled for.
const maxRounds = 64

// each walks a loop body once for each value while all are constant and the
// body leaves the variable alone, and once with an unknown value otherwise.
func (a *analysis) each(c *syntax.ForClause, name string, items []word, st state, in input) state {
	if len(items) == 0 {
		items = []word{{}} // walked all the same: some things are looked for everywhere
	}
	switch {
	case grammar.WritesOf(c.Do)[name] > 0:
		items = []word{{}}
	case !a.limits.unrolls(items):
		items = []word{commonValue(items)}
	}
	a.out.again = true
	after := st
	for _, item := range items {
		out := st
		a.rounded(item, func() { out = a.stmts(c.Do, st.assign(name, item.value), in) })
		after = after.or(out)
		if a.limits.over != "" {
			break
		}
	}
	return after
}

// rounded walks the body of a loop, which runs more than once for a word that
// stands for many names.
func (a *analysis) rounded(item word, body func()) {
	if item.known && !item.many && item.glob == 0 {
		body()
		return
	}
	a.out.inLoop(body)
}

func (l *limits) unrolls(items []word) bool {
	if len(items) > maxRounds || l.work*len(items) > maxWork {
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

// exhausts reports a loop that starts jobs without end, and a function that
// multiplies itself.
func (e *expander) exhausts(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.WhileClause:
		if grammar.Endless(c) && grammar.AllJobs(c.Do) {
			e.out.does(Exhaust, "", e.now.raw(c))
		}
	case *syntax.ForClause:
		if loop, ok := c.Loop.(*syntax.CStyleLoop); ok && loop.Cond == nil && grammar.AllJobs(c.Do) {
			e.out.does(Exhaust, "", e.now.raw(c))
		}
	case *syntax.FuncDecl:
		if c.Name != nil && grammar.Multiplies(c.Body, c.Name.Value) {
			e.out.does(Exhaust, c.Name.Value, e.now.raw(c))
		}
	}
}
