package harm

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

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
		if len(c.Words) == 0 || printsNoContent(c) {
			continue
		}
		for _, r := range h.treesOf(i) {
			if name := h.printsFrom(r); name != "" {
				return name
			}
		}
	}
	return ""
}

// maxSearchedNames bounds the same for a search by the agent's own tool, of
// which there are many: what lies deeper in a larger tree is not looked at.
const maxSearchedNames = 5_000

// searchedBy names a secret below a directory that the agent's own search would
// print: it may hold what is looked for. Not every host heeds ignore files.
func (h *Secrets) searchedBy(dir string) string {
	var in struct {
		Pattern string `json:"pattern"`
		Mode    string `json:"output_mode"`
	}
	if h.Tool != "grep" || json.Unmarshal(h.Input, &in) != nil || in.Pattern == "" || in.Mode == "files_with_matches" ||
		in.Mode == "count" ||
		in.Mode == "" && h.Agent == "claude-code" { // which prints names unless it is told otherwise
		return ""
	}
	globs := slices.DeleteFunc(slices.Clone(h.Paths), func(name string) bool { return !strings.ContainsAny(name, "*?[{") })
	f := filter{options: options{program: "rg", operands: []string{in.Pattern}, values: map[string][]string{"-g": globs}}}
	s := sieve{secrets: h, filters: []filter{f}}
	return h.walkFor(dir, maxSearchedNames, func(name string, mode fs.FileMode) bool {
		return mode.IsRegular() && h.isSecretName(name) && f.selects(name) && s.holds(f, name)
	}, func(string) bool { return false })
}

// treeRead is what a command reads below a place, and the commands whose
// filters it passes before it is printed.
type treeRead struct {
	starts   []string
	commands []int
	opens    bool // each file is opened by its name, so that links are followed
}

// treesOf returns what a command reads that it does not name file by file.
func (h *Secrets) treesOf(command int) (reads []treeRead) {
	c, named := h.Report.Commands[command], false
	for _, e := range h.Report.Effects {
		if e.Command != command || e.Kind != shell.Read || e.Names {
			continue
		}
		named = named || e.Part == shell.PartWords
		switch {
		case e.Target == "" && e.From < e.To && e.To <= len(h.Report.Commands):
			r := treeRead{commands: []int{command}, opens: true}
			for i := e.From; i < e.To; i++ {
				r.commands = append(r.commands, i)
				r.starts = append(r.starts, h.startsOf(i)...)
			}
			reads = append(reads, r)
		case e.Target == "" || isInstalledTree(e.Target) || !e.Recursive && !(e.Pattern == "" && compares(c) && h.At.Machine.IsDirectory(e.Target)):
		case e.Pattern == "" || h.Report.Fed(e):
			reads = append(reads, treeRead{[]string{e.Target}, h.finders(command), h.Report.Fed(e)})
		case looksIntoDirectories(c):
			matched, _ := h.At.Machine.Matches(e.Pattern)
			reads = append(reads, treeRead{starts: matched, commands: []int{command}})
		}
	}
	if !named && searchesHere(c) {
		reads = append(reads, treeRead{starts: []string{h.At.Machine.Real(c.Dir)}, commands: []int{command}})
	}
	return reads
}

// compares recognises diff and git diff, which print what differs below two
// directories.
func compares(c shell.Command) bool {
	o := optionsOf(c)
	return o.program == "diff" || o.program == "git" && o.sub == "diff"
}

// finders are a command and the find that runs it.
func (h *Secrets) finders(command int) []int {
	if slices.Contains(h.Report.Commands[command].Wrappers, "find") {
		for i := command - 1; i >= 0; i-- {
			if path.Base(h.Report.Commands[i].Program) == "find" {
				return []int{command, i}
			}
		}
	}
	return []int{command}
}

// startsOf are the places below which a command names files.
func (h *Secrets) startsOf(command int) (starts []string) {
	for _, e := range h.Report.Effects {
		if e.Command == command && e.Kind == shell.Read && e.Target != "" {
			starts = append(starts, e.Target)
		}
	}
	c := h.Report.Commands[command]
	if c.Dir != "" &&
		(starts == nil && namesFiles(c) || path.Base(c.Program) == "ls") { // ls leaves out where a name lies
		starts = append(starts, h.At.Machine.Real(c.Dir))
	}
	return starts
}

// printsFrom walks what a command reads.
func (h *Secrets) printsFrom(r treeRead) string {
	s := newSieve(h, r.commands)
	for _, start := range r.starts {
		prints := func(name string, mode fs.FileMode) bool {
			return h.isSecretFile(name, mode, r.opens, s.follows()) && s.passes(start, name)
		}
		found := h.walkFor(start, maxBelow, prints, func(dir string) bool { return s.leavesOut(strings.TrimPrefix(dir, start)) })
		switch found {
		case "":
		case tooLarge:
			return start + ", which is too large to look through,"
		default:
			return found
		}
	}
	return ""
}

