package harm

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/shell"
)

// sieve is what files must pass below a place that a command reads. Where nobody can say
// whether a file passes, it does. Of the options that leave files out few are heeded.
type sieve struct {
	shell.Command // of a program that the agent may have written all passes: the zero value
	secrets       *Secrets
	told          shell.Search
}

func newSieve(h *Secrets, c shell.Command) sieve {
	s := sieve{secrets: h}
	if c.Foreign || len(c.Words) == 0 {
		return s
	}
	if s.Command = c; c.Search != nil {
		s.told = *c.Search
	}
	return s
}

// staysOut reports whether the command looks into no directory below its start.
func (s sieve) staysOut() bool {
	return s.Has(shell.LooksInto) || s.Has(shell.Shallow) && !s.anyPattern()
}

// passes reports whether the command may read a file.
func (s sieve) passes(start, name string) bool {
	below := strings.TrimPrefix(name, start)
	switch {
	case s.Has(shell.Git):
		return s.throughGit(name)
	case s.skipsHidden() && strings.Contains(below, "/.") && !(s.Is.Has(shell.SkipsIgnored) && s.shown(name)),
		s.Has(shell.SkipsIgnored) && !s.whitelists() && s.ignored(start, name),
		leftOut(s.told.Prune, below), leftOut(withoutSlash(s.told.PruneDirs), path.Dir(below)):
		return false
	}
	return s.hasExtension(name) && (!s.Has(shell.Searches) || s.selects(name) && s.holds(name))
}

// withoutSlash are globs of directories, of which a slash at the end is no part.
func withoutSlash(globs []string) (plain []string) {
	for _, glob := range globs {
		plain = append(plain, strings.TrimSuffix(glob, "/"))
	}
	return plain
}

// throughGit knows what git ls-files, git diff and git grep look at.
func (s sieve) throughGit(name string) bool {
	r := s.secrets.At.RepositoryAt(path.Dir(name))
	if r != nil && !s.Has(shell.Outside) && !s.Has(shell.Untracked) && !r.Tracks(name) &&
		!(takesFiles(s.secrets) && (s.secrets.unignores() || !r.PassesOver(name, false))) {
		return false
	}
	if r != nil && s.Has(shell.Standard) && !(s.Has(shell.Cached) && r.Tracks(name)) && s.ignored(r.Top, name) {
		return false
	}
	return !s.Has(shell.Searches) || s.holds(name)
}

// ignoreFiles are those of a directory and the ones above it by which rg and fd go; own
// leaves out those that git goes by too.
func ignoreFiles(dir string, own bool) (files []string) {
	for ; ; dir = path.Dir(dir) {
		for _, base := range [...]string{".ignore", ".rgignore", ".fdignore", ".gitignore"} {
			if !own || base != ".gitignore" {
				files = append(files, path.Join(dir, base))
			}
		}
		if dir == "/" || dir == "." {
			return files
		}
	}
}

// maxIgnoreFile bounds how much of an ignore file is read.
const maxIgnoreFile = 256 << 10

// shown reports whether an ignore file may take a hidden name out of what is ignored:
// rg and fd look there then.
func (s sieve) shown(name string) bool {
	files := ignoreFiles(path.Dir(name), false)
	return s.secrets.unignores() || slices.ContainsFunc(files, func(file string) bool {
		data, err := s.secrets.At.Machine.Files.Read(file, maxIgnoreFile)
		if err != nil {
			return !s.secrets.At.Missing(file)
		}
		for line := range strings.Lines(string(data)) {
			if glob, not := strings.CutPrefix(strings.TrimSpace(line), "!"); not && showsHidden(glob, name) {
				return true
			}
		}
		return false
	})
}

