package probe

import (
	"strings"
	"unicode/utf8"
)

// Letters that are written so that a reader of words does not know them are
// read as what people take them for.

// undisguises writes a word as people read it, and notes how it was written.
func (r *reader) undisguises(w *spelling, start int) {
	if w.ascii > 1 && w.other > 0 && w.ascii+w.other > 3 && w.other < w.ascii*2 {
		if w.n = alike(w.buf[:w.n]); asciiOnly(w.buf[:w.n]) {
			r.notes(Mixed)
		}
	}
	if w.n == 1 && w.end == start+1 {
		if n, end := r.apart(w.buf[:], start); n > 0 {
			w.n, w.end, w.altered = n, end, n
			r.at = end
		}
	}
	if w.altered == 0 && w.n > 4 && digitsIn(w.buf[:w.n]) {
		w.altered = digitsToLetters(w.buf[:w.n])
	}
	if (w.altered > 2 || w.altered*4 >= w.n) && w.altered > 0 && classOf(string(w.buf[:w.n])) != 0 {
		r.notes(Altered)
	}
}

// notes notes a sign at the word that is about to be taken.
func (r *reader) notes(s Sign) {
	r.word++
	r.hit(s)
	r.word--
}

// narrow returns the ASCII character that a wide or mathematical one stands
// for; 0 if it is none.
func narrow(char rune) byte {
	switch {
	case char >= '！' && char <= '～':
		if c := byte(char - '！' + '!'); isLetter(c) {
			return c | 0x20
		}
	case char >= 0x1D400 && char <= 0x1D6A3: // thirteen alphabets of capitals and small letters
		return 'a' + byte((char-0x1D400)%52%26)
	case char >= 'ⓐ' && char <= 'ⓩ':
		return 'a' + byte(char-'ⓐ')
	}
	return 0
}

// alike replaces, in a word of letters of two scripts, those that look like
// ASCII ones, and returns the new length.
func alike(word []byte) int {
	n := 0
	for i := 0; i < len(word); {
		char, size := utf8.DecodeRune(word[i:])
		c := lookAlike(char)
		if c == 0 {
			n += copy(word[n:], word[i:i+size])
		} else {
			word[n] = c
			n++
		}
		i += size
	}
	return n
}

func lookAlike(char rune) byte {
	switch char {
	case 'а', 'α':
		return 'a'
	case 'е', 'ε', 'ё':
		return 'e'
	case 'о', 'ο':
		return 'o'
	case 'р', 'ρ':
		return 'p'
	case 'с':
		return 'c'
	case 'х', 'χ':
		return 'x'
	case 'у', 'υ':
		return 'y'
	case 'і', 'ι':
		return 'i'
	case 'ѕ':
		return 's'
	case 'ԁ':
		return 'd'
	case 'ν':
		return 'v'
	case 'т', 'τ':
		return 't'
	case 'н', 'η':
		return 'n'
	case 'к', 'κ':
		return 'k'
	}
	return 0
}

// apart joins letters that stand alone, one blank apart, as in "r u n", into
// buf. It returns their number and the offset behind them; 0 if there are
// fewer than four.
func (r *reader) apart(buf []byte, i int) (n, end int) {
	for i < len(r.text) && isLetter(r.text[i]) && n < len(buf) {
		buf[n] = r.text[i] | 0x20
		n++
		end = i + 1
		if end+1 >= len(r.text) || r.text[end] != ' ' || !isLetter(r.text[end+1]) || end+2 < len(r.text) && inWord(r.text[end+2]) {
			break
		}
		i += 2
	}
	if n < 4 {
		return 0, 0
	}
	return n, end
}

func digitsIn(word []byte) bool {
	letters, digits := 0, 0
	for _, c := range word {
		switch {
		case isLetter(c):
			letters++
		case '0' <= c && c <= '9':
			digits++
		default:
			return false
		}
	}
	return digits > 0 && letters > 1
}

// digitsToLetters writes letters for digits that look like them, if that makes
// a word of a class that orders are made of, and returns their number.
func digitsToLetters(word []byte) (n int) {
	var plain [maxWord]byte
	copy(plain[:], word)
	for i, c := range word {
		if l := lettered(c); l != 0 {
			plain[i] = l
			n++
		}
	}
	if classOf(string(plain[:len(word)]))&^(greets|begins|command|tool) == 0 {
		return 0
	}
	copy(word, plain[:])
	return n
}

func lettered(digit byte) byte {
	switch digit {
	case '0':
		return 'o'
	case '1':
		return 'i'
	case '3':
		return 'e'
	case '4':
		return 'a'
	case '5':
		return 's'
	case '7':
		return 't'
	}
	return 0
}

func isTag(char rune) bool { return char >= 0xE0020 && char <= 0xE007E }

// tagged reads a run of tag characters, which show nothing and stand for
// ASCII, and returns its end; 0 if it is short: flags are written so.
func (r *reader) tagged(i int) int {
	var plain strings.Builder
	end := i
	for end < len(r.text) {
		char, size := utf8.DecodeRuneInString(r.text[end:])
		if !isTag(char) {
			break
		}
		plain.WriteByte(byte(char - 0xE0000))
		end += size
	}
	if plain.Len() < 8 {
		return 0
	}
	r.word++
	r.at = end
	r.hit(Invisible)
	if r.mayNest(plain.Len()) {
		r.within(plain.String())
	}
	return end
}

