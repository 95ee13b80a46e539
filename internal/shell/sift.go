package shell

import (
	"cmp"
	"strconv"
	"strings"
)

// sift follows the expression of find, to tell whether what it deletes or
// hands over was picked out. The zero value has seen nothing.
type sift struct {
	begun   bool     // there was a test, an operator or an action
	flat    bool     // -maxdepth 0 or 1
	picks   string   // the test of this alternative that picks, as in Effect.Picked
	outer   []string // what picked before each open parenthesis: it holds inside, and behind
	loose   bool     // an earlier alternative has no such test
	more    bool     // there was an earlier alternative
	not     bool     // the next test is negated
	whole   bool     // a -delete without such a test
	deletes string   // what picks for the -delete
	any     string   // a test that picks, wherever it stands
}

// word takes one operator, test or action, with the test's argument. What has
// a type, or any age, may be almost everything and does not pick.
func (s *sift) word(name string, value word) {
	constant := value.known && !value.many
	switch name {
	case "(":
		s.loose = s.loose || s.not && s.picks == "" // what is not in a group is not followed
		s.outer = append(s.outer, s.picks)
	case ")":
		s.picks = cmp.Or(s.held(), s.picks)
		s.outer = s.outer[:max(len(s.outer)-1, 0)]
	case "-o", "-or", ",":
		s.loose = s.loose || s.picks == "" || name == ","
		s.more = s.more || s.held() == ""
		s.picks = s.held()
	case "!", "-not":
		s.not = true
		return
	case "-maxdepth":
		s.flat = s.flat || value.text == "0" || value.text == "1"
	case "-delete":
		s.whole = s.whole || s.picked() == ""
		s.deletes = s.picked()
	default:
		as := name + " " + value.text
		picks := name == "-empty" || constant && (name == "-name" || name == "-iname") && picksNames(value.text) ||
			constant && (name == "-samefile" || picksStatus(name, value.text))
		if name == "-type" && value.text == "f" && s.flat {
			as, picks = "-maxdepth 1", true
		} else if name == "" { // find fails on what is no test
			as, picks = "...", true
		}
		if picks && !s.not && s.picks == "" {
			s.picks, s.any = as, as
		}
	}
	s.not = false
}

// held is what picked before the innermost open parenthesis, "" for nothing.
func (s *sift) held() string {
	if len(s.outer) == 0 {
		return ""
	}
	return s.outer[len(s.outer)-1]
}

// picked returns the test that picks what comes next, "" for none.
func (s *sift) picked() string {
	switch {
	case s.loose || s.picks == "":
		return ""
	case s.more:
		return "..."
	}
	return s.picks
}

// term takes one operator, test or action of find's expression.
func term(u *use, name string, value word) {
	u.sift.begun = u.sift.begun || len(name) != 2 && !strings.HasPrefix(name, "-O")
	u.sift.word(name, value)
	u.out.term(name, value)
}

// picksStatus reports whether a test asks for an age of a week, or a large size.
func picksStatus(name, value string) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimRight(value, "MGT"), "+"))
	switch name {
	case "-mtime", "-atime", "-ctime":
		return err == nil && n >= 7
	case "-perm":
		return strings.Trim(value, "01234567") == "" && strings.Trim(value, "0") != ""
	case "-user", "-group":
		return value != "root" && value != "wheel" && strings.Trim(value, "+-0") != ""
	case "-size":
		return err == nil && n >= 100 && strings.TrimRight(value, "MGT") != value
	}
	return false
}

// picksNames reports whether a pattern of names asks for two characters at
// least, or is that of backups.
func picksNames(pattern string) bool {
	literal, bracket := 0, false
	for _, c := range pattern {
		switch {
		case c == '[' || c == ']':
			bracket = c == '['
		case !bracket && !strings.ContainsRune(`*?\`, c):
			literal++
		}
	}
	return literal >= 2 || pattern == "*~"
}
