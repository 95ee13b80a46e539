package grammar

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// FormatVerbs returns the conversions of a format, with * where a width is an
// argument.
func FormatVerbs(format string) string {
	var verbs []byte
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format) && strings.IndexByte("-+ #0123456789.*'hlLjzt", format[i]) >= 0; i++ {
			if format[i] == '*' {
				verbs = append(verbs, '*')
			}
		}
		if i < len(format) {
			verbs = append(verbs, format[i])
		}
	}
	return string(verbs)
}

// Decimal reports whether every shell takes a text for the same number.
func Decimal(s string) bool {
	return s == "0" || s != "" && len(s) < 10 && s[0] != '0' && strings.Trim(s, "0123456789") == ""
}

func Identifier(s string) bool {
	for i := 0; i < len(s); i++ {
		if !Letter(s[i]) {
			return false
		}
	}
	return s != "" && (s[0] < '0' || s[0] > '9')
}

// Descriptor reports whether the word after >& or <& names no file, whatever
// shell reads it: zsh takes 1- for a name, and bash p.
func Descriptor(s string) bool { return s == "-" || Digit(s) }

func Digit(s string) bool { return len(s) == 1 && s[0] >= '0' && s[0] <= '9' }

// SplitsAsShell reports whether env -S and a shell see the same words.
func SplitsAsShell(text string) bool {
	var quote byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\', quote != '\'' && (c == '$' || c == '`'):
			return false
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote == 0 && strings.IndexByte("#;|&<>()*?[]{}~!\n", c) >= 0:
			return false
		}
	}
	return quote == 0
}

// BraceDepth returns how deep braces nest in the unquoted text of a word.
func BraceDepth(w *syntax.Word) int {
	var n nest
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		for i := 0; i < len(lit.Value); i++ {
			switch lit.Value[i] {
			case '{':
				n.open()
			case '}':
				n.close()
			}
		}
	}
	return n.max
}

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

func HasBraces(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		_, ok := p.(*syntax.BraceExp)
		return ok
	})
}

// BracesBesideName reports whether braces stand right behind $NAME, or hold a
// $NAME or a ~: bash expands braces first, so that what they yield may belong to
// the name, and zsh looks for ~ in what they yield.
func BracesBesideName(w *syntax.Word) bool {
	for i, part := range w.Parts {
		b, ok := part.(*syntax.BraceExp)
		if ok && (i > 0 && shortName(w.Parts[i-1]) || slices.ContainsFunc(b.Elems, nameOrHome)) {
			return true
		}
	}
	return false
}

// MixedRange reports a range such as {A..a}, in which a shell meets signs that
// mean something to it.
func MixedRange(p syntax.WordPart) bool {
	b, ok := p.(*syntax.BraceExp)
	if !ok || !b.Sequence {
		return false
	}
	first, last := b.Elems[0].Lit(), b.Elems[1].Lit()
	lower, upper := first+last == strings.ToLower(first+last), first+last == strings.ToUpper(first+last)
	return !lower && !upper || len(first) != 1 && !Decimal(strings.TrimPrefix(first, "-"))
}

func nameOrHome(elem *syntax.Word) bool {
	return BracesBesideName(elem) || slices.ContainsFunc(elem.Parts, func(p syntax.WordPart) bool {
		lit, ok := p.(*syntax.Lit)
		return shortName(p) || ok && strings.Contains(lit.Value, "~")
	})
}

func shortName(p syntax.WordPart) bool {
	name, ok := p.(*syntax.ParamExp)
	return ok && name.Short
}

// HomeBehindEquals reports whether a word looks like an assignment with a ~ in
// its value: bash expands it in an argument too, other shells do not.
func HomeBehindEquals(w *syntax.Word) bool {
	assigns := false
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		_, value, found := strings.Cut(lit.Value, "=")
		if assigns {
			value = lit.Value
		}
		assigns = assigns || found
		if assigns && strings.Contains(value, "~") &&
			(strings.HasPrefix(value, "~") || strings.ContainsAny(value, "=:")) {
			return true
		}
	}
	return false
}

// Bare reports whether c stands in unquoted text without a backslash.
func Bare(text string, c byte) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case c:
			return true
		}
	}
	return false
}

func BracketGlob(s string) bool { return strings.IndexByte(s, ']') > 0 }

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

// ANSIC decodes the inside of $'...'. ok is false for an escape that shells
// differ on.
func ANSIC(s string) (string, bool) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		out, n := escape(s[i+1:])
		if n == 0 {
			return "", false
		}
		b.WriteString(out)
		i += n
	}
	return b.String(), true
}

// escape decodes what follows a backslash in $'...', and says how many bytes it
// is; 0 for what shells differ on.
func escape(s string) (out string, n int) {
	const letters, meant = "ntrabfveE\\'\"?", "\n\t\r\a\b\f\v\x1b\x1b\\'\"?"
	if i := strings.IndexByte(letters, s[0]); i >= 0 {
		return meant[i : i+1], 1
	}
	switch c := s[0]; {
	case c == 'x':
		if n, r := digits(s[1:], 16, 2); n > 0 && r > 0 {
			return string([]byte{byte(r)}), 1 + n
		}
	case c == 'u' || c == 'U':
		limit := map[byte]int{'u': 4, 'U': 8}[c]
		if n, r := digits(s[1:], 16, limit); n > 0 && 0 < r && r < 0x80 { // beyond ASCII the locale decides
			return string(rune(r)), 1 + n
		}
	case '0' <= c && c <= '7':
		if n, r := digits(s, 8, 3); 0 < r && r <= 255 {
			return string([]byte{byte(r)}), n
		}
	}
	return "", 0
}

// digits reads at most limit digits and returns how many, and their value.
func digits(s string, base, limit int) (n, v int) {
	for n < len(s) && n < limit {
		c := s[n]
		if c >= 'A' && c <= 'F' {
			c |= 0x20
		}
		d := strings.IndexByte("0123456789abcdef", c)
		if d < 0 || d >= base {
			break
		}
		v = v*base + d
		n++
	}
	return n, v
}
