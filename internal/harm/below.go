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
			if c.Has(shell.PrintsFacts) {
				continue // names and numbers
			}
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
	return walkFor(h.At.Machine.Files, dir, maxSearchedNames, func(name string, mode fs.FileMode) bool {
		return mode.IsRegular() && h.isSecretName(name) && s.selects(name) && s.holds(name)
	}, func(string) bool { return false })
}

// treeRead is what a command reads below places.
type treeRead struct {
	starts  []string
	command shell.Command
	picks   bool // it takes the files of its kind alone, and opens each by its name
}

// treesOf returns what a command reads that it does not name file by file.
func (h *Secrets) treesOf(command int) (reads []treeRead) {
	c := h.Report.Commands[command]
	for _, e := range h.Report.Effects {
		if e.Command != command || e.Kind != shell.Read || e.Names {
			continue
		}
		switch {
		case e.Pattern == "" && c.Has(shell.Picks) && e.Target != "":
			if h.At.Machine.IsDirectory(e.Target) {
				reads = append(reads, treeRead{starts: []string{e.Target}, command: c, picks: true})
			}
		case e.Target == "" || isInstalledTree(e.Target) || !e.Recursive &&
			!(e.Pattern == "" && (c.Has(shell.Compares) || c.Has(shell.LooksInto)) &&
				h.At.Machine.IsDirectory(e.Target)):
		case e.Pattern == "": // named, and not what a search found
			reads = append(reads, treeRead{starts: []string{e.Target}, command: c})
		case !c.Has(shell.Flat):
			matched, _ := h.At.Machine.Matches(e.Pattern)
			reads = append(reads, treeRead{starts: matched, command: c})
		}
	}
	return reads
}

// maxLinked bounds how many links are followed below what a command reads.
const maxLinked = 64

// printsFrom walks what a command reads.
func (h *Secrets) printsFrom(r treeRead) string {
	s := newSieve(h, r.command)
	starts, named := slices.Clone(r.starts), len(r.starts)
	for i := 0; i < len(starts) && i < named+maxLinked; i++ {
		start := h.At.Machine.Real(starts[i]) // a glob may name a link
		prints := func(name string, mode fs.FileMode) bool {
			if mode&fs.ModeSymlink != 0 && s.Has(shell.Follows) && !slices.Contains(starts, h.At.Machine.Real(name)) {
				starts = append(starts, h.At.Machine.Real(name))
			}
			return h.isSecretFile(name, mode, r.picks, s.Has(shell.Follows)) &&
				(r.picks && (mode&fs.ModeSymlink != 0 || isSourceName(name)) || !r.picks && s.passes(start, name))
		}
		switch found := walkFor(h.At.Machine.Files, start, maxBelow, prints, func(dir string) bool {
			return dir != start && s.staysOut()
		}); found {
		case "":
		case tooLarge:
			return start + ", which is too large to look through"
		default:
			return found
		}
	}
	if len(starts) > named+maxLinked {
		return r.starts[0] + ", which has too many links to look through"
	}
	return ""
}

// isSourceName reports whether a formatter or linter takes a file for one of its kind:
// .env.py is a secret by its name.
func isSourceName(name string) bool {
	return slices.Contains([]string{".py", ".pyi", ".ipynb", ".go", ".toml"}, path.Ext(name))
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
				e.Name == ".git" && e.Type.IsDir() && sought(name+"/config", 0):
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

func (h *Secrets) isSecretName(name string) bool { return h.At.Machine.TouchesSecret(name, false) }

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
	return slices.Contains([]string{"node_modules", "site-packages", ".venv", "venv", ".tox", "__pycache__"}, name)
}
