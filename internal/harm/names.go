package harm

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// FedByNames reports whether what a command reads is named by others in the
// line that only print names of files, or pick among them, and below which lies
// no secret. What prints the content of a file may name any other.
func (h *Secrets) FedByNames(e shell.Effect) bool {
	if e.From < 0 || e.From >= e.To || e.To > len(h.Report.Commands) || e.Command < 0 ||
		e.Command >= len(h.Report.Commands) {
		return false
	}
	dir := h.Report.Commands[e.Command].Dir
	if dir == "" || h.At.Machine.TouchesSecret(dir, true) {
		return false // a name alone may be one of those here
	}
	for i := e.From; i < e.To; i++ {
		c := h.Report.Commands[i]
		if !namesFiles(c) && !(picksLines(c) && !h.reads(i) && pickedFrom(c, i > e.From)) || !h.readsOpenly(i) {
			return false
		}
		if namesFiles(c) && !h.namesStandFor(c, dir) {
			return false
		}
	}
	return true
}

// pickedFrom reports whether a command that picks among names is fed those of the commands
// before it: the first, and what another program starts, may be fed a text of the line.
func pickedFrom(c shell.Command, fed bool) bool {
	return fed && c.Caller == 0 && len(c.Wrappers) == 0
}

// namesStandFor reports whether the names that a command prints mean, in a directory,
// the files that they mean where the command looked.
func (h *Secrets) namesStandFor(c shell.Command, dir string) bool {
	if !isGit(c) {
		return c.Dir == dir
	}
	from := h.gitDirectory(c)
	if o := gitOptionsOf(c); o.sub != "ls-files" || o.longPrefix("--full-n") {
		r := h.At.RepositoryAt(from)
		if r == nil {
			return false
		}
		from = r.Top
	}
	return from == h.At.Machine.Real(dir)
}

// givenToUnknown names a secret that is there and that the line gives to a program of
// which nothing is known: an allow rule says what may run, not on what.
func givenToUnknown(h *Secrets) string {
	for _, c := range h.Report.Commands {
		if len(c.Words) == 0 || c.Dir == "" || shell.Known(path.Base(c.Words[0].Value)) && !c.Foreign {
			continue
		}
		for _, w := range c.Words[1:] {
			_, value, _ := strings.Cut(w.Value, "=")
			for _, name := range [...]string{w.Value, value} {
				name = strings.TrimPrefix(name, "@")
				real, err := h.At.Machine.Locate(c.Dir, name)
				if w.Known && name != "" && err == nil && !h.At.Missing(real) && h.touches(real, false) {
					return name
				}
			}
		}
	}
	return ""
}

// namesFiles reports whether a program prints names below where it looks, and
// nothing else.
func namesFiles(c shell.Command) bool {
	return c.Has(shell.PrintsFiles) && (c.Has(shell.Fed) || allKnown(c)) // what it is fed are names
}

// picksLines reports whether a program passes some of its lines on unchanged.
func picksLines(c shell.Command) bool {
	return c.Has(shell.PrintsLines) && (!c.Has(shell.Searches) || allKnown(c)) // a word may be an option
}

func allKnown(c shell.Command) bool {
	return !slices.ContainsFunc(c.Words, func(w shell.Word) bool { return !w.Known })
}

func (h *Secrets) reads(command int) bool {
	return slices.ContainsFunc(h.Report.Effects, func(e shell.Effect) bool { return e.Command == command && !e.Aside })
}

// readsOpenly reports whether a command only reads, and might read all of what
// it names without coming upon a secret.
func (h *Secrets) readsOpenly(command int) bool {
	for _, e := range h.Report.Effects {
		if e.Command != command || e.Place == shell.Null {
			continue
		}
		if e.Kind != shell.Read || e.Place == shell.Device || e.Target == "" && (e.To > command || !h.FedByNames(e)) {
			return false
		}
		if e.Target != "" &&
			(h.At.Machine.TouchesSecret(e.Target, true) || e.Name != "" && h.At.Machine.TouchesSecret(e.Name, true)) {
			return false
		}
	}
	return true
}
