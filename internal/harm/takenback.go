package harm

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// takesBack says which changed file git checkout would put an older one in the place of,
// where its words name files without a -- before them.
func takesBack(l *Loss, c shell.Command) Objection {
	o := gitOptionsOf(c)
	if !isGit(c) || o.sub != "checkout" || len(o.operands) == 0 || o.short("bB") || o.long("--orphan") {
		return ""
	}
	dir := l.Secrets.gitDirectory(c)
	r, ok := repo.Around(l.At.Machine.Files, dir+"/.")
	if !ok {
		return ""
	}
	changed := r.Tracked(func(f repo.File) bool {
		name := r.Top + "/" + f.Name
		return namesFile(l, o.operands, dir, name) && !l.At.Missing(name) && r.Differs(f) && !isKept(l, name)
	})
	if len(changed) == 0 {
		return ""
	}
	return Objection("this throws away the changes in " + printable.Text(changed[0].Name) +
		", which are committed nowhere")
}

// namesFile reports whether one of the words may name a file or what holds it. A word
// that names nothing here is a branch.
func namesFile(l *Loss, words []string, dir, file string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		named := l.At.Machine.Real(path.Join(dir, word))
		return strings.ContainsAny(word, `*?[\:`) || !l.At.Missing(named) && view.Below(named, file)
	})
}

// puts says which file a program that nod has no sheet of is told to write its output to,
// and that could not be restored. What can be run is made again.
func puts(l *Loss, command int, c shell.Command) Objection {
	words := spoken(c)
	if len(words) == 0 || !strings.Contains(wording{l.Call}.openness(command, words[0]), "?") {
		return ""
	}
	for i, word := range words {
		option, name, joined := strings.Cut(word, "=")
		if !joined && i+1 < len(words) {
			name = words[i+1]
		}
		if !namesOutput(option) || name == "" || c.Dir == "" {
			continue
		}
		real := l.At.Machine.Real(path.Join(c.Dir, name))
		if path.IsAbs(name) {
			real = l.At.Machine.Real(name)
		}
		info, err := l.At.Machine.Files.Lstat(real)
		if err != nil || info.Mode.IsDir() || info.Mode.Perm()&0o111 != 0 {
			continue
		}
		if lost := l.LostFile(real); lost != "" {
			return "this overwrites " + lost
		}
	}
	return ""
}

func namesOutput(option string) bool {
	return slices.Contains([]string{"-o", "-out", "--out", "--output", "--outfile", "--out-file", "--output-file",
		"--output-document"}, option)
}
