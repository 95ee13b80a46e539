package harm

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// maxBelow bounds how many names are looked at for the secrets below what a command reads as a whole.
const maxBelow = 20_000

// secretBelow names a secret that a command of the line would come upon and print: it
// reads a whole tree, the file passes its filters, and it may hold what is looked for.
func (h *Secrets) secretBelow() string {
	for _, e := range h.Report.Effects {
		if e.Kind != shell.Read || e.Names || e.Target == "" || e.Command < 0 {
			continue
		}
		c := h.Report.Commands[e.Command]
		if len(c.Words) == 0 || c.Has(shell.PrintsFacts) { // names and numbers
			continue
		}
		if name := h.printsFrom(c, h.startsOf(c, e), e.Pattern == "" && c.Has(shell.Picks)); name != "" {
			return name
		}
	}
	return ""
}

// startsOf are the places below which a command reads what it does not name file by file.
func (h *Secrets) startsOf(c shell.Command, e shell.Effect) []string {
	isDir := h.At.Machine.IsDirectory(e.Target)
	inTree := func(top string) bool { return view.Below(top, e.Target) }
	switch {
	case e.Pattern == "" && c.Has(shell.Picks) && isDir:
		return []string{e.Target}
	case e.Pattern == "" && c.Has(shell.Picks) || anyOf("trees", inTree): // of what the system's packages hold
	case e.Pattern == "" && (e.Recursive || isDir && (c.Has(shell.Compares) || c.Has(shell.LooksInto))):
		return []string{e.Target}
	case e.Pattern != "" && e.Recursive && !c.Has(shell.Flat):
		matched, _ := h.At.Machine.Matches(e.Pattern)
		return matched
	}
	return nil
}

// maxSearchedNames bounds the same for a search by the agent's own tool. Such searches are
// frequent: what lies deeper in a larger tree is not looked at.
const maxSearchedNames = 5_000

// searchedBy names a secret below a directory that the agent's own search would
// print: it may hold what is looked for. Not every host heeds ignore files.
func (h *Secrets) searchedBy(dir string) string {
	if h.Tool != "grep" {
		return ""
	}
	in := map[string]any{} // by the very keys: a field of a struct would take those of another case, too
	_ = json.Unmarshal(h.Input, &in)
	mode, said := in["output_mode"]
	names := mode == "files_with_matches" || mode == "count"
	if h.Agent == "claude-code" && (names || !said || mode == "") || h.Agent == "copilot" && names {
		return "" // Claude Code prints names unless it is told otherwise
	}
	s := sieve{secrets: h}
	if pattern, _ := in["pattern"].(string); pattern != "" { // else of some other name, and may be anything
		s.told.Patterns = []string{pattern}
	}
	s.told.Globs = slices.DeleteFunc(slices.Clone(h.Paths),
		func(name string) bool { return !strings.ContainsAny(name, "*?[{") })
	return h.walkFor(dir, maxSearchedNames, func(name string, mode fs.FileMode) bool {
		return mode.IsRegular() && h.touches(name, false) && s.selects(name) && s.holds(name)
	}, func(string) bool { return false })
}

// maxLinked bounds how many links are followed below what a command reads.
const maxLinked = 64