// showsHidden reports whether a glob may mean a hidden component of a name.
func showsHidden(glob, name string) bool {
	last := path.Base(strings.TrimRight(glob, "/"))
	if strings.ContainsAny(last, `[\{`) {
		return true
	}
	for part := range strings.SplitSeq(name, "/") {
		if shown, err := path.Match(last, part); strings.HasPrefix(part, ".") && (shown || err != nil) {
			return true // a star of an ignore file means a dot, too
		}
	}
	return false
}

// ignored reports whether the ignore files of the repository certainly name a file, no
// other kind of ignore file may say otherwise, and the search does not start in what they name.
func (s sieve) ignored(start, name string) bool {
	r := s.secrets.At.RepositoryAt(path.Dir(name))
	if r == nil || !r.PassesOver(name, false) || s.secrets.unignores() ||
		r.PassesOver(strings.TrimSuffix(start, "/")+"/anything", false) {
		return false
	}
	return !slices.ContainsFunc(ignoreFiles(path.Dir(name), true), func(file string) bool {
		return !s.secrets.At.Missing(file)
	})
}

// selects reports whether the options of a search about names may let a file pass.
func (s sieve) selects(name string) bool {
	base := path.Base(name)
	globs := slices.DeleteFunc(slices.Concat(s.told.Include, s.told.Globs), func(glob string) bool {
		return strings.HasPrefix(glob, "!") || strings.HasPrefix(glob, "#") || strings.TrimSpace(glob) == ""
	})
	if len(globs) > 0 {
		return s.excludesFirst() || slices.ContainsFunc(globs, func(glob string) bool { return mayMean(glob, base) })
	}
	for _, glob := range slices.Concat(s.told.Exclude, s.told.Globs) {
		ok, _ := path.Match(strings.TrimPrefix(glob, "!"), base)
		if ok && !strings.ContainsAny(glob, `[\{`) {
			return false
		}
	}
	return len(s.told.Kinds) == 0 || s.Has(shell.Follows) ||
		slices.ContainsFunc(s.told.Kinds, func(k string) bool { return !isSourceType(k) })
}

