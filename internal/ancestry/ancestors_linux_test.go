//go:build unix

package ancestry

import "testing"

func TestParseStat(t *testing.T) {
	for _, c := range []struct {
		stat, name string
		parent     int
		bad        bool
	}{
		{"7 (bash) S 3 7 7 0", "bash", 3, false},
		{"7 (a) S 1 (b)) S 3 7", "a) S 1 (b)", 3, false},
		{"7 () R 0", "", 0, false},
		{"7 bash S 3", "", 0, true},
		{"7 (bash)", "", 0, true},
		{"7 (bash) S x", "bash", 0, true},
	} {
		name, parent, err := parseStat(c.stat)
		if (err != nil) != c.bad || !c.bad && (name != c.name || parent != c.parent) {
			t.Errorf("%q: %q, %d, %v", c.stat, name, parent, err)
		}
	}
}