// printsFrom walks what a command reads below places. With picks it takes the files of its
// kind alone, and opens each by its name.
func (h *Secrets) printsFrom(c shell.Command, places []string, picks bool) string {
	s, starts := newSieve(h, c), slices.Clone(places)
	follows := s.Has(shell.Follows)
	for i := 0; i < len(starts); i++ {
		if i == len(places)+maxLinked {
			return places[0] + ", which has too many links to look through"
		}
		start := h.At.Machine.Real(starts[i]) // a glob may name a link
		prints := func(name string, mode fs.FileMode) bool {
			isLink := mode&fs.ModeSymlink != 0
			if isLink && follows && !slices.Contains(starts, h.At.Machine.Real(name)) {
				starts = append(starts, h.At.Machine.Real(name))
			}
			return h.isSecretFile(name, isLink, picks, follows) &&
				(picks && (isLink || listed("sources", path.Ext(name))) || !picks && s.passes(start, name))
		}
		found := h.walkFor(start, maxBelow, prints, func(string) bool {
			return s.Has(shell.LooksInto) || s.Has(shell.Shallow) && !s.anyPattern() // it looks into none below
		})
		if found == tooLarge {
			return start + ", which is too large to look through"
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// tooLarge is what walkFor finds where it has not looked at all.
const tooLarge = "..."

// walkFor returns the first file below a directory that is sought, the shallow places
// first. A directory that only root can list does not count.
func (h *Secrets) walkFor(
	start string, limit int, sought func(name string, mode fs.FileMode) bool, leftOut func(dir string) bool,
) (found string) {
	_ = view.Walk(h.At.Machine.Files, start, limit, func(name string, kind fs.FileMode, err error) error {
		isGit := path.Base(name) == ".git"
		switch {
		case err != nil && !h.unlistable(name, err):
			found = tooLarge
		case err != nil || kind.IsDir() && !isGit && (listed("installed", path.Base(name)) || leftOut(name)):
			return fs.SkipDir
		case kind.IsDir() && !isGit:
			return nil
		case sought(name, kind), isGit && kind.IsDir() && sought(name+"/config", 0):
			found = name
		default:
			return fs.SkipDir
		}
		return fs.SkipAll
	})
	return found
}

// unlistable reports whether a directory holds nothing for anybody: it may not be read, or it
// is no directory. A file is judged by its name.
func (h *Secrets) unlistable(dir string, err error) bool {
	info, ferr := h.At.Machine.Files.Lstat(dir)
	return errors.Is(err, fs.ErrPermission) || errors.Is(ferr, fs.ErrNotExist) || errors.Is(ferr, syscall.ENOTDIR) ||
		ferr == nil && !info.Mode.IsDir()
}

// isSecretFile reports whether a file, or what a link leads to, is a secret.
func (h *Secrets) isSecretFile(name string, isLink, opens, follows bool) bool {
	if isLink && !opens && !follows {
		return false
	}
	if isLink {
		real := h.At.Machine.Real(name)
		info, err := h.At.Machine.Files.Lstat(real)
		if view.Below("/proc", real) || // it leads elsewhere for each process
			err == nil && (follows || !info.Mode.IsDir()) && h.touches(real, info.Mode.IsDir()) {
			return true
		}
	}
	return h.touches(name, false)
}

// sieve is what files must pass below a place that a command reads. A file passes if nobody can
// say whether it does. Few of the options that leave files out are heeded.
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

// passes reports whether the command may read a file.
func (s sieve) passes(start, name string) bool {
	below := strings.TrimPrefix(name, start)
	switch {
	case s.Has(shell.Git):
		return s.throughGit(name)
	case s.skipsHidden() && strings.Contains(below, "/.") && !(s.Is.Has(shell.SkipsIgnored) && s.shown(name)),
		s.Has(shell.SkipsIgnored) && !s.whitelists() && s.ignored(start, name),
		leftOut(s.told.Prune, below), leftOut(s.told.PruneDirs, path.Dir(below)):
		return false
	}
	hasExtension := len(s.told.Extensions) == 0 || slices.ContainsFunc(s.told.Extensions, func(e string) bool {
		return e == "*" || strings.HasSuffix(strings.ToLower(name), "."+strings.ToLower(strings.TrimPrefix(e, ".")))
	})
	return hasExtension && (!s.Has(shell.Searches) || s.selects(name) && s.holds(name))
}

// throughGit knows what git ls-files, git diff and git grep look at.
func (s sieve) throughGit(name string) bool {
	r := s.secrets.At.Repository(path.Dir(name))
	if r != nil && !s.Has(shell.Outside) && !s.Has(shell.Untracked) && !r.Tracks(name) &&
		!(takesFiles(s.secrets) && (s.secrets.unignores() || !r.PassesOver(name, false))) {
		return false
	}
	if r != nil && s.Has(shell.Standard) && !(s.Has(shell.Cached) && r.Tracks(name)) && s.ignored(r.Top, name) {
		return false
	}
	return !s.Has(shell.Searches) || s.holds(name)
}

// ownIgnores reports whether ignore files that rg and fd go by, and git does not, lie in
// the directory of a name or above it.
func (s sieve) ownIgnores(name string) bool {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		for _, base := range [...]string{".ignore", ".rgignore", ".fdignore"} {
			if !s.secrets.At.Missing(path.Join(dir, base)) {
				return true
			}
		}
		if dir == "/" || dir == "." {
			return false
		}
	}
}

// shown reports whether an ignore file may bring back a hidden name: rg and fd look there then.
func (s sieve) shown(name string) bool {
	r := s.secrets.At.Repository(path.Dir(name))
	return s.secrets.unignores() || s.ownIgnores(name) || r != nil && r.BringsBack(name)
}

// ignored reports whether the ignore files of the repository certainly name a file, no
// other kind of ignore file may say otherwise, and the search does not start in what they name.
func (s sieve) ignored(start, name string) bool {
	r := s.secrets.At.Repository(path.Dir(name))
	return r != nil && r.PassesOver(name, false) && !s.secrets.unignores() && !s.ownIgnores(name) &&
		!r.PassesOver(strings.TrimSuffix(start, "/")+"/anything", false)
}

// selects reports whether the options of a search about names may let a file pass.
func (s sieve) selects(name string) bool {
	base := path.Base(name)
	globs := slices.DeleteFunc(slices.Concat(s.told.Include, s.told.Globs), func(glob string) bool {
		return strings.HasPrefix(glob, "!") || strings.HasPrefix(glob, "#") || strings.TrimSpace(glob) == ""
	})
	if len(globs) > 0 {
		// What no option means is searched where names are left out first, or by a file.
		return s.told.ExcludesFirst || slices.ContainsFunc(s.Words, func(w shell.Word) bool {
			return strings.HasPrefix(w.Value, "--exclude-f")
		}) || slices.ContainsFunc(globs, func(glob string) bool { return mayMean(glob, base) })
	}
	for _, glob := range slices.Concat(s.told.Exclude, s.told.Globs) {
		ok, _ := path.Match(strings.TrimPrefix(glob, "!"), base)
		if ok && !strings.ContainsAny(glob, `[\{`) {
			return false
		}
	}
	return len(s.told.Kinds) == 0 || s.Has(shell.Follows) ||
		slices.ContainsFunc(s.told.Kinds, func(k string) bool { return !listed("source-types", k) })
}

// leftOut reports whether globs surely name a part of a path. A slash at the end is no part of a glob.
func leftOut(globs []string, below string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		return !strings.ContainsAny(glob, `[\`) &&
			slices.ContainsFunc(strings.Split(below, "/"), func(part string) bool {
				ok, _ := path.Match(strings.TrimSuffix(glob, "/"), part)
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

// whitelists reports whether a glob brings back what else is left out.
func (s sieve) whitelists() bool {
	return slices.ContainsFunc(s.told.Globs, func(g string) bool { return !strings.HasPrefix(g, "!") })
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

// mayMatch reports whether a pattern of grep or ripgrep, in any dialect, may match
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

// takesFiles reports whether a command of the line may put files into git's index, which others then list and search.
func takesFiles(h *Secrets) bool {
	return slices.ContainsFunc(h.Report.Effects, func(e shell.Effect) bool {
		return e.Command >= 0 && (e.Kind == shell.Write || e.Kind == shell.Delete) && e.Target != "/dev/null" &&
			isGit(h.Report.Commands[e.Command])
	})
}
