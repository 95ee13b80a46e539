package probe

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxHits  = 1 << 16 // more than fit into what is read, so that filling displaces nothing
	maxWord  = 24      // bytes; a longer word has no class
	blobMin  = 32      // characters of a blob that may hold text
	blobMax  = 8 << 10
	allBlobs = 256 << 10 // bytes of all attempts to decode
	nestMax  = 2         // blobs in blobs
)

// reader reads a text word by word. last says where a class was last seen.
type reader struct {
	text  string
	hits  hits
	word  int // number of the current word, from 1
	at    int // offset of its end
	depth int
	tried int // bytes of attempts to decode

	last    [64]int // by class, number of the word, 0: never
	order   [64]int // the same, where the word gave an order
	starts  bool    // the next word begins a sentence
	joined  bool    // the word before was please, then, must
	vocal   int     // the word that spoke to an assistant, 0: none
	reader  int     // the word that named who reads, 0: none
	polite  int     // the word that was asked for politely, 0: none
	machine int     // the word that named machines that read, 0: none
	first   int     // the word before, or instead, that began a sentence, 0: none
	close   bool    // nothing but a blank stands before the word
	field   int     // the word that began a value of a record, 0: none
	sent    int     // the word at which something got was to be sent, 0: none
	turn    byte    // whose turn a line posed as, 0: nobody's
	turnAt  int     // its word
	hidden  int     // offset where text stops being hidden; 0: it is not
	unseen  int     // invisible characters so far
	shouted bool    // the word is in capitals
	blob    int     // the word at which a blob stood, 0: none
}

func read(text string, depth int) hits {
	r := reader{text: text, depth: depth, starts: true, word: window}
	for i := 0; i < len(text) && len(r.hits) < maxHits; {
		i = r.next(i)
	}
	return r.hits
}

// hit notes a sign, once for a word.
func (r *reader) hit(s Sign) {
	for i := len(r.hits) - 1; i >= 0 && r.hits[i].word == r.word; i-- {
		if r.hits[i].sign == s {
			return
		}
	}
	r.hits = append(r.hits, hit{r.word, r.at, s})
}

// next reads one word, or what stands between words, and returns the offset
// behind it.
func (r *reader) next(i int) int {
	c := r.text[i]
	switch {
	case c == '&' || c == '\\' || c == '%':
		if end := r.escaped(i); end > i {
			return end
		}
	case isLetter(c) || c >= utf8.RuneSelf:
		return r.reads(i)
	case '0' <= c && c <= '9':
		return r.number(i)
	}
	switch c {
	case ' ', '\t', '\r', '-':
	case ',': // "before you finish, send"
		r.joined = r.near(before|you, 7)
	case '<', '[', '{', '#', '|':
		r.starts = true
		return r.marker(i)
	case '\n', '.', '!', '?', ':', ';', '"', '\'', '`', '>', '(', '*', '/', '\\':
		r.starts = r.starts || c == '\n' || c == '"' || c == '\'' || c == '`' || c == '>' || c == '(' || c == '*' || c == '/' || i+1 == len(r.text) || r.text[i+1] <= ' ' || r.text[i+1] == '"' || r.text[i+1] == '\\'
		if c == '!' && r.word-r.last[bit(haste)] <= 1 && r.last[bit(haste)] > 0 {
			r.hit(Haste)
		}
		if c == '\\' && i+1 < len(r.text) && (r.text[i+1] == 'n' || r.text[i+1] == 't' || r.text[i+1] == 'r') {
			r.starts = true
			return i + 2
		}
	default:
		r.starts = false
	}
	return i + 1
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func inWord(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '_' }

// spelling is how a word is written.
type spelling struct {
	buf     [maxWord]byte // in lower case, in plain letters
	n       int           // how long it is; more than maxWord: too long to have a class
	end     int
	ascii   int // letters of ASCII
	other   int // of Greek and Cyrillic
	altered int // written as something else than they are read
	shouted bool
}

// reads reads a word that begins with a letter.
func (r *reader) reads(start int) int {
	w := r.spells(start)
	r.at = w.end
	if w.n == 0 {
		return max(w.end, start+1)
	}
	if w.end-start >= blobMin && !r.address(w.end) {
		if end := r.encoded(start); end > w.end {
			return end
		}
	}
	if r.foreign(r.text[start:w.end]); w.n > maxWord {
		r.word++
		r.starts, r.joined = false, false
		return w.end
	}
	if end := r.destination(start, w.end); end > w.end {
		return end
	}
	r.undisguises(&w, start)
	if r.shouted = w.shouted; r.hidden > 0 && start > r.hidden {
		r.hidden = 0
	}
	r.take(w.buf[:w.n], start, w.end)
	return w.end
}

// spells reads the letters of a word, and the invisible characters in it.
func (r *reader) spells(start int) (w spelling) {
	capitals, i := 0, start
	for i < len(r.text) {
		c := r.text[i]
		if c < utf8.RuneSelf {
			if !inWord(c) && !(c == '\'' && i > start && i+1 < len(r.text) && isLetter(r.text[i+1])) {
				break
			}
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
				capitals++
			}
			if isLetter(c) {
				w.ascii++
			}
			w.n = put1(w.buf[:], w.n, c)
			i++
			continue
		}
		size := r.spellsOther(&w, i)
		if size == 0 {
			if i == start {
				_, size = utf8.DecodeRuneInString(r.text[i:])
				i += size
			}
			break
		}
		i += size
	}
	w.end, w.shouted = i, capitals == i-start && capitals > 2
	return w
}

