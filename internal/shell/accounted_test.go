package shell

import (
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// unaccounted is a word of a plain text that no command in its report holds, "" for none.
// Segments, which shares no grammar with the parser, cuts the text.
func unaccounted(text string, r Report) string {
	if len(r.Unknowns) > 0 || r.Exceeded != "" || r.Malformed != "" || strings.ContainsAny(text, "#`") ||
		strings.Contains(text, "<<") {
		return ""
	}
	held := "time "
	for _, c := range r.Commands {
		for _, w := range c.Words {
			held += w.Value + "\n"
		}
		if len(c.Wrappers) > 0 { // its own words stand there
			held += c.Source
		}
	}
	for _, e := range r.Effects {
		if e.Part == PartRedirection {
			held += e.Words
		}
	}
	held = strings.NewReplacer(`\`, "", "'", "", `"`, "").Replace(held) // Segments leaves them out
	for _, words := range grammar.Segments(text, false) {
		for _, w := range words {
			if !strings.ContainsAny(w, "{}*?[~^=$@") && strings.Trim(w, "0123456789") != "" &&
				!strings.Contains(held, w) {
				return w
			}
		}
	}
	return ""
}

// What the parser drops, or puts where nobody looks, is seen by a reader of another kind.
func TestEveryWordIsAccountedFor(t *testing.T) {
	env, plain := testEnv(world()), 0
	texts := seeds()
	for _, command := range []string{"ls -la src", "cat 'a b' \"c d\"", "grep -n x\\ y a", "wc -l a"} {
		for _, form := range wraps() {
			texts = append(texts, wrapped(form, command), wrapped(form, wrapped("%s; ls", command)))
		}
	}
	for _, r := range rows(t, "sessions") {
		texts = append(texts, r.Input.Command)
	}
	for _, text := range texts {
		r := Analyze(text, env)
		if w := unaccounted(text, r); w != "" {
			t.Errorf("%q: no command holds %q", text, w)
		}
		if len(r.Unknowns) == 0 {
			plain++
		}
	}
	if plain < 500 {
		t.Errorf("%d plain texts", plain)
	}
}
