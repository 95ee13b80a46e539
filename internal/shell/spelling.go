package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/commands"
)

// OtherSpellings returns the other spellings of an option, as the data of its program
// lists them side by side: --force for -f, and --recursive and -R for -r.
func OtherSpellings(program, option string) (others []string) {
	text, _, ok := commands.Find(program)
	if !ok || len(option) < 2 || option[0] != '-' {
		return nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "-") || !strings.Contains(line, option) {
			continue
		}
		words := strings.Fields(line)
		for i, w := range words[1:] {
			short := words[i]
			if !sameOption(short, w) {
				continue
			}
			same := []string{w, short}
			if i > 0 && strings.EqualFold(words[i-1], short) { // -r -R --recursive
				same = append(same, words[i-1])
			}
			for _, one := range same {
				if one == option {
					return same
				}
			}
		}
	}
	return nil
}

// sameOption reports whether a letter and the name behind it are one option.
func sameOption(short, long string) bool {
	return len(short) == 2 && short[0] == '-' && len(long) > 3 && long[:2] == "--" &&
		strings.EqualFold(long[2:3], short[1:])
}
