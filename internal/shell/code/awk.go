package code

import "strings"

// Awk says what a program of awk does besides printing what it reads. ok is false for
// one that redirects, pipes, reads elsewhere or calls by name: code that nod does not
// read.
func Awk(program string) (effects []Effect, ok bool) {
	bare, ok := awkBare(program)
	if !ok || strings.ContainsRune(strings.ReplaceAll(bare, "||", ""), '|') || strings.Contains(bare, "@") {
		return nil, false
	}
	if namesOne(bare, " system getline ARGV ARGC FUNCTAB SYMTAB extension PROCINFO ") {
		return nil, false
	}
	for statement := range strings.FieldsFuncSeq(bare, func(c rune) bool { return strings.ContainsRune(";{}\n", c) }) {
		if _, printed, prints := strings.Cut(statement, "print"); prints && strings.Contains(printed, ">") {
			return nil, false
		}
	}
	if namesOne(bare, " ENVIRON ") {
		effects = append(effects, known(Secret, "environment"))
	}
	return effects, true
}

// awkBare is a program without its strings, regular expressions and comments; false
// where their ends are in doubt.
func awkBare(text string) (string, bool) {
	var bare strings.Builder
	last := byte(0) // what precedes, blanks apart
	for i := 0; i < len(text); i++ {
		c := text[i]
		regexp := c == '/' && (last == 0 || strings.IndexByte("(,~!&|{};\n", last) >= 0)
		switch {
		case c == '"' || regexp:
			n := awkQuoted(text[i:])
			if n == 0 {
				return "", false
			}
			i += n
			c = '"'
		case c == '/' && (last == '+' || last == '-' || last == ')' || !nameByte(last) && last != ']' && last != '$'):
			return "", false // it divides, or begins a regular expression
		case c == '#':
			i += max(strings.IndexByte(text[i:]+"\n", '\n')-1, 0)
			continue
		case c == '\n' && strings.IndexByte(",&|\\", last) >= 0 && last != 0:
			c = ' ' // the statement goes on
		}
		bare.WriteByte(c)
		if c != ' ' && c != '\t' {
			last = c
		}
	}
	return bare.String(), true
}

// awkQuoted is the length of a string or regular expression up to the sign that ends
// it; 0 where versions of awk may differ in where that is.
func awkQuoted(text string) int {
	for i := 1; i < len(text) && text[i] != '\n'; i++ {
		switch {
		case text[i] == text[0]:
			if text[0] == '/' && strings.ContainsAny(text[:i], "[\"") {
				return 0
			}
			return i
		case text[i] == '\\':
			i++
		}
	}
	return 0
}
