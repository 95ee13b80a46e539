package grammar

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// plainTests turns [[ ]] into the [ ] that does the same: a test of one file or text, or of
// whether two texts are equal, none of them a pattern. Other tests stay outside.
func plainTests(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Stmt); ok {
			if c, ok := s.Cmd.(*syntax.TestClause); ok {
				s.Cmd = plainTest(c)
			}
		}
		return true
	})
}

func plainTest(c *syntax.TestClause) syntax.Command {
	args, ok := testWords(c.X)
	if !ok || !c.Left.IsValid() || !c.Right.IsValid() {
		return c
	}
	args = append([]*syntax.Word{sign("[", c.Left, 2)}, args...)
	return &syntax.CallExpr{Args: append(args, sign("]", c.Right, 2))}
}

// testWords are the words of a test as [ takes them.
func testWords(x syntax.TestExpr) ([]*syntax.Word, bool) {
	switch x := x.(type) {
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			one, single := x.X.(*syntax.UnaryTest)
			if !single || one.Op == syntax.TsNot {
				return nil, false
			}
			args, ok := testWords(one)
			return append([]*syntax.Word{sign("!", x.OpPos, 1)}, args...), ok
		}
		w, ok := x.X.(*syntax.Word)
		op := x.Op.String()
		return []*syntax.Word{sign(op, x.OpPos, len(op)), w}, ok && looksOnly(op) && noPattern(w)
	case *syntax.BinaryTest:
		left, ok := x.X.(*syntax.Word)
		right, also := x.Y.(*syntax.Word)
		if !ok || !also || !noPattern(left) || !noPattern(right) {
			return nil, false
		}
		switch op := x.Op; op {
		case syntax.TsMatch, syntax.TsMatchShort:
			return []*syntax.Word{left, sign("=", x.OpPos, len(op.String())), right}, true
		case syntax.TsNoMatch:
			return []*syntax.Word{left, sign("!=", x.OpPos, 2), right}, true
		}
	}
	return nil, false
}

// looksOnly reports an operator that evaluates nothing, unlike -v and -R.
func looksOnly(op string) bool {
	return len(op) == 2 && strings.IndexByte("efdsrwxLhznpSbcgkuOGN", op[1]) >= 0
}

// noPattern reports a word in whose text outside of quotes every sign stands for itself.
func noPattern(w *syntax.Word) bool {
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.Trim(p.Value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:@%+-") != "" {
				return false
			}
		case *syntax.SglQuoted, *syntax.DblQuoted:
		default:
			return false
		}
	}
	return true
}

// sign is a word that stands where another of so many bytes does.
func sign(text string, at syntax.Pos, size int) *syntax.Word {
	end := syntax.NewPos(at.Offset()+uint(size), at.Line(), at.Col()+uint(size))
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{ValuePos: at, ValueEnd: end, Value: text}}}
}
