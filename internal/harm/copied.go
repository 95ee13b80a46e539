package harm

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// maxCopied bounds how many names of a copied tree are looked at.
const maxCopied = 2000

// copiedOver says which file below a directory a copied tree would replace, or take
// away as one that the other tree has not, that could not be restored.
func copiedOver(l *Loss, e shell.Effect, dir string) (why Objection) {
	if e.Command < 0 || !l.Report.By(e, shell.CopiesFiles) && l.Report.Commands[e.Command].Program != "" &&
		!listed("mirrors ", l.Report.ProgramOf(e)) {
		return ""
	}
	c := l.Report.Commands[e.Command]
	mirrors := slices.ContainsFunc(c.Words, func(w shell.Word) bool {
		return w.Value == "--del" || strings.HasPrefix(w.Value, "--delete")
	})
	if mirrors && isCopier("mirrors ", c) {
		if lost := l.lost(e, dir); lost != "" {
			return "this deletes or overwrites " + lost
		}
		return ""
	}
	if !isCopier("copies ", c) {
		return ""
	}
	for _, from := range l.Report.Effects {
		if from.Kind != shell.Read || from.Command != e.Command || from.Part != shell.PartWords || from.Target == "" {
			continue
		}
		to := dir + "/" + path.Base(from.Target)
		if name := strings.TrimSpace(from.Words); strings.HasSuffix(name, "/.") || name == "." ||
			from.Pattern != "" || path.Base(dir) == path.Base(from.Target) && path.Base(e.Words) != path.Base(dir) ||
			strings.HasSuffix(name, "/") && isCopier("mirrors ", c) {
			to = dir
		}
		if why = replacedBelow(l, e, from.Target, to); why != "" {
			return why
		}
	}
	return ""
}

// isCopier reports whether a list of verbs.txt that begins like this holds a command's program.
func isCopier(head string, c shell.Command) bool {
	return len(c.Words) > 0 && listed(head, path.Base(c.Words[0].Value))
}

// replacedBelow walks a tree beside the one that it is copied over.
func replacedBelow(l *Loss, e shell.Effect, from, to string) (why Objection) {
	files, pairs := l.At.Machine.Files, [][2]string{{from, to}}
	for seen := 0; len(pairs) > 0; seen++ {
		one := pairs[0]
		pairs = pairs[1:]
		old, err := files.Lstat(one[1])
		if err != nil || seen > maxCopied {
			continue
		}
		if !old.Mode.IsDir() {
			if lost := l.lost(e, one[1]); lost != "" {
				return "this overwrites " + lost
			}
			continue
		}
		below, _ := files.List(one[0], maxCopied)
		for _, name := range below {
			if name != ".git" {
				pairs = append(pairs, [2]string{one[0] + "/" + name, one[1] + "/" + name})
			}
		}
	}
	return ""
}
