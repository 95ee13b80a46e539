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
