package masks

import (
	"encoding/json"
	"sort"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// literals is what a shell takes of a text as it stands.
type literals struct {
	list []grammar.Literal
	read bool // the text reads as a shell's program
}

// known reads the text, once and only where something is to be hidden. JSON
// reads as a word to a shell and is none.
func (s *scanner) known() *literals {
	if s.literals == nil {
		s.literals = &literals{}
		if c := s.in[0]; s.command || c != '{' && c != '[' || !json.Valid([]byte(s.in)) {
			// What is masked is a word, and no $[...] that zsh calculates.
			in := strings.ReplaceAll(s.in, "$$[masked-", "$$.masked-")
			s.literals.list, s.literals.read = grammar.Literals(in)
		}
	}
	return s.literals
}

// around returns the part in which the byte i lies.
func (l *literals) around(i int) (grammar.Literal, bool) {
	n := sort.Search(len(l.list), func(k int) bool { return l.list[k].End > i })
	if n == len(l.list) || l.list[n].Start > i {
		return grammar.Literal{}, false
	}
	return l.list[n], true
}

// isWord reports whether a whole word of a shell begins at i.
func (s *scanner) isWord(i int) bool {
	part, ok := s.known().around(i)
	return ok && part.Start == i
}

// hide replaces in[a:b] by markers, references apart, up to where a shell would
// run something, and goes on behind that. It reports whether it came to b.
func (s *scanner) hide(a, b int) (all bool) {
	if a < b && (isReference(s.in[a:b]) || s.command && shows(s, s.in[a:b])) {
		s.pos = max(s.pos, b)
		return true
	}
	for a < b {
		end := s.literalEnd(a, b)
		if end > a {
			s.put(a, end)
			s.pos = max(s.pos, end)
		}
		if end = s.pastReference(end, b); end == a {
			return false
		}
		a = end
	}
	return true
}

// shows reports whether a value may be what the command runs.
func shows(s *scanner, value string) bool {
	return !isMarker(value) && runsData(s) && (s.decodes || !opaque(value))
}

// token hides what has the shape of a token; in a command, where it is a word.
func (s *scanner) token(a, b int) {
	s.pos = b
	if s.command && runsData(s) && s.decodes {
		return
	}
	if !s.command || s.literalEnd(a, b) == b {
		s.put(a, b)
	}
}

// pastReference returns where $NAME and ${NAME} and the double quotes around
// them end.
func (t text) pastReference(i, b int) int {
	for i < b {
		end := i + 1
		switch {
		case t.in[i] == '"':
		case strings.HasPrefix(t.in[i:b], "${"):
			n := strings.IndexByte(t.in[i:b], '}')
			if end = i + n + 1; n < 0 || !isReference(t.in[i:end]) {
				return i
			}
		case t.in[i] == '$':
			for end < b && (isAlnum(t.in[end]) || t.in[end] == '_') {
				end++
			}
			if end == i+1 {
				return i
			}
		default:
			return i
		}
		i = end
	}
	return i
}

// literalEnd is how far in[a:b] holds nothing that a shell would run or expand.
// The name of a program stays in a command, and the start of it in any text.
func (s *scanner) literalEnd(a, b int) int {
	l := s.known()
	if !l.read {
		return s.plainEnd(a, b)
	}
	part, ok := l.around(a)
	if !ok || part.Program && (s.command || part.Start >= a-1) {
		return a
	}
	end := min(b, part.End)
	for end > a && end < part.End && s.in[end-1] == '\\' {
		end-- // it is for what follows
	}
	return end
}

// plainEnd does that for a text that does not read as a shell's. What stands in
// quotes is taken to be one, but for a command, which may read otherwise to
// another shell: of it a mask takes the rest of a word, up to an expansion.
func (s *scanner) plainEnd(a, b int) int {
	if s.command && s.mayRun(a) {
		return a
	}
	quoted := !s.command && a > 0 && b < len(s.in) && isQuote(s.in[a-1]) && s.in[b] == s.in[a-1]
	for i := a; i < b; i++ {
		if s.command && (isSpace(s.in[i]) || s.in[i] == '$') {
			return i
		}
		if operator(s.in[i:]) && (!quoted || s.in[i] == '\n' || s.in[i] == '`' || s.in[i] == '$') {
			return i
		}
	}
	return b
}

// mayRun reports whether what begins at i may be the name of a program, or a
// comment.
func (t text) mayRun(i int) bool {
	if t.in[i] == '#' {
		return true
	}
	start := strings.LastIndexAny(t.in[:i], " \t\n;|&(){}`") + 1
	if name, ok := strings.CutSuffix(strings.Trim(t.in[start:i], "\"'"), "="); ok && isName(name, true) &&
		!strings.Contains(name, ".") {
		return false // an assignment
	}
	before := strings.TrimRight(t.in[:start], " \t")
	return before == "" || strings.IndexByte(";|&(){}\n`!", before[len(before)-1]) >= 0
}

// operator reports whether s begins with what separates commands, or opens one,
// for a shell.
func operator(s string) bool {
	switch s[0] {
	case ';', '|', '&', '\n', '`', '<', '>', '(', ')':
		return true
	}
	behind := strings.TrimLeft(s, "$") // of $${ the first two may be one
	return len(behind) < len(s) && (strings.HasPrefix(behind, "(") || strings.HasPrefix(behind, "{"))
}
