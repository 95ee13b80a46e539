package harm

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// maxBelow bounds how many names are looked at for the secrets below what a
// command reads as a whole.
const maxBelow = 20_000

// secretBelow names a secret that a command of the line would come upon and
// print: it reads a whole tree, or what other commands name, the file passes
// their filters, and it may hold what is looked for.
func (h *Secrets) secretBelow() string {
	for i, c := range h.Report.Commands {
		if len(c.Words) == 0 {
			continue
		}
		for _, r := range h.treesOf(i) {
			found := h.printsFrom
			if c.Has(shell.PrintsFacts) && !guesses(h, c) {
				found = func(r treeRead) string { return optionsIn(h, r) }
			}
			if name := found(r); name != "" {
				return name
			}
		}
	}
	return ""
}

// mostAnswers is how many yes or no a line may be told of what lies below: a loop over
// an alphabet spells out a secret with more.
const mostAnswers = 2

// guesses reports whether a search that prints names or a count is one of many in the
// line, or looks for what nobody knows.
func guesses(h *Secrets, c shell.Command) bool {
	if !c.Has(shell.Searches) {
		return false
	}
	answers := 0
	for _, other := range h.Report.Commands {
		if other.Has(shell.Searches | shell.PrintsFacts) {
			answers++
		}
	}
	return answers > mostAnswers || !allKnown(c)
}

