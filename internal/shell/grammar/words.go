package grammar

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Decimal reports whether every shell takes a text for the same number.
func Decimal(s string) bool {
	return s == "0" || s != "" && len(s) < 10 && s[0] != '0' && strings.Trim(s, "0123456789") == ""
}

// Letter reports whether a byte may be part of a variable's name.
func Letter(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}

func Identifier(s string) bool {
	for i := 0; i < len(s); i++ {
		if !Letter(s[i]) {
			return false
		}
	}
	return s != "" && (s[0] < '0' || s[0] > '9')
}

// Descriptor reports whether the word after >& or <& names no file in any shell: zsh takes 1- for a name, and bash p.
func Descriptor(s string) bool { return s == "-" || Digit(s) }

func Digit(s string) bool { return len(s) == 1 && s[0] >= '0' && s[0] <= '9' }

// Constant returns the text of a word that no expansion can change.
func Constant(w *syntax.Word) (string, bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		return p.Value, !strings.ContainsAny(p.Value, "\\*?[~{=^#<($")
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	}
	return "", false
}

// HoldsBraces reports whether braces outside of quotes may make several words of this word.
func HoldsBraces(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		lit, ok := p.(*syntax.Lit)
		return ok && strings.Contains(lit.Value, "{") &&
			(len(w.Parts) > 1 || strings.Contains(lit.Value, ",") || strings.Contains(lit.Value, ".."))
	})
}

// Unescape removes the backslashes that double quotes give a meaning.
func Unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '$', '`', '"', '\\':
				i++
			case '\n':
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// plainBackquotes reports whether each backquote of a text stands behind a backslash, and nothing in it is a text of
// its own: a substitution, a here-document. There old shells look for the end in ways of their own.
func plainBackquotes(src string) bool {
	for _, own := range [...]string{"$(", "<(", ">(", "<<"} {
		if strings.Contains(src, own) {
			return false
		}
	}
	escaped := false
	for i := range len(src) {
		if src[i] == '`' && !escaped {
			return false
		}
		escaped = src[i] == '\\' && !escaped
	}
	return true
}

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