// leftOut reports whether globs surely name a part of a path.
func leftOut(globs []string, below string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		return !strings.ContainsAny(glob, `[\`) &&
			slices.ContainsFunc(strings.Split(below, "/"), func(part string) bool {
				ok, _ := path.Match(glob, part)
				return ok && part != ""
			})
	})
}

// mayMean reports whether a glob of a search may mean a file of this name.
func mayMean(glob, base string) bool {
	return slices.ContainsFunc(alternatives(glob), func(one string) bool {
		ok, err := path.Match(strings.ToLower(path.Base(one)), strings.ToLower(base))
		return ok || err != nil || strings.ContainsAny(one, `[\{`) || strings.HasSuffix(one, "/**") ||
			strings.HasSuffix(one, "/") // to ugrep it means directories
	})
}

// excludesFirst reports whether what no option means is searched: some names are left
// out before any are asked for, or by a file, wherever that is named.
func (s sieve) excludesFirst() bool {
	return s.told.ExcludesFirst || slices.ContainsFunc(s.Words, func(w shell.Word) bool {
		return strings.HasPrefix(w.Value, "--exclude-f")
	})
}

// whitelists reports whether a glob brings back what else is left out.
func (s sieve) whitelists() bool {
	return slices.ContainsFunc(s.told.Globs, func(g string) bool { return !strings.HasPrefix(g, "!") })
}

// isSourceType lists types of ripgrep among which no secret is.
func isSourceType(kind string) bool {
	return slices.Contains([]string{"go", "py", "python", "js", "ts", "rust", "java", "c", "cpp", "ruby", "php", "html",
		"css", "md", "markdown", "swift", "kotlin", "sh", "sql"}, kind)
}

// hasExtension reports whether a name ends as the search wants it.
func (s sieve) hasExtension(name string) bool {
	all := s.told.Extensions
	return len(all) == 0 || slices.ContainsFunc(all, func(e string) bool {
		return e == "*" || strings.HasSuffix(strings.ToLower(name), "."+strings.ToLower(strings.TrimPrefix(e, ".")))
	})
}

func (s sieve) skipsHidden() bool {
	return s.Has(shell.SkipsHidden) && !s.whitelists() && !(s.Has(shell.Shallow) && s.anyPattern())
}

func (s sieve) anyPattern() bool {
	return slices.ContainsFunc(s.Words, func(w shell.Word) bool { return w.Pattern || !w.Known })
}

// maxSearched bounds how much of a secret is read for what is looked for.
const maxSearched = 1 << 20

// holds reports whether a file may hold what a search looks for.
func (s sieve) holds(name string) bool {
	if len(s.told.Patterns) == 0 || s.Has(shell.AnyPattern) || s.Has(shell.AnyLine) {
		return true
	}
	data, err := s.secrets.At.Machine.Files.Read(name, maxSearched)
	text := string(data)
	return err != nil || strings.ContainsRune(text, 0) || strings.HasPrefix(text, "\xff\xfe") ||
		strings.HasPrefix(text, "\xfe\xff") ||
		slices.ContainsFunc(s.told.Patterns, func(p string) bool { return mayMatch(p, text) })
}

// mayMatch reports whether a pattern of grep or ripgrep, in whatever dialect, may match
// in a text: each run of plain letters that a match must hold is there. It errs towards yes.
func mayMatch(pattern, text string) bool {
	text = strings.ToLower(strings.ToUpper(text))
	for one := range strings.SplitSeq(strings.NewReplacer(`\|`, "|", "\n", "|").Replace(pattern), "|") {
		runs, sure := plainRuns(one)
		if !sure || !slices.ContainsFunc(runs, func(run string) bool { return !strings.Contains(text, run) }) {
			return true
		}
	}
	return false
}

// plainRuns are the runs of letters, in lower case, that each match of a pattern without
// alternatives must hold. sure is false where a sign may make letters optional, or mean others.
func plainRuns(pattern string) (runs []string, sure bool) {
	for _, sign := range [...]string{`.*`, `\s*`, `\w*`, `\s`, `\w`, `\d`, `\b`, `\.`, `\(`, `\)`, `\+`, `\<`, `\>`,
		`\/`, `\-`, `\"`, `\'`} {
		pattern = strings.ReplaceAll(pattern, sign, "\n")
	}
	for i := len(pattern) - 1; i > 0; i-- { // a letter that may be missing: https?
		if before := pattern[i-1 : i]; pattern[i] == '?' && strings.ToLower(before) != strings.ToUpper(before) {
			pattern = pattern[:i-1] + "\n" + pattern[i+1:]
		}
	}
	if strings.ContainsAny(pattern, `\*?{[`) || !paths.IsASCII(pattern) {
		return nil, false
	}
	return strings.FieldsFunc(strings.ToLower(pattern), func(r rune) bool {
		return strings.ContainsRune("\n.^$()+]}", r)
	}), true
}

// unignores reports whether the line changes a file that says what is ignored.
func (h *Secrets) unignores() bool {
	return slices.ContainsFunc(h.Report.Effects, func(e shell.Effect) bool {
		if e.Kind != shell.Write && e.Kind != shell.Delete || e.Target == "" {
			return false
		}
		names, all := h.At.Machine.Names(e)
		return !all && e.Pattern != "" || slices.ContainsFunc(names, func(name string) bool {
			return strings.HasSuffix(name, "ignore")
		})
	})
}

// takesFiles reports whether a command of the line may put files into git's index,
// which others then list and search.
func takesFiles(h *Secrets) bool {
	return slices.ContainsFunc(h.Report.Effects, func(e shell.Effect) bool {
		return e.Command >= 0 && (e.Kind == shell.Write || e.Kind == shell.Delete) && e.Target != "/dev/null" &&
			isGit(h.Report.Commands[e.Command])
	})
}
