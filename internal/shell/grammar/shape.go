package grammar

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shape is where the parts of a text stand, in the order in which they begin.
// What stands in here-documents has an order of its own, since it is read after
// the line that names it. Two readings take a text apart alike if their shapes
// are equal.
type shape struct{ marks, texts []mark }

type mark struct {
	kind     kind
	from, to int // bytes; 0 where the order says enough
}

type kind uint8

const (
	statement kind = iota
	and
	or
	negation
	pipe
	subshell
	block
	condition // if
	each      // for
	while
	until
	branch // what stands behind then or do
	otherwise
	word
	assignment // before a command, or in place of it
	single
	double
	parameter
	integer
	substitution
	process // <( )
	redirection
	body // of a here-document
)

func (s *shape) mark(k kind, from int) int {
	s.marks = append(s.marks, mark{kind: k, from: from})
	return len(s.marks) - 1
}

func (s *shape) close(n, to int) {
	if n < len(s.marks) {
		s.marks[n].to = to
	}
}

// readAgain takes a text apart without the parser. fault is what the reader does not
// know of it, or "".
func readAgain(source string, posix bool) (s shape, fault string) {
	r := &reader{place: place{src: source, end: len(source)}, posix: posix, plain: plainBackquotes(source)}
	r.list()
	if r.at < r.end {
		r.fail("a parenthesis that nothing opens")
	}
	if len(r.pending) > 0 {
		r.fail("a here-document without its text")
	}
	return r.shape, r.fault
}

// Same reports whether a text certainly has one parse in bash and zsh: all of it is
// in forms that the reader knows, and zsh's grammar takes it apart alike. What the two
// treat differently after parsing (splitting, globs without a match, words that start
// with =) is the walk's business, which is strict where both must agree.
func Same(source string) bool {
	file, err := Line(source, syntax.LangZsh)
	return err == nil && ReadAlike(file.Stmts, source, false) == ""
}

// ReadAlike says where a text is not taken apart as the parser's tree says, or
// "": each statement, operator, word, quote, expansion, redirection and
// here-document begins and ends at the same bytes. posix says that dash may read
// the text.
func ReadAlike(list []*syntax.Stmt, source string, posix bool) string {
	read, fault := readAgain(source, posix)
	if fault != "" {
		return fault
	}
	t := &tree{}
	t.list(list)
	if t.strange || !slices.Equal(t.marks, read.marks) || !slices.Equal(t.texts, read.texts) {
		return "a text that can be taken apart in two ways"
	}
	return ""
}

// certain reports whether a parser's tree of a text outside of the language too is
// that of a shell, as far as is known: it has nothing in which they were found to
// differ, or reads alike.
func certain(list []*syntax.Stmt, source string) bool {
	for _, odd := range []string{"`", "<<", "$$$", "$$(", "$${", "$$[", "$$'", `$$"`, "$$`"} {
		if strings.Contains(source, odd) {
			return ReadAlike(list, source, false) == ""
		}
	}
	return true
}

// tree is the shape that the parser's tree has.
type tree struct {
	shape
	strange bool // it holds what the reader does not know
}

func (t *tree) span(k kind, n syntax.Node) {
	t.close(t.mark(k, at(n.Pos())), at(n.End()))
}

func at(p syntax.Pos) int { return int(p.Offset()) }

func (t *tree) list(list []*syntax.Stmt) {
	for _, s := range list {
		t.mark(statement, 0)
		t.andOr(s)
	}
}

func (t *tree) andOr(s *syntax.Stmt) {
	c, ok := s.Cmd.(*syntax.BinaryCmd)
	if !ok || c.Op != syntax.AndStmt && c.Op != syntax.OrStmt {
		t.negated(s)
		return
	}
	t.plain(s)
	t.andOr(c.X)
	k := and
	if c.Op == syntax.OrStmt {
		k = or
	}
	t.mark(k, at(c.OpPos))
	t.negated(c.Y)
}

// plain holds that nothing belongs to a list or a pipe as a whole.
func (t *tree) plain(s *syntax.Stmt) {
	t.strange = t.strange || s.Negated || len(s.Redirs) > 0 || s.Background || s.Coprocess || s.Disown
}

func (t *tree) negated(s *syntax.Stmt) {
	if s.Negated {
		t.mark(negation, 0)
	}
	t.pipeline(s, s.Negated)
}

func (t *tree) pipeline(s *syntax.Stmt, negated bool) {
	c, ok := s.Cmd.(*syntax.BinaryCmd)
	t.strange = t.strange || s.Negated && !negated || s.Background || s.Coprocess || s.Disown
	if !ok {
		t.command(s)
		return
	}
	t.strange = t.strange || c.Op != syntax.Pipe || len(s.Redirs) > 0
	t.pipeline(c.X, false)
	t.mark(pipe, at(c.OpPos))
	t.pipeline(c.Y, false)
}

