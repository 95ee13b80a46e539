package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// written is a text cut into words by a reader of its own, which knows blanks,
// quotes, operators, comments and substitutions and no grammar.
type written struct {
	text  string
	pos   int
	words []string
	// aside: what comes is no word of a command, but the target of a
	// redirection or what a loop goes over.
	aside, loop bool
}

// wordsOf lists the words of a text, those of substitutions in it too, without
// quotes. ok is false where the text needs more than that to be cut: a
// here-document, backquotes, an expansion with braces, a quote of $'...'.
func wordsOf(text string) (words []string, ok bool) {
	if strings.Contains(text, "<<") || strings.ContainsAny(text, "`\x00\r") || strings.Contains(text,
		"$'") || strings.Contains(text, `$"`) ||
		strings.Contains(text, "${") || strings.Contains(text, "$((") || strings.Contains(text, "((") {
		return nil, false
	}
	w := &written{text: text}
	ok = w.list(false)
	return w.words, ok && w.pos == len(text)
}

// list reads words up to the end, or to the ) of a substitution.
func (w *written) list(inner bool) bool {
	depth := 0
	for w.pos < len(w.text) {
		switch c := w.text[w.pos]; {
		case strings.IndexByte(" \t\n;&|<>!", c) >= 0:
			w.aside = w.aside && strings.IndexByte(" \t&|", c) >= 0 || c == '<' || c == '>'
			w.loop = w.loop && c != '\n' && c != ';'
			w.pos++
		case c == '(':
			depth++
			w.pos++
		case c == ')' && depth == 0:
			return inner
		case c == ')':
			depth--
			w.pos++
		case c == '#':
			for w.pos < len(w.text) && w.text[w.pos] != '\n' {
				w.pos++
			}
		case c == '\\' && strings.HasPrefix(w.text[w.pos:], "\\\n"):
			w.pos += 2
		default:
			if !w.word() {
				return false
			}
		}
	}
	return !inner && depth == 0
}

// word reads one word. A substitution in it is a gap.
func (w *written) word() bool {
	var b strings.Builder
	gap := false
	for w.pos < len(w.text) {
		c := w.text[w.pos]
		if strings.IndexByte(" \t\n;&|<>()", c) >= 0 {
			break
		}
		w.pos++
		switch c {
		case '\'':
			end := strings.IndexByte(w.text[w.pos:], '\'')
			if end < 0 {
				return false
			}
			b.WriteString(w.text[w.pos : w.pos+end])
			w.pos += end + 1
		case '"':
			if !w.quoted(&b, &gap) {
				return false
			}
		case '\\':
			if w.pos == len(w.text) {
				return false
			}
			if w.text[w.pos] != '\n' {
				b.WriteByte(w.text[w.pos])
			}
			w.pos++
		case '$':
			if !w.dollar(&gap) {
				return false
			}
		default:
			b.WriteByte(c)
		}
	}
	name, _, assigns := strings.Cut(b.String(), "=")
	descriptor := w.pos < len(w.text) && strings.IndexByte("<>", w.text[w.pos]) >= 0 && strings.Trim(b.String(),
		"0123456789") == ""
	if !gap && b.Len() > 0 && !w.aside && !w.loop && !descriptor && !(assigns && grammar.Identifier(name)) {
		w.words = append(w.words, b.String())
	}
	w.aside = false
	w.loop = w.loop || b.String() == "for"
	return true
}

// quoted reads up to the end of double quotes.
func (w *written) quoted(b *strings.Builder, gap *bool) bool {
	for w.pos < len(w.text) {
		c := w.text[w.pos]
		w.pos++
		switch c {
		case '"':
			return true
		case '\\':
			if w.pos == len(w.text) {
				return false
			}
			switch next := w.text[w.pos]; {
			case next == '\n':
			case strings.IndexByte("\"\\$`", next) >= 0:
				b.WriteByte(next)
			default:
				b.WriteByte('\\')
				b.WriteByte(next)
			}
			w.pos++
		case '$':
			if !w.dollar(gap) {
				return false
			}
		default:
			b.WriteByte(c)
		}
	}
	return false
}

// dollar reads what stands behind a dollar.
func (w *written) dollar(gap *bool) bool {
	*gap = true
	if w.pos < len(w.text) && w.text[w.pos] == '(' {
		w.pos++
		if !w.list(true) {
			return false
		}
		w.pos++
		return true
	}
	if w.pos < len(w.text) && strings.IndexByte("?$!#@*-", w.text[w.pos]) >= 0 {
		w.pos++
		return true
	}
	for w.pos < len(w.text) && grammar.Letter(w.text[w.pos]) {
		w.pos++
	}
	return true
}

