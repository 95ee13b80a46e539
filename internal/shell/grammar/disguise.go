package grammar

import (
	"unicode"
	"unicode/utf8"
)

// Disguise names what makes a name look like another one, or "". Names of
// programs, paths and hosts are checked; prose is not.
func Disguise(name string) string {
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
