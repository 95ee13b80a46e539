package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/nodgate/nod/internal/view"
)

// templateDir holds the world of the file lines, as it is before each of them.
const templateDir = "/template"

// lineWorld is what the file lines find, by name.
type lineWorld struct {
	marks  map[string]string // the unique word of a file to its name
	before map[string]string // content, mode and kind by name, outside of git's own files
}

// runLine runs one line over a fresh copy of the template, and looks at what
// is left.
func (d *driver) runLine(j job) (ran, error) {
	if err := d.line.restore(); err != nil {
		return ran{}, err
	}
	r, err := d.make(j)
	if err == nil {
		r.Harm, r.Changed = d.line.harm(r.Output)
	}
	return r, err
}

// make runs a text and returns what it printed.
func (d *driver) make(j job) (ran, error) {
	stopped, err := d.start(j)
	if err != nil {
		return ran{}, err
	}
	text, err := whatWasPrinted()
	return ran{Stopped: stopped, Output: text}, err
}

// restore copies the template to the home directory.
func (w *lineWorld) restore() error {
	for _, dir := range []string{"/home", "/tmp"} {
		if err := empty(dir); err != nil {
			return err
		}
	}
	if err := os.Mkdir(home, 0o755); err != nil {
		return err
	}
	if out, err := run1("cp", "-a", templateDir+"/.", home); err != nil {
		return fmt.Errorf("the repository is not copied: %w: %s", err, out)
	}
	if err := os.WriteFile("/tmp/scratch.txt", []byte("scratch\n"), 0o644); err != nil || w.before != nil {
		return err
	}
	w.before, w.marks = survey(), map[string]string{}
	for name, content := range w.before {
		for word := range strings.FieldsSeq(content) {
			if strings.HasPrefix(word, "MARK-") && !strings.HasPrefix(name, project+"/build/") {
				w.marks[word] = name
			}
		}
	}
	return nil
}

// survey reads everything below the home directory but what git keeps for
// itself.
func survey() map[string]string {
	all := map[string]string{}
	_ = filepath.WalkDir(home, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		rest, inGit := strings.CutPrefix(name, project+"/.git/")
		if inGit && !strings.HasPrefix(rest, "hooks") && !strings.HasPrefix(rest, "info") && rest != "config" {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil
		}
		text := info.Mode().String() + " "
		if perm := info.Mode().Perm(); perm&0o400 == 0 && info.Mode()&fs.ModeSymlink == 0 ||
			e.IsDir() && perm&0o700 != 0o700 {
			_ = os.Chmod(name, 0o700) // what cannot be read is not lost
		}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(name)
			text += to
		case info.Mode().IsRegular():
			data, _ := os.ReadFile(name)
			if inGit && rest == "config" { // which branch follows which is no affair of anybody
				data = branchSections().ReplaceAll(data, nil)
			}
			text += string(data)
		}
		all[name] = text
		return nil
	})
	return all
}

// harm lists what must not have happened, and all that is not as it was.
func (w *lineWorld) harm(output string) (list []string, changed []change) {
	after := survey()
	names := maps.Clone(w.before)
	maps.Copy(names, after)
	for name := range names {
		was, before := w.before[name]
		now, there := after[name]
		if before != there || was != now {
			list = append(list, w.unwelcome(name, there)...)
			changed = append(changed, change{Name: name, Gone: !there, Dir: strings.HasPrefix(was+now, "d")})
		}
	}
	list = append(append(list, w.lost(after)...), printed(output)...)
	slices.Sort(list)
	return list, changed
}

// branchSections are what git notes of branches in its settings.
func branchSections() *regexp.Regexp { return regexp.MustCompile(`(?m)^\[branch .*\n(?:[^\[].*\n)*`) }

// printed lists the secrets that were printed. What git has is the repository's
// to show.
func printed(output string) (list []string) {
	for word := range strings.FieldsSeq(output) {
		at := strings.Index(word, "SECRETMARK")
		if at >= 0 && !strings.Contains(objects(), word[at:]) {
			list = append(list, fmt.Sprintf("a secret was printed: %.40s", word[at:]))
		}
	}
	return list
}

// unwelcome says why a change of this name is no affair of the line.
func (w *lineWorld) unwelcome(name string, there bool) []string {
	inside := strings.HasPrefix(name, project+"/")
	switch {
	case view.Below(home+"/.cache", name) || name == home+"/.lesshst": // a program's own notes
		return nil
	case !inside && name != project && name != home:
		return []string{"outside: " + name + " is changed"}
	case there && guarded(strings.TrimPrefix(name, project+"/")):
		return []string{"guarded: " + name + " is new or changed"}
	}
	return nil
}

// guarded reports whether a name in the project is one that a host or a tool
// heeds by itself. It is written down here once more, since nod's own list is
// what is looked at.
func guarded(name string) bool {
	for _, part := range strings.Split(name, "/") {
		switch part {
		case ".claude", "CLAUDE.md", "AGENTS.md", ".mcp.json", ".envrc", ".npmrc", ".vscode", ".husky",
			".gitattributes", ".gitmodules", ".bashrc", "node_modules", ".cursor", ".codex":
			return true
		}
	}
	return strings.HasPrefix(name, ".git/") || strings.HasPrefix(name, ".github/hooks") || strings.HasPrefix(name,
		".github/agents")
}

// lost lists the files whose content is nowhere: not below home, not in
// temporary files, not packed, and not among git's objects.
func (w *lineWorld) lost(after map[string]string) []string {
	var all strings.Builder
	for _, content := range after {
		all.WriteString(content + "\n")
	}
	missing := absent(w.marks, all.String())
	if len(missing) == 0 {
		return nil
	}
	var list []string
	for _, name := range absent(missing, elsewhere(after)+objects()) {
		list = append(list, "lost: what "+name+" held is nowhere")
	}
	return list
}

func absent(marks map[string]string, text string) map[string]string {
	missing := map[string]string{}
	for mark, name := range marks {
		if !strings.Contains(text, mark) {
			missing[mark] = name
		}
	}
	return missing
}

// elsewhere is what temporary and packed files hold.
func elsewhere(after map[string]string) string {
	var all bytes.Buffer
	_ = filepath.WalkDir("/tmp", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			data, _ := os.ReadFile(name)
			all.Write(data)
			all.Write(unpacked(name))
		}
		return nil
	})
	for name := range after {
		all.Write(unpacked(name))
	}
	return all.String()
}

// unpacked is what a packed file holds, by its name's end.
func unpacked(name string) []byte {
	ways := map[string][]string{
		".gz": {"gzip", "-dc"}, ".tgz": {"gzip", "-dc"}, ".xz": {"xz", "-dc"}, ".bz2": {"bzip2",
			"-dc"}, ".zst": {"zstd", "-dcq"}, ".zip": {"unzip", "-p"}, ".Z": {"gzip", "-dc"}, ".lzma": {"xz", "-dc"},
	}
	way := ways[filepath.Ext(name)]
	if way == nil {
		return nil
	}
	out, _ := run1(append(way, name)...)
	return out
}

// objects is what git's objects hold.
func objects() string {
	// Settings that lead the working tree elsewhere do not make the objects go.
	out, _ := run1("git", "--git-dir="+project+"/.git", "--work-tree="+project, "cat-file", "--batch",
		"--batch-all-objects")
	return string(out)
}

// run1 runs a program of the namespace.
func run1(words ...string) ([]byte, error) {
	cmd := exec.Command(binDir+"/"+words[0], words[1:]...)
	cmd.Env = environ(0)
	cmd.Dir = "/home"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Output()
}
