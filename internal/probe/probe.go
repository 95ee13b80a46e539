// Package probe finds what a tool's result hides from people and shows to a
// model: characters that are not displayed, and letters that pass for others.
// It knows nothing of calls and decides nothing.
//
// # What it looks for
//
//   - tag characters (U+E0020 to U+E007E), which spell ASCII and show nothing;
//   - variation selectors of the supplement, which encode bytes;
//   - characters of no width, and controls that turn the direction of text;
//   - words in wide or mathematical letters;
//   - words of Latin letters mixed with Greek or Cyrillic ones that look alike.
//
// A few of each are typography, emoji or another language; the limits below
// say from how many on a text is flagged. Nothing here reads words: an earlier
// probe did, with 42 signs, and found 19 to 26 % of what it was not made on
// (docs/probe.md). What may give orders in plain words is known by where it
// comes from instead, without being read (Decision.Foreign).
package probe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limit is how much of a text is read: this much of its beginning and end
// together.
const Limit = 64 << 10

// Sign is one way to hide text.
type Sign uint8

// The signs.
const (
	Tags      Sign = iota // tag characters
	Selectors             // variation selectors that follow each other
	Invisible             // characters of no width among Latin text
	Turned                // controls that turn the direction of Latin text
	Styled                // words in wide or mathematical letters
	Mixed                 // words of letters of two scripts
	signs
)

// String names the sign in a few words.
func (s Sign) String() string {
	names := [signs]string{
		"holds tag characters, which nobody is shown", "holds variation selectors that spell bytes",
		"holds characters of no width", "holds controls that turn the direction of text",
		"holds words in letters of another kind", "holds words that mix look-alike letters of two scripts",
	}
	if s < signs {
		return names[s]
	}
	return "unknown"
}

// limits are how many a text holds before it is flagged: characters of the
// first four signs, words of the others.
var limits = [signs]int{Tags: 8, Selectors: 8, Invisible: 12, Turned: 2, Styled: 3, Mixed: 2}

// Read returns the signs of a text, in their order; nil is none. It reads at
// most [Limit] bytes of it and never panics.
func Read(text string) []Sign {
	counts := count(text[:min(len(text), Limit/2)])
	if len(text) > Limit/2 {
		for s, n := range count(text[max(Limit/2, len(text)-Limit/2):]) {
			counts[s] += n
		}
	}
	var found []Sign
	for s, n := range counts {
		if n >= limits[s] {
			found = append(found, Sign(s))
		}
	}
	return found
}

// reader goes through a text. Letters of a word are counted by what they are.
type reader struct {
	counts                       [signs]int
	latin, other, styled, unlike int
	before                       rune // the last one that is displayed
	run                          int  // selectors in a row
	flag                         int  // how many tags that follow are a flag's
}

func count(text string) [signs]int {
	var r reader
	for _, char := range text {
		r.next(char)
	}
	r.word()
	return r.counts
}

func (r *reader) next(char rune) {
	if char < utf8.RuneSelf && !isLatin(char) {
		r.word()
		r.before, r.run, r.flag = char, 0, 0
		return
	}
	switch {
	case char >= 0xE0020 && char <= 0xE007E:
		if r.flag--; r.flag < 0 {
			r.counts[Tags]++
		}
		return
	case char >= 0xE0100 && char <= 0xE01EF:
		if r.run++; r.run > 1 {
			r.counts[Selectors]++
		}
		return
	case isWidthless(char):
		if r.before < utf8.RuneSelf {
			r.counts[Invisible]++
		}
		return
	case char == 0x202D, char == 0x202E: // overrides
		r.counts[Turned]++
		return
	}
	r.letter(char)
	if r.before, r.run, r.flag = char, 0, 0; char == 0x1F3F4 {
		r.flag = 6 // England, Scotland, Wales
	}
}

// letter adds a letter to the word.
func (r *reader) letter(char rune) {
	switch {
	case isLatin(char):
		r.latin++
	case isStyled(char):
		r.styled++
	case strings.ContainsRune("аαеεёоορрсхχуυіιѕԁνтτнηкκ", char):
		r.other++
	case unicode.IsLetter(char):
		r.unlike++
	default:
		r.word()
	}
}

// word ends a word.
func (r *reader) word() {
	if r.styled > 2 && r.unlike == 0 {
		r.counts[Styled]++
	}
	if r.latin > 1 && r.other > 0 && r.unlike == 0 && r.latin+r.other > 3 && r.other < 2*r.latin {
		r.counts[Mixed]++
	}
	r.latin, r.other, r.styled, r.unlike = 0, 0, 0, 0
}

func isLatin(char rune) bool { return 'a' <= char|0x20 && char|0x20 <= 'z' && char < utf8.RuneSelf }

// isWidthless reports whether a character takes no room. The soft hyphen is
// typography.
func isWidthless(char rune) bool {
	return char >= 0x200B && char <= 0x200D || char >= 0x2060 && char <= 0x2064 || char == 0x180E || char == 0xFEFF
}

// isStyled reports whether a character is a wide or a mathematical Latin
// letter.
func isStyled(char rune) bool {
	return char >= 'Ａ' && char <= 'Ｚ' || char >= 'ａ' && char <= 'ｚ' || char >= 0x1D400 && char <= 0x1D6A3 ||
		char >= 'ⓐ' && char <= 'ⓩ'
}
