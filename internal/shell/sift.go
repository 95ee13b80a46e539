package shell

import (
	"strconv"
	"strings"
)

// sift follows the expression of find, to tell whether what it deletes or
// hands over was picked out. The zero value has seen nothing.
type sift struct {
	groups []sifted // open parentheses
	sifted
	begun   bool   // there was a test, an operator or an action
	flat    bool   // -maxdepth 0 or 1
	whole   bool   // a -delete without such a test
	deletes string // what picks for the -delete
	any     string // a test that picks, wherever it stands
}

// sifted is one level of parentheses.
type sifted struct {
	picks string // the test of this alternative that picks, as in Effect.Picked
	loose bool   // an earlier alternative has no such test
	more  bool   // there was an earlier alternative
	not   bool   // the next test is negated
}

// word takes one operator, test or action, with the test's argument. What has
// a type, or any age, may be almost everything and does not pick; a file's other
// names are few.
func (s *sift) word(name string, value word) {
	constant := value.known && !value.many
	switch name {
	case "": // find fails on what is no test
		s.test(true, "...")
	case "(":
		s.groups = append(s.groups, s.sifted)
		s.sifted = sifted{}
	case ")":
		s.closeGroup()
	case "-o", "-or", ",":
		s.loose, s.more = s.loose || s.picks == "" || name == ",", true
		s.picks, s.not = "", false
	case "!", "-not":
		s.not = true
	case "-name", "-iname":
		s.test(constant && picksNames(value.text), name+" "+value.text)
	case "-empty":
		s.test(true, name)
	case "-samefile":
		s.test(constant, name+" "+value.text)
	case "-maxdepth":
		s.flat = s.flat || value.text == "0" || value.text == "1"
	case "-type":
		s.test(constant && value.text == "f" && s.flat, "-maxdepth 1")
	case "-delete":
		picked := s.picked()
		s.whole = s.whole || picked == ""
		if s.deletes != "" && s.deletes != picked {
			picked = "..."
		}
		s.deletes = picked
	default:
		s.test(constant && picksStatus(name, value.text), name+" "+value.text)
	}
}

// term takes one operator, test or action of find's expression.
func term(u *use, name string, value word) {
	u.sift.begun = u.sift.begun || len(name) != 2 && !strings.HasPrefix(name, "-O")
	u.sift.word(name, value)
	u.out.term(name, value)
}

func (s *sift) closeGroup() {
	picks := s.picks
	if picks != "" && s.more {
		picks = "..."
	}
	if s.loose {
		picks = ""
	}
	if n := len(s.groups); n > 0 {
		s.sifted, s.groups = s.groups[n-1], s.groups[:n-1]
	}
	s.test(picks != "", picks)
}

// picked returns the test that picks what comes next, "" for none.
func (s *sift) picked() string {
	if s.picks != "" {
		return s.picks
	}
	for _, g := range s.groups {
		if g.picks != "" {
			return g.picks
		}
	}
	return ""
}

// picksStatus reports whether a test asks for an age of a week, a large size,
// one owner other than root, or one mode.
func picksStatus(name, value string) bool {
	switch name {
	case "-mtime", "-atime", "-ctime":
		days, err := strconv.Atoi(strings.TrimPrefix(value, "+"))
		return err == nil && days >= 7
	case "-size":
		n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimRight(value, "MGT"), "+"))
		return err == nil && n >= 100 && strings.TrimRight(value, "MGT") != value
	case "-user", "-group", "-uid", "-gid":
		return value != "root" && value != "wheel" && strings.Trim(value, "+-0") != ""
	case "-perm":
		return strings.Trim(value, "0") != "" && strings.Trim(value, "01234567") == ""
	}
	return false
}

func (s *sift) test(picks bool, as string) {
	if picks && !s.not && s.picks == "" {
		s.picks, s.any = as, as
	}
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
