package harm

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// isGit reports whether a command runs git here.
func isGit(c shell.Command) bool { return c.Program != "" && c.Has(shell.Git) && len(c.Words) > 1 }

// gitOptions are the words of a command of git, read as git reads them: what git
// has is looked up by them (githistory.go), so that a sheet does not do.
type gitOptions struct {
	sub      string // the subcommand
	letters  string // of short options
	longs    []string
	values   map[string][]string
	operands []string // the words that are no options
}

// gitOptionsOf reads what git is told.
func gitOptionsOf(c shell.Command) *gitOptions {
	o := &gitOptions{values: map[string][]string{}}
	words := c.Words[min(1, len(c.Words)):]
	if words = words[min(beforeSubcommand(words), len(words)):]; len(words) > 0 {
		o.sub, words = words[0].Value, words[1:]
	}
	short, long := o.valued()
	for len(words) > 0 {
		w := words[0]
		words = words[1:]
		switch {
		case !w.Known:
		case w.Value == "--":
			for _, rest := range words {
				o.operands = append(o.operands, rest.Value)
			}
			words = nil
		case strings.HasPrefix(w.Value, "--"):
			words = o.longOption(w.Value, words, long)
		case len(w.Value) > 1 && w.Value[0] == '-':
			words = o.cluster(w.Value[1:], words, short)
		default:
			o.operands = append(o.operands, w.Value)
		}
	}
	return o
}

// longOption reads --name or --name=value, and returns the words behind it.
func (o *gitOptions) longOption(text string, words []shell.Word, valued []string) []shell.Word {
	name, value, equals := strings.Cut(text, "=")
	o.longs = append(o.longs, name)
	if !equals && slices.Contains(valued, name) && len(words) > 0 {
		value, words, equals = words[0].Value, words[1:], true
	}
	if equals {
		o.values[name] = append(o.values[name], value)
	}
	return words
}

// cluster reads -abc, and returns the words behind it.
func (o *gitOptions) cluster(letters string, words []shell.Word, valued string) []shell.Word {
	i := strings.IndexAny(letters, valued)
	if i < 0 {
		o.letters += letters
		return words
	}
	o.letters += letters[:i+1]
	name, value := "-"+letters[i:i+1], letters[i+1:]
	if value == "" && len(words) > 0 {
		value, words = words[0].Value, words[1:]
	}
	o.values[name] = append(o.values[name], value)
	return words
}

// valued lists the options that take a value from the next word.
func (o *gitOptions) valued() (short string, long []string) {
	switch o.sub {
	case "grep":
		return "efmABC", []string{"--max-count", "--after-context", "--before-context", "--context"}
	case "log", "blame", "shortlog", "show", "whatchanged":
		return "LSGnU", []string{"--grep", "--author", "--committer", "--since", "--until", "--after", "--before",
			"--format", "--pretty", "--date", "--skip", "--max-count"}
	}
	return "xXSGU", []string{"--pathspec-from-file"}
}

// beforeSubcommand counts the words before the subcommand of git.
func beforeSubcommand(words []shell.Word) (n int) {
	for n < len(words) && strings.HasPrefix(words[n].Value, "-") {
		switch words[n].Value {
		case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env":
			n++
		}
		n++
	}
	return n
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
