package shell

import "slices"

// state is what is known between two commands of a shell. It is a value:
// copying it is how a subshell starts.
//
// Variables are settled by the text as a whole (language.go), so a command
// changes no more than where the shell may stand, and that only grows: what
// stands behind "cd x" runs in x or where the line was before.
type state struct {
	dir  string   // absolute; "" is not known
	more []string // where the shell may stand instead
	vars *binding

	homeless bool // HOME is not set: dash knows no ~ then, and bash another
}

// maxDirs bounds how many directories a line is followed into.
const maxDirs = 6

// binding is one variable; the newest for a name counts.
type binding struct {
	name string
	value
	prev *binding
}

// value is a string of which something is known.
type value struct {
	// text is the value if known, else its constant beginning.
	text  string
	known bool
	// glob is one more than the index of the first character of text that is
	// an unquoted glob; 0 where there is none. The value then is one of the
	// names that text matches.
	glob int
	// numeric: not known, but an integer.
	numeric bool
	// from and to bound the commands that print it, where all of it is printed
	// by commands; equal where it is not.
	from, to int
	// given: it is what the standard input of the whole line holds.
	given bool
}

func constant(s string) value { return value{text: s, known: true} }

func (s state) lookup(name string) *binding {
	for b := s.vars; b != nil; b = b.prev {
		if b.name == name {
			return b
		}
	}
	return nil
}

func (s state) assign(name string, v value) state {
	s.vars = &binding{name: name, value: v, prev: s.vars}
	return s
}

// without is s where a command starts without a variable. Without PATH, programs are
// looked for in the system's directories, and by bash in . too (bash 5.2 and 3.2): what is
// not in the first two is not known.
func (s state) without(name string) state {
	switch name {
	case "PATH":
		return s.assign(name, constant("/bin:/usr/bin"))
	case "HOME":
		s.homeless = true
	}
	return s
}

// child is what another shell knows at its start: of the variables only PATH,
// since which of the others are exported is not followed.
func (s state) child() state {
	path := s.lookup("PATH")
	s.vars = nil
	if path != nil {
		s = s.assign("PATH", path.value)
	}
	return s
}

// dirs lists where the shell may stand.
func (s state) dirs() []string { return append([]string{s.dir}, s.more...) }

// in is s with the shell in one directory.
func (s state) in(dir string) state {
	s.dir, s.more = dir, nil
	return s
}

// or is s where the shell may also stand where it does in o. More directories
// than are followed are none that is known.
func (s state) or(o state) state {
	for _, dir := range o.dirs() {
		if dir != s.dir && !slices.Contains(s.more, dir) {
			s.more = append(slices.Clip(s.more), dir)
		}
	}
	if len(s.more) >= maxDirs {
		return s.in("")
	}
	return s
}

func (v value) isNumber() bool {
	if !v.known {
		return v.numeric
	}
	for i := 0; i < len(v.text); i++ {
		if c := v.text[i]; (c < '0' || c > '9') && (c != '-' || i > 0) {
			return false
		}
	}
	return v.glob == 0
}
