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