// tooLarge is what walkFor finds where it has not looked at all.
const tooLarge = "..."

// walkFor returns the first file below a directory that is sought, the shallow
// places first. What nobody but root can list is no concern.
func (h *Secrets) walkFor(start string, limit int, sought func(name string, mode fs.FileMode) bool, leftOut func(dir string) bool) string {
	for dirs := []string{start}; len(dirs) > 0; dirs = dirs[1:] {
		if leftOut(dirs[0]) {
			continue
		}
		entries, err := h.At.Machine.Files.Entries(cmp.Or(dirs[0], "/"), limit)
		if limit -= len(entries); err != nil {
			info, ferr := h.At.Machine.Files.Lstat(dirs[0])
			if errors.Is(err, fs.ErrPermission) || errors.Is(ferr, fs.ErrNotExist) ||
				ferr == nil && !info.Mode.IsDir() {
				continue // nobody can read it, or a file, which is judged by its name
			}
			return tooLarge
		}
		for _, e := range entries {
			name := strings.TrimSuffix(dirs[0], "/") + "/" + e.Name
			switch {
			case !e.Type.IsDir() && sought(name, e.Type), e.Name == ".git" && sought(name+"/config", 0):
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
		if info, err := h.At.Machine.Files.Lstat(real); err == nil && (follows || !info.Mode.IsDir()) &&
			h.At.Machine.TouchesSecret(real, info.Mode.IsDir()) {
			return true
		}
	}
	return h.isSecretName(name)
}

// isSecretName is [Secrets.touches] for many names. Few are looked at for
// themselves whether they are a second name of a secret; for many it is cheaper
// to know first that no secret has two.
func (h *Secrets) isSecretName(name string) bool {
	h.walked++
	return h.At.Machine.TouchesSecret(name, false) || (h.walked <= fewNames || len(h.withTwins()) > 0) && h.isTwin(name)
}

const fewNames = 64

// isInstalledTree reports whether a directory is among what the system's
// packages hold.
func isInstalledTree(dir string) bool {
	for _, top := range [...]string{"/usr/include", "/usr/lib", "/usr/share", "/usr/bin", "/usr/sbin", "/usr/src", "/usr/libexec", "/lib", "/nix/store"} {
		if view.Below(top, dir) {
			return true
		}
	}
	return false
}

// looksIntoDirectories reports whether a program reads what lies below a
// directory that it is given; those that do not are listed.
func looksIntoDirectories(c shell.Command) bool {
	switch path.Base(c.Program) {
	case "cat", "head", "tail", "less", "more", "sed", "awk", "gawk", "mawk", "sort", "uniq", "cut", "nl", "tac", "paste", "jq", "yq", "strings", "xxd", "od", "hexdump", "base64", "bat", "fold", "fmt", "rev", "column", "join", "comm", "expand", "shuf":
		return false
	case "grep", "egrep", "fgrep":
		o := optionsOf(c)
		return o.short("rRd") || o.longPrefix("--rec", "--deref", "--dir")
	}
	return true
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

// printsNoContent lists programs that say something about files, and nothing
// of what is in them.
func printsNoContent(c shell.Command) bool {
	if c.Foreign {
		return false
	}
	switch path.Base(c.Program) {
	case "black", "isort", "ruff", "terraform", "tofu", "packer", "shellcheck", "actionlint", "codespell", "hadolint", "shfmt", "typos", "yamllint", "helm", "bd", "tmutil":
		return true // of files of their own kind, at most
	case "wc", "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "shasum", "b2sum", "cksum", "file", "stat", "ls", "du", "find", "fd", "fdfind", "tokei", "cloc", "scc":
		return true
	case "grep", "egrep", "fgrep", "rg", "git":
		o := optionsOf(c)
		return o.isGrep() &&
			(o.short("lcq") || o.program == "rg" && o.long("--files", "--count-matches") || o.program != "rg" && o.short("L") ||
				o.long("--files-with-matches", "--files-without-match", "--count", "--quiet", "--silent", "--name-only", "--type-list"))
	}
	return false
}

// searchesHere reports whether a command searches the files of its directory
// without being told to.
func searchesHere(c shell.Command) bool {
	o := optionsOf(c)
	if c.Dir == "" || !o.isGrep() || o.program == "git" { // git's place is in its report
		return false
	}
	return o.program == "rg" || o.short("rR") || o.long("--recursive", "--dereference-recursive")
}
