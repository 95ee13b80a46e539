package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/commands"
)

// OtherSpelling returns the other spelling of an option, as the data of its
// program lists the two side by side: --force for -f, and -f for --force. "" is
// that the data knows no other.
func OtherSpelling(program, option string) string {
	text, _, ok := commands.Find(program)
	if !ok || len(option) < 2 || option[0] != '-' {
		return ""
	}
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "-") || !strings.Contains(line, option) {
			continue
		}
		words := strings.Fields(line)
		for i, w := range words[1:] {
			switch short := words[i]; {
			case !sameOption(short, w):
			case short == option:
				return w
			case w == option:
				return short
			}
		}
	}
	return ""
}

// sameOption reports whether a letter and the name behind it are one option.
func sameOption(short, long string) bool {
	return len(short) == 2 && short[0] == '-' && len(long) > 3 && long[:2] == "--" &&
		strings.EqualFold(long[2:3], short[1:])
}

// mayBeOption reports whether a word in the place of a value looks like an option
// that means something: many programs take a value only where it has no dash, or
// only behind "=". A number has a dash as well.
func (s *sheet) mayBeOption(w word) bool {
	if !w.known || len(w.text) < 2 || w.text[0] != '-' || w.text == "--" || w.text[1] >= '0' && w.text[1] <= '9' {
		return false
	}
	if s.is&Expression != 0 || w.text[1] != '-' && strings.Contains(w.text, " ") {
		return false
	}
	name, _, _ := strings.Cut(w.text, "=")
	if bundle := len(name) > 2 && name[1] != '-'; bundle {
		o, ok := s.lookup(name[:2])
		return ok && (o.arg != 0 || o.rest != "")
	}
	o, ok := s.lookup(name)
	return !ok || o.arg != 0 || o.rest != ""
}
