package harm

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/shell"
)

// sieve is what files must pass on their way through commands. Where nobody can say
// whether a file passes, it does. Of the options that leave files out few are heeded.
type sieve struct {
	secrets *Secrets
	filters []filter
	said    string // every word of the commands that find: a place may be spelt in any way
	whole   bool   // of a directory that gets through, all that lies below is read
}

// filter is one command of a sieve.
type filter struct {
	shell.Command
	told  shell.Search
	names bool // it reads names of files, and passes some of them on
	finds []findPart
	depth int // of find, how far below its start it looks; 0 is any
}

func newSieve(t *Secrets, commands []int) sieve {
	s := sieve{secrets: t}
	finders := 0
	for _, i := range commands {
		f := filter{Command: t.Report.Commands[i]}
		if f.Foreign || len(f.Words) == 0 {
			continue
		}
		if f.Search != nil {
			f.told = *f.Search
		}
		f.names = f.Has(shell.Searches|shell.PrintsLines) && !t.reads(i)
		if f.Has(shell.Expression) {
			f.finds, f.depth = findParts(f.told.Terms), maxDepth(f.told.Terms)
			finders++
		}
		if !f.names {
			s.said += f.Dir + "\n"
			for _, w := range f.Words {
				s.said += w.Value + "\n"
			}
		}
		s.whole = s.whole || finders > 1 || f.finds == nil && !f.names && !f.Has(shell.Flat)
		s.filters = append(s.filters, f)
	}
	return s
}

// follows reports whether some command follows links to directories.
func (s sieve) follows() bool {
	return slices.ContainsFunc(s.filters, func(f filter) bool { return f.Has(shell.Follows) })
}

// staysOut reports whether some command looks into no directory below its start.
func (s sieve) staysOut() bool {
	return slices.ContainsFunc(s.filters, func(f filter) bool {
		return f.Has(shell.LooksInto) && len(s.filters) == 1 || f.Has(shell.Shallow) && !f.anyPattern()
	})
}

// passes reports whether a file may come through all of the commands.
func (s sieve) passes(start, name string) bool {
	return !slices.ContainsFunc(s.filters, func(f filter) bool { return !s.through(f, start, name) })
}

func (s sieve) through(f filter, start, name string) bool {
	below := strings.TrimPrefix(name, start)
	switch {
	case f.names:
		return s.picked(f, start, name)
	case f.finds != nil:
		return (f.depth == 0 || s.whole || strings.Count(below, "/") <= f.depth) && s.found(f, cmp.Or(below, start))
	case f.Has(shell.Git):
		return s.throughGit(f, name)
	case f.skipsHidden() && strings.Contains(below, "/.") && !(f.Is.Has(shell.SkipsIgnored) && s.shown(name)),
		f.Has(shell.SkipsIgnored) && !f.whitelists() && s.ignored(start, name),
		leftOut(f.told.Prune, below), leftOut(withoutSlash(f.told.PruneDirs), path.Dir(below)):
		return false
	}
	return f.hasExtension(name) && (!f.Has(shell.Searches) || f.selects(name) && s.holds(f, name))
}

// found reports whether find may pass on a file, or, where others look into directories,
// a directory above it.
func (s sieve) found(f filter, below string) bool {
	for ; ; below = path.Dir(below) {
		switch {
		case passesParts(f.finds, below):
			return true
		case !s.whole || below == "/" || below == ".":
			return false
		}
	}
}

// picked reports whether grep may pass on a file, or, where others look into directories,
// a directory above it.
func (s sieve) picked(f filter, start, name string) bool {
	for ; ; name = path.Dir(name) {
		switch {
		case s.picks(f, name):
			return true
		case !s.whole || len(name) <= len(start) || name == "/":
			return false
		}
	}
}

// picks reports whether grep between the commands that name files and those that read them
// may pass on a name. Where the search starts may stand before the name in any spelling, so
// that only what no place is called by can be left out.
func (s sieve) picks(f filter, name string) bool {
	patterns := f.told.Patterns
	switch {
	case len(patterns) == 0, f.Has(shell.AnyPattern):
		return true
	case f.Has(shell.Inverted):
		return f.Has(shell.Bounded) || !slices.ContainsFunc(patterns, func(p string) bool {
			text, plain := plainPattern(p, f.Has(shell.Fixed))
			return plain && strings.Contains(path.Base(name), text)
		})
	}
	return slices.ContainsFunc(patterns,
		func(p string) bool { return strings.ContainsAny(p, "/~") || mayMatch(p, s.said+name) })
}

// plainPattern is the text that a pattern stands for, if that is one text.
func plainPattern(p string, fixed bool) (text string, plain bool) {
	dot := `\.`
	if fixed {
		dot = "."
	}
	return strings.ReplaceAll(p, dot, "."), p != "" &&
		!strings.ContainsAny(strings.ReplaceAll(p, dot, ""), `\.[]*^$()|?+{}`+"\n")
}

// withoutSlash are globs of directories, of which a slash at the end is no part.
func withoutSlash(globs []string) (plain []string) {
	for _, glob := range globs {
		plain = append(plain, strings.TrimSuffix(glob, "/"))
	}
	return plain
}

