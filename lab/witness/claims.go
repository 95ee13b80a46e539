package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// against lists what happened and the report does not speak of.
func against(report shell.Report, files view.Files, r ran) (list []string) {
	for _, s := range r.Started {
		if !claimed(report.Commands, s.Words) && !nullCommand(s.Words) {
			list = append(list, fmt.Sprintf("%q ran in %s", s.Words, s.Dir))
		}
	}
	for _, c := range r.Changed {
		if !expected(report.Effects, files, c) {
			list = append(list, fmt.Sprintf("%q was %s", c.Name, map[bool]string{true: "removed",
				false: "written"}[c.Gone]))
		}
	}
	return list
}

// nullCommand reports whether zsh may have run this for a redirection that
// stands alone: it copies what it is given.
func nullCommand(words []string) bool { return len(words) == 1 && words[0] == "cat" }

// claimed reports whether a command of the report may be this one. A program
// that only runs others is reported with those.
func claimed(commands []shell.Command, words []string) bool {
	for _, c := range commands {
		if wraps(words[0]) && slices.Contains(c.Wrappers, path.Base(words[0])) || matches(c, words) {
			return true
		}
	}
	return false
}

// matches reports whether the words may be what ran. A word that is not known
// stands for any number of words; a glob for itself or any number of names; the
// program must be known.
func matches(c shell.Command, words []string) bool {
	said := c.Words
	if len(said) == 0 || !said[0].Known || said[0].Pattern || said[0].Value != words[0] {
		return false
	}
	deep := slices.Contains(c.Wrappers, "find")
	// at holds how many words may have been used up.
	at := make([]bool, len(words)+1)
	at[1] = true
	for _, w := range said[1:] {
		at = after(w, words, at, deep)
	}
	return at[len(words)]
}

// after is at, one word of the report later.
func after(w shell.Word, words []string, at []bool, deep bool) []bool {
	next := make([]bool, len(at))
	for n := range at {
		switch constant := w.Known && !w.Pattern; {
		case !at[n]:
		case constant && n < len(words) && same(w.Value, words[n]):
			next[n+1] = true
		case !constant:
			next[n] = true
			for m := n; m < len(words) && (!w.Known || glob(w.Value, words[m], deep)); m++ {
				next[m+1] = true
			}
		}
	}
	return next
}

// same reports whether a word is the one that was said. Which number an open
// file gets, and where the shell finds it, is the shell's own affair.
func same(said, word string) bool {
	return said == word || strings.Contains(said, "/fd/") && plainDescriptor(said) == plainDescriptor(word)
}

// plainDescriptor writes the names of open files in one way.
func plainDescriptor(word string) string {
	word = strings.ReplaceAll(word, "/proc/self/fd/", "/dev/fd/")
	before, number, found := strings.Cut(word, "/dev/fd/")
	if !found {
		return word
	}
	return before + "/dev/fd/N" + plainDescriptor(strings.TrimLeft(number, "0123456789"))
}

// glob reports whether a name may come from a pattern: the constant parts of
// the pattern stand in it in this order, and a hidden name needs a dot. Which
// of its signs are quoted is not known. find hands on all that lies below.
func glob(pattern, name string, deep bool) bool {
	if start, ok := strings.CutSuffix(pattern, "/*"); pattern == name || deep && ok && glob(start, name, false) {
		return true // find hands on where it starts, too
	}
	hidden := strings.HasPrefix(path.Base(name), ".") && name != "." && name != ".."
	if hidden && !deep && !strings.HasPrefix(path.Base(pattern), ".") {
		return false
	}
	parts := strings.FieldsFunc(strings.ReplaceAll(pattern, "**/", "*"),
		func(r rune) bool { return strings.ContainsRune("*?[]\\()|#^~<>", r) })
	sets := strings.ContainsAny(pattern, "[(|")
	for _, p := range parts {
		at := strings.Index(name, p)
		if at < 0 && !sets {
			return false
		}
		name = name[max(at, 0):]
		if at >= 0 {
			name = name[len(p):]
		}
	}
	return true
}

// expected reports whether an effect speaks of the change.
func expected(effects []shell.Effect, files view.Files, c change) bool {
	return slices.ContainsFunc(effects, func(e shell.Effect) bool {
		if e.Kind != shell.Delete && (e.Kind != shell.Write || c.Gone && !e.Kept) {
			return false
		}
		if e.Kind == shell.Write && moves(effects, e) && view.Below(e.Target, c.Name) {
			return true // a directory comes with all that lies in it
		}
		return e.Pattern != "" && glob(e.Pattern, c.Name, false) || reaches(e.Target, e, files, c) || reaches(e.Name,
			e, files, c)
	})
}

// moves reports whether the command of a write takes away what it brings.
func moves(effects []shell.Effect, write shell.Effect) bool {
	return slices.ContainsFunc(effects, func(e shell.Effect) bool {
		return e.Kind == shell.Delete && e.Command == write.Command
	})
}

// reaches reports whether an effect on the target is one on what changed. A
// directory may be made on the way to what lies in it.
func reaches(target string, e shell.Effect, files view.Files, c change) bool {
	if target == "" {
		return false
	}
	real, err := view.Resolve(files, target)
	if err != nil {
		real = target
	}
	return slices.ContainsFunc([]string{target, real}, func(t string) bool {
		return t == c.Name || (e.Recursive || e.Kept) && view.Below(t,
			c.Name) || c.Dir && !c.Gone && view.Below(c.Name, t)
	})
}