// movedSecret names a secret in a directory that the line moves, where it also
// reads what lies at a new place without naming it: no walk finds it there yet.
func (h *Secrets) movedSecret() string {
	var moved []shell.Effect
	for _, e := range h.Report.Effects {
		if e.Kind == shell.Delete && e.Moved {
			moved = append(moved, e)
		}
	}
	if !slices.ContainsFunc(moved, h.readsWhere) {
		return ""
	}
	for _, from := range moved {
		found := walkFor(h.At.Machine.Files, from.Target, maxBelow, func(name string, mode fs.FileMode) bool {
			return h.isSecretFile(name, mode, false, false)
		}, func(string) bool { return false })
		if found == tooLarge {
			return from.Target + ", which is too large to look through,"
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// readsWhere reports whether another command reads names that it does not say,
// where the command of this effect puts something.
func (h *Secrets) readsWhere(moved shell.Effect) bool {
	for _, to := range h.Report.Effects {
		if to.Command != moved.Command || to.Kind != shell.Write {
			continue
		}
		for _, e := range h.Report.Effects {
			if e.Kind == shell.Read && e.Command != to.Command && !e.Names &&
				(e.Recursive || e.Pattern != "" || e.Target == "") &&
				(view.Below(to.Target, e.Target) || view.Below(e.Target, to.Target)) &&
				!h.Report.By(e, shell.PrintsFacts) {
				return true
			}
		}
	}
	return false
}

// maxSearchedNames bounds the same for a search by the agent's own tool, of
// which there are many: what lies deeper in a larger tree is not looked at.
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
	f := filter{}
	if pattern, _ := in["pattern"].(string); pattern != "" { // else of some other name, and may be anything
		f.told.Patterns = []string{pattern}
	}
	globs := slices.DeleteFunc(slices.Clone(h.Paths),
		func(name string) bool { return !strings.ContainsAny(name, "*?[{") })
	f.told.Globs = globs
	s := sieve{secrets: h, filters: []filter{f}}
	return walkFor(h.At.Machine.Files, dir, maxSearchedNames, func(name string, mode fs.FileMode) bool {
		return mode.IsRegular() && h.isSecretName(name) && f.selects(name) && s.holds(f, name)
	}, func(string) bool { return false })
}

// treeRead is what a command reads below a place, and the commands whose
// filters it passes before it is printed.
type treeRead struct {
	starts   []string
	commands []int
	opens    bool // each file is opened by its name, so that links are followed
	links    bool // it takes the files of a kind alone, which are secrets where they are links to some
}

// treesOf returns what a command reads that it does not name file by file.
func (h *Secrets) treesOf(command int) (reads []treeRead) {
	c := h.Report.Commands[command]
	for _, e := range h.Report.Effects {
		if e.Command != command || e.Kind != shell.Read || e.Names {
			continue
		}
		switch {
		case e.Target == "" && e.From < e.To && e.To <= len(h.Report.Commands):
			r := treeRead{commands: []int{command}, opens: true}
			for i := h.lister(e); i < e.To; i++ {
				r.commands = append(r.commands, i)
				r.starts = append(r.starts, h.startsOf(i)...)
			}
			reads = append(reads, r)
		case e.Pattern == "" && c.Has(shell.Picks) && c.Finder == 0 && !c.Has(shell.Fed) && e.Target != "":
			if h.At.Machine.IsDirectory(e.Target) {
				reads = append(reads, treeRead{starts: []string{e.Target}, commands: []int{command}, links: true})
			}
		case e.Target == "" || isInstalledTree(e.Target) || !e.Recursive &&
			!(e.Pattern == "" && (c.Has(shell.Compares) || c.Has(shell.LooksInto)) &&
				h.At.Machine.IsDirectory(e.Target)):
		case e.Pattern == "": // named, and not what a search found
			reads = append(reads, treeRead{starts: []string{e.Target}, commands: []int{command},
				opens: h.Report.Fed(e)})
		case h.Report.Fed(e):
			r := treeRead{starts: []string{e.Target}, commands: h.finders(command), opens: true}
			if c.Finder > 0 {
				r.starts = append(r.starts, matchedBy(h, c.Finder-1)...)
			}
			reads = append(reads, r)
		case !c.Has(shell.Flat):
			matched, _ := h.At.Machine.Matches(e.Pattern)
			reads = append(reads, treeRead{starts: matched, commands: []int{command}})
		}
	}
	return reads
}

// lister is the first command of a pipe that has a part in the names which an effect is
// fed: what one that looks for names by itself is fed it does not read.
func (h *Secrets) lister(e shell.Effect) int {
	for i := e.To - 1; i > e.From; i-- {
		if c := h.Report.Commands[i]; namesFiles(c) && !c.Has(shell.Fed) &&
			(h.reads(i) || !c.Has(shell.Searches) && !c.Has(shell.PrintsLines)) {
			return i
		}
	}
	return e.From
}

// finders are a command and the search that runs it.
func (h *Secrets) finders(command int) []int {
	if finder := h.Report.Commands[command].Finder; finder > 0 {
		return []int{command, finder - 1}
	}
	return []int{command}
}

// startsOf are the places below which a command names files.
func (h *Secrets) startsOf(command int) (starts []string) {
	c := h.Report.Commands[command]
	for _, e := range h.Report.Effects {
		if e.Command == command && e.Kind == shell.Read && e.Target != "" && !e.Aside &&
			(!isGit(c) || e.Recursive || e.Names) { // the value of an option is no place where git looks
			starts = append(starts, e.Target)
		}
	}
	starts = append(starts, matchedBy(h, command)...)
	if isGit(c) && slices.ContainsFunc(gitOptionsOf(c).operands, leadsUp) {
		if r := h.At.RepositoryAt(h.gitDirectory(c)); r != nil {
			starts = append(starts, r.Top) // git ls-files .. names what lies above
		}
	}
	if c.Dir != "" &&
		(starts == nil && namesFiles(c) || c.Has(shell.BareNames)) {
		starts = append(starts, h.At.Machine.Real(c.Dir))
	}
	return starts
}

// matchedBy are the names that the globs of a command match: to find * each is a place
// of its own.
func matchedBy(h *Secrets, command int) (names []string) {
	for _, e := range h.Report.Effects {
		if e.Command == command && e.Kind == shell.Read && e.Pattern != "" && e.Names {
			matched, _ := h.At.Machine.Matches(e.Pattern)
			names = append(names, matched...)
		}
	}
	return names
}

// leadsUp reports whether a pathspec may name what does not lie below the directory.
func leadsUp(spec string) bool {
	return strings.HasPrefix(spec, ":") || strings.Contains(spec, "..") || path.IsAbs(spec)
}

// printsFrom walks what a command reads.
func (h *Secrets) printsFrom(r treeRead) string {
	s := newSieve(h, r.commands)
	handed := r.opens && !h.Report.Commands[r.commands[0]].Has(shell.Flat)
	dir := h.Report.Commands[r.commands[0]].Dir
	for _, start := range r.starts {
		apart := r.opens && s.fallsApart(dir, start)
		start = h.At.Machine.Real(start) // a glob may name a link
		if r.opens && (apart || inObjects(start) || path.Base(start) == ".git" ||
			!h.At.Machine.IsDirectory(start) && h.isSecretName(start)) {
			return start
		}
		var linked []string
		prints := func(name, shown string, mode fs.FileMode) bool {
			if mode&fs.ModeSymlink != 0 && (s.follows() || handed || h.standsForTracked(r, shown)) {
				linked = append(linked, shown)
			}
			return h.isSecretFile(name, mode, r.opens, s.follows()) &&
				// No search looks behind a link that it hands over.
				(handed && name != shown || s.passes(start, shown) || r.opens && spellsAnother(start, shown))
		}
		plain := func(name string, mode fs.FileMode) bool {
			if r.links {
				return mode&fs.ModeSymlink != 0 && h.isSecretFile(name, mode, true, false) || isSourceName(name) &&
					h.isSecretName(name)
			}
			return prints(name, name, mode) || r.opens && s.fallsApart(dir, name)
		}
		found := walkFor(h.At.Machine.Files, start, maxBelow, plain, func(dir string) bool {
			return s.leavesOut(start, strings.TrimPrefix(dir, start))
		})
		switch found = cmp.Or(found, h.behindLinks(&linked, prints)); found {
		case "":
		case tooLarge:
			return start + ", which is too large to look through,"
		default:
			return found
		}
	}
	return ""
}

// spellsAnother reports whether a name may be how a program prints another: git quotes
// what is not ASCII ("\303\251"), and ls -b what is no letter, so that what is handed on is
// that name and not the one that was picked.
func spellsAnother(start, name string) bool {
	return strings.ContainsAny(strings.TrimPrefix(name, start), `\"`)
}

// isSourceName reports whether a formatter or linter takes a file for one of its kind:
// .env.py is a secret by its name.
func isSourceName(name string) bool {
	switch path.Ext(name) {
	case ".py", ".pyi", ".ipynb", ".go", ".toml":
		return true
	}
	return false
}

// standsForTracked reports whether a link lies in the place of a directory that git
// tracks: git goes on to name the files below it, and to read them.
func (h *Secrets) standsForTracked(r treeRead, link string) bool {
	if !slices.ContainsFunc(r.commands, func(i int) bool { return isGit(h.Report.Commands[i]) }) {
		return false
	}
	at, ok := h.At.Repository(link)
	below := func(f repo.File) bool { return strings.HasPrefix(at.Top+"/"+f.Name, link+"/") }
	return ok && len(at.Tracked(below)) > 0
}

// fallsApart reports whether a name that is handed on as a word may be taken for
// several words, some of which name a secret or are options: shells and xargs take words apart at
// blanks, and expand what looks like a glob.
func (s sieve) fallsApart(dir, name string) bool {
	if !strings.ContainsAny(name, " \t\n\"'\\*?[") {
		return false
	}
	plain := strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(name)
	for piece := range strings.FieldsSeq(plain + " " + path.Base(plain)) { // ls prints the base alone
		if isOptionPiece(piece) {
			return true
		}
		if !path.IsAbs(piece) {
			piece = path.Join(dir, piece)
		}
		at := s.secrets.At
		matched, _ := at.Machine.Matches(piece)
		if slices.ContainsFunc(matched, func(m string) bool {
			return !at.Missing(m) && s.secrets.isSecretName(at.Machine.Real(m))
		}) {
			return true
		}
	}
	return false
}

// isOptionPiece reports whether a piece of a name may be an option of what is handed it.
func isOptionPiece(piece string) bool { return len(piece) > 1 && piece[0] == '-' }

// optionsIn names a file of which a piece may be an option of what is handed its name: of
// x --files0-from=.env the second is one to wc.
func optionsIn(h *Secrets, r treeRead) string {
	if !r.opens {
		return ""
	}
	for _, start := range r.starts {
		found := walkFor(h.At.Machine.Files, start, maxBelow, func(name string, _ fs.FileMode) bool {
			pieces := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(" \t\n\"'\\", r) })
			return len(pieces) > 1 && slices.ContainsFunc(pieces[1:], isOptionPiece)
		}, func(string) bool { return false })
		if found != "" && found != tooLarge {
			return found
		}
	}
	return ""
}

