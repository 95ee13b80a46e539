package paths_test

import (
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/paths"
)

// What the quick look at names lets pass holds all that the list matches.
func TestStartsPassOnWhatMatches(t *testing.T) {
	rules := nod.DefaultRules()
	for _, entries := range [][]string{rules.Secrets, rules.Guarded, {"*.a.*", "b[cd]e", "x/y", "!z", "Up", `q\*`}} {
		l := paths.New(entries, "/home/dev")
		s := l.Starts()
		for _, text := range entries {
			text, anchored := paths.TakeApart(text)
			for _, name := range []string{text, "sub/" + text + "/x",
				strings.NewReplacer("*", "zz", "?", "z", `\`, "").Replace(text), strings.ToUpper(text), "b" + text} {
				if !anchored && l.Match("/work/shop/"+name) && !s.May(name) {
					t.Errorf("%q: %q matches and is left out", text, name)
				}
			}
		}
	}
	s := paths.New(rules.Secrets, "").Starts()
	for _, name := range []string{"main.go", "docs/read.md", "src/keys.go", "a.tfstat"} {
		if s.May(name) {
			t.Errorf("%q is looked at", name)
		}
	}
}
