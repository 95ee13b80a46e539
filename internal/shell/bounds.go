package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxBytes   = 64 << 10
	maxNesting = 200
)

// malformed names what no agent sends in good faith, or "".
func malformed(source string) string {
	if strings.IndexByte(source, 0) >= 0 {
		return "a NUL byte"
	}
	for i := 0; ; {
		cr := strings.IndexByte(source[i:], '\r')
		if cr < 0 {
			return ""
		}
		if i += cr + 1; i >= len(source) || source[i] != '\n' {
			return "a carriage return that ends no line"
		}
	}
}

// exceeded names the bound that the text is over, or "". The parser recurses,
// and a stack that overflows kills the process, so this runs before it. It
// cannot know the grammar: it counts brackets as if nothing were quoted, then
// leaving out what looks quoted in two ways, and takes the worst. A text that
// deceives all three is stopped while it is parsed (shallow).
func exceeded(source string) string {
	if len(source) > maxBytes {
		return "64 KiB"
	}
	if len(source) <= maxNesting {
		return ""
	}
	for _, quotes := range [...]string{"", "'", "'\""} {
		if nesting(source, quotes) > maxNesting {
			return "200 levels of nesting"
		}
	}
	if compounds(source) > maxNesting {
		return "200 levels of nesting"
	}
	if strings.Count(source, "<<") > maxNesting {
		return "200 here-documents"
	}
	return ""
}

type nest struct{ now, max int }

func (n *nest) open()  { n.now++; n.max = max(n.max, n.now) }
func (n *nest) close() { n.now = max(n.now-1, 0) }

// nesting returns the deepest nesting of brackets and backticks, leaving out
// comments and what stands in any of the quotes.
func nesting(source, quotes string) int {
	var n nest
	ticks := 0
	for i := 0; i < len(source); i++ {
		switch c := source[i]; c {
		case '\\':
			i++
			if i < len(source) && source[i] == '`' {
				n.open()
			}
		case '\'', '"':
			if strings.IndexByte(quotes, c) >= 0 {
				i += quoted(source[i+1:], c)
			}
		case '#':
			if quotes != "" && i > 0 && strings.IndexByte(" \t\n;(", source[i-1]) >= 0 {
				if end := strings.IndexByte(source[i:], '\n'); end > 0 {
					i += end
				}
			}
		case '`':
			if ticks++; ticks%2 == 1 {
				n.open()
			} else {
				n.close()
			}
		case '(', '{', '[':
			n.open()
		case ')', '}', ']':
			n.close()
		}
	}
	return n.max
}

// quoted returns the length of a quoted string with its closing quote, 0
// where nothing closes it.
func quoted(s string, quote byte) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quote == '"':
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return 0
}

// compounds returns the deepest nesting of if, for, while and case, counted
// by the words that follow the conditions: "if" alone is common in prose and
// in other languages. A pile of conditions alone costs little per level and
// counts a tenth.
func compounds(source string) int {
	var bodies nest
	conditions := 0
	for i := 0; i < len(source); i++ {
		if !letter(source[i]) {
			continue
		}
		start := i
		for i < len(source) && letter(source[i]) {
			i++
		}
		switch source[start:i] {
		case "then", "do", "case":
			bodies.open()
		case "fi", "elif", "done", "esac":
			bodies.close()
		case "if", "while", "until", "for", "select", "repeat", "foreach", "coproc", "time", "function":
			conditions++
		}
	}
	return max(bodies.max, conditions/10)
}

func letter(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}

// disguise names what makes a name look like another one, or "". Names of
// programs, paths and hosts are checked; prose is not.
func disguise(name string) string {
	ascii := true
	for i := 0; i < len(name); i++ {
		if name[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
		if name[i] < ' ' && name[i] != '\n' && name[i] != '\t' || name[i] == 0x7F {
			return "a control character"
		}
	}
	if ascii {
		return ""
	}
	return disguiseOf(name)
}

func disguiseOf(name string) string {
	var scripts [4]bool
	latin := false
	for _, r := range name {
		switch {
		case r == utf8.RuneError:
			return "bytes that are not UTF-8"
		case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200E, r == 0x200F, r == 0x061C:
			return "a bidirectional mark"
		case r >= 0x200B && r <= 0x200D, r == 0x2060, r == 0xFEFF, r == 0x00AD, r == 0x180E, r >= 0x2061 && r <= 0x2064:
			return "a zero-width character"
		case r >= 0xE0000 && r <= 0xE0FFF:
			return "a tag character"
		case unicode.Is(unicode.Cf, r) || r >= 0x80 && r < 0xA0:
			return "an invisible character"
		case r != ' ' && unicode.IsSpace(r) && r >= utf8.RuneSelf:
			return "a blank that is no space"
		case r < utf8.RuneSelf:
			latin = latin || r|0x20 >= 'a' && r|0x20 <= 'z'
		case unicode.Is(unicode.Latin, r):
			latin = true
		case unicode.Is(unicode.Cyrillic, r):
			scripts[0] = true
		case unicode.Is(unicode.Greek, r):
			scripts[1] = true
		case unicode.Is(unicode.Armenian, r), unicode.Is(unicode.Cherokee, r):
			scripts[2] = true
		case r >= 0xFF01 && r <= 0xFF5E, r >= 0x1D400 && r <= 0x1D7FF, r == 0x2044, r == 0x2215:
			return "a look-alike of an ASCII character"
		}
	}
	mixed := 0
	for _, s := range scripts {
		if s {
			mixed++
		}
	}
	if latin && mixed > 0 || mixed > 1 {
		return "letters of several scripts"
	}
	return ""
}

// escaped returns s with everything but printable ASCII escaped.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range shorten(s) {
		if r >= ' ' && r < 0x7F {
			b.WriteRune(r)
			continue
		}
		const hex = "0123456789abcdef"
		b.WriteString("\\u{")
		started := false
		for shift := 28; shift >= 0; shift -= 4 {
			d := r >> shift & 0xF
			if d != 0 || started || shift == 0 {
				b.WriteByte(hex[d])
				started = true
			}
		}
		b.WriteByte('}')
	}
	return b.String()
}
