package grammar

import (
	"strconv"
	"strings"
)

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
