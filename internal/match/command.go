package match

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// Clears reports whether an allow pattern matches. A name that the agent can give to anything (a
// program in the workspace) is not matched by name, only by the very path that the rule writes.
func (p Pattern) Clears(c shell.Command) bool {
	n := len(p.Words)
	if n == 0 || len(c.Words) < n || !p.Open && len(c.Words) > n {
		return false
	}
	isOther := func(wrapper string) bool { return !shell.Means(wrapper) } // under which the rule does not hold
	if c.Foreign && !strings.Contains(p.Words[0], "/") || slices.ContainsFunc(c.Wrappers, isOther) {
		return false
	}
	if p.Open && p.leadsToCode(c) {
		return false
	}
	for i, w := range p.Words {
		if got := c.Words[i]; !got.Known || got.Pattern || got.Value != w {
			return false
		}
	}
	return true
}

type position bool

const (
	FirstWord position = false // as a command of its own
	AnyWord   position = true  // among the words of another
)

// OccursIn reports whether a denying pattern is among the command's words: its program, then its
// other words in any places behind, single-letter options however they are bundled. A star in a word
// stands for any text. It errs towards matching.
func (p Pattern) OccursIn(c shell.Command, where position) bool {
	if len(p.Words) == 0 {
		return false
	}
	for i, w := range c.Words {
		if w.Known && (w.Value == p.Words[0] || path.Base(w.Value) == p.Words[0]) &&
			followedBy(p.Words[0], p.Words[1:], c.Words[i+1:]) {
			return true
		}
		if where == FirstWord {
			return false
		}
	}
	return false
}

// mayOccurIn reports whether the pattern is the command, if each word of the pattern
// that is missing is among those which are not known: words that are only known when
// it runs, or that xargs adds. What an alias of git stands for counts as its words.
func (p Pattern) mayOccurIn(c shell.Command) bool {
	if len(p.Words) == 0 || len(c.Words) == 0 || !c.Words[0].Known || path.Base(c.Words[0].Value) != p.Words[0] {
		return false
	}
	words := slices.Clone(c.Words[1:])
	if c.Told != nil {
		for _, verb := range c.Told.Verbs {
			words = append(words, shell.Word{Value: verb, Known: true})
		}
		for _, o := range c.Told.Options {
			words = append(words, shell.Word{Value: o.Name, Known: true})
		}
	}
	if followedBy(p.Words[0], p.Words[1:], words) || followedBy(p.Words[0], p.Words[1:], p.inFull(words)) {
		return true
	}
	more := func(w shell.Word) bool { return mayBeMore(w, c.Source) }
	return !p.isOther(c) && slices.ContainsFunc(c.Words[1:], more)
}

// inFull are the words with each long option that may be short for one of the
// pattern's in its place: --delet is --delete to git and to most programs.
func (p Pattern) inFull(words []shell.Word) []shell.Word {
	full := slices.Clone(words)
	for i, w := range full {
		for _, want := range p.Words[1:] {
			if len(w.Value) > len("--") && strings.HasPrefix(w.Value, "--") && strings.HasPrefix(want, w.Value) {
				full[i].Value = want
			}
		}
	}
	return full
}

// isOther reports whether the command is certainly a different subcommand of the same program than the
// pattern's: git commit, where the pattern's is git push.
func (p Pattern) isOther(c shell.Command) bool {
	if len(p.Words) < 2 || strings.HasPrefix(p.Words[1], "-") || len(c.Words) < 2 {
		return false
	}
	if slices.ContainsFunc(c.Words, func(w shell.Word) bool { return strings.HasPrefix(w.Value, "alias.") }) {
		return false
	}
	verb := c.Words[1]
	if c.Told != nil && len(c.Told.Verbs) > 0 {
		verb = shell.Word{Value: c.Told.Verbs[0], Known: true}
	}
	return verb.Known && !mayBeMore(verb, c.Source) && !strings.HasPrefix(verb.Value, "-") &&
		!starMatch(p.Words[1], verb.Value)
}

// mayBeMore reports whether a word may turn out to be others: its value is not known, it says what an alias stands
// for, or it has blanks at which a shell takes it apart, which it does not where the command was written with them.
func mayBeMore(w shell.Word, source string) bool {
	const enough = 24
	return !w.Known || w.Pattern || strings.HasPrefix(w.Value, "alias.") ||
		strings.ContainsAny(w.Value, " \t\n") && !strings.Contains(source, w.Value[:min(len(w.Value), enough)])
}

// followedBy reports whether all wanted words are there, an option by either of its spellings.
func followedBy(program string, want []string, words []shell.Word) bool {
	for _, w := range want {
		if !strings.HasPrefix(w, "-") && !hasWord(w, words) {
			return false
		}
	}
	for _, w := range want {
		if !strings.HasPrefix(w, "-") || hasWord(w, words) {
			continue
		}
		if !spelledOtherwise(program, w, words) {
			return false
		}
	}
	return true
}

// spelledOtherwise reports whether an option, or each letter of a bundle, is there by
// another of its spellings: rm --recursive -f for rm -rf.
func spelledOtherwise(program, want string, words []shell.Word) bool {
	has := func(option string) bool {
		return hasWord(option, words) || slices.ContainsFunc(shell.OtherSpellings(program, option),
			func(other string) bool { return hasWord(other, words) })
	}
	letters, short := shell.ShortOptions(want)
	if !short || len(letters) < 2 {
		return has(want)
	}
	return !strings.ContainsFunc(letters, func(letter rune) bool { return !has("-" + string(letter)) })
}

func hasWord(want string, words []shell.Word) bool {
	letters, short := shell.ShortOptions(want)
	var seen strings.Builder
	for _, w := range words {
		if w.Known && (w.Value == want || strings.Contains(want, "*") && starMatch(want, w.Value)) {
			return true
		}
		if got, ok := shell.ShortOptions(w.Value); ok && w.Known {
			seen.WriteString(got)
		}
	}
	return short && strings.Trim(letters, seen.String()) == ""
}

// Pattern is a simple command that a rule names. The zero value matches nothing.
type Pattern struct {
	Words []string // as a shell would split it; nil where it would not
	Open  bool     // a final " *": further arguments may follow
}

// ReadPattern reads the text of a rule; no words where it is no simple command.
func ReadPattern(text string) (p Pattern) {
	words, ok := SplitWords(text)
	if !ok {
		return Pattern{}
	}
	if n := len(words); n > 1 && words[n-1] == "*" {
		words, p.Open = words[:n-1], true
	}
	p.Words = words
	return p
}

// SplitWords splits text as a shell splits one simple command of plain words. ok is false where it is anything else.
func SplitWords(text string) (words []string, ok bool) {
	var word strings.Builder
	started, quote := false, rune(0)
	flush := func() {
		if started {
			words = append(words, word.String())
			word.Reset()
			started = false
		}
	}
	escaped := false
	for _, c := range text {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case quote == '\'' && c != '\'', quote == '"' && c != '"' && c != '\\' && c != '$' && c != '`':
			word.WriteRune(c)
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\':
			escaped, started = true, true
		case c == '\'' || c == '"':
			quote, started = c, true
		case c == ' ' || c == '\t':
			flush()
		case strings.ContainsRune(";|&<>$`()\n\r", c) || c == 0:
			return nil, false
		default:
			word.WriteRune(c)
			started = true
		}
	}
	flush()
	return words, quote == 0 && !escaped && len(words) > 0
}
