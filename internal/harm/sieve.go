package harm

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
)

// sieve is what files must pass on their way through commands. Where nobody
// can say whether a file passes, it does.
type sieve struct {
	secrets *Secrets
	filters []filter
	said    string // every word of the commands: places may be spelt in any way
	whole   bool   // of a directory that gets through, all that lies below is read
}

// filter is one command of a sieve.
type filter struct {
	shell.Command
	told  shell.Search
	names bool // it reads names of files, and passes some of them on
	tests *findTests
}

func filterOf(c shell.Command) filter {
	f := filter{Command: c}
	if c.Finder > 0 { // what it is handed by name it reads, hidden or not
		f.Not |= shell.SkipsHidden | shell.SkipsIgnored
	}
	if c.Search != nil {
		f.told = *c.Search
	}
	return f
}

func newSieve(t *Secrets, commands []int) sieve {
	s := sieve{secrets: t}
	for _, i := range commands {
		f := filterOf(t.Report.Commands[i])
		if f.Foreign || len(f.Words) == 0 {
			continue
		}
		f.names = f.Has(shell.Searches|shell.PrintsLines) && !f.Has(shell.Fed) && !t.reads(i)
		if f.Has(shell.Expression) {
			f.tests = newFindTests(f.told.Terms)
		}
		s.whole = s.whole || s.opensDirectories(f)
		s.filters = append(s.filters, f)
		if !f.names { // what a search of names looks for is no place
			for _, w := range f.Words {
				s.said += w.Value + "\n"
			}
		}
		s.said += f.Dir + "\n"
	}
	return s
}

// opensDirectories reports whether a command goes on where the ones before it
// stopped: given a directory, it reads or lists what lies in it.
func (s sieve) opensDirectories(f filter) bool {
	if f.tests == nil {
		return !f.names && !f.Has(shell.Flat)
	}
	return slices.ContainsFunc(s.filters, func(other filter) bool { return other.tests != nil })
}

// follows reports whether some command follows links to directories.
func (s sieve) follows() bool {
	return slices.ContainsFunc(s.filters, func(f filter) bool { return f.Has(shell.Follows) })
}

// leavesOut reports whether no command looks into a directory, given by what
// stands behind the place where the search starts.
func (s sieve) leavesOut(start, below string) bool {
	return below != "" && slices.ContainsFunc(s.filters, func(f filter) bool {
		return f.tests != nil && !s.whole && f.tests.tooDeep(below) || f.Has(shell.LooksInto) && len(s.filters) == 1 ||
			f.Has(shell.Shallow) && !f.anyPattern() || s.hides(f, start, below) ||
			leftOut(f.told.Prune, below) || leftOut(f.directories(), below)
	})
}

// passes reports whether a file may come through all of the commands.
func (s sieve) passes(start, name string) bool {
	below := strings.TrimPrefix(name, start)
	for _, f := range s.filters {
		if !s.through(f, start, name) {
			return false
		}
	}
	return s.named(start, below, false) || s.whole && s.dirNamed(start, below)
}

// dirNamed reports whether a directory in which the file lies may come through
// the commands that pick names.
func (s sieve) dirNamed(start, below string) bool {
	for below != "" {
		below = below[:max(strings.LastIndexByte(below, '/'), 0)]
		if s.named(start, below, true) {
			return true
		}
	}
	return false
}

// named reports whether a file or a directory may come through the commands that
// pick names.
func (s sieve) named(start, below string, dir bool) bool {
	for _, f := range s.filters {
		if f.tests != nil && !f.tests.may(cmp.Or(below, start)) || f.names && !f.picksName(s.said, start+below) {
			return false
		}
	}
	return true
}

