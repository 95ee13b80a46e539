// Package grammar says of a text what holds before anybody asks what its words
// mean: whether it is within the bounds of what is read (bounds.go), how a shell
// parses it (parse.go) and whether two shells parse it alike, what in it is more
// shell than nod follows (outside.go), whether a reading without the parser takes it
// apart alike (reader.go, readwords.go, place.go, shape.go), which parts of it are
// constant (literals.go, words.go), which other text is the same command
// (canonical.go), what its statements are by their shape (statements.go), which
// runs of words in it could be commands (segments.go), and how to show it
// (shown.go, disguise.go). It looks at no file and knows no program but shells
// and what starts other programs.
package grammar

import "strings"

// Bounds of a text.
const (
	MaxBytes   = 64 << 10
	MaxWords   = 1024 // of one command
	maxNesting = 200
)

// Malformed names what no agent sends in good faith, or "".
func Malformed(source string) string {
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

// Exceeded names the bound that the text is over, or "". The parser recurses,
// and a stack that overflows kills the process, so this runs before it. It
// cannot know the grammar: it counts brackets as if nothing were quoted, then
// leaving out what looks quoted in two ways, and takes the worst. A text that
// deceives all three is stopped while it is parsed (shallow).
func Exceeded(source string) string {
	if len(source) > MaxBytes {
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

func (n *nest) open() { n.now++; n.max = max(n.max, n.now) }

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
		if !Letter(source[i]) {
			continue
		}
		start := i
		for i < len(source) && Letter(source[i]) {
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

func Letter(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}
