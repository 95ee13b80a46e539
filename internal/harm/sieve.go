package harm

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/shell"
)

// sieve is what files must pass on their way through commands. Where nobody
// can say whether a file passes, it does.
type sieve struct {
	secrets *Secrets
	filters []filter
	said    string // every word of the commands: places may be spelt in any way
}

// filter is one command of a sieve.
type filter struct {
	shell.Command
	options
	tests *findTests
}

func newSieve(t *Secrets, commands []int) sieve {
	s := sieve{secrets: t}
	for _, i := range commands {
		f := filter{Command: t.Report.Commands[i]}
		if f.Foreign || len(f.Words) == 0 {
			continue
		}
		f.options = optionsOf(f.Command)
		if f.program == "find" {
			f.tests = parseFind(f.Words[1:])
		}
		s.filters = append(s.filters, f)
		for _, w := range f.Words {
			if f.program != "grep" {
				s.said += w.Value + "\n"
			}
		}
		s.said += f.Dir + "\n"
	}
	return s
}

// follows reports whether some command follows links to directories.
func (s sieve) follows() bool {
	return slices.ContainsFunc(s.filters, func(f filter) bool {
		return f.program != "ls" && f.short("RLh") || f.longPrefix("--deref", "--follow") ||
			f.program == "zip" && !f.short("y") ||
			f.program == "diff" ||
			f.program == "tar" && len(f.Words) > 1 && f.Words[1].Value[:1] != "-" && strings.Contains(f.Words[1].Value, "h") ||
			f.program == "find" && slices.ContainsFunc(f.Words, func(w shell.Word) bool { return w.Value == "-L" || w.Value == "-follow" })
	})
}

// leavesOut reports whether no command looks into a directory, given by what
// stands behind the place where the search starts.
func (s sieve) leavesOut(below string) bool {
	return below != "" && slices.ContainsFunc(s.filters, func(f filter) bool {
		return f.program == "find" && f.tests.tooDeep(below) || f.program == "ls" && !f.short("R") && !f.anyPattern() ||
			f.skipsHidden() && hiddenPart(below) || f.leavesDirectory(below)
	})
}

// passes reports whether a file may come through all of the commands.
func (s sieve) passes(start, name string) bool {
	below := strings.TrimPrefix(name, start)
	for _, f := range s.filters {
		if !s.through(f, start, below, name) {
			return false
		}
	}
	return true
}

func (s sieve) through(f filter, start, below, name string) bool {
	switch f.program {
	case "find":
		return f.tests.may(below)
	case "ls":
		return !(f.skipsHidden() && hiddenPart(below))
	case "fd", "fdfind":
		return s.shown(f, below, name) && f.hasExtension(name)
	case "rg":
		return s.shown(f, below, name) && f.selects(name) && s.holds(f, name)
	case "grep", "egrep", "fgrep":
		if f.short("rR") || f.long("--recursive", "--dereference-recursive") {
			return f.selects(name) && !f.leavesDirectory(path.Dir(below)) && s.holds(f, name)
		}
		if slices.Contains(f.Wrappers, "xargs") || slices.Contains(f.Wrappers, "find") || len(f.operands) > 1 {
			return s.holds(f, name)
		}
		return f.picksName(s.said, start+below)
	case "tar", "rsync", "diff", "zip":
		return !f.leavesDirectory(below)
	case "git":
		return s.throughGit(f, name)
	}
	return true
}

// throughGit knows what git ls-files, git diff and git grep look at.
func (s sieve) throughGit(f filter, name string) bool {
	r := s.secrets.At.RepositoryAt(path.Dir(name))
	if r == nil || f.longPrefix("--no-in", "--u", "--recurse") {
		return !f.isGrep() || s.holds(f, name)
	}
	switch others := f.short("o") || f.long("--others"); {
	case f.isGrep():
		return r.Tracks(name) && s.holds(f, name)
	case f.sub != "ls-files" || !others:
		return r.Tracks(name)
	case f.long("--exclude-standard") && !f.short("i") && !f.long("--ignored"):
		return f.short("c") && r.Tracks(name) || !s.ignored(name)
	}
	return true
}

// shown reports whether rg and fd may look at a file: unless they are told to,
// they leave out hidden files and what ignore files name.
func (s sieve) shown(f filter, below, name string) bool {
	if f.skipsHidden() && hiddenPart(below) {
		return false
	}
	return f.whitelists() || f.short("uI") && (f.program != "rg" || f.short("u")) ||
		f.longPrefix("--no-ignore", "--unrestricted") ||
		!s.ignored(name)
}