func (s sieve) through(f filter, start, name string) bool {
	below := strings.TrimPrefix(name, start)
	switch {
	case f.tests != nil, f.names:
		return true // see named
	case f.Has(shell.Git):
		return s.throughGit(f, name)
	case s.hides(f, start, below), f.skipsIgnored() && s.ignored(name) && !s.insideIgnored(start),
		leftOut(f.told.Prune, below), leftOut(f.directories(), path.Dir(below)):
		return false
	}
	ofKind := len(f.told.Kinds) > 0 && !s.secrets.At.Machine.Secrets.Match(name) // a second name may be of any kind
	return f.hasExtension(name) && (!f.Has(shell.Searches) || (f.selects(name) || ofKind) && s.holds(f, name))
}

// hides reports whether a command leaves out what lies there because it is hidden.
// To programs that heed ignore files, a line such as !.env brings it back.
func (s sieve) hides(f filter, start, below string) bool {
	return f.skipsHidden() && hiddenPart(below) && !(f.Is.Has(shell.SkipsIgnored) && s.shown(start+below))
}

// shown reports whether an ignore file may take a hidden name out of what is
// ignored.
func (s sieve) shown(name string) bool {
	home := s.secrets.At.Machine.Home
	files := []string{home + "/.config/git/ignore", home + "/.config/fd/ignore"}
	if r := s.secrets.At.RepositoryAt(path.Dir(name)); r != nil {
		files = append(files, r.Common+"/info/exclude")
	}
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		for _, ignore := range [...]string{".gitignore", ".ignore", ".rgignore", ".fdignore"} {
			files = append(files, path.Join(dir, ignore))
		}
		if dir == "/" || dir == "." {
			break
		}
	}
	return s.secrets.unignores() || slices.ContainsFunc(files, func(file string) bool {
		return slices.ContainsFunc(s.negated(file), func(glob string) bool { return showsHidden(glob, name) })
	})
}

// negated are the lines of an ignore file that take something out again, without
// their sign.
func (s sieve) negated(file string) []string {
	h := s.secrets
	if list, known := h.negations[file]; known {
		return list
	}
	list := []string{}
	data, err := h.At.Machine.Files.Read(file, maxIgnoreFile)
	if err != nil && !h.At.Missing(file) {
		list = []string{"*"} // it cannot be read, and may say anything
	}
	for line := range strings.Lines(string(data)) {
		if glob, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok {
			list = append(list, glob)
		}
	}
	if h.negations == nil {
		h.negations = map[string][]string{}
	}
	h.negations[file] = list
	return list
}

// maxIgnoreFile bounds how much of an ignore file is read.
const maxIgnoreFile = 256 << 10

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

// throughGit knows what git ls-files, git diff and git grep look at.
func (s sieve) throughGit(f filter, name string) bool {
	r := s.secrets.At.RepositoryAt(path.Dir(name))
	tracked := r != nil && (r.Tracks(name) || takesFiles(s.secrets) && (s.secrets.unignores() ||
		!r.PassesOver(repo.Surely, name, false)))
	switch {
	case r == nil, f.Has(shell.Outside):
		return !f.Has(shell.Searches) || s.holds(f, name)
	case f.Has(shell.Searches):
		return tracked && s.holds(f, name)
	case !f.Has(shell.Untracked):
		return tracked
	case f.Has(shell.Standard):
		return f.Has(shell.Cached) && tracked || !s.ignored(name)
	}
	return true
}

// ignored reports whether the ignore files of the repository certainly name a
// file, and no other kind of ignore file may say otherwise.
func (s sieve) ignored(name string) bool {
	r := s.secrets.At.RepositoryAt(path.Dir(name))
	if r == nil || !r.PassesOver(repo.Surely, name, false) || s.secrets.unignores() {
		return false
	}
	for dir := path.Dir(name); ; dir = path.Dir(dir) { // rg and fd heed those above the repository too
		for _, other := range [...]string{".ignore", ".rgignore", ".fdignore"} {
			if !s.secrets.At.Missing(path.Join(dir, other)) {
				return false
			}
		}
		if dir == "/" || dir == "." {
			return true
		}
	}
}

