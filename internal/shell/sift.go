package shell

import (
	"cmp"
	"strings"
)

// sift follows the expression of find, to tell whether what it deletes or hands over was picked out.
type sift struct {
	begun   bool   // there was a test, an operator or an action
	picks   string // the test of this alternative that picks, as in Effect.Picked
	flat    bool   // -maxdepth 1
	not     bool   // the next test is negated
	loose   bool   // an earlier alternative has no such test, or a group is negated
	deletes string // what picks for -delete
}

// term takes one operator, test or action of find's expression, with its argument.
func term(u *use, name string, value word) {
	s := &u.sift
	s.begun = s.begun || len(name) != 2 && !strings.HasPrefix(name, "-O")
	switch name {
	case "!", "-not":
		s.not = true
		return
	case "(", ",":
		s.loose = s.loose || s.not || name == ","
	case "-o", "-or":
		s.loose, s.picks = s.loose || s.picks == "", ""
	case "-delete":
		s.deletes = s.picked()
	case "-maxdepth":
		s.flat = value.text == "1"
	default:
		if s.flat && name == "-type" && value.text == "f" {
			name, value.text = "-maxdepth", "1"
		}
		if !s.not && picks(name, value) {
			s.picks = cmp.Or(strings.TrimSpace(name+" "+value.text), "...")
		}
	}
	s.not = false
}

// picks reports whether a test leaves most files out: what has a type, or any age or size, may be almost everything.
func picks(name string, value word) bool {
	text := value.text
	switch name {
	case "", "-empty", "-samefile", "-maxdepth": // find fails on an unknown test
		return true
	case "-name", "-iname":
		literal := strings.NewReplacer("*", "", "?", "").Replace(text)
		return value.known && !value.many && !strings.ContainsAny(text, `[\`) && (len(literal) > 1 || literal == "~")
	case "-user", "-group":
		return text != "root" && text != "wheel" && strings.Trim(text, "+-0") != ""
	case "-perm":
		return strings.Trim(text, "01234567") == "" && strings.Trim(text, "0") != ""
	case "-mtime", "-atime", "-ctime", "-size": // of more than nine days, or a hundred of the larger units
		return strings.HasPrefix(text, "+") && (len(text) > len("+99M") || len(text) > len("+9") && name != "-size")
	}
	return false
}

// picked is the test that picks what comes next, "" for none.
func (s *sift) picked() string {
	if s.loose {
		return ""
	}
	return s.picks
}