// maxLinked bounds how many links are followed below one place.
const maxLinked = 64

// behindLinks walks the directories to which links lead, and those of the links in
// them, which prints adds. A file there is shown under the name of the link.
func (h *Secrets) behindLinks(linked *[]string, prints func(name, shown string, mode fs.FileMode) bool) string {
	var seen []string
	for ; len(*linked) > 0; *linked = (*linked)[1:] {
		link := (*linked)[0]
		real := h.At.Machine.Real(link)
		if !h.At.Machine.IsDirectory(real) || slices.Contains(seen, real) {
			continue
		}
		if seen = append(seen, real); len(seen) > maxLinked {
			return tooLarge
		}
		if found := walkFor(h.At.Machine.Files, real, maxBelow, func(name string, mode fs.FileMode) bool {
			return prints(name, link+strings.TrimPrefix(name, real), mode)
		}, func(string) bool { return false }); found != "" {
			return found
		}
	}
	return ""
}

// ofGit are the files in a directory of git's that may hold a secret as text.
func ofGit() []string {
	return []string{"/config", "/COMMIT_EDITMSG", "/ADD_EDIT.patch", "/rebase-merge/patch", "/rebase-apply/patch"}
}

// tooLarge is what walkFor finds where it has not looked at all.
const tooLarge = "..."

