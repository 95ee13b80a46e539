package main

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// printer writes a tree of nod's parser so that a shell which reads it cannot
// see another tree: words stand as they were written, and whatever the shell's
// grammar would not put there by itself stands in braces.
type printer struct {
	source string
	out    strings.Builder
	docs   []*syntax.Redirect // here-documents that the current line owes
	err    error
}

// errUnprinted says that a tree holds what is not printed.
var errUnprinted = errors.New("not printed")

// reading is a text and what the parser made of it.
type reading struct{ text, printed string }

// readings parses a text and prints it, and each text inside of its words.
func readings(source string, lang syntax.LangVariant) ([]reading, error) {
	file, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(source), "")
	if err != nil {
		return nil, err
	}
	whole, err := printed(source, file.Stmts)
	if err != nil {
		return nil, err
	}
	list := []reading{{source, whole}}
	syntax.Walk(file, func(n syntax.Node) bool {
		text, stmts := inner(source, n)
		if stmts == nil || err != nil || strings.Contains(text, "\\") && source[n.Pos().Offset()] == '`' {
			return true
		}
		var part string
		if part, err = printed(source, stmts); err == nil {
			list = append(list, reading{text, part})
		}
		return true
	})
	return list, err
}

// inner returns the text of a substitution and what was read in it.
func inner(source string, n syntax.Node) (string, []*syntax.Stmt) {
	switch x := n.(type) {
	case *syntax.CmdSubst:
		if x.TempFile || x.ReplyVar {
			return "", nil
		}
		from := x.Left.Offset() + 2
		if x.Backquotes {
			from--
		}
		return source[from:x.Right.Offset()], x.Stmts
	case *syntax.ProcSubst:
		return source[x.OpPos.Offset()+2 : x.Rparen.Offset()], x.Stmts
	}
	return "", nil
}

func printed(source string, stmts []*syntax.Stmt) (string, error) {
	p := &printer{source: source}
	p.list(stmts)
	return p.out.String(), p.err
}

func (p *printer) raw(n syntax.Node) string {
	return p.source[n.Pos().Offset():n.End().Offset()]
}

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.out.WriteString(s)
	}
}

// line ends a line and pays what it owes.
func (p *printer) line() {
	p.put("\n")
	docs := p.docs
	p.docs = nil
	for _, r := range docs {
		end := unquoted(p.raw(r.Word))
		p.put(p.body(r, end), end, "\n")
	}
}

// body is the text of a here-document without the line that ends it.
func (p *printer) body(r *syntax.Redirect, end string) string {
	doc := r.Hdoc
	if doc == nil {
		return ""
	}
	text := p.raw(doc)
	if lit, ok := doc.Parts[0].(*syntax.Lit); ok && len(doc.Parts) == 1 {
		text = lit.Value
	}
	for _, last := range []string{end, "\t" + end} {
		if text == last || strings.HasSuffix(text, "\n"+last) {
			text = strings.TrimSuffix(text, last)
		}
	}
	if i := strings.LastIndexByte(text, '\n') + 1; r.Op == syntax.DashHdoc && strings.Trim(text[i:], "\t") == "" {
		text = text[:i] // what stands before the line's end
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// unquoted is the end of a here-document as it stands on its line.
func unquoted(word string) string {
	return strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(word)
}

func (p *printer) list(stmts []*syntax.Stmt) {
	for _, s := range stmts {
		p.statement(s)
		if s.Background {
			p.put(" &")
		}
		if s.Disown {
			p.put(" &!")
		}
		p.line()
	}
}

// braced is a statement that stands where the grammar wants a smaller one.
func (p *printer) braced(s *syntax.Stmt) {
	p.put("{ ")
	p.list([]*syntax.Stmt{s})
	p.put("}")
}

func (p *printer) block(stmts []*syntax.Stmt) {
	p.line()
	p.list(stmts)
}

// statement prints all but what ends it.
func (p *printer) statement(s *syntax.Stmt) {
	if s.Coprocess {
		p.err = fmt.Errorf("%w: a coprocess", errUnprinted)
	}
	if s.Negated {
		p.put("! ")
	}
	if b, ok := s.Cmd.(*syntax.BinaryCmd); ok &&
		(len(s.Redirs) > 0 || s.Negated && b.Op != syntax.Pipe && b.Op != syntax.PipeAll) {
		p.braced(&syntax.Stmt{Cmd: s.Cmd, Position: s.Position})
	} else if s.Cmd != nil {
		p.command(s.Cmd)
	}
	for _, r := range s.Redirs {
		p.put(" ")
		if r.N != nil {
			p.put(r.N.Value)
		}
		p.put(r.Op.String(), " ", p.raw(r.Word))
		if r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc {
			p.docs = append(p.docs, r)
		}
	}
}

// operand prints one side of an operator, in braces where the grammar would
// read it otherwise.
func (p *printer) operand(s *syntax.Stmt, left bool, op syntax.BinCmdOperator) {
	b, binary := s.Cmd.(*syntax.BinaryCmd)
	pipe := op == syntax.Pipe || op == syntax.PipeAll
	inner := binary && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll)
	plain := !s.Background && !s.Disown && !s.Coprocess && !(binary && len(s.Redirs) > 0)
	switch {
	case plain && pipe && !s.Negated && (!binary || inner):
		p.statement(s)
	case plain && !pipe && (!binary || inner || left):
		p.statement(s)
	default:
		p.braced(s)
	}
}

func (p *printer) command(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		p.call(c)
	case *syntax.BinaryCmd:
		p.operand(c.X, true, c.Op)
		p.put(" ", c.Op.String(), " ")
		p.operand(c.Y, false, c.Op)
	case *syntax.Subshell:
		p.put("(")
		p.block(c.Stmts)
		p.put(")")
	case *syntax.Block:
		p.put("{")
		p.block(c.Stmts)
		p.put("}")
	case *syntax.IfClause:
		p.condition(c, "if")
	case *syntax.WhileClause:
		p.put(map[bool]string{true: "until", false: "while"}[c.Until])
		p.block(c.Cond)
		p.do(c.Do)
	case *syntax.ForClause:
		p.loop(c)
	case *syntax.CaseClause:
		p.caseClause(c)
	case *syntax.FuncDecl:
		p.function(c)
	case *syntax.DeclClause:
		p.put(c.Variant.Value)
		for _, a := range c.Args {
			p.put(" ", p.raw(a))
		}
	case *syntax.LetClause:
		p.let(c)
	case *syntax.TimeClause:
		p.put("time", map[bool]string{true: " -p "}[c.PosixFormat], " ")
		if c.Stmt != nil {
			p.operand(c.Stmt, false, syntax.AndStmt)
		}
	case *syntax.ArithmCmd, *syntax.TestClause:
		p.put(p.raw(c))
	default:
		p.err = fmt.Errorf("%w: %T", errUnprinted, c)
	}
}

