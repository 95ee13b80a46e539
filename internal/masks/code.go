package masks

import (
	"slices"
	"strings"
)

// runsLater reports whether the text expands a variable of that name, and so
// may run its value: password=rm; $password -rf x. A program of awk's names the
// variables of its options as they stand: awk -v token=x 'BEGIN {system(token)}'.
func (s *scanner) runsLater(name string) bool {
	if s.expanded == nil {
		s.expanded = map[string]bool{}
		if strings.Contains(s.in, "awk") || givesCode(s.in) {
			s.expandTwice()
		}
		for rest := s.in; ; {
			_, after, found := strings.Cut(rest, "$")
			if !found {
				break
			}
			rest = after
			name := strings.TrimLeft(after, "{!#\"'\\")
			end := 0
			for end < len(name) && end < nameLimit && (isAlnum(name[end]) || name[end] == '_') {
				end++
			}
			s.expanded[name[:end]] = true
		}
	}
	return s.expanded[name]
}

// givesCode reports whether a text gives an interpreter code with its words (node -e),
// which may name a variable as it stands.
func givesCode(text string) bool {
	words := strings.Fields(text)
	return slices.ContainsFunc(words[:max(0, len(words)-1)], func(word string) bool {
		return isInterpreter(word) && !isShell(word)
	}) && slices.ContainsFunc(words, func(word string) bool {
		return strings.HasPrefix(word, "-") && strings.ContainsAny(word, "cepr")
	})
}

// expandTwice takes each name that stands in the text twice for expanded.
func (s *scanner) expandTwice() {
	seen := map[string]bool{}
	for name := range strings.FieldsFuncSeq(s.in,
		func(r rune) bool { return r >= 0x80 || !isAlnum(byte(r)) && r != '_' }) {
		if len(name) <= nameLimit {
			s.expanded[name] = s.expanded[name] || seen[name]
			seen[name] = true
		}
	}
}

// runsData reports whether a command may run what stands in it as the value of anything:
// it goes through its arguments, feeds a shell, or reads its environment.
func runsData(s *scanner) bool {
	if s.data == nil {
		feeds := strings.ContainsAny(s.in, "|<")
		runs := strings.Contains(s.in, "set --") || usesArguments(s.in)
		for word := range strings.FieldsFuncSeq(s.in,
			func(r rune) bool { return r >= 0x80 || !isAlnum(byte(r)) && r != '_' }) {
			s.decodes = s.decodes || isDecoder(word)
			runs = runs || runsText(word) || feeds && isShell(word)
		}
		runs = runs || feedsInterpreter(s.in)
		s.data = &runs
	}
	return *s.data
}

// usesArguments reports whether a text expands the arguments of a shell: $@, $*, $1, ${1}.
func usesArguments(text string) bool {
	for {
		_, after, found := strings.Cut(text, "$")
		if !found {
			return false
		}
		text = after
		if name := strings.TrimPrefix(after, "{"); name != "" && strings.IndexByte("@*123456789", name[0]) >= 0 {
			return true
		}
	}
}

// runsText reports whether a word of a command gives a value to a shell or a program as
// a text, or reads values back.
func runsText(word string) bool {
	switch word {
	case "eval", "alias", "source", "shift", "trap", "environ", "ENVIRON", "SYMTAB", "printenv", "getenv", "globals",
		"locals", "declare", "typeset", "indirect":
		return true
	}
	return false
}

func isShell(word string) bool {
	switch word {
	case "sh", "bash", "zsh", "dash", "ksh", "fish", "xargs":
		return true
	}
	return false
}

func isInterpreter(word string) bool {
	switch word {
	case "python", "python3", "perl", "ruby", "node", "php":
		return true
	}
	return isShell(word)
}

// feedsInterpreter reports whether a pipe leads to an interpreter that is given no code
// of its own, and so runs what it reads.
func feedsInterpreter(text string) bool {
	for part := range strings.SplitSeq(text, "|") {
		words := strings.Fields(part)
		if len(words) > 0 && isInterpreter(words[0]) && (len(words) == 1 || words[1] == "-" ||
			strings.IndexByte(";&<>)", words[1][0]) >= 0) {
			return true
		}
	}
	return false
}

// isDecoder reports whether a program makes another text of one: what looks made by
// chance may be a command to it.
func isDecoder(word string) bool {
	switch word {
	case "base64", "base32", "xxd", "od", "rev", "tr", "cut", "sed", "awk", "openssl", "gunzip", "zcat",
		"uudecode":
		return true
	}
	return false
}

// opaque reports whether a value is no command and no name of a program: a word that
// looks made by chance.
func opaque(value string) bool {
	return len(value) >= 8 && looksRandom(value) && !strings.ContainsAny(value, " \t\n\r/.")
}

// inCode reports whether what begins at a, the value of a name that ends before
// i, may be part of an expression: it stands in a word of a command that holds
// quotes, brackets, semicolons or blanks. NAME=VALUE and NAME: VALUE that are
// the whole word are none.
func (s *scanner) inCode(name string, i, a int) bool {
	if !s.command || !s.known().read {
		return false
	}
	part, ok := s.known().around(i)
	if !ok {
		return false
	}
	text := s.in[part.Start:part.End]
	inner := text
	if isQuote(text[0]) && len(text) > 1 && text[len(text)-1] == text[0] {
		inner = text[1 : len(text)-1]
	}
	const signs = "'\"`()[]{};$|<>"
	if strings.HasPrefix(inner, name) && a >= part.Start && a <= part.End {
		return strings.ContainsAny(strings.TrimPrefix(inner, name), signs)
	}
	return strings.ContainsAny(inner, signs+" \t\n")
}

// constant hides the inside of one quoted constant, and nothing of what a
// program's text does with it.
func (s *scanner) constant(a int) {
	depth := 0
	for a+depth < len(s.in) && s.in[a+depth] == '\\' {
		depth++
	}
	open := a + depth
	if open >= len(s.in) || s.in[open] != '"' && s.in[open] != '\'' || depth == 0 && closes(s.in[open:], s.quote) {
		return
	}
	s.alone = true
	from, to, next := s.inQuotes(open, depth)
	s.alone = false
	if strings.ContainsAny(s.in[from:to], "$`;|(){} \t\n") { // a password with blanks is rare
		return
	}
	s.pastValue(s.hide(from, to), next)
}