// walkFor returns the first file below a directory that is sought, the shallow
// places first. What nobody but root can list is no concern.
func walkFor(
	files view.Files, start string, limit int,
	sought func(name string, mode fs.FileMode) bool, leftOut func(dir string) bool,
) string {
	for dirs := []string{start}; len(dirs) > 0; dirs = dirs[1:] {
		if leftOut(dirs[0]) {
			continue
		}
		entries, err := files.Entries(cmp.Or(dirs[0], "/"), limit)
		if limit -= len(entries); err != nil {
			info, ferr := files.Lstat(dirs[0])
			if errors.Is(err, fs.ErrPermission) || errors.Is(ferr, fs.ErrNotExist) ||
				errors.Is(ferr, syscall.ENOTDIR) || ferr == nil && !info.Mode.IsDir() {
				continue // nobody can read it, or a file, which is judged by its name
			}
			return tooLarge
		}
		for _, e := range entries {
			name := strings.TrimSuffix(dirs[0], "/") + "/" + e.Name
			switch {
			case !e.Type.IsDir() && sought(name, e.Type),
				e.Name == ".git" && !e.Type.IsRegular() &&
					slices.ContainsFunc(ofGit(), func(own string) bool { return sought(name+own, 0) }):
				return name
			case e.Type.IsDir() && e.Name != ".git" && !isInstalledName(e.Name):
				dirs = append(dirs, name)
			}
		}
	}
	return ""
}

// isSecretFile reports whether a file, or what a link leads to, is a secret.
func (h *Secrets) isSecretFile(name string, mode fs.FileMode, opens, follows bool) bool {
	if mode&fs.ModeSymlink != 0 {
		if !opens && !follows {
			return false
		}
		real := h.At.Machine.Real(name)
		if view.Below("/proc", real) {
			return true // it leads elsewhere for each process
		}
		if info, err := h.At.Machine.Files.Lstat(real); err == nil && (follows || !info.Mode.IsDir()) &&
			h.At.Machine.TouchesSecret(real, info.Mode.IsDir()) {
			return true
		}
	}
	return h.isSecretName(name)
}

// isSecretName is [Secrets.touches] for many names. Few are looked at for
// themselves whether they are a second name of a secret; for many it is cheaper to
// know first that no secret at its usual places has two.
func (h *Secrets) isSecretName(name string) bool {
	h.walked++
	return h.At.Machine.TouchesSecret(name, false) ||
		(h.walked <= fewNames || len(h.second().near()) > 0) && h.isTwin(name)
}

const fewNames = 64

// isInstalledTree reports whether a directory is among what the system's
// packages hold.
func isInstalledTree(dir string) bool {
	for _, top := range [...]string{"/usr/include", "/usr/lib", "/usr/share", "/usr/bin", "/usr/sbin", "/usr/src",
		"/usr/libexec", "/lib", "/nix/store"} {
		if view.Below(top, dir) {
			return true
		}
	}
	return false
}

// isInstalledName lists directories of code that was installed, which anybody
// may read elsewhere.
func isInstalledName(name string) bool {
	switch name {
	case "node_modules", "site-packages", ".venv", "venv", ".tox", "__pycache__":
		return true
	}
	return false
}
