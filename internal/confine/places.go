package confine

import (
	_ "embed"
	"strings"
)

//go:embed names.txt
var lists string

// names are those of a list in names.txt.
func names(list string) (all []string) {
	_, rest, _ := strings.Cut(lists, "\n"+list+":\n")
	text, _, _ := strings.Cut(rest, "\n\n")
	return strings.Fields(text)
}
