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
	if dir := h.Report.Commands[e.Command].Dir; dir == "" || h.At.Machine.TouchesSecret(dir, true) {
		return false // a name alone may be one of those here
	}
	for i := e.From; i < e.To; i++ {
		if c := h.Report.Commands[i]; !namesFiles(c) && !(picksLines(c) && !h.reads(i)) || !h.readsOpenly(i) {
			return false
		}
	}
	return true
}

// namesFiles reports whether a program prints names below where it looks.
func namesFiles(c shell.Command) bool {
	if c.Foreign {
		return false
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(c.Words, func(w shell.Word) bool { return w.Known && slices.Contains(words, w.Value) })
	}
	fed := slices.Contains(c.Wrappers, "xargs") // then names are among the words
	says := func(options ...string) bool {      // something else than names
		return slices.ContainsFunc(c.Words, func(w shell.Word) bool {
			return !w.Known && !fed ||
				slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(w.Value, o) })
		})
	}
	if says("--format", "--time-style", "--quoting-style", "--path-separator", "--line-prefix", "--label", "--hyperlink", "-printf", "-exec", "-ok") {
		return false
	}
	switch path.Base(c.Program) {
	case "ls", "fd", "fdfind", "find":
		return true
	case "git":
		return len(c.Words) > 1 && (c.Words[1].Value == "ls-files" || c.Words[1].Value == "diff" && has("--name-only"))
	case "grep", "rg":
		return has("-l", "-rl", "-rln", "-lr", "-ril", "--files-with-matches", "--files", "-L")
	}
	return false
}

// picksLines reports whether a program passes some of its lines on unchanged.
func picksLines(c shell.Command) bool {
	if c.Foreign {
		return false
	}
	switch path.Base(c.Program) {
	case "sort", "uniq", "head", "tail":
		return true
	case "grep", "egrep", "fgrep":
		return !slices.ContainsFunc(c.Words, func(w shell.Word) bool { // parts of lines
			letters, short := shell.ShortOptions(w.Value)
			return !w.Known || short && strings.Contains(letters, "o") || strings.HasPrefix(w.Value, "--only") ||
				strings.HasPrefix(w.Value, "--label")
		})
	}
	return false
}

func (h *Secrets) reads(command int) bool {
	return slices.ContainsFunc(h.Report.Effects, func(e shell.Effect) bool { return e.Command == command })
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