// escaped reads a run of characters that are written as their numbers (&#97;
// \u0061 \x61 %61), and returns its end; 0 if there are few.
func (r *reader) escaped(i int) int {
	var plain strings.Builder
	end := i
	for end < len(r.text) && plain.Len() < blobMax {
		c, size := number(r.text[end:])
		if size == 0 {
			break
		}
		plain.WriteByte(c)
		end += size
	}
	if plain.Len() < 8 || !r.mayNest(plain.Len()) {
		return 0
	}
	r.word++
	r.at = end
	r.blob = r.word
	r.within(plain.String())
	return end
}

// number returns the ASCII character whose number text begins with, and how
// long that is; 0 if it begins with none.
func number(text string) (c byte, size int) {
	text = text[:min(len(text), 8)]
	switch {
	case strings.HasPrefix(text, "&#x"):
		return numeral(text, 3, strings.IndexByte(text, ';'), 16, 1)
	case strings.HasPrefix(text, "&#"):
		return numeral(text, 2, strings.IndexByte(text, ';'), 10, 1)
	case strings.HasPrefix(text, `\u00`):
		return numeral(text, 4, 6, 16, 0)
	case strings.HasPrefix(text, `\x`):
		return numeral(text, 2, 4, 16, 0)
	case strings.HasPrefix(text, "%"):
		return numeral(text, 1, 3, 16, 0)
	}
	return 0, 0
}

func numeral(text string, from, to, base, behind int) (byte, int) {
	if to <= from || to > len(text) {
		return 0, 0
	}
	n := 0
	for _, c := range []byte(text[from:to]) {
		digit := strings.IndexByte("0123456789abcdef", c)
		if 'A' <= c && c <= 'F' {
			digit = int(c-'A') + 10
		}
		if digit < 0 || digit >= base {
			return 0, 0
		}
		n = n*base + digit
	}
	if n < ' ' || n > '~' {
		return 0, 0
	}
	return byte(n), to + behind
}

// turns reads what follows a word that says how to read it: rot13, backwards.
func (r *reader) turns(end int) {
	rest := r.text[end:min(len(r.text), end+1<<10)]
	if line := strings.IndexByte(rest, '\n'); line > 0 {
		rest = rest[:line]
	}
	if len(rest) < 16 || !r.mayNest(2*len(rest)) {
		return
	}
	rotated, reversed := make([]byte, len(rest)), make([]byte, len(rest))
	for i, c := range []byte(rest) {
		reversed[len(rest)-1-i] = c
		if low := c | 0x20; isLetter(c) {
			c = c - low + 'a' + (low-'a'+13)%26
		}
		rotated[i] = c
	}
	if r.at = end; telling(rest) {
		return
	}
	for _, plain := range [...][]byte{rotated, reversed} {
		if telling(string(plain)) {
			r.within(string(plain))
		}
	}
}

// telling reports whether a text has words of a language as it stands.
func telling(text string) bool {
	n := 0
	for word := range strings.FieldsSeq(text) {
		switch word {
		case "the", "and", "to", "of", "in", "you", "your", "it", "is", "a", "all", "this", "that", "with", "my", "for", "not", "from":
			n++
		}
	}
	return n >= 2
}

// foreign looks for words of overriding where no blanks part words.
func (r *reader) foreign(run string) {
	if len(run) < 6 || run[0] < 0xE3 {
		return
	}
	r.word++
	if holdsAny(run, "忽略", "无视", "無視", "忘记", "忘記", "忘れ", "무시", "잊어") {
		r.order[bit(override)] = r.word
		r.last[bit(override)], r.last[bit(prior)] = r.word, r.word
	}
	if holdsAny(run, "指令", "指示", "规则", "規則", "ルール", "지시", "규칙", "提示词", "命令") && r.order[bit(override)] > 0 && r.word-r.order[bit(override)] <= 4 {
		r.hit(Overrides)
	}
	if holdsAny(run, "发送", "發送", "送信", "전송", "보내", "发给") {
		r.order[bit(send)] = r.word
		r.last[bit(towards)] = r.word
	}
	r.word--
}

func holdsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// talk notes lines that begin as turns of a conversation do, or as the steps
// of an agent's own log: two different ones near each other.
func (r *reader) talk(word []byte, start, end int) {
	if end >= len(r.text) || r.text[end] != ':' && r.text[end] != '>' || start > 0 && strings.IndexByte("\n<\"", r.text[start-1]) < 0 {
		return
	}
	var turn byte
	switch string(word) {
	case "user", "human":
		turn = 'u'
	case "assistant", "claude", "ai", "thought":
		turn = 'a'
	case "observation", "action", "system":
		turn = 's'
	default:
		return
	}
	if r.turn != 0 && r.turn != turn && r.word-r.turnAt <= 30 {
		r.hit(Talk)
	}
	r.turn, r.turnAt = turn, r.word
}

func asciiOnly(word []byte) bool {
	for _, c := range word {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
