package shell

import (
	"path"
	"slices"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

// draft is the report under construction: what was found so far, and where in
// the text the walk stands, which everything that is added to it says.
type draft struct {
	machine *machine
	report  Report

	command  int      // index of the current command, -1 for none
	wrappers []string // taken off around what is walked now
	lasting  Traits   // of all that is walked now: a wrapper gives them
	finder   int      // one more than the index of the search that runs what is walked; 0: none does
	away     string   // the host or container in which the current text runs; "" is here
	parts    Part     // overrides the part of what is reported; 0 leaves it
	note     string   // why the code that the current command runs is not read, "" where more is not known

	changed bool     // something before in the line writes or runs
	beyond  bool     // something in the line is more shell than is followed
	texts   []string // in which any run of words may be a command
	handed  []handed // words of runners that may be commands

	// What the line changes under itself.
	reindexed bool    // git reset or git restore came before
	anew      []anew  // what writes to the standard output by its name
	keeps     bool    // a redirection of the line opens a file
	links     []taken // what makes links
	noDirs    []taken // what was taken for no directory
	dirs      []taken // what was taken for a directory that something is put into
	again     bool    // parts of the line run beside each other, or more than once
	piping    bool    // what is walked is a part of a pipe
	rounds    int     // loops around this command whose rounds are not counted
	looped    int     // those of them that the shell runs
}

// inRounds walks what runs again and again, nobody knows how often.
func (d *draft) inRounds(walk func()) {
	d.again = true
	d.rounds++
	walk()
	d.rounds--
}

// feedsItself says that what runs at once puts into a file what it reads of it: cat a |
// tee -a a ends when the disk is full.
func (d *draft) feedsItself(writes, reads []Effect, words string) {
	grown := appended(writes)
	found := false
	for _, r := range reads {
		found = found || r.Kind == Read && !r.Names && (len(grown) > maxGrown ||
			slices.ContainsFunc(grown, func(file string) bool { return mayRead(r, file) }))
	}
	if found {
		d.mayNotEnd(grown[0], words)
	} else if file := rewritten(writes, reads); file != "" {
		d.mayNotEnd(file, words)
	}
}

func (d *draft) mayNotEnd(file, words string) {
	d.unknown(PartRedirection, words, "this puts into "+grammar.Escaped(file)+
		" or another file what it may read of it, and may not end")
}

// maxGrown bounds how many files are looked at, since each read is laid beside each.
const maxGrown = 16

// appended are the files behind which effects put something, one more than maxGrown at
// most.
func appended(effects []Effect) (files []string) {
	for _, e := range effects {
		if e.Kind == Write && e.Appends && e.Target != "" && e.Place != Null && !slices.Contains(files, e.Target) {
			if files = append(files, e.Target); len(files) > maxGrown {
				break
			}
		}
	}
	return files
}

// rewritten is a file that is written anew while it is read by its name: by another
// command of a pipe, or by the command itself (awk 1 a b > b).
func rewritten(writes, reads []Effect) string {
	var by map[string][]Effect
	for _, w := range writes {
		if w.Kind == Write && !w.Appends && w.Target != "" && w.Place != Null {
			if by == nil {
				by = map[string][]Effect{}
			}
			by[w.Target] = append(by[w.Target], w)
		}
	}
	for _, r := range reads {
		if by == nil || r.Kind != Read || r.Names || r.Recursive || r.Pattern != "" {
			continue
		}
		for _, w := range by[r.Target] {
			if r.Command != w.Command || w.Part == PartRedirection {
				return r.Target
			}
		}
	}
	return ""
}

// mayRead reports whether a read may be of a file.
func mayRead(r Effect, file string) bool {
	if r.Pattern != "" {
		matched, err := path.Match(r.Pattern, file)
		return matched || err != nil
	}
	return r.Target == file || r.Target == "" && r.From < r.To || r.Recursive && view.Below(r.Target, file)
}

// inLoop walks the body of a loop of the shell. One round may leave anything to the
// next, so that no command in it may change a file: none of the calls in the shared
// sessions that were settled did so.
func (d *draft) inLoop(walk func()) {
	d.looped++
	d.inRounds(walk)
	d.looped--
}

func (d *draft) unknown(part Part, words, what string) {
	if d.parts != 0 {
		part = d.parts
	}
	u := Unknown{What: what, Words: grammar.Shorten(words), Command: d.command, Part: part}
	for i := len(d.report.Unknowns) - 1; i >= 0 && i > len(d.report.Unknowns)-8; i-- {
		if d.report.Unknowns[i] == u {
			return
		}
	}
	d.changed = true
	d.report.Unknowns = append(d.report.Unknowns, u)
}

func (d *draft) effect(e Effect) {
	if d.parts != 0 {
		e.Part = d.parts
	}
	e.Words, e.Command = grammar.Shorten(e.Words), d.command
	if e.Kind == Run && e.Note == "" {
		e.Note = d.note
	}
	if d.away != "" && e.Place != Null {
		e.Place, e.Kept, e.Declared = Network, false, ""
	}
	if e.Kind != Read && e.Place != Null {
		d.changed = true
	}
	for i := len(d.report.Effects) - 1; i >= 0 && i > len(d.report.Effects)-8; i-- {
		if d.report.Effects[i] == e {
			return
		}
	}
	d.report.Effects = append(d.report.Effects, e)
	if d.looped > 0 && (e.Kind == Write || e.Kind == Delete) && e.Place != Null {
		d.unknown(PartWords, e.Words, "this changes files in a loop, and nod does not follow what a round leaves to the next")
	}
}

// does reports an effect whose target is no path.
func (d *draft) does(kind Kind, target, words string) {
	place := Elsewhere
	if kind == Fetch || kind == Send || kind == Remote {
		place = Network
	}
	d.effect(Effect{Kind: kind, Target: target, Place: place, Words: words, Part: PartWords})
}

// mayMake reports whether the line may have made a file of that name in a directory
// before, or any where the name is "".
func (d *draft) mayMake(dir, name string) bool {
	return slices.ContainsFunc(d.report.Effects, func(e Effect) bool {
		return e.Kind == Write && (e.Target == "" ||
			view.Below(dir, e.Target) && (name == "" || view.Below(e.Target, name)))
	})
}
