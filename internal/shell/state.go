package shell

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

// state is where the shell may stand between two commands. What stands behind "cd x" runs in x or where the line was
// before. It is a value: copying it is how a subshell starts. Variables are not followed: what they hold is not known.
type state struct {
	dir  string   // absolute; "" is not known
	more []string // where the shell may stand instead
}

const maxDirs = 6 // bounds how many directories a line is followed into

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
	text  string // the value if known, else its constant beginning
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

// swapped reports a line that makes a link, or moves a directory, beside other commands
// that touch files: what their names lead to then is not followed.
func (d *draft) swapped() {
	for _, e := range d.report.Effects {
		if e.Kind == Delete && e.Moved && !d.machine.holdsFile(e) {
			d.links = append(d.links, e.Command)
		}
	}
	for _, link := range d.links {
		beside := slices.ContainsFunc(d.report.Effects, func(e Effect) bool {
			return e.Command > link && !(e.Kind == Read && e.Names) && e.Place != Null && e.Place != Network
		})
		for i, c := range d.report.Commands { // git looks at files that no word names
			beside = beside || i > link && c.Has(Git)
		}
		if d.command = link; beside {
			d.unknown(PartWords, "", "this line makes a link or moves a directory, "+
				"and nod does not follow where its other commands lead then")
		}
	}
}

// makesLink notes a command that makes links.
func (d *draft) makesLink() { d.links = append(d.links, d.command) }

// holdsFile reports whether an effect is on one name, and a file has it.
func (m *machine) holdsFile(e Effect) bool {
	if e.Pattern != "" || m.env.Files == nil {
		return false
	}
	info, err := m.env.Files.Lstat(e.Target)
	return err == nil && info.Mode.IsRegular()
}

// touched reports whether the line itself may have made a directory, or removed it.
func (d *draft) touched(name string) bool {
	return slices.ContainsFunc(d.report.Effects, func(e Effect) bool {
		return e.Command != d.command && (e.Kind == Delete && view.Below(e.Target, name) ||
			e.Kind == Write && e.Part != PartRedirection && view.Below(name, e.Target))
	})
}

// draft is the report under construction: what was found so far, and where in
// the text the walk stands, which everything that is added to it says.
type draft struct {
	machine *machine
	report  Report

	command  int      // index of the current command, -1 for none
	wrappers []string // taken off around what is walked now
	lasting  Traits   // of all that is walked now: a wrapper gives them
	parts    Part     // overrides the part of what is reported; 0 leaves it

	changed bool     // something before in the line writes or runs
	beyond  bool     // something in the line is more shell than is followed
	texts   []string // in which any run of words may be a command

	repos []*repository // those that commands of the line work in
	links []int         // commands that make links
	sets  bool          // the line may leave its shell with other variables
}

func (d *draft) unknown(part Part, words, what string) {
	if d.parts != 0 {
		part = d.parts
	}
	u := Unknown{What: what, Words: grammar.Shorten(words), Command: d.command, Part: part}
	if all := d.report.Unknowns; slices.Contains(all[max(0, len(all)-7):], u) {
		return
	}
	d.changed = true
	d.report.Unknowns = append(d.report.Unknowns, u)
}

func (d *draft) effect(e Effect) {
	if d.parts != 0 {
		e.Part = d.parts
	}
	e.Words, e.Command = grammar.Shorten(e.Words), d.command
	if e.Kind != Read && e.Place != Null {
		d.changed = true
	}
	if all := d.report.Effects; slices.Contains(all[max(0, len(all)-7):], e) {
		return
	}
	d.report.Effects = append(d.report.Effects, e)
}

// does reports an effect whose target is not a path.
func (d *draft) does(kind Kind, target, words string) {
	place := Elsewhere
	if kind == Fetch || kind == Send || kind == Remote {
		place = Network
	}
	d.effect(Effect{Kind: kind, Target: target, Place: place, Words: words, Part: PartWords})
}

// mayMake reports whether the line may have made a file in a directory before.
func (d *draft) mayMake(dir string) bool {
	return slices.ContainsFunc(d.report.Effects, func(e Effect) bool {
		return e.Kind == Write && (e.Target == "" || view.Below(dir, e.Target) ||
			e.Recursive && view.Below(e.Target, dir))
	})
}

type marks uint32 // what options said that counts later

const (
	markLists    marks = 1 << iota // it only lists or tries
	markLinks                      // it may leave links that lead anywhere
	markLoses                      // git: what was there before is not kept
	markMessage                    // git: a message is given, so that no editor opens
	markOpens                      // git: it opens an editor, message or not
	markNamed                      // git: a new branch is named
	markStaged                     // git restore: the index
	markWorktree                   // git restore: the working tree
	markDeletion                   // git branch: a branch is deleted
	markRemotes                    // git branch: of a remote
	markDrop                       // the first positional role is taken by an option
	markInplace                    // what it reads it changes
	markDeletes                    // it removes what it finds
	markSend                       // what it asks of the network carries data
	markQuiet                      // what holds without arguments does not
	markInert                      // as the directive of that name
	markOvertree                   // git puts files into the working tree
	markKeeps                      // git keeps what was there
)

func (m marks) has(one marks) bool { return m&one != 0 }

// markOf is the mark that a word of a sheet leaves, 0 for none.
func markOf(word string) marks {
	i := slices.Index([]string{"lists", "links", "loses", "message", "opens", "named", "staged", "worktree", "deletion",
		"remotes", "drop", "inplace", "deletes", "send", "quiet", "inert"}, word)
	if i < 0 {
		return 0
	}
	return 1 << i
}

// finish does what a program does only after all its options are known.
func (u *use) finish() {
	for _, w := range u.inline {
		u.out.runsCode(u.inv, w)
	}
	if u.command {
		return
	}
	if u.marks.has(markLinks) {
		u.out.makesLink()
	}
	if strings.HasPrefix(u.code, "git") || u.marks.has(markOpens|markKeeps) {
		u.finishGit()
	}
	switch u.code {
	case "push":
		u.finishPush()
	case "golist":
		u.out.plainGit(u.out.repository(u.inv.st.dir), u.inv, "status") // for the version of a program
	case "ghapi":
		finishRequest(u)
	}
}
