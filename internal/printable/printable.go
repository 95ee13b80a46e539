// Package printable makes a text from anywhere fit for a terminal, a log or a
// reason: nothing in it acts, hides or passes for something else.
package printable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s with everything escaped that a terminal or a reader would act on, hide or mistake: control
// characters, bidirectional marks, zero-width and tag characters, blanks that are not U+0020, unassigned and private
// code points, and bytes that are not UTF-8. Newline, carriage return and tab become \n, \r and \t, other bytes below
// 0x80 and invalid bytes \xNN, code points \u{XXXX}. All else, backslashes included, stays as it is, so the result is
// for eyes and cannot be turned back. It is idempotent.
func Text(s string) string {
	if i := firstUnprintable(s); i == len(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		b.WriteString(shown(s[:n], r))
		s = s[n:]
	}
	return b.String()
}

// Lines is Text of every line.
func Lines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Text(line)
	}
	return strings.Join(lines, "\n")
}

// Line returns Text(s) on one line of at most max runes: runs of spaces, tabs and line ends become one space, those
// at either end go, and what was cut off is marked with "…".
func Line(s string, max int) string {
	if max <= 0 {
		return ""
	}
	if len(s) > max || !IsLine(s) {
		s = Text(strings.Join(strings.FieldsFunc(s, isBlank), " "))
	}
	runes, cut := 0, 0 // cut is where the last of max runes starts
	for i := range s {
		if runes++; runes == max {
			cut = i
		}
		if runes > max {
			return s[:cut] + "…"
		}
	}
	return s
}

// IsLine reports whether s is plain ASCII with single spaces between its words only.
func IsLine(s string) bool {
	before := byte(' ')
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= 0x7f || c == ' ' && before == ' ' {
			return false
		}
		before = s[i]
	}
	return s == "" || before != ' '
}

// isBlank names the blanks that Line folds. Others (no-break space, line
// separators) are shown, since a shell does not read them as blanks.
func isBlank(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' }

// firstUnprintable returns the offset of the first character that needs an escape; len(s) if no character does.
func firstUnprintable(s string) int {
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || !visible(r) {
			return i
		}
		i += n
	}
	return len(s)
}

// shown returns how the character r, written as raw, is shown.
func shown(raw string, r rune) string {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return hexByte(raw[0])
	case visible(r):
		return raw
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < utf8.RuneSelf:
		return hexByte(raw[0])
	}
	hex := strings.ToUpper(strconv.FormatInt(int64(r), 16))
	return `\u{` + "0000"[min(4, len(hex)):] + hex + "}"
}

func hexByte(c byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{'\\', 'x', digits[c>>4], digits[c&15]})
}

// visible reports whether r leaves a mark of its own on the page. The listed code points count as printable in
// Unicode and yet show nothing; U+FE0E and U+FE0F stay, since they choose between two looks of a symbol.
func visible(r rune) bool {
	switch {
	case r == 0x034F, // combining grapheme joiner
		r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, // Hangul fillers
		r == 0x17B4, r == 0x17B5, // Khmer inherent vowels
		r >= 0x180B && r <= 0x180F, // Mongolian selectors
		r == 0x2800,                // blank Braille pattern
		r >= 0xFE00 && r <= 0xFE0D, // variation selectors
		r >= 0xE0100 && r <= 0xE01EF:
		return false
	}
	return strconv.IsPrint(r)
}

// Words are the words of a text, in lower case, as texts are compared.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Near returns text with absolute names as a person at work there would write them: what lies in the first of roots by
// its name below it, what lies below home with ~. Further roots keep their names, so that two files never share one.
func Near(text string, roots []string, home string) string {
	if !strings.Contains(text, "/") {
		return text
	}
	if len(roots) > 0 {
		text = replaced(text, roots[0], "", ".")
	}
	return replaced(text, home, "~/", "~")
}

// replaced writes names in text that lie below dir with inside in front, and dir
// as self. A name that only begins alike, or goes on in another, stays.
func replaced(text, dir, inside, self string) string {
	if len(dir) < 2 || dir[0] != '/' || strings.HasSuffix(dir, "/") || !strings.Contains(text, dir) {
		return text
	}
	var b strings.Builder
	before := byte(' ')
	for i := strings.Index(text, dir); i >= 0; i = strings.Index(text, dir) {
		if i > 0 {
			before = text[i-1]
		}
		b.WriteString(text[:i])
		text = text[i+len(dir):]
		switch starts := endsName(before); {
		case starts && len(text) > 1 && text[0] == '/' && text[1] != '/' && !endsName(text[1]):
			b.WriteString(inside)
			text = text[1:]
		case starts && (text == "" || text[0] == '/' || endsName(text[0])):
			b.WriteString(self)
		default:
			b.WriteString(dir)
		}
		before = dir[len(dir)-1]
	}
	return b.String() + text
}

// endsName reports whether a name cannot go on with a byte: what stands between
// words of a sentence or of a command line.
func endsName(c byte) bool { return strings.IndexByte(" \t\n\"'`=,;:()|&<>{}", c) >= 0 }

// Head cuts s to at most n bytes, between characters.
func Head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// JSON is a value as one line of JSON, in which <, > and & stay readable.
func JSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return `"?"`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Compact is a JSON value on one line, or, if the text is not JSON, the text as a string.
func Compact(input json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Compact(&b, input); err != nil {
		return strconv.Quote(string(input))
	}
	return b.String()
}

// Call is what a call with these arguments would do, in few words: the argument that says the most, else all of
// them. It is not printable yet.
func Call(input json.RawMessage) string {
	var args map[string]json.RawMessage
	if json.Unmarshal(input, &args) == nil {
		if s := mostTelling(args); s != "" {
			return s
		}
	}
	var head string
	if json.Unmarshal(input, &head) == nil {
		return head
	}
	return string(input)
}

// mostTelling is the argument that says the most; of a question over ACP, that of the call itself, else its title.
func mostTelling(args map[string]json.RawMessage) string {
	var inner map[string]json.RawMessage
	if json.Unmarshal(args["rawInput"], &inner) == nil {
		if s := mostTelling(inner); s != "" {
			return s
		}
	}
	for _, name := range []string{"command", "cmd", "file_path", "filePath", "notebook_path", "path", "url",
		"query", "pattern", "prompt", "description", "title"} {
		var text string
		var words []string
		if json.Unmarshal(args[name], &text) == nil && text != "" {
			return text
		}
		if json.Unmarshal(args[name], &words) == nil && len(words) > 0 {
			return strings.Join(words, " ")
		}
	}
	return ""
}

// Verdict is the word of a verdict, five columns wide, coloured where out is a terminal on which colours are
// wanted (no-color.org).
func Verdict(out io.Writer, word string) string {
	colour, known := map[string]string{"allow": "32", "ask": "33", "deny": "31"}[word]
	word = fmt.Sprintf("%-5s", word)
	f, ok := out.(*os.File)
	if !ok || !known || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return word
	}
	if info, err := f.Stat(); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		return word
	}
	return "\x1b[" + colour + "m" + word + "\x1b[0m"
}
