// Package stage starts bubblewrap in a user, a mount and a pid namespace of its own, in which all that is mounted is
// read-only, overlays lie over what a confined run may see, and what the run may use is bounded.
//
// Between the fork and bubblewrap only system calls are made, one after the other, as they stand in a list that was
// written before the fork: the child of a Go program has one thread and no scheduler, so it must neither allocate nor
// grow its stack. A second program in its place would take longer to start than bubblewrap.
//
// The overlays are mounted in a directory of memory, which is gone with the
// namespace, so that nobody has to remove what they are mounted on.
package stage

import (
	"os"
	"strconv"
)

// Plan is what bubblewrap is started with.
type Plan struct {
	// Dir is an absolute directory that is there: the overlays are mounted in
	// it. The directory that it lies in can be written, and nothing else.
	Dir string
	// Overlays are the options of each, as the kernel takes them: lowerdir=...
	// and, where it may be written, upperdir= and workdir=.
	Overlays []string
	// Command is bubblewrap's, and Environ its environment.
	Command, Environ []string
	// Files are its descriptors, from 0. Terminals among them are opened anew.
	Files []*os.File
}

// At is where the overlay of a number is mounted.
func (p *Plan) At(i int) string { return p.Dir + "/" + strconv.Itoa(i) }

// Empty is a directory with nothing in it, for a layer.
func (p *Plan) Empty() string { return p.Dir + "/empty" }

// MaxProcesses bounds processes and threads. The kernel does not hold root to it.
const MaxProcesses = 8192
