package shell

import (
	"slices"
	"strings"
)

// sift follows the expression of find, to tell whether what it deletes was
// picked by name. The zero value has seen nothing.
type sift struct {
	groups []sifted // open parentheses
	sifted
	whole bool // a -delete without such a test
}

// sifted is one level of parentheses.
type sifted struct {
	picks bool // a test of this alternative picks by name
	loose bool // an earlier alternative has no such test
	not   bool // the next test is negated
}

// word takes one operator, test or action, with the test's argument. What has
// an age, a size or a type may be almost everything, so only names and -empty
// pick.
func (s *sift) word(name string, value word) {
	switch name {
	case "(":
		s.groups = append(s.groups, s.sifted)
		s.sifted = sifted{}
	case ")":
		picks := s.picks && !s.loose
		if n := len(s.groups); n > 0 {
			s.sifted, s.groups = s.groups[n-1], s.groups[:n-1]
		}
		s.test(picks)
	case "-o", "-or", ",":
		s.loose = s.loose || !s.picks || name == ","
		s.picks, s.not = false, false
	case "!", "-not":
		s.not = true
	case "-name", "-iname":
		s.test(value.known && !value.many && picksNames(value.text))
	case "-empty":
		s.test(true)
	case "-delete":
		picked := s.picks || slices.ContainsFunc(s.groups, func(g sifted) bool { return g.picks })
		s.whole = s.whole || !picked
	default:
		s.test(false)
	}
}

func (s *sift) test(picks bool) {
	s.picks = s.picks || picks && !s.not
	s.not = false
}

// picksNames reports whether a pattern of names asks for two characters at
// least, or is that of backups.
func picksNames(pattern string) bool {
	literal, bracket := 0, false
	for _, c := range pattern {
		switch {
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		case !bracket && !strings.ContainsRune(`*?\`, c):
			literal++
		}
	}
	return literal >= 2 || pattern == "*~"
}
