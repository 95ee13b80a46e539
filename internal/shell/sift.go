package shell

import "strings"

// sift follows the expression of find, to tell whether what it deletes was picked out.
type sift struct {
	begun   bool   // there was a test, an operator or an action
	picks   string // the test so far that picks, as in Effect.Picked
	flat    bool   // -maxdepth 1
	loose   bool   // there was an operator: what it groups is not followed
	deletes string // what picks for -delete
}

// term takes one operator, test or action of find's expression, with its argument. What
// has a type, an age or a size may be almost everything and does not pick.
func term(u *use, name string, value word) {
	u.out.term(name, value)
	s := &u.sift
	s.begun = s.begun || len(name) != 2 && !strings.HasPrefix(name, "-O")
	switch name {
	case "(", ")", "-o", "-or", ",", "!", "-not":
		s.loose = true
	case "-delete":
		s.deletes = s.picked()
	case "-name", "-iname":
		if letters := strings.Trim(value.text, "*?."); value.known && !value.many && len(letters) > 1 &&
			!strings.ContainsAny(letters, `[\`) {
			s.picks = name + " " + value.text
		}
	case "-maxdepth":
		s.flat = value.text == "1"
	case "-type":
		if s.flat && value.text == "f" {
			s.picks = "-maxdepth 1"
		}
	case "-mtime", "-atime", "-ctime", "-size": // of more than nine days, or a hundred of the larger units
		least := len("+9")
		if name == "-size" {
			least = len("+99M")
		}
		if strings.HasPrefix(value.text, "+") && len(value.text) > least {
			s.picks = name + " " + value.text
		}
	case "-empty":
		s.picks = name
	}
}

// picked is the test that picks what comes next, "" for none.
func (s *sift) picked() string {
	if s.loose {
		return ""
	}
	return s.picks
}