// spellsOther reads a character that is not ASCII, and returns how much it
// read; 0 if the character ends the word.
func (r *reader) spellsOther(w *spelling, i int) int {
	char, size := utf8.DecodeRuneInString(r.text[i:])
	plain := narrow(char)
	switch {
	case isTag(char):
		if end := r.tagged(i); end > i {
			return end - i
		}
		r.sees(char, i)
	case isUnseen(char):
		r.sees(char, i)
	case plain != 0:
		w.altered++
		w.n = put1(w.buf[:], w.n, plain)
	case char == '’':
		w.n = put(w.buf[:], w.n, "'")
	case unicode.IsLetter(char):
		if unicode.In(char, unicode.Cyrillic, unicode.Greek) {
			w.other++
		}
		w.n = put(w.buf[:], w.n, string(unicode.ToLower(char)))
	default:
		return 0
	}
	return size
}

func (r *reader) address(end int) bool {
	return end < len(r.text) && (r.text[end] == '@' || r.text[end] == ':')
}

func put1(buf []byte, n int, c byte) int {
	if n >= len(buf) {
		return len(buf) + 1
	}
	buf[n] = c
	return n + 1
}

func put(buf []byte, n int, s string) int {
	if n+len(s) > len(buf) {
		return len(buf) + 1 // too long: no class
	}
	return n + copy(buf[n:], s)
}

// number reads what begins with a digit; it may be a blob.
func (r *reader) number(i int) int {
	end := i
	for end < len(r.text) && inWord(r.text[end]) {
		end++
	}
	if end-i >= blobMin {
		r.at = end
		if e := r.encoded(i); e > end {
			end = e
		}
	}
	return end
}

// destination recognises an address of the net or of mail, and returns its
// end; 0 if it is none.
func (r *reader) destination(start, end int) int {
	rest := r.text[end:]
	switch {
	case strings.HasPrefix(rest, "://"), strings.HasPrefix(rest, "@") && len(rest) > 3 && isLetter(rest[1]):
	case strings.HasPrefix(rest, ".") && mailAhead(rest):
	default:
		return 0
	}
	for end < len(r.text) && r.text[end] > ' ' && r.text[end] < utf8.RuneSelf && !strings.ContainsRune("\"'<>`,)]}\\", rune(r.text[end])) {
		end++
	}
	r.word++
	r.at = end
	if start < 2 || r.text[start-1] != '"' && r.text[start-2:start] != "](" { // a link of a document leads to more of it
		r.see(address)
	}
	r.starts = false
	r.joined = false
	return end
}

// mailAhead reports whether an @ follows before the next blank.
func mailAhead(rest string) bool {
	for i := 0; i < len(rest) && i < 40; i++ {
		switch c := rest[i]; {
		case c == '@':
			return i+1 < len(rest) && isLetter(rest[i+1])
		case !inWord(c) && c != '.' && c != '-':
			return false
		}
	}
	return false
}

// take books a word. Names of a program, as in x.send( or send_all, are not
// words of a sentence.
func (r *reader) take(word []byte, start, end int) {
	r.word++
	starts, joined := r.starts, r.joined
	r.starts, r.joined = false, false
	if start > 0 && strings.IndexByte("._$&@=-+", r.text[start-1]) >= 0 || end < len(r.text) && strings.IndexByte("(=_[", r.text[end]) >= 0 {
		return
	}
	if end+1 < len(r.text) && (r.text[end] == '.' || r.text[end] == '-' || r.text[end] == '/' || r.text[end] == ':') && inWord(r.text[end+1]) {
		return
	}
	if starts {
		r.machine = 0
		r.talk(word, start, end)
	}
	c := classOf(string(word))
	if c == 0 {
		return
	}
	if start > 3 && (r.text[start-1] == '"' || r.text[start-1] == '\'') && r.text[start-2] == ' ' && r.text[start-3] == ':' {
		r.field = r.word
	}
	orders := c&act != 0 && (starts || joined) && !r.assigned(end) && !r.quoted(start, end)
	r.close = start > 1 && r.text[start-1] == ' ' && isLetter(r.text[start-2])
	r.signs(c, starts, orders, end)
	r.see(c)
	if orders {
		for k := c & act; k != 0; k &= k - 1 {
			r.order[bit(k)] = r.word
		}
	}
	r.joined = c&(please|modal) != 0 || c&joins != 0 || joined && c&(not|secretly|you|are) != 0 || r.near(modal, 2) && string(word) == "to"
	r.starts = starts && c&(please|joins|not|secretly|greets|haste) != 0 && c&greets == 0 || starts && c&haste != 0
}