func (p *printer) call(c *syntax.CallExpr) {
	var words []string
	for _, a := range c.Assigns {
		words = append(words, p.raw(a))
	}
	for _, w := range c.Args {
		words = append(words, p.raw(w))
	}
	p.put(strings.Join(words, " "))
}

func (p *printer) do(stmts []*syntax.Stmt) {
	p.put("do")
	p.block(stmts)
	p.put("done")
}

func (p *printer) condition(c *syntax.IfClause, word string) {
	p.put(word)
	if c.ThenPos.IsValid() {
		p.block(c.Cond)
		p.put("then")
	}
	p.block(c.Then)
	if c.Else == nil {
		p.put("fi")
	} else if c.Else.ThenPos.IsValid() {
		p.condition(c.Else, "elif")
	} else {
		p.condition(c.Else, "else")
	}
}

func (p *printer) loop(c *syntax.ForClause) {
	p.put(map[bool]string{true: "select ", false: "for "}[c.Select])
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		p.put(l.Name.Value)
		if l.InPos.IsValid() {
			p.put(" in")
		}
		for _, w := range l.Items {
			p.put(" ", p.raw(w))
		}
	case *syntax.CStyleLoop:
		p.put(p.source[l.Lparen.Offset():l.Rparen.Offset()], "))")
	}
	p.line()
	p.do(c.Do)
}

func (p *printer) caseClause(c *syntax.CaseClause) {
	p.put("case ", p.raw(c.Word), " in")
	p.line()
	for _, item := range c.Items {
		var patterns []string
		for _, w := range item.Patterns {
			patterns = append(patterns, p.raw(w))
		}
		p.put("(", strings.Join(patterns, " | "), ")")
		p.block(item.Stmts)
		op := item.Op.String()
		if !item.OpPos.IsValid() {
			op = ";;"
		}
		p.put(op)
		p.line()
	}
	p.put("esac")
}

func (p *printer) function(c *syntax.FuncDecl) {
	if c.RsrvWord {
		p.put("function ")
	}
	switch {
	case c.Name != nil:
		p.put(c.Name.Value)
	default:
		for _, n := range c.Names {
			p.put(n.Value, " ")
		}
	}
	if c.Parens || !c.RsrvWord {
		p.put(" ()")
	}
	p.line()
	switch c.Body.Cmd.(type) {
	case *syntax.Block, *syntax.Subshell, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause,
		*syntax.ArithmCmd, *syntax.TestClause:
		if !c.Body.Negated && !c.Body.Background {
			p.statement(c.Body)
			return
		}
	}
	p.braced(c.Body)
}

// let takes words: what the parser took for one expression is put in quotes
// where a shell might find more in it.
func (p *printer) let(c *syntax.LetClause) {
	p.put("let")
	for _, e := range c.Exprs {
		text := p.raw(e)
		if strings.ContainsAny(text, "|&;<>() \n") && !strings.ContainsAny(text, `'"$`) {
			text = "'" + text + "'"
		}
		p.put(" ", text)
	}
}
