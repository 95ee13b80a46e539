package wiring

import "strings"

// Quiet reports whether a text certainly speaks of no hook and of no key that
// silences hooks, however it is spelt: what [HoldsKey], and a search for "hook",
// would not find in it. It makes no copy of the text, and is false where that
// cannot be said at once. Most edits are done with here.
func Quiet(text string) bool {
	return !escapes(text) && !holdsFold(text, "hook", 3) && !holdsFold(text, "e_c", 1) && !holdsFold(text, "o_n", 1)
}

// escapes reports whether [Unescape] may change a text, or small letters may have
// another length than what they are made of (the Kelvin sign, the dotted I).
func escapes(text string) bool {
	if strings.Contains(text, "\u212a") || strings.Contains(text, "\u0130") {
		return true
	}
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 {
			return false
		}
		text = text[i+1:]
		if _, length := escaped(text); length > 0 {
			return true
		}
	}
}

// holdsFold reports whether a text holds a piece, in small letters of ASCII, in
// any case. It looks for the byte of the piece at an index, a rare one.
func holdsFold(text, piece string, at int) bool {
	c := piece[at]
	return holdsAt(text, piece, at, c) || 'a' <= c && c <= 'z' && holdsAt(text, piece, at, c-'a'+'A')
}

func holdsAt(text, piece string, at int, c byte) bool {
	for from := 0; ; from++ {
		i := strings.IndexByte(text[from:], c)
		if i < 0 {
			return false
		}
		from += i
		if start := from - at; start >= 0 && start+len(piece) <= len(text) &&
			strings.EqualFold(text[start:start+len(piece)], piece) {
			return true
		}
	}
}
