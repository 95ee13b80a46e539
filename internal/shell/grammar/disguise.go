package grammar

import (
	"unicode"
	"unicode/utf8"
)

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