// throughGit knows what git ls-files, git diff and git grep look at.
func (s sieve) throughGit(f filter, name string) bool {
	r := s.secrets.At.RepositoryAt(path.Dir(name))
	if r != nil && !f.Has(shell.Outside) && !f.Has(shell.Untracked) && !r.Tracks(name) &&
		!(takesFiles(s.secrets) && (s.secrets.unignores() || !r.PassesOver(name, false))) {
		return false
	}
	if r != nil && f.Has(shell.Standard) && !(f.Has(shell.Cached) && r.Tracks(name)) && s.ignored(r.Top, name) {
		return false
	}
	return !f.Has(shell.Searches) || s.holds(f, name)
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
func (f filter) selects(name string) bool {
	base := path.Base(name)
	globs := slices.DeleteFunc(slices.Concat(f.told.Include, f.told.Globs), func(glob string) bool {
		return strings.HasPrefix(glob, "!") || strings.HasPrefix(glob, "#") || strings.TrimSpace(glob) == ""
	})
	if len(globs) > 0 {
		return f.excludesFirst() || slices.ContainsFunc(globs, func(glob string) bool { return mayMean(glob, base) })
	}
	for _, glob := range slices.Concat(f.told.Exclude, f.told.Globs) {
		ok, _ := path.Match(strings.TrimPrefix(glob, "!"), base)
		if ok && !strings.ContainsAny(glob, `[\{`) {
			return false
		}
	}
	return len(f.told.Kinds) == 0 || f.Has(shell.Follows) ||
		slices.ContainsFunc(f.told.Kinds, func(k string) bool { return !isSourceType(k) })
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
func (f filter) excludesFirst() bool {
	return f.told.ExcludesFirst || slices.ContainsFunc(f.Words, func(w shell.Word) bool {
		return strings.HasPrefix(w.Value, "--exclude-f")
	})
}

// whitelists reports whether a glob brings back what else is left out.
func (f filter) whitelists() bool {
	return slices.ContainsFunc(f.told.Globs, func(g string) bool { return !strings.HasPrefix(g, "!") })
}

// isSourceType lists types of ripgrep among which no secret is.
func isSourceType(kind string) bool {
	return slices.Contains([]string{"go", "py", "python", "js", "ts", "rust", "java", "c", "cpp", "ruby", "php", "html",
		"css", "md", "markdown", "swift", "kotlin", "sh", "sql"}, kind)
}

// hasExtension reports whether a name ends as the search wants it.
func (f filter) hasExtension(name string) bool {
	all := f.told.Extensions
	return len(all) == 0 || slices.ContainsFunc(all, func(e string) bool {
		return e == "*" || strings.HasSuffix(strings.ToLower(name), "."+strings.ToLower(strings.TrimPrefix(e, ".")))
	})
}

func (f filter) skipsHidden() bool {
	return f.Has(shell.SkipsHidden) && !f.whitelists() && !(f.Has(shell.Shallow) && f.anyPattern())
}

func (f filter) anyPattern() bool {
	return slices.ContainsFunc(f.Words, func(w shell.Word) bool { return w.Pattern || !w.Known })
}

// maxSearched bounds how much of a secret is read for what is looked for.
const maxSearched = 1 << 20

// holds reports whether a file may hold what a search looks for.
func (s sieve) holds(f filter, name string) bool {
	if len(f.told.Patterns) == 0 || f.Has(shell.AnyPattern) || f.Has(shell.AnyLine) {
		return true
	}
	data, err := s.secrets.At.Machine.Files.Read(name, maxSearched)
	text := string(data)
	return err != nil || strings.ContainsRune(text, 0) || strings.HasPrefix(text, "\xff\xfe") ||
		strings.HasPrefix(text, "\xfe\xff") ||
		slices.ContainsFunc(f.told.Patterns, func(p string) bool { return mayMatch(p, text) })
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

// findPart is what an expression of find says between two -o of the names that it passes
// on. What else it says only narrows, and is not looked at.
type findPart struct {
	globs  []string // a name must match all of them
	prunes bool     // it only says where find does not go
	acts   bool     // what stands behind the action narrows nothing
}

// maxDepth is how far below its start find looks, 0 for any depth.
func maxDepth(terms []shell.Term) (depth int) {
	for _, t := range terms {
		if t.Name == "-maxdepth" {
			n, err := strconv.Atoi(t.Value.Value)
			if err != nil || !t.Value.Known || n < 1 {
				return 0
			}
			depth = max(depth, n)
		}
	}
	return depth
}

func findParts(terms []shell.Term) (parts []findPart) {
	part, not, opened := findPart{}, false, 0
	for i, t := range terms {
		switch t.Name {
		case "-name", "-iname":
			if t.Value.Known && !not && !part.acts {
				part.globs = append(part.globs, t.Name+" "+t.Value.Value)
			}
		case "-prune":
			if part.prunes = !part.acts; part.acts { // it passes on what it prunes
				break
			}
			for i > 0 && terms[i-1].Name == ")" && opened < len(parts) { // all of the alternatives
				parts[opened].prunes = true
				opened++
			}
		case "-print", "-print0", "-printf", "-ls", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0",
			"-fprintf", "-fls":
			if part.acts = true; part.prunes {
				for i := range parts {
					parts[i].prunes = false
				}
			}
		case "(":
			if opened = len(parts); not { // what is in there may be anything
				parts = append(parts, findPart{})
			}
		case "-o", "-or", ",":
			parts, part = append(parts, part), findPart{}
		}
		not = t.Name == "!" || t.Name == "-not"
	}
	return append(parts, part)
}

// passesParts reports whether find may pass on a name. A part that prunes passes on
// nothing where another does.
func passesParts(parts []findPart, name string) bool {
	return slices.ContainsFunc(parts, func(p findPart) bool {
		return !(p.prunes && !p.acts && len(parts) > 1) && !slices.ContainsFunc(p.globs, func(glob string) bool {
			return !paths.MayPass(glob, path.Base(name))
		})
	})
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
