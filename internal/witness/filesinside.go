package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/nodgate/nod/internal/view"
)

// templateDir holds the world of the file lines, as it is before each of them.
const templateDir = "/template"

// lineWorld is what the file lines found, by name.
type lineWorld struct {
	marks   map[string]string // the unique word of a file to its name
	before  map[string]string // content, mode and kind by name, outside of git's own files
	git     string            // names, sizes and times of git's own files
	touched bool
}

// runLine runs one line over a fresh copy of the template, and looks at what
// is left.
func (d *driver) runLine(j job) (ran, error) {
	if d.line == nil {
		d.line = &lineWorld{touched: true}
	}
	if err := d.line.restore(); err != nil {
		return ran{}, err
	}
	j.Output = true
	stopped, err := d.start(j)
	if err != nil {
		return ran{}, err
	}
	r := ran{Stopped: stopped}
	if r.Output, err = whatWasPrinted(); err != nil {
		return r, err
	}
	r.Harm, r.Changed = d.line.harm(r.Output)
	if j.Trace {
		err = r.readTrace(j.Looks)
	}
	return r, err
}

// make runs the text that makes the template.
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
	if !w.touched {
		return nil
	}
	for _, dir := range []string{"/home", "/tmp"} {
		if err := empty(dir); err != nil {
			return err
		}
	}
	if err := copyTree(templateDir, home); err != nil {
		return err
	}
	if err := os.WriteFile("/tmp/scratch.txt", []byte("scratch\n"), 0o644); err != nil {
		return err
	}
	if w.before == nil {
		w.before, w.marks = survey(), map[string]string{}
		for name, content := range w.before {
			for word := range strings.FieldsSeq(content) {
				if strings.HasPrefix(word, "MARK-") && !strings.HasPrefix(name, project+"/build/") {
					w.marks[word] = name
				}
			}
		}
	}
	w.git, w.touched = gitState(), false
	return nil
}

// gitState is what tells whether a line changed git's own files, or temporary
// ones.
func gitState() string {
	var b strings.Builder
	for _, dir := range []string{project + "/.git", "/tmp", home + "/remote.git"} {
		_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if info, err := e.Info(); err == nil {
				fmt.Fprintf(&b, "%s %v %d %d\n", name, info.Mode(), info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return b.String()
}

// copyTree copies files, directories and links, with their times.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := to + strings.TrimPrefix(name, from)
		info, err := e.Info()
		if err != nil {
			return err
		}
		switch {
		case e.IsDir():
			return os.MkdirAll(target, info.Mode().Perm()|0o700) // what lies in it has to be made
		case info.Mode()&fs.ModeSymlink != 0:
			text, err := os.Readlink(name)
			if err != nil {
				return err
			}
			return os.Symlink(text, target)
		case info.Mode()&fs.ModeNamedPipe != 0:
			return syscall.Mkfifo(target, uint32(info.Mode().Perm()))
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, data, info.Mode().Perm()); err != nil {
			return err
		}
		return os.Chtimes(target, info.ModTime(), info.ModTime())
	})
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
			if rest == "config" && inGit {
				data = withoutBranches(data)
			}
			text += string(data)
		}
		all[name] = text
		return nil
	})
	return all
}

// withoutBranches takes away what git notes of branches in its settings: which
// one follows which.
func withoutBranches(config []byte) []byte {
	var kept []byte
	skip := false
	for line := range bytes.Lines(config) {
		if bytes.HasPrefix(line, []byte("[")) {
			skip = bytes.HasPrefix(line, []byte("[branch "))
		}
		if !skip {
			kept = append(kept, line...)
		}
	}
	return kept
}

