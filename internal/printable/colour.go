package printable

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

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