// ignored reports whether the ignore files of the repository certainly name a
// file, and no other kind of ignore file may say otherwise.
func (s sieve) ignored(name string) bool {
	r := s.secrets.At.RepositoryAt(path.Dir(name))
	if r == nil || !r.Ignored(name) || !r.MayIgnore(name, false) {
		return false
	}
	for dir := path.Dir(name); strings.HasPrefix(dir, r.Top); dir = path.Dir(dir) {
		for _, other := range [...]string{"/.ignore", "/.rgignore", "/.fdignore"} {
			if !s.secrets.At.Missing(dir + other) {
				return false
			}
		}
	}
	return true
}

// maxSearched bounds how much of a secret is read for what is looked for.
const maxSearched = 1 << 20

// holds reports whether a file may hold what a search looks for.
func (s sieve) holds(f filter, name string) bool {
	patterns, known := f.patterns()
	if !known || f.short("vzL") || f.longPrefix("--invert", "--null-data", "--search-zip", "--files-without", "--pre", "--passthru", "--encoding", "--multiline") {
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
	case f.short("v") || f.longPrefix("--invert"):
		return !slices.ContainsFunc(patterns, func(p string) bool {
			return isPlainPattern(p) && strings.Contains(path.Base(name), strings.ReplaceAll(p, `\.`, "."))
		})
	}
	// Where the search starts may stand before the name in any spelling, so that
	// only what no place is called by can be left out.
	return slices.ContainsFunc(patterns, func(p string) bool { return strings.ContainsAny(p, "/~") || mayMatch(p, said+name) })
}

func isPlainPattern(p string) bool {
	return p != "" && !strings.ContainsAny(strings.ReplaceAll(p, `\.`, ""), `\.[]*^$()|?+{}`+"\n")
}

