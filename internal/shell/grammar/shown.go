package grammar

import "strings"

// MaxShown bounds the text that a report quotes.
const MaxShown = 200

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
