// Package stage is the process between nod and bubblewrap: it is started in a
// user and a mount namespace of its own, lays the overlays over what a confined
// run may see, bounds what the run may use, and becomes bubblewrap.
//
// It is linked into nod-hook, which starts fast, and into nod. It decides
// nothing and reads no file. What it cannot do it writes to descriptor 3, which
// is closed by the exec that succeeds; so the process above knows whether the
// boundary stands.
package stage

// Word is the first argument of a program that is to be the stage.
const Word = "confine-stage"

// Overlay is one file system to mount.
type Overlay struct {
	// At is where it is mounted, an absolute directory that is there.
	At string
	// Options are the kernel's: lowerdir=... and, where it may be written,
	// upperdir= and workdir=.
	Options string
}

// Arguments are what a program is given to be the stage: its first word, the
// overlays, and the command line that it becomes.
func Arguments(overlays []Overlay, command []string) []string {
	args := []string{Word}
	for _, o := range overlays {
		args = append(args, o.At, o.Options)
	}
	return append(append(args, "--"), command...)
}