// reserved reports a word of the grammar.
func reserved(word string) bool {
	switch word {
	case "if", "then", "elif", "else", "fi", "for", "in", "do", "done", "while", "until", "{", "}", "time":
		return true
	}
	return false
}

// missing returns a word of a text that no command in the report of it holds;
// "" where there is none. cut is false for a text that cannot be cut into
// words; open where it needs no account.
func missing(text string, env Env) (word string, cut, open bool) {
	r := Analyze(text, env)
	if len(r.Unknowns) > 0 || r.Exceeded != "" || r.Malformed != "" {
		return "", false, true
	}
	words, ok := wordsOf(text)
	if !ok {
		return "", false, false
	}
	for _, w := range words {
		if !reserved(w) && !accounted(w, text, r) {
			return w, true, false
		}
	}
	return "", true, false
}

// accounted reports whether a command holds a word, or the grammar does: a
// name or target behind an operator, what a loop goes over, an assignment.
func accounted(w, text string, r Report) bool {
	for _, c := range r.Commands {
		for _, word := range c.Words {
			if word.Value == w || word.Value == strings.Replace(w, "~", testHome, 1) {
				return true
			}
		}
		// A wrapper's own words stand in its source only, and so do words
		// that become others.
		if (len(c.Wrappers) > 0 || strings.ContainsAny(w, "{}*?[~^=")) && standsWithin(w, c.Source) {
			return true
		}
	}
	return false
}

// standsWithin reports whether a word stands in a command's source, outside of any
// substitution there.
func standsWithin(w, source string) bool {
	words, ok := wordsOf(outer(source))
	return ok && slices.Contains(words, w)
}

// outer is a text without its substitutions.
func outer(text string) string {
	for {
		i := strings.LastIndex(text, "$(")
		if i < 0 {
			return text
		}
		end := strings.IndexByte(text[i:], ')')
		if end < 0 {
			return text[:i]
		}
		text = text[:i] + text[i+end+1:]
	}
}

// TestEveryWordIsAccountedFor holds that each word of a text without unknowns
// is a word of a command in its report: what the parser drops, or puts where
// nobody looks, is seen by a reader that does not share its grammar.
func TestEveryWordIsAccountedFor(t *testing.T) {
	env := testEnv(world())
	texts := append(seeds(), plainTexts()...)
	count(t, env, texts)
}

// TestEveryWordOfASession holds the same of commands of real sessions.
func TestEveryWordOfASession(t *testing.T) {
	var texts []string
	for _, r := range rows(t, "sessions") {
		texts = append(texts, r.Input.Command)
	}
	count(t, testEnv(world()), texts)
}

func count(t *testing.T, env Env, texts []string) {
	t.Helper()
	closed, skipped := 0, 0
	for _, text := range texts {
		word, cut, open := missing(text, env)
		switch {
		case open:
			continue
		case !cut:
			skipped++
		case word != "":
			t.Errorf("%q: no command holds %q", text, word)
		}
		closed++
	}
	t.Logf("%d texts without unknowns, %d of them cannot be cut", closed, skipped)
	if closed < 100 || skipped*4 > closed {
		t.Errorf("%d texts, %d of them cannot be cut", closed, skipped)
	}
}

// plainTexts are texts of the language, alone and in each other.
func plainTexts() (list []string) {
	simple := []string{"ls -la src", "cat 'a b' \"c d\"", "grep -n x\\ y a", "echo a#b c # rm d", "wc -l a"}
	for _, x := range simple {
		list = append(list, x)
		for _, y := range simple {
			for _, form := range []string{"%x; %y", "%y && cd src || %x", "if %y\nthen %x\nfi",
				"for i in a b; do %y\ndone; %x", "{ %y\n}; %x", "( %y\n) && %x",
				"! %y\n%x", "cat $( %y\n) z; %x", "echo \"q $( %y\n) r\"; %x", "while %y\ndo %x\ndone", "%y\n%x",
				"time %x"} {
				list = append(list, strings.NewReplacer("%x", x, "%y", y).Replace(form))
			}
		}
	}
	return list
}

// FuzzEveryWordIsAccountedFor holds the same of any text.
func FuzzEveryWordIsAccountedFor(f *testing.F) {
	for _, s := range append(seeds(), plainTexts()[:20]...) {
		f.Add(s)
	}
	for _, s := range []string{"f() { :; } && rm a", "x=(a)#c;rm a", "let x||rm a", "a() ((1))|&rm a", "ls ${x}#k;rm a",
		"time x=1; ls"} {
		f.Add(s)
	}
	env := testEnv(world())
	f.Fuzz(func(t *testing.T, text string) {
		if word, _, _ := missing(text, env); word != "" {
			t.Errorf("no command holds %q", word)
		}
	})
}
