package nod

import (
	"strings"
	"testing"
)

// What the quick look at names lets pass holds all that the list matches.
func TestStartsPassOnWhatMatches(t *testing.T) {
	rules := DefaultRules()
	for _, entries := range [][]string{rules.Secrets, rules.Guarded, {"*.a.*", "b[cd]e", "x/y", "!z", "Up", `q\*`}} {
		l := newPathList(entries, "/home/dev")
		s := l.starts()
		for _, text := range entries {
			e := takeApart(text)
			for _, name := range []string{e.text, "sub/" + e.text + "/x", strings.NewReplacer("*", "zz", "?", "z", `\`, "").Replace(e.text), strings.ToUpper(e.text), "b" + e.text} {
				if !e.anchored && l.match("/work/shop/"+name) && !s.may(name) {
					t.Errorf("%q: %q matches and is left out", text, name)
				}
			}
		}
	}
	s := newPathList(rules.Secrets, "").starts()
	for _, name := range []string{"main.go", "docs/read.md", "src/keys.go", "a.tfstat"} {
		if s.may(name) {
			t.Errorf("%q is looked at", name)
		}
	}
}
