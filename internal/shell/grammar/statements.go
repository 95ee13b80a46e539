package grammar

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Construct names what a node is, for a person.
func Construct(n syntax.Node) string {
	switch n.(type) {
	case *syntax.FuncDecl:
		return "a function"
	case *syntax.CaseClause:
		return "case"
	case *syntax.TestClause:
		return "[[ ]]"
	case *syntax.IfClause:
		return "if"
	case *syntax.ForClause, *syntax.WhileClause:
		return "a loop"
	case *syntax.ArithmExp:
		return "arithmetic"
	case *syntax.ProcSubst:
		return "the output of a command as a file"
	}
	return "more than plain commands"
}

func PlainAssign(as *syntax.Assign) bool {
	return as.Name != nil && as.Index == nil && as.Array == nil && !as.Append && !as.Naked
}

func HereText(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		}
	}
	return b.String()
}

// Shell is the grammar in which a shell of that name reads a text. sh differs from
// system to system: it is read as the shell that knows least.
func Shell(name string) syntax.LangVariant {
	switch name {
	case "bash":
		return syntax.LangBash
	case "zsh":
		return syntax.LangZsh
	}
	return syntax.LangPOSIX
}

func Plain(s *syntax.Stmt) bool {
	return !s.Negated && !s.Background && !s.Coprocess && !s.Disown && len(s.Redirs) == 0
}

// Multiplies reports whether a function starts itself beside itself: :(){ :|:& };:
func Multiplies(body, name string) bool {
	body = strings.Join(strings.Fields(body), "")
	return strings.Contains(body, name+"|"+name) || strings.Contains(body, name+"&"+name)
}

// Documents lists what stands in single quotes and in quoted here-documents that is fed to programs of these names, in
// its order: text that a shell takes as it stands. Pairs of offsets.
func Documents(text string, programs ...string) (list [][2]int) {
	tree, err := As(text, syntax.LangBash)
	if err != nil {
		return nil
	}
	syntax.Walk(tree, func(n syntax.Node) bool {
		s, ok := n.(*syntax.Stmt)
		if !ok {
			return true
		}
		call, ok := s.Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 || !slices.Contains(programs, call.Args[0].Lit()) {
			return true
		}
		for _, r := range s.Redirs {
			if r.Hdoc != nil && strings.ContainsAny(Raw(text, r.Word), `'"`) {
				list = append(list, [2]int{int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())})
			}
		}
		for _, w := range call.Args {
			if _, constant := Constant(w); constant {
				list = append(list, [2]int{int(w.Pos().Offset()), int(w.End().Offset())})
			}
		}
		return true
	})
	return list
}
