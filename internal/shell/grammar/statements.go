package grammar

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Construct names what a node is, for a person.
func Construct(n syntax.Node) string {
	switch n := n.(type) {
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
	case *syntax.ForClause:
		if n.Select {
			return "select"
		}
		return "a loop over no list of words"
	}
	return "this"
}

// many is the count of a name that a text writes in a way of which the value
// does not follow.
const Unclear = 2

// WritesOf counts for each name how often commands write it.
func WritesOf(list []*syntax.Stmt) map[string]int {
	var writes map[string]int
	write := func(name string, times int) {
		if writes == nil {
			writes = map[string]int{}
		}
		writes[name] += times
	}
	for _, s := range list {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Assign:
				switch {
				case n.Name == nil:
				case n.Append || n.Index != nil || n.Array != nil || n.Naked:
					write(n.Name.Value, Unclear)
				default:
					write(n.Name.Value, 1)
				}
			case *syntax.WordIter:
				write(n.Name.Value, 1)
			case *syntax.ParamExp:
				if n.Param != nil && n.Exp != nil {
					write(n.Param.Value, Unclear)
				}
			case *syntax.CallExpr:
				for _, name := range filled(n) {
					write(name, Unclear)
				}
			}
			return true
		})
	}
	return writes
}

// Left lists the variables of loops that a text leaves in its shell; sets says that it gives
// one another value otherwise. A subshell leaves nothing.
func Left(list []*syntax.Stmt) (loops []string, sets bool) {
	visit := func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.WordIter:
			loops = append(loops, n.Name.Value)
		case *syntax.DeclClause:
			sets = true
		case *syntax.CallExpr:
			sets = sets || len(n.Args) == 0 && len(n.Assigns) > 0 || len(n.Args) > 0 && n.Args[0].Lit() == "set"
			loops = append(loops, filled(n)...)
			return false
		}
		return true
	}
	for _, s := range list {
		syntax.Walk(s, visit)
	}
	return loops, sets
}

// filled lists the variables that a builtin may fill: each word of it that
// could be a name.
func filled(c *syntax.CallExpr) (names []string) {
	for i, w := range c.Args {
		switch w.Lit() {
		case "read", "mapfile", "readarray", "printf", "getopts", "unset", "export", "local", "declare", "typeset",
			"readonly", "vared", "wait", "let", "zparseopts", "integer", "float":
			for _, arg := range c.Args[i+1:] {
				name, _, _ := strings.Cut(arg.Lit(), "=")
				if Identifier(name) {
					names = append(names, name)
				}
			}
			return append(names, "REPLY", "MAPFILE")
		}
	}
	return nil
}

// AssignsOnly returns the assignments of a statement that does nothing else;
// nil where it does, or where an assignment is more than NAME=word.
func AssignsOnly(s *syntax.Stmt) []*syntax.Assign {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) > 0 || !Plain(s) {
		return nil
	}
	for _, as := range call.Assigns {
		if !PlainAssign(as) {
			return nil
		}
	}
	return call.Assigns
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

// Leaves reports whether a command may change the directory of its shell.
func Leaves(words []*syntax.Word) bool {
	for _, w := range words {
		switch w.Lit() {
		case "cd", "chdir", "pushd", "popd", "":
			return true
		case "command", "builtin", "noglob", "nocorrect", "-":
			continue
		}
		return false
	}
	return false
}

// Endless reports whether a loop has a condition that always holds.
func Endless(c *syntax.WhileClause) bool {
	if len(c.Cond) != 1 {
		return false
	}
	call, ok := c.Cond[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	switch call.Args[0].Lit() {
	case "true", ":":
		return !c.Until
	case "false":
		return c.Until
	case "test":
		return !c.Until && len(call.Args) == 2 && call.Args[1].Lit() != ""
	case "[":
		return !c.Until && len(call.Args) == 3 && call.Args[1].Lit() != ""
	}
	return false
}

func AllJobs(list []*syntax.Stmt) bool {
	for _, s := range list {
		if !s.Background {
			return false
		}
	}
	return len(list) > 0
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