// insideIgnored reports whether a search starts in a directory that is ignored itself:
// rg and fd that are told to look there do.
func (s sieve) insideIgnored(start string) bool {
	r := s.secrets.At.RepositoryAt(start)
	return r == nil || r.PassesOver(repo.Maybe, strings.TrimSuffix(start, "/")+"/anything", false)
}

// maxSearched bounds how much of a secret is read for what is looked for.
const maxSearched = 1 << 20

// holds reports whether a file may hold what a search looks for.
func (s sieve) holds(f filter, name string) bool {
	patterns, known := f.patterns()
	if !known || f.Has(shell.AnyLine) {
		return true
	}
	data, err := s.secrets.At.Machine.Files.Read(name, maxSearched)
	text := string(data)
	if err != nil || strings.ContainsRune(text, 0) || strings.HasPrefix(text, "\xff\xfe") ||
		strings.HasPrefix(text, "\xfe\xff") {
		return true
	}
	return slices.ContainsFunc(patterns, func(p string) bool { return mayMatch(p, text) })
}

// picksName is grep between the commands that name files and those that read
// them: it passes on names that match.
func (f filter) picksName(said, name string) bool {
	patterns, known := f.patterns()
	switch {
	case !known:
		return true
	case f.Has(shell.Inverted):
		return f.Has(shell.Bounded) || !slices.ContainsFunc(patterns, func(p string) bool {
			text, plain := plainPattern(p, f.Has(shell.Fixed))
			return plain && strings.Contains(path.Base(name), text)
		})
	}
	// Where the search starts may stand before the name in any spelling, so that
	// only what no place is called by can be left out.
	return slices.ContainsFunc(patterns,
		func(p string) bool { return strings.ContainsAny(p, "/~") || mayMatch(p, said+name) })
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

// directories are the globs of directories that are left out, of which a slash at the
// end is no part (GNU grep; to tar and diff it is, and nothing ends in a slash).
func (f filter) directories() []string {
	globs := slices.Clone(f.told.PruneDirs)
	for i := range globs {
		globs[i] = strings.TrimSuffix(globs[i], "/")
	}
	return globs
}

// leftOut reports whether globs name a part of a path.
func leftOut(globs []string, below string) bool {
	for _, glob := range globs {
		for part := range strings.SplitSeq(below, "/") {
			if ok, err := path.Match(glob, part); ok && err == nil && part != "" &&
				!strings.ContainsAny(glob, `[\`) {
				return true
			}
		}
	}
	return false
}

// selects reports whether the options of a search about names let a file pass.
func (f filter) selects(name string) bool {
	base, positive, matched := path.Base(name), false, false
	for _, glob := range slices.Concat(f.told.Include, f.told.Globs) {
		if strings.HasPrefix(glob, "!") || strings.HasPrefix(glob, "#") || strings.TrimSpace(glob) == "" {
			continue // ripgrep takes the last two for a line of an ignore file that says nothing
		}
		positive = true
		for _, one := range alternatives(glob) {
			ok, err := path.Match(strings.ToLower(path.Base(one)), strings.ToLower(base))
			matched = matched || ok || err != nil || strings.ContainsAny(one, `[\{`) || strings.HasSuffix(one, "/**") ||
				strings.HasSuffix(one, "/") // to ugrep it means directories
		}
	}
	if positive { // the last option that says something of a name holds
		return matched || f.excludesFirst()
	}
	for _, glob := range f.excludes() {
		if ok, _ := path.Match(glob, base); ok && !strings.ContainsAny(glob, `[\{`) {
			return false
		}
	}
	return len(f.told.Kinds) == 0 ||
		slices.ContainsFunc(f.told.Kinds, func(k string) bool { return !isSourceType(k) })
}

// excludesFirst reports whether what no option means is searched: some names are left
// out before any are asked for, or by a file, wherever that is named.
func (f filter) excludesFirst() bool {
	return f.told.ExcludesFirst || slices.ContainsFunc(f.Words, func(w shell.Word) bool {
		return strings.HasPrefix(w.Value, "--exclude-f")
	})
}

// excludes are the globs of names that are left out.
func (f filter) excludes() []string {
	globs := slices.Clone(f.told.Exclude)
	for _, glob := range f.told.Globs {
		if rest, not := strings.CutPrefix(glob, "!"); not {
			globs = append(globs, rest)
		}
	}
	return globs
}

// whitelists reports whether a glob brings back what else is left out.
func (f filter) whitelists() bool {
	return slices.ContainsFunc(f.told.Globs, func(g string) bool { return !strings.HasPrefix(g, "!") })
}

// isSourceType lists types of ripgrep among which no secret is.
func isSourceType(kind string) bool {
	switch kind {
	case "go", "py", "python", "js", "ts", "rust", "java", "c", "cpp", "ruby", "php", "html", "css", "md",
		"markdown", "swift", "kotlin", "sh", "sql":
		return true
	}
	return false
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

func (f filter) skipsIgnored() bool { return f.Has(shell.SkipsIgnored) && !f.whitelists() }

func (f filter) anyPattern() bool {
	return slices.ContainsFunc(f.Words, func(w shell.Word) bool { return w.Pattern || !w.Known })
}

// hiddenPart reports whether a component begins with a dot.
func hiddenPart(below string) bool { return strings.Contains(below, "/.") }

// patterns are what a search looks for; known is false where that is not sure.
func (f filter) patterns() (patterns []string, known bool) {
	return f.told.Patterns, len(f.told.Patterns) > 0 && !f.Has(shell.AnyPattern)
}

// mayMatch reports whether a pattern of grep or ripgrep, in whatever dialect,
// may match in a text: each of the letters that a match must hold is there.
// It errs towards yes.
func mayMatch(pattern, text string) bool {
	text = strings.ToLower(strings.ToUpper(text))
	for alternative := range strings.SplitSeq(strings.ReplaceAll(strings.ReplaceAll(pattern, "\n", "|"), `\|`, "|"),
		"|") {
		runs, sure := literalRuns(alternative)
		if !sure || !slices.ContainsFunc(runs, func(run string) bool { return !strings.Contains(text, run) }) {
			return true
		}
	}
	return false
}

// literalRuns returns the runs of letters, folded, that every match of a
// pattern without alternatives must hold. sure is false where nobody can say.
func literalRuns(pattern string) (runs []string, sure bool) {
	var run []byte
	end := func(optional bool) {
		if optional && len(run) > 0 {
			run = run[:len(run)-1]
		}
		if len(run) > 0 {
			runs = append(runs, string(run))
		}
		run = nil
	}
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c >= 0x80:
			return nil, false
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("_-=:;,/\"'@#%&~<>! `", c) >= 0:
			run = append(run, c)
		case 'A' <= c && c <= 'Z':
			run = append(run, c|0x20)
		case c == '*' || c == '?':
			end(true)
		case c == '{' || c == '[' || c == '(' && i+1 < len(pattern) && strings.IndexByte("?*", pattern[i+1]) >= 0:
			return nil, false // a count, a class, a flag, a verb of PCRE: the letters there are none
		case (c == ')' || c == '+') && i+1 < len(pattern) && strings.IndexByte(`*?{\`, pattern[i+1]) >= 0:
			return nil, false // what may be left out: (a)?, a+*
		case c != '\\':
			end(false)
		case i+1 == len(pattern):
			return nil, false
		default:
			i++
			switch c := pattern[i]; {
			case c == '?':
				end(true)
			case c == '+' && i+1 < len(pattern) && strings.IndexByte(`*?{\`, pattern[i+1]) >= 0:
				return nil, false
			case strings.IndexByte(`.$^*+-/"'<>bBsSwWdD`, c) >= 0 || c == '(':
				end(false)
			default:
				return nil, false
			}
		}
	}
	end(false)
	return runs, true
}
