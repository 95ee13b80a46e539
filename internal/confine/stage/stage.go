// Package stage is the process between nod and bubblewrap: it is started in a
// user and a mount namespace of its own, makes all that is mounted there
// read-only, lays the overlays over what a confined run may see, bounds what the
// run may use, and becomes bubblewrap.
//
// It is started before nod knows what is to be run, and reads its plan from
// descriptor [PlanFrom]: a process takes a millisecond or two to start, in which
// nod reads its settings and looks through the workspace.
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
	"strings"
)

// Word is the first argument of a program that is to be the stage.
const Word = "confine-stage"

// Descriptors of the stage: what went wrong, and its plan. Those between are
// bubblewrap's.
const (
	errorsTo = 3
	PlanFrom = 6
)

// Plan is what a stage does.
type Plan struct {
	// Dir is an absolute directory that is there: the overlays are mounted in
	// it.
	Dir string
	// Overlays are the options of each, as the kernel takes them: lowerdir=...
	// and, where it may be written, upperdir= and workdir=.
	Overlays []string
	// Environ is the environment of the command.
	Environ []string
	// Command is what it becomes.
	Command []string
}

// At is where the overlay of a number is mounted.
func (p *Plan) At(i int) string { return p.Dir + "/" + strconv.Itoa(i) }

// Empty is a directory with nothing in it, for a layer.
func (p *Plan) Empty() string { return p.Dir + "/empty" }

// Text is the plan as a stage reads it. No part of it can hold a zero byte: the
// kernel takes none.
func (p *Plan) Text() string {
	all := []string{p.Dir}
	for _, list := range [][]string{p.Overlays, p.Environ, p.Command} {
		all = append(append(all, strconv.Itoa(len(list))), list...)
	}
	return strings.Join(all, "\x00") + "\x00"
}

// read is the plan of a text. ok is false for what [Plan.Text] does not make, so
// also for the beginning of one.
func read(text string) (p Plan, ok bool) {
	words := strings.Split(text, "\x00")
	if p.Dir, words = words[0], words[1:]; len(words) == 0 {
		return Plan{}, false
	}
	for _, list := range []*[]string{&p.Overlays, &p.Environ, &p.Command} {
		n, err := strconv.Atoi(words[0])
		if err != nil || n < 0 || n+1 >= len(words) {
			return Plan{}, false
		}
		*list, words = slices.Clip(words[1:n+1]), words[n+1:]
	}
	return p, len(p.Command) > 0 && slices.Equal(words, []string{""})
}