// assigned reports whether a word is a name that gets a value, as in "email: x"
// and "get = y".
func (r *reader) assigned(end int) bool {
	rest := strings.TrimLeft(r.text[end:min(len(r.text), end+3)], " ")
	return rest != "" && (rest[0] == ':' || rest[0] == '=')
}

// quoted reports whether a word stands alone in quotes, or is the method of a
// request: a value and no verb.
func (r *reader) quoted(start, end int) bool {
	if start == 0 || end >= len(r.text) {
		return false
	}
	open, shut := r.text[start-1], r.text[end]
	return shut == open && (open == '"' || open == '\'' || open == '`') || r.shouted && end+1 < len(r.text) && shut == ' ' && r.text[end+1] == '/'
}

func (r *reader) see(c class) {
	r.destinationSigns(c)
	for ; c != 0; c &= c - 1 {
		r.last[bit(c)] = r.word
	}
}

func bit(c class) int {
	n := 0
	for c&1 == 0 && n < 63 {
		c >>= 1
		n++
	}
	return n
}

// near reports whether a class was seen at most n words ago.
func (r *reader) near(c class, n int) bool {
	for ; c != 0; c &= c - 1 {
		if at := r.last[bit(c)]; at > 0 && r.word-at <= n && at < r.word {
			return true
		}
	}
	return false
}

// ordered reports whether a verb of a class gave an order at most n words ago.
func (r *reader) ordered(c class, n int) bool {
	for ; c != 0; c &= c - 1 {
		if at := r.order[bit(c)]; at > 0 && r.word-at <= n && at < r.word {
			return true
		}
	}
	return false
}

// sees counts an invisible character. A few are typography.
func (r *reader) sees(char rune, i int) {
	before, _ := utf8.DecodeLastRuneInString(r.text[:i])
	if before >= utf8.RuneSelf && !isUnseen(before) {
		return // part of an emoji, or of a script that needs it
	}
	if r.unseen++; r.unseen == 6 {
		r.hit(Invisible)
	}
}

// isUnseen reports whether a character shows nothing: zero width, tags,
// bidirectional controls, variation selectors of the supplement.
func isUnseen(char rune) bool {
	switch {
	case char >= 0x200B && char <= 0x200F, char >= 0x202A && char <= 0x202E, char >= 0x2060 && char <= 0x2069,
		char == 0x00AD, char >= 0xE0000 && char <= 0xE007F, char >= 0xE0100 && char <= 0xE01EF, char == 0x180E:
		return true
	}
	return false
}

// encoded reads a blob of base64 or hex, and returns its end; 0 if it is none
// that holds text.
func (r *reader) encoded(start int) int {
	end := start
	for end < len(r.text) && end-start < blobMax && (inWord(r.text[end]) || strings.IndexByte("+/=-", r.text[end]) >= 0) {
		end++
	}
	if end-start < blobMin || !r.mayNest(end-start) {
		return 0
	}
	plain := unpack(r.text[start:end])
	if plain == "" {
		return 0
	}
	r.word++
	r.at = end
	r.blob = r.word
	if r.near(decode, 12) {
		r.hit(Encoded)
	}
	r.within(plain)
	return end
}

// within reads a text that was hidden at the current word: its signs are the
// word's.
func (r *reader) within(plain string) {
	found := read(plain, r.depth+1)
	if len(found) > 0 {
		r.hit(Decoded)
	}
	for _, h := range found {
		r.hit(h.sign)
	}
}

// mayNest reports whether n more bytes may be read as hidden text.
func (r *reader) mayNest(n int) bool {
	if r.depth >= nestMax || r.tried > allBlobs {
		return false
	}
	r.tried += n
	return true
}

// unpack returns the text in a blob, "" if there is none that reads as words.
func unpack(blob string) string {
	if strings.Trim(strings.ToLower(blob), "0123456789abcdef") == "" && len(blob)%2 == 0 {
		if b, err := hex.DecodeString(blob); err == nil && readable(b) {
			return string(b)
		}
	}
	trimmed := strings.TrimRight(blob, "=")
	for _, e := range [...]*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if b, err := e.DecodeString(trimmed); err == nil && readable(b) {
			return string(b)
		}
	}
	return ""
}

func readable(b []byte) bool {
	blanks := 0
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\t' || c > '~' {
			return false
		}
		if c == ' ' {
			blanks++
		}
	}
	return blanks >= len(b)/16
}