func (t *tree) command(s *syntax.Stmt) {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		t.simple(s.Redirs, c.Assigns, c.Args)
		return
	case *syntax.DeclClause:
		t.span(word, c.Variant)
		t.simple(s.Redirs, nil, nil, c.Args...)
		return
	case *syntax.TimeClause:
		t.timed(s, c)
	case *syntax.Subshell:
		t.span(subshell, c)
		t.list(c.Stmts)
	case *syntax.Block:
		t.span(block, c)
		t.list(c.Stmts)
	case *syntax.IfClause:
		t.span(condition, c)
		t.branches(c)
	case *syntax.ForClause:
		t.loop(c)
	case *syntax.WhileClause:
		t.repeated(c)
	default:
		t.strange = true
	}
	t.simple(s.Redirs, nil, nil)
}

// timed is a simple command behind time, which is a word to the reader.
func (t *tree) timed(s *syntax.Stmt, c *syntax.TimeClause) {
	if c.PosixFormat || c.Stmt == nil || len(s.Redirs) > 0 {
		t.strange = true
		return
	}
	t.close(t.mark(word, at(c.Time)), at(c.Time)+len("time"))
	call, ok := c.Stmt.Cmd.(*syntax.CallExpr)
	t.plain(&syntax.Stmt{Negated: c.Stmt.Negated || !ok, Background: c.Stmt.Background})
	if ok {
		t.simple(c.Stmt.Redirs, call.Assigns, call.Args)
	}
}

func (t *tree) branches(c *syntax.IfClause) {
	for ; c != nil; c = c.Else {
		if !c.ThenPos.IsValid() {
			t.mark(otherwise, 0)
			t.list(c.Then)
			return
		}
		t.list(c.Cond)
		t.mark(branch, 0)
		t.list(c.Then)
	}
}

func (t *tree) loop(c *syntax.ForClause) {
	words, ok := c.Loop.(*syntax.WordIter)
	t.strange = t.strange || !ok || c.Select || c.Braces
	if !ok {
		return
	}
	t.span(each, c)
	t.span(word, words.Name)
	for _, w := range words.Items {
		t.word(w)
	}
	t.mark(branch, 0)
	t.list(c.Do)
}

func (t *tree) repeated(c *syntax.WhileClause) {
	k := while
	if c.Until {
		k = until
	}
	t.span(k, c)
	t.list(c.Cond)
	t.mark(branch, 0)
	t.list(c.Do)
}

// simple is the words and redirections of a command as they stand in it; declared
// are the words of export.
func (t *tree) simple(redirs []*syntax.Redirect, assigns []*syntax.Assign, args []*syntax.Word,
	declared ...*syntax.Assign) {
	for _, a := range assigns {
		redirs = t.before(redirs, a.Pos())
		t.assign(assignment, a)
	}
	for _, a := range declared {
		redirs = t.before(redirs, a.Pos())
		t.assign(word, a)
	}
	for _, w := range args {
		redirs = t.before(redirs, w.Pos())
		t.word(w)
	}
	for _, r := range redirs {
		t.redirect(r)
	}
}

func (t *tree) before(redirs []*syntax.Redirect, pos syntax.Pos) []*syntax.Redirect {
	for len(redirs) > 0 && pos.After(redirs[0].Pos()) {
		t.redirect(redirs[0])
		redirs = redirs[1:]
	}
	return redirs
}

func (t *tree) assign(k kind, a *syntax.Assign) {
	t.strange = t.strange || a.Array != nil || a.Index != nil || a.Append
	t.span(k, a)
	if a.Value != nil {
		t.parts(a.Value.Parts)
	}
}

func (t *tree) redirect(r *syntax.Redirect) {
	t.mark(redirection, at(r.Pos()))
	t.word(r.Word)
	if r.Hdoc == nil {
		return
	}
	t.marks, t.texts = t.texts, t.marks
	t.span(body, r.Hdoc)
	t.parts(r.Hdoc.Parts)
	t.marks, t.texts = t.texts, t.marks
}

func (t *tree) word(w *syntax.Word) {
	t.span(word, w)
	t.parts(w.Parts)
}

func (t *tree) parts(parts []syntax.WordPart) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
		case *syntax.SglQuoted:
			t.span(single, p)
		case *syntax.DblQuoted:
			t.strange = t.strange || p.Dollar
			t.span(double, p)
			t.parts(p.Parts)
		case *syntax.ParamExp:
			t.span(parameter, p)
		case *syntax.ArithmExp:
			t.span(integer, p)
		case *syntax.CmdSubst:
			t.span(substitution, p)
			t.list(p.Stmts)
		case *syntax.ProcSubst:
			t.span(process, p)
			t.list(p.Stmts)
		default:
			t.strange = true
		}
	}
}