// leavesDirectory reports whether an option names a directory on the way, or a
// file, as not to be looked at.
func (f filter) leavesDirectory(below string) bool {
	for _, option := range [...]string{"--exclude-dir", "--exclude", "-x"} {
		if option == "--exclude" && (f.program == "grep" || f.program == "rg") ||
			option == "-x" && f.program != "zip" && f.program != "diff" {
			continue
		}
		for _, glob := range f.values[option] {
			for part := range strings.SplitSeq(below, "/") {
				if ok, err := path.Match(strings.TrimSuffix(glob, "/"), part); ok && err == nil && part != "" &&
					!strings.ContainsAny(glob, `[\`) {
					return true
				}
			}
		}
	}
	return false
}

// selects reports whether the options of a search about names let a file pass.
func (f filter) selects(name string) bool {
	base, positive, matched := path.Base(name), false, false
	for _, glob := range slices.Concat(f.values["--include"], f.globs()) {
		if strings.HasPrefix(glob, "!") {
			continue
		}
		positive = true
		for _, one := range alternatives(glob) {
			ok, err := path.Match(strings.ToLower(path.Base(one)), strings.ToLower(base))
			matched = matched || ok || err != nil || strings.ContainsAny(one, `[\{`) || strings.HasSuffix(one, "/**")
		}
	}
	if positive { // the last option that says something of a name holds
		return matched
	}
	for _, glob := range f.excludes() {
		if ok, _ := path.Match(glob, base); ok && !strings.ContainsAny(glob, `[\{`) {
			return false
		}
	}
	kinds := slices.Concat(f.values["-t"], f.values["--type"])
	return len(kinds) == 0 || f.longPrefix("--type-add") || !slices.ContainsFunc(kinds, isSourceType) ||
		slices.ContainsFunc(kinds, func(k string) bool { return !isSourceType(k) })
}

func (f filter) globs() []string {
	return slices.Concat(f.values["-g"], f.values["--glob"], f.values["--iglob"])
}

// excludes are the globs of names that are left out.
func (f filter) excludes() (globs []string) {
	if f.program != "rg" {
		return f.values["--exclude"]
	}
	for _, glob := range f.globs() {
		if rest, not := strings.CutPrefix(glob, "!"); not {
			globs = append(globs, rest)
		}
	}
	return globs
}

// whitelists reports whether a glob of ripgrep brings back what it leaves out.
func (f filter) whitelists() bool {
	return f.program == "rg" &&
		slices.ContainsFunc(f.globs(), func(g string) bool { return !strings.HasPrefix(g, "!") })
}

// isSourceType lists types of ripgrep among which no secret is.
func isSourceType(kind string) bool {
	switch kind {
	case "go", "py", "python", "js", "ts", "rust", "java", "c", "cpp", "ruby", "php", "html", "css", "md", "markdown", "swift", "kotlin", "sh", "sql":
		return true
	}
	return false
}

// hasExtension is the option of fd.
func (f filter) hasExtension(name string) bool {
	all := slices.Concat(f.values["-e"], f.values["--extension"])
	return len(all) == 0 || slices.ContainsFunc(all, func(e string) bool {
		return strings.HasSuffix(strings.ToLower(name), "."+strings.ToLower(strings.TrimPrefix(e, ".")))
	})
}

func (f filter) skipsHidden() bool {
	switch f.program {
	case "ls":
		return !f.short("aAf") && !f.longPrefix("--a") && !f.anyPattern()
	case "rg":
		return !f.whitelists() && !f.short(".") && !f.longPrefix("--hid", "--unrestricted") &&
			strings.Count(f.letters, "u") < 2
	case "fd", "fdfind":
		return !f.short("Hu") && !f.longPrefix("--hid", "--unrestricted")
	}
	return false
}

func (f filter) anyPattern() bool {
	return slices.ContainsFunc(f.Words, func(w shell.Word) bool { return w.Pattern || !w.Known })
}

// hiddenPart reports whether a component begins with a dot.
func hiddenPart(below string) bool { return strings.Contains(below, "/.") }

// options are the words of a command, read as its program reads them.
type options struct {
	program string // base name
	sub     string // of git
	letters string // of short options
	longs   []string
	values  map[string][]string
	// operands are the words that are no options; unknown says that nobody can
	// say which of them is the first.
	operands []string
	unknown  bool
}

// optionsOf reads what a command that looks for files or through them is told.
func optionsOf(c shell.Command) options {
	o := options{program: path.Base(c.Program), values: map[string][]string{}}
	if o.program == "." && len(c.Words) > 0 {
		o.program = path.Base(c.Words[0].Value)
	}
	words := c.Words[min(1, len(c.Words)):]
	if o.program == "git" {
		words = words[min(gitOptions(words), len(words)):]
		if len(words) > 0 {
			o.sub, words = words[0].Value, words[1:]
		}
	}
	short, long := o.valued()
	for len(words) > 0 {
		w := words[0]
		words = words[1:]
		switch {
		case !w.Known:
			o.unknown = o.unknown || len(o.operands) == 0 && len(o.values["-e"])+len(o.values["--regexp"]) == 0
		case w.Value == "--":
			for _, rest := range words {
				o.operands = append(o.operands, rest.Value)
			}
			words = nil
		case strings.HasPrefix(w.Value, "--"):
			name, value, equals := strings.Cut(w.Value, "=")
			o.longs = append(o.longs, name)
			if !equals && slices.Contains(long, name) && len(words) > 0 {
				value, words, equals = words[0].Value, words[1:], true
			}
			if equals {
				o.values[name] = append(o.values[name], value)
			} else {
				o.unknown = o.unknown || !isFlag(name) // its value may be the next word
			}
		case len(w.Value) > 1 && w.Value[0] == '-' && o.program != "find":
			letters := w.Value[1:]
			i := strings.IndexAny(letters, short)
			if i < 0 {
				o.letters += letters
				continue
			}
			o.letters += letters[:i+1]
			name, value := "-"+letters[i:i+1], letters[i+1:]
			if value == "" && len(words) > 0 {
				value, words = words[0].Value, words[1:]
			}
			o.values[name] = append(o.values[name], value)
		default:
			o.operands = append(o.operands, w.Value)
		}
	}
	return o
}

// isFlag lists long options of searches that take no value.
func isFlag(name string) bool {
	switch strings.TrimPrefix(strings.TrimPrefix(name, "--"), "no-") {
	case "recursive", "dereference-recursive", "line-number", "ignore-case", "case-sensitive", "smart-case", "word-regexp", "line-regexp", "extended-regexp", "basic-regexp", "perl-regexp",
		"fixed-strings", "pcre2", "only-matching", "with-filename", "filename", "heading", "hidden", "ignore", "ignore-vcs", "ignore-parent", "unrestricted", "follow", "files", "files-with-matches",
		"files-without-match", "count", "quiet", "silent", "messages", "text", "binary", "column", "stats", "trim", "vimgrep", "json", "pretty", "invert-match", "null", "name-only", "cached", "untracked",
		"index", "exclude-standard", "break", "show-function", "function-context", "and", "or", "not", "all-match", "color", "colour", "initial-tab", "multiline", "passthru", "search-zip", "null-data":
		return true
	}
	return false
}

// valued lists the options that take a value from the next word.
func (o options) valued() (short string, long []string) {
	long = []string{"--include", "--exclude", "--exclude-dir", "--regexp", "--file", "--max-count", "--after-context", "--before-context", "--context"}
	switch o.program {
	case "grep", "egrep", "fgrep":
		return "efmABCdD", long
	case "git":
		if o.sub == "grep" {
			return "efmABC", long
		}
		if o.sub == "log" || o.sub == "blame" || o.sub == "shortlog" {
			return "LSGn", []string{"--grep", "--author", "--committer", "--since", "--until", "--after", "--before", "--format", "--pretty", "--date", "--skip", "--max-count"}
		}
		return "xXSG", []string{"--pathspec-from-file"}
	case "rg":
		return "efgtTmABCjMdEr", append(long, "--glob", "--iglob", "--type", "--type-not", "--max-depth", "--threads", "--replace", "--sort", "--sortr", "--color", "--colors", "--encoding", "--max-columns")
	case "fd", "fdfind":
		return "edtEcjSo", []string{"--extension", "--max-depth", "--type", "--exclude", "--size", "--threads"}
	case "ls":
		return "ITw", []string{"--ignore", "--hide"}
	case "tar":
		return "fCTXb", []string{"--exclude", "--file", "--directory"}
	case "diff":
		return "xUCFIXWL", []string{"--exclude"}
	case "zip":
		return "x", []string{"--exclude"}
	}
	return "", nil
}

// gitOptions counts the words before the subcommand of git.
func gitOptions(words []shell.Word) (n int) {
	for n < len(words) && strings.HasPrefix(words[n].Value, "-") {
		switch words[n].Value {
		case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env":
			n++
		}
		n++
	}
	return n
}

func (o options) isGrep() bool {
	switch o.program {
	case "grep", "egrep", "fgrep", "rg":
		return true
	}
	return o.program == "git" && o.sub == "grep"
}

func (o options) short(any string) bool { return strings.ContainsAny(o.letters, any) }

func (o options) long(names ...string) bool {
	return slices.ContainsFunc(o.longs, func(l string) bool { return slices.Contains(names, l) })
}

func (o options) longPrefix(prefixes ...string) bool {
	return slices.ContainsFunc(o.longs, func(l string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(l, p) })
	})
}

// patterns are what a search looks for; known is false where that is not sure.
func (o options) patterns() (patterns []string, known bool) {
	if o.unknown || len(o.values["-f"])+len(o.values["--file"]) > 0 {
		return nil, false
	}
	patterns = slices.Concat(o.values["-e"], o.values["--regexp"])
	if len(patterns) == 0 && len(o.operands) > 0 {
		patterns = o.operands[:1]
	}
	return patterns, len(patterns) > 0
}

// findTests is an expression of find.
type findTests struct {
	words    []shell.Word
	maxDepth int
	minDepth int
}

func parseFind(words []shell.Word) *findTests {
	f := &findTests{maxDepth: maxBelow}
	for len(words) > 0 && !(strings.HasPrefix(words[0].Value, "-") && len(words[0].Value) > 2 || words[0].Value == "!" || words[0].Value == "(") {
		words = words[1:] // -L, -H, -P and where it starts
	}
	f.words = words
	for i, w := range words {
		if i+1 < len(words) && (w.Value == "-maxdepth" || w.Value == "-mindepth") {
			n, err := strconv.Atoi(words[i+1].Value)
			switch {
			case err != nil:
			case w.Value == "-maxdepth":
				f.maxDepth = n
			default:
				f.minDepth = n
			}
		}
	}
	return f
}

func (f *findTests) tooDeep(below string) bool { return strings.Count(below, "/") >= f.maxDepth }

// may reports whether find may pass on a file.
func (f *findTests) may(below string) bool {
	if depth := strings.Count(below, "/"); depth > f.maxDepth || depth < f.minDepth {
		return false
	}
	e := findExpression{words: f.words, below: below}
	return e.or().may
}

// answer says whether a test may hold, and whether it must.
type answer struct{ may, must bool }

type findExpression struct {
	words []shell.Word
	below string
}

func (e *findExpression) or() answer {
	a := e.and()
	for len(e.words) > 0 && (e.words[0].Value == "-o" || e.words[0].Value == "-or" || e.words[0].Value == ",") {
		comma := e.words[0].Value == ","
		e.words = e.words[1:]
		b := e.and()
		a = answer{a.may || b.may, (a.must || b.must) && !comma}
	}
	return a
}

func (e *findExpression) and() answer {
	a := answer{true, true}
	for len(e.words) > 0 {
		switch e.words[0].Value {
		case "-o", "-or", ",", ")":
			return a
		case "-a", "-and":
			e.words = e.words[1:]
			continue
		}
		b := e.term()
		a = answer{a.may && b.may, a.must && b.must}
	}
	return a
}

func (e *findExpression) term() answer {
	w := e.words[0]
	e.words = e.words[1:]
	switch w.Value {
	case "!", "-not":
		if len(e.words) == 0 {
			return answer{may: true}
		}
		a := e.term()
		return answer{!a.must, !a.may}
	case "(":
		a := e.or()
		if len(e.words) > 0 {
			e.words = e.words[1:]
		}
		return a
	case "-exec", "-execdir", "-ok", "-okdir":
		for len(e.words) > 0 {
			end := e.words[0].Value == ";" || e.words[0].Value == "+"
			if e.words = e.words[1:]; end {
				break
			}
		}
		return answer{may: true}
	case "-print", "-print0", "-ls", "-prune", "-depth", "-xdev", "-mount", "-follow", "-daystart", "-empty", "-readable", "-writable", "-executable", "-noleaf",
		"-delete", "-quit", "-true", "-nouser", "-nogroup", "-ignore_readdir_race", "-warn", "-nowarn":
		return answer{may: true}
	}
	if len(e.words) == 0 || !w.Known || !e.words[0].Known {
		e.words = e.words[min(1, len(e.words)):]
		return answer{may: true}
	}
	value := e.words[0].Value
	e.words = e.words[1:]
	name := path.Base(e.below)
	plain := !strings.ContainsAny(value, `[\?`) && paths.IsASCII(value) && paths.IsASCII(name)
	switch w.Value {
	case "-name", "-iname":
		ok, _ := path.Match(value, name)
		return answer{paths.MayPass(w.Value+" "+value, name), ok && plain}
	case "-path", "-wholename", "-ipath":
		return answer{true, plain && strings.HasPrefix(value, "*/") && globAcross(value[1:], e.below)}
	case "-type":
		if value == "d" {
			return answer{}
		}
	}
	return answer{may: true}
}

// globAcross matches as find -path does: a star goes across slashes.
func globAcross(glob, text string) bool {
	parts := strings.Split(glob, "*")
	if !strings.HasPrefix(text, parts[0]) && !strings.Contains(text, parts[0]) {
		return false
	}
	text = text[strings.Index(text, parts[0])+len(parts[0]):]
	for i, part := range parts[1:] {
		if i == len(parts)-2 {
			return strings.HasSuffix(text, part)
		}
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return text == ""
}

// mayMatch reports whether a pattern of grep or ripgrep, in whatever dialect,
// may match in a text: each of the letters that a match must hold is there.
// It errs towards yes.
func mayMatch(pattern, text string) bool {
	text = strings.ToLower(strings.ToUpper(text))
	for alternative := range strings.SplitSeq(strings.ReplaceAll(strings.ReplaceAll(pattern, "\n", "|"), `\|`, "|"), "|") {
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
		case c == '{' || c == '[' || c == '(' && strings.HasPrefix(pattern[i+1:], "?"):
			return nil, false // a count, a class, a flag: the letters there are none
		case c == ')' && i+1 < len(pattern) && strings.IndexByte(`*?{\`, pattern[i+1]) >= 0:
			return nil, false // a group that may be left out
		case c != '\\':
			end(false)
		case i+1 == len(pattern):
			return nil, false
		default:
			i++
			switch c := pattern[i]; {
			case c == '?':
				end(true)
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