// harm lists what must not have happened.
func (w *lineWorld) harm(output string) (list []string, changed []change) {
	after := survey()
	for name, was := range w.before {
		if now, ok := after[name]; !ok || now != was {
			w.touched = true
			list = append(list, w.unwelcome(name, ok)...)
			changed = append(changed, change{Name: name, Gone: !ok, Dir: strings.HasPrefix(was, "d")})
		}
	}
	for name := range after {
		if _, ok := w.before[name]; !ok {
			w.touched = true
			changed = append(changed, change{Name: name, Dir: strings.HasPrefix(after[name], "d")})
			list = append(list, w.unwelcome(name, true)...)
		}
	}
	list = append(list, w.lost(after)...)
	if at := strings.Index(output, "SECRETMARK"); at >= 0 {
		list = append(list, fmt.Sprintf("a secret was printed: %.40s", output[at:]))
	}
	now := gitState()
	w.touched = w.touched || w.git != now
	list = append(list, w.takenIn(now)...)
	slices.Sort(list)
	return list, changed
}

// takenIn lists the objects that git made of a secret.
func (w *lineWorld) takenIn(now string) (list []string) {
	for line := range strings.Lines(now) {
		name, _, _ := strings.Cut(line, " ")
		id, loose := strings.CutPrefix(name, project+"/.git/objects/")
		if !loose || strings.Contains(w.git, name+" ") || len(id) < len("ab/")+38 || strings.HasPrefix(id, "pack/") {
			continue
		}
		out, _ := run1("git", "--git-dir="+project+"/.git", "--work-tree="+project, "cat-file", "-p",
			strings.Replace(id, "/", "", 1))
		if at := strings.Index(string(out), "SECRETMARK"); at >= 0 {
			list = append(list, fmt.Sprintf("a secret was taken into git: %.40s", out[at:]))
		}
	}
	return list
}

// readTrace takes what strace wrote down.
func (r *ran) readTrace(looks bool) error {
	data, err := os.ReadFile(recDir + "/trace")
	if err != nil {
		return err
	}
	if looks {
		r.Looked = looked(string(data))
	}
	for line := range strings.Lines(string(data)) {
		switch {
		case strings.Contains(line, "sa_family=AF_INET"):
			r.Connected = append(r.Connected, strings.TrimSpace(line))
		case strings.Contains(line, " execve(\"") && strings.HasSuffix(line, " = 0\n"):
			_, rest, _ := strings.Cut(line, " execve(\"")
			file, _, _ := strings.Cut(rest, "\"")
			if file != "/usr/bin/bash" || len(r.Started) > 0 {
				r.Started = append(r.Started, started{Words: []string{file}})
			}
		}
	}
	return nil
}

// unwelcome says why a change of this name is no affair of the line.
func (w *lineWorld) unwelcome(name string, there bool) []string {
	inside := strings.HasPrefix(name, project+"/")
	switch {
	case ownNotes(name):
		return nil
	case !inside && name != project && name != home:
		return []string{"outside: " + name + " is changed"}
	case there && guarded(strings.TrimPrefix(name, project+"/")):
		return []string{"guarded: " + name + " is new or changed"}
	}
	return nil
}

// ownNotes reports whether a program keeps caches, logs and its own state there,
// which no sheet speaks of. Each place is named: one that begins as a program is
// called may hold settings (~/.gitconfig, ~/.ssh).
func ownNotes(name string) bool {
	for _, dir := range []string{".npm", ".gnupg", ".cache", ".local", ".rustup", ".cargo", ".java", ".lesshst",
		".config/configstore", ".config/pip", ".config/go", ".config/procps", "go", ".ansible",
		".ansible-console_history", ".rpmdb", ".inxi", ".config/rclone", ".config/neofetch"} {
		if view.Below(home+"/"+dir, name) {
			return true
		}
	}
	return name == home+"/.config" // the directory itself
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
	w.touched = true
	missing = absent(missing, elsewhere(after))
	if len(missing) == 0 {
		return nil
	}
	missing = absent(missing, objects())
	var list []string
	for _, name := range missing {
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
	cmd.Dir = home
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Output()
}
