// Package stage is the process between nod and bubblewrap: it is started in a
// user and a mount namespace of its own, lays the overlays over what a confined
// run may see, bounds what the run may use, and becomes bubblewrap.
//
// The overlays are mounted in a directory of memory, which is gone with the
// namespace, so that nobody has to remove what they are mounted on.
//
// It is linked into nod-hook, which starts fast, and into nod. It decides
// nothing and reads no file. What it cannot do it writes to descriptor 3, which
// is closed by the exec that succeeds; so the process above knows whether the
// boundary stands.
package stage

import (
	"slices"
	"strconv"
)

// Word is the first argument of a program that is to be the stage.
const Word = "confine-stage"

// Plan is what a stage does.
type Plan struct {
	// Dir is an absolute directory that is there: the overlays are mounted in
	// it.
	Dir string
	// Overlays are the options of each, as the kernel takes them: lowerdir=...
	// and, where it may be written, upperdir= and workdir=.
	Overlays []string
	// Command is what it becomes.
	Command []string
}

// At is where the overlay of a number is mounted.
func (p *Plan) At(i int) string { return p.Dir + "/" + strconv.Itoa(i) }

// Arguments are what a program is given to be the stage, its first word before.
func (p *Plan) Arguments() []string {
	args := append([]string{Word, p.Dir}, p.Overlays...)
	return append(append(args, "--"), p.Command...)
}

// read is the plan of a program's arguments. ok is false for what
// [Plan.Arguments] does not make.
func read(args []string) (p Plan, ok bool) {
	end := slices.Index(args, "--")
	if end < 1 || end+1 >= len(args) {
		return Plan{}, false
	}
	return Plan{Dir: args[0], Overlays: args[1:end], Command: args[end+1:]}, true
}
