package shell

import "slices"

// state is where the shell may stand between two commands. What stands behind "cd x" runs in x or where the line was
// before. It is a value: copying it is how a subshell starts. Variables are not followed: what they hold is not known.
type state struct {
	dir  string   // absolute; "" is not known
	more []string // where the shell may stand instead
}

// maxDirs bounds how many directories a line is followed into.
const maxDirs = 6

// dirs lists where the shell may stand.
func (s state) dirs() []string { return append([]string{s.dir}, s.more...) }

// in is s with the shell in one directory.
func (s state) in(dir string) state { return state{dir: dir} }

// or is s where the shell may also stand where it does in o. With more than maxDirs
// directories, the directory is not known.
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

// value is a string that is known, wholly or in part.
type value struct {
	// text is the value if known, else its constant beginning.
	text  string
	known bool
	// glob is one more than the index of the first character of text that is an unquoted glob, 0 for no glob. With a
	// glob, the value is one of the names that text matches.
	glob int
}

func constant(s string) value { return value{text: s, known: true} }

// machine is what the command would run on: its files, programs and environment.
// What was looked up once is kept, since it is the same however the text is read.
type machine struct {
	env      Env
	home     placed
	places   []placed
	programs []program
	elements []element
	sheets   []*sheet
	handed   int // commands of runners that were read
}
