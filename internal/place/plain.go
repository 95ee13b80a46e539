package place

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// readings are a text of settings as it stands, as agents and shells read the names in it
// (plain), the same behind the escapes of JSON, TOML and YAML (decoded), and, where those
// are other texts, without x/../.
func readings(text string) []string {
	texts := []string{text, plainPaths(text)}
	if inner := decoded(text); inner != text {
		texts = append(texts, plainPaths(inner))
	}
	for _, plain := range texts[1:] {
		if direct := withoutDetours(plain); direct != plain {
			texts = append(texts, direct)
		}
	}
	return texts
}

// decoded is a text of settings without the escapes that JSON, TOML and YAML have between
// double quotes, so that those of a shell within them are left. A line that goes on loses
// the blanks around its end, as in TOML and YAML, where a block has a margin.
func decoded(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		if rest[0] != '\\' || len(rest) == 1 {
			b.WriteByte(rest[0])
			continue
		}
		if line := strings.TrimLeft(rest[1:], " \t\r"); strings.HasPrefix(line, "\n") {
			i += len(rest) - len(strings.TrimLeft(line, " \t\r\n")) - 1
			continue
		}
		char, length := escaped(rest)
		if simple, ok := simpleEscape(rest[1]); ok {
			char, length = simple, 2
		}
		if length == 0 || '0' <= rest[1] && rest[1] <= '7' {
			b.WriteByte('\\')
			continue
		}
		b.WriteRune(char)
		i += length - 1
	}
	return b.String()
}

// simpleEscape is what a sign behind a backslash means.
func simpleEscape(sign byte) (char rune, ok bool) {
	switch sign {
	case 'n':
		return '\n', true
	case 't', 'r', 'f', 'b', 'v', '_':
		return ' ', true
	case '"', '\\', '/':
		return rune(sign), true
	}
	return 0, false
}

// plainPaths is a text of settings without what JSON escapes, quotes, doubled slashes and
// ./ within a name, and with the default of an expansion in its place. x/../ stays: x may
// be a link.
func plainPaths(text string) string {
	text = withDefaults(unquoted(text))
	const scheme = ":\x00\x00"
	text = strings.ReplaceAll(text, "://", scheme)
	for _, twice := range []string{"//", "/./"} {
		for strings.Contains(text, twice) {
			text = strings.ReplaceAll(text, twice, "/")
		}
	}
	return strings.ReplaceAll(text, scheme, "://")
}

// unquoted is a text without quotes and escapes. The quote that ends a key becomes a
// blank, so that key and value stay two words.
func unquoted(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		char, length := escaped(text[i:])
		switch c := text[i]; {
		case length > 0:
			switch {
			case char == '"' || char == '\'' || char == '\\':
			case text[i+1] != 'u' && text[i+1] != 'U' && char < 0x100: // a byte, for a shell
				b.WriteByte(byte(char))
			default:
				b.WriteRune(char)
			}
			i += length - 1
		case c == '$' && isQuoteNext(text[i+1:]): // $'x', $"x"
		case strings.HasPrefix(text[i:], `\_`), strings.HasPrefix(text[i:], `\\_`): // env -S: a blank
			b.WriteByte(' ')
			i += strings.IndexByte(text[i:], '_')
		case strings.HasPrefix(text[i:], "\\\n"): // a line that goes on
			i++
		case strings.HasPrefix(text[i:], `\\\n`): // the same in JSON
			i += 3
		case strings.HasPrefix(text[i:], `\\`):
			if _, inner := escaped(text[i+1:]); inner == 0 { // else what a shell escapes
				i++
			}
		case c == '\\' && i+1 < len(text) && strings.IndexByte("tnrbf", text[i+1]) >= 0,
			(c == '"' || c == '\'') && strings.HasPrefix(text[i+1:], ":"):
			b.WriteByte(' ')
			if c == '\\' {
				i++
			}
		case c != '\\' && c != '"' && c != '\'':
			b.WriteByte(c)
		}
	}
	return b.String()
}

// isQuoteNext reports whether a text begins with a quote, escaped or not.
func isQuoteNext(text string) bool {
	text = strings.TrimLeft(text, `\`)
	return text != "" && (text[0] == '"' || text[0] == '\'')
}

// escaped is the character that an escape of JSON, TOML, YAML or a shell means at the
// start of a text (\u0069, \x69, \151), and how long the escape is: 0 where no such
// escape is.
func escaped(text string) (char rune, length int) {
	if len(text) < 4 || text[0] != '\\' {
		return 0, 0
	}
	from, base := 2, 16
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if text[1] >= '0' && text[1] <= '7' {
		from, base, digits = 1, 8, 3
	}
	if digits == 0 || len(text) < from+digits {
		return 0, 0
	}
	n, err := strconv.ParseUint(text[from:from+digits], base, 31)
	if err != nil {
		return 0, 0
	}
	if rest := text[from+digits:]; text[1] == 'u' && utf16.IsSurrogate(rune(n)) && strings.HasPrefix(rest, `\u`) &&
		len(rest) >= 6 {
		if low, err := strconv.ParseUint(rest[2:6], 16, 31); err == nil {
			return utf16.DecodeRune(rune(n), rune(low)), from + digits + 6
		}
	}
	return rune(n), from + digits
}

// withDefaults puts what stands for an unset variable in the place of its expansion:
// a/x for ${DIR:-a}/x.
func withDefaults(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "${")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		end := strings.IndexAny(after, "{}\n")
		if end < 0 || after[end] != '}' {
			b.WriteString("${")
			text = after
			continue
		}
		if operator := strings.IndexAny(after[:end], ":-="); operator >= 0 {
			b.WriteString(strings.TrimLeft(after[operator:end], ":-="))
		} else {
			b.WriteString("${" + after[:end+1])
		}
		text = after[end+1:]
	}
}

// withoutDetours is a text without x/../ in its names.
func withoutDetours(text string) string {
	const back = "../"
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if end := len(out) - 1; end >= 0 && out[end] == '/' && strings.HasPrefix(text[i:], back) {
			start := end
			for start > 0 && pathByte(out[start-1]|0x20) {
				start--
			}
			if part := string(out[start:end]); part != "" && part != "." && part != ".." {
				out = out[:start]
				i += len(back) - 1
				continue
			}
		}
		out = append(out, text[i])
	}
	return string(out)
}
