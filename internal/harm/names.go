package harm

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

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
	return c.Has(shell.PrintsFiles) && allKnown(c)
}

// picksLines reports whether a program passes some of its lines on unchanged.
func picksLines(c shell.Command) bool {
	return c.Has(shell.PrintsLines) && (!c.Has(shell.Searches) || allKnown(c)) // a word may be an option
}

func allKnown(c shell.Command) bool {
	return !slices.ContainsFunc(c.Words, func(w shell.Word) bool { return !w.Known })
}
