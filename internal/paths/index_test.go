package paths_test

import (
	"math/rand/v2"
	"path"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/paths"
)

// What an index finds is what a look at each entry finds.
func FuzzIndex(f *testing.F) {
	for _, row := range [][2]string{
		{"*.key\n!ca.key", "/w/ca.key"}, {"~/.ssh\n!~/.ssh/*.pub", "/home/dev/.ssh/a.pub"},
		{"~/.ssh\n!~/.ssh/*.pub", "/root/.ssh/a.pub"}, {"/etc/shadow", "/etc/Shadow"}, {"a\nb/c\n/d", "/d"}, {"/", "/"},
		{"~/", "/home/dev"},
		{"//a//b/", "/a/b"}, {"a?c\n!abc", "/w/abc"}, {"é", "/w/e\u0301"}, {"!x\nx", "/x"}, {"x\n!x", "/x"},
		{"!", "/!"}, {"~", "/~"}, {"*\n!*.go", "/w/a.go"}, {"/proc/*/environ", "/proc/1/environ"}, {"K", "/w/\u212a"},
		{"/é/x\n~/é/y", "/home/dev/é"}, {"*.A.*\n!*b*", "/w/x.a.b/c"}, {"*\u00e9*", "/w/xe\u0301"},
		{"*a*/b", "/w/xax/b"}, {"**", "/w"}, {"\x00**", "/0"}, {"*", "/w"},
	} {
		f.Add(row[0], row[1])
	}
	f.Fuzz(func(t *testing.T, entries, name string) {
		sameByIndex(t, paths.New(strings.Split(entries, "\n"), "/home/dev"), name)
	})
}

func sameByIndex(t *testing.T, l paths.List, name string) {
	t.Helper()
	match, holds := paths.ByEach(l, name)
	for range paths.FewUses { // from then on there is an index
		l.Match(name)
	}
	if got := l.Match(name); got != match && !strings.Contains(name, "~") && len(name) <= 4096 {
		t.Errorf("%q is on %q: %v by the index, %v by a look at each", name, l.Entries, got, match)
	}
	if got := l.HoldsAny(name); got != holds {
		t.Errorf("something of %q is below %q: %v by the index, %v by a look at each", l.Entries, name, got, holds)
	}
}

// The same on the lists that are used, for the names that they speak of and
// their neighbours.
func TestIndexOfDefaults(t *testing.T) {
	rules, random := nod.DefaultRules(), rand.New(rand.NewPCG(1, 2))
	for _, entries := range [][]string{rules.Secrets, rules.Guarded} {
		l := paths.New(entries, "/home/dev")
		for _, text := range entries {
			text, _ := paths.TakeApart(text)
			like := strings.NewReplacer("*", "zz", "?", "z", `\`, "").Replace(text)
			other, _ := paths.TakeApart(entries[random.IntN(len(entries))])
			for _, end := range []string{text, like, strings.ToUpper(like), like + "x", "x" + like, like + "/x",
				path.Dir(like), other + "/" + like, like + "." + path.Base(other)} {
				for _, start := range []string{"/", "/home/dev/", "/home/other/", "/root/", "/work/shop/"} {
					sameByIndex(t, l, start+end)
				}
			}
		}
	}
}
