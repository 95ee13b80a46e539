package recipe

import (
	"slices"
	"strings"
)

// OtherJustfile reports whether another justfile may count than the one that lies
// nearest. Behind the first word that is no option, all are a recipe's own.
func OtherJustfile(args []Arg) bool {
	for _, w := range args {
		switch {
		case !w.Known, w.Text == "", w.Text == ".", w.Text == "..":
			return true
		case w.Text[0] != '-':
			return strings.ContainsAny(w.Text, "/:=") // another justfile, a module, a variable
		case !slices.Contains([]string{"-q", "--quiet", "-v", "-vv", "--verbose", "--yes", "--one", "--unstable", "-u",
			"--unsorted", "-l", "--list", "--summary", "--dry-run", "--no-dotenv", "--explain", "--no-deps"}, w.Text):
			return true
		}
	}
	return false
}

// TakenIn lists the names of files that a justfile may take in by import and
// mod.
func TakenIn(text string) (names []string) {
	for line := range strings.Lines(text) {
		verb, rest, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(line), "?", " "), " ")
		if verb != "import" && verb != "mod" {
			continue
		}
		name, quoted, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if verb == "import" {
			name, quoted = "", rest
		}
		list := []string{name + ".just", name + "/mod.just", name + "/justfile", name + "/.justfile"}
		if at := strings.IndexAny(quoted, `'"`); at >= 0 {
			named, _, _ := strings.Cut(quoted[at+1:], quoted[at:at+1])
			list = []string{named, named + "/mod.just", named + "/justfile", named + "/.justfile"}
		}
		names = append(names, list...)
	}
	return names
}
