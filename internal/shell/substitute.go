package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// substitute walks a command substitution and returns its value where that
// follows from the text alone.
func (e *expander) substitute(p *syntax.CmdSubst, st state) value {
	command := e.out.command
	defer func() { e.out.command = command }()
	from := len(e.out.report.Commands)
	e.run.subshell(p.Stmts, st, input{})
	var v value
	if len(p.Stmts) == 1 && len(st.more) == 0 {
		v = e.printed(p.Stmts[0], st)
	}
	if !v.known {
		v.from, v.to = from, len(e.out.report.Commands)
	}
	return v
}

// printed is what a statement prints, without final newlines.
func (e *expander) printed(s *syntax.Stmt, st state) value {
	if s.Negated || s.Background {
		return value{}
	}
	if grammar.PrintsNumber(s) {
		return value{numeric: true}
	}
	if len(s.Redirs) > 0 && !grammar.OnlyErrors(s.Redirs) {
		return e.printedText(s)
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe && grammar.PrintsNumber(c.Y) {
			return value{numeric: true}
		}
	case *syntax.CallExpr:
		if len(c.Assigns) == 0 && len(c.Args) > 0 {
			return e.printedBy(c, st)
		}
	}
	return value{}
}

// printedText is the text of cat <<'EOF'.
func (e *expander) printedText(s *syntax.Stmt) value {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated || s.Background || len(c.Args) != 1 || c.Args[0].Lit() != "cat" || len(s.Redirs) != 1 ||
		s.Redirs[0].Hdoc == nil {
		return value{}
	}
	if !strings.ContainsAny(e.now.raw(s.Redirs[0].Word), "'\"\\") || s.Redirs[0].Op != syntax.Hdoc {
		return value{}
	}
	return constant(strings.TrimRight(grammar.HereText(s.Redirs[0].Hdoc), "\n"))
}

// printedBy is what a few commands print when their arguments are constant.
// PATH does not matter: a program that is not what its name says is reported
// where it is called.
func (e *expander) printedBy(c *syntax.CallExpr, st state) value {
	args := make([]string, 0, 8)
	for _, w := range c.Args {
		lit, ok := e.constantArg(w, st)
		if !ok {
			return value{}
		}
		args = append(args, lit)
	}
	rest := args[1:]
	switch args[0] {
	case "pwd":
		if len(rest) == 0 && st.dir != "" {
			return constant(st.dir)
		}
	case "echo":
		text := strings.Join(rest, " ")
		if !strings.HasPrefix(text, "-") && !strings.Contains(text, "\\") {
			return constant(strings.TrimRight(text, "\n"))
		}
	case "printf":
		if len(rest) == 1 && !strings.ContainsAny(rest[0], "\\%") || len(rest) == 2 && rest[0] == "%s" {
			return constant(strings.TrimRight(rest[len(rest)-1], "\n"))
		}
	case "git":
		if len(rest) == 2 && rest[0] == "rev-parse" && rest[1] == "--show-toplevel" {
			if r := e.repos.repository(st.dir); r != nil && r.top != "" {
				return constant(r.top)
			}
		}
	}
	return value{}
}

// constantArg is the text of a word of constants and plain variables that is
// one word, whatever shell reads it.
func (e *expander) constantArg(w *syntax.Word, st state) (string, bool) {
	for _, part := range w.Parts {
		if q, ok := part.(*syntax.DblQuoted); ok {
			for _, inner := range q.Parts {
				if !e.plainPart(inner) {
					return "", false
				}
			}
			continue
		}
		if !e.plainPart(part) {
			return "", false
		}
	}
	if syntax.SplitBraces(&syntax.Word{Parts: w.Parts}) {
		return "", false
	}
	v := e.single(w, st)
	if v.glob > 0 || !v.known {
		return "", false
	}
	if lit := w.Lit(); lit == "" && strings.ContainsAny(v.text, " \t\n*?[") && !strings.HasPrefix(v.raw, `"`) &&
		!strings.HasPrefix(v.raw, "'") {
		return "", false
	}
	return v.text, true
}

func (e *expander) plainPart(part syntax.WordPart) bool {
	switch p := part.(type) {
	case *syntax.Lit, *syntax.SglQuoted:
		return true
	case *syntax.ParamExp:
		return e.now.plainParam(p)
	}
	return false
}

// pipeText is what the left side of a pipe feeds the right one, if it only
// prints constants.
func (e *expander) pipeText(left *syntax.Stmt, st state) input {
	if b, ok := left.Cmd.(*syntax.BinaryCmd); ok && b.Op == syntax.Pipe && grammar.Plain(left) && grammar.Plain(b.Y) &&
		grammar.Passes(b.Y) {
		return e.pipeText(b.X, st)
	}
	c, ok := left.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return input{kind: piped}
	}
	switch c.Args[0].Lit() {
	case "echo", "printf", "cat":
		command, n, m := e.out.command, len(e.out.report.Effects), len(e.out.report.Unknowns)
		v := e.printed(left, st)
		e.out.command = command
		if v.known && n == len(e.out.report.Effects) && m == len(e.out.report.Unknowns) {
			return input{kind: fromText, text: word{value: v, raw: e.now.raw(left)}}
		}
	}
	return input{kind: piped}
}
