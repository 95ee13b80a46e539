// Package grammar says of a text what holds before anybody asks what its words mean: whether it is within the bounds of
// what is read, how a shell parses it, what in it is more shell than nod follows (outside.go), which runs of words in
// it could be commands, and how to show it. It looks at no file and knows no program but shells.
package grammar

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a text.
const (
	MaxBytes     = 64 << 10
	MaxWords     = 1024 // of one command
	maxDocuments = 200
)

// Malformed names what no agent sends in good faith, or "".
func Malformed(source string) string {
	if strings.IndexByte(source, 0) >= 0 {
		return "a NUL byte"
	}
	if strings.Contains(strings.ReplaceAll(source, "\r\n", ""), "\r") {
		return "a carriage return that ends no line"
	}
	return ""
}

// Exceeded names the bound that the text is over, or "". How deep it nests is seen while it is parsed ([ErrDeep]).
func Exceeded(source string) string {
	switch {
	case len(source) > MaxBytes:
		return "64 KiB"
	case strings.Count(source, "<<") > maxDocuments:
		return "200 here-documents"
	}
	return ""
}

// Segments cuts a text where a shell, or a string of another language, may begin or end a command, at quotes too or
// not. Quotes and backslashes are taken off.
func Segments(text string, quotes bool) (list [][]string) {
	var words []string
	var word strings.Builder
	endWord := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	end := func() {
		if endWord(); len(words) > 0 {
			list, words = append(list, words), nil
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t':
			endWord()
		case '\n', ';', '|', '&', '(', ')', '`', '<', '>', '!', ',', '[', ']':
			end()
		case '\'', '"':
			if quotes {
				end()
			}
		case '{', '}':
			if word.Len() == 0 || c == '}' && !strings.Contains(word.String(), "{") {
				end()
				continue
			}
			word.WriteByte(c)
		case '\\':
			if i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
		default:
			word.WriteByte(c)
		}
	}
	end()
	return list
}

// Disguise names what makes a name look like a different name, or "". Names of
// programs, paths and hosts are checked; prose is not.
func Disguise(name string) string {
	var latin, cyrillic, greek, other bool
	for _, r := range name {
		switch {
		case r < utf8.RuneSelf && !unicode.IsControl(r), r == '\n', r == '\t':
			latin = latin || r|0x20 >= 'a' && r|0x20 <= 'z'
		case r < utf8.RuneSelf:
			return "a control character"
		case r == utf8.RuneError:
			return "bytes that are not UTF-8"
		case unicode.IsSpace(r) || !unicode.IsGraphic(r): // marks of direction, tags, of no width
			return "an invisible character"
		case r >= 0xFF01 && r <= 0xFF5E, r >= 0x1D400 && r <= 0x1D7FF, r == 0x2044, r == 0x2215:
			return "a look-alike of an ASCII character"
		}
		latin = latin || unicode.Is(unicode.Latin, r)
		cyrillic = cyrillic || unicode.Is(unicode.Cyrillic, r)
		greek = greek || unicode.Is(unicode.Greek, r)
		other = other || unicode.Is(unicode.Armenian, r) || unicode.Is(unicode.Cherokee, r)
	}
	if cyrillic && (latin || greek) || greek && (latin || other) || other && (latin || cyrillic) {
		return "letters of several scripts"
	}
	return ""
}

const MaxShown = 200 // bytes that a report quotes of a text

func Shorten(s string) string {
	if len(s) <= MaxShown {
		return s
	}
	end := MaxShown
	for end > 0 && s[end]&0xC0 == 0x80 {
		end--
	}
	return s[:end]
}

// Escaped returns s with everything but printable ASCII escaped.
func Escaped(s string) string {
	var b strings.Builder
	for _, r := range Shorten(s) {
		if r >= ' ' && r < 0x7F {
			b.WriteRune(r)
			continue
		}
		b.WriteString(`\u{` + strconv.FormatInt(int64(r), 16) + "}")
	}
	return b.String()
}
