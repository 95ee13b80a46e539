package grammar

import (
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
	case *syntax.ArithmCmd:
		return "(( ))"
	case *syntax.LetClause:
		return "let"
	case *syntax.TestClause:
		return "[[ ]]"
	case *syntax.CoprocClause:
		return "a coprocess"
	case *syntax.IfClause:
		return "if"
	case *syntax.ForClause, *syntax.WhileClause:
		return "a loop"
	}
	return "this"
}

// Sets reports whether a text may leave its shell with other variables: programs
// inherit them, and an editor keeps some of its own there.
func Sets(list []*syntax.Stmt) (sets bool) {
	visit := func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.WordIter, *syntax.DeclClause:
			sets = true
		case *syntax.CallExpr:
			sets = sets || len(n.Args) == 0 && len(n.Assigns) > 0
			for _, w := range n.Args {
				sets = sets || fills(w.Lit())
			}
		}
		return !sets
	}
	for _, s := range list {
		syntax.Walk(s, visit)
	}
	return sets
}

// fills lists builtins that give variables a value, or change the shell otherwise.
func fills(name string) bool {
	switch name {
	case "read", "mapfile", "readarray", "getopts", "unset", "export", "local", "declare", "typeset", "readonly",
		"vared", "let", "zparseopts", "integer", "float", "set":
		return true
	}
	return false
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

// Shell is the grammar in which a shell of that name reads a text. What sh is differs
// from system to system: it is read as the one that knows least.
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

// Multiplies reports whether a body starts the function of that name beside
// itself.
func Multiplies(body *syntax.Stmt, name string) (found bool) {
	syntax.Walk(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				found = found || starts(n, name)
			}
		case *syntax.Stmt:
			if n.Background {
				found = found || starts(n, name)
			}
		}
		return !found
	})
	return found
}

func starts(n syntax.Node, name string) (found bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		found = found || ok && len(call.Args) > 0 && call.Args[0].Lit() == name
		return !found
	})
	return found
}
