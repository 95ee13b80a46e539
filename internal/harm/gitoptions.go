package harm

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// isGit reports whether a command runs git here.
func isGit(c shell.Command) bool { return c.Program != "" && c.Has(shell.Git) && len(c.Words) > 1 }

// gitOptions are the words of a command of git as it takes them apart, to look up
// what git has (githistory.go).
type gitOptions struct {
	sub      string // the subcommand
	letters  string // of short options
	longs    []string
	values   map[string][]string
	operands []string // the words that are no options
	unsure   bool     // of some operand nobody knows what it is
	files    bool     // all operands stand behind a --, and so are no revisions
}

// gitOptionsOf is what git is told.
func gitOptionsOf(c shell.Command) *gitOptions {
	o := &gitOptions{values: map[string][]string{}}
	if c.Told == nil {
		return o
	}
	o.sub, o.operands = c.Told.Verbs[0], slices.Clone(c.Told.Verbs[1:])
	for _, given := range c.Told.Options {
		if letters, short := strings.CutPrefix(given.Name, "-"); short && !strings.HasPrefix(letters, "-") {
			o.letters += letters
		} else {
			o.longs = append(o.longs, given.Name)
		}
		o.values[given.Name] = append(o.values[given.Name], given.Value.Value)
	}
	o.files = len(o.operands) == 0 && c.Told.Behind > 0 && c.Told.Behind == len(c.Told.Operands)
	for _, w := range c.Told.Operands {
		o.unsure = o.unsure || !w.Known
		o.operands = append(o.operands, w.Value)
	}
	return o
}

// gitIs reports whether a list of git's sheet names the subcommand.
func (o *gitOptions) gitIs(list string) bool { return gitLists(list, o.sub) }

// gitLists reports whether a list of git's sheet names a subcommand or an option.
func gitLists(list, word string) bool { return shell.Lists("git", list, word) }

func (o *gitOptions) short(any string) bool { return strings.ContainsAny(o.letters, any) }

func (o *gitOptions) long(names ...string) bool {
	return slices.ContainsFunc(o.longs, func(l string) bool { return slices.Contains(names, l) })
}

func (o *gitOptions) longPrefix(prefixes ...string) bool {
	return slices.ContainsFunc(o.longs, func(l string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(l, p) })
	})
}
