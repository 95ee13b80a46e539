package shell

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/commands"
)

// OtherSpellings returns the other spellings of an option, as the data of its program lists them side by side: --force
// for -f, and --recursive and -R for -r. Of several options with one letter in a line it takes all.
func OtherSpellings(program, option string) []string {
	text, _, _ := commands.Find(program)
	letter := func(word string) string { return strings.ToLower(strings.TrimLeft(word, "-") + " ")[:1] }
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if line[0] == '-' && slices.Contains(words, option) {
			return slices.DeleteFunc(words, func(w string) bool { return w[0] != '-' || letter(w) != letter(option) })
		}
	}
	return nil
}
