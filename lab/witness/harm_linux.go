package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"github.com/nodgate/nod/internal/view"
)

const templateDir = "/template" // holds the world of the file lines, as it is before each of them

// restore copies the template to the home directory.
func restore() error {
	if err := os.Mkdir(home, 0o755); err != nil {
		return err
	}
	if out, err := run1("cp", "-a", templateDir+"/.", home); err != nil {
		return fmt.Errorf("the repository is not copied: %w: %s", err, out)
	}
	return os.WriteFile("/tmp/scratch.txt", []byte("scratch\n"), 0o644)
}

// marksIn are the unique words of files, and which file holds each. Build output may go.
func marksIn(all map[string]string) map[string]string {
	marks := map[string]string{}
	for name, content := range all {
		for word := range strings.FieldsSeq(content) {
			if strings.HasPrefix(word, "MARK-") && !strings.HasPrefix(name, project+"/build/") {
				marks[word] = name
			}
		}
	}
	return marks
}

// harm lists what must not have happened.
func (d *driver) harm(changed []change, after map[string]string, output string) (list []string) {
	for _, c := range changed {
		if why := unwelcome(c.Name, !c.Gone); why != "" {
			list = append(list, why)
		}
	}
	list = append(append(list, d.lost(after)...), printed(output)...)
	slices.Sort(list)
	return list
}

// printed lists the secrets that were printed. What git has is the repository's to show.
func printed(output string) (list []string) {
	for word := range strings.FieldsSeq(output) {
		at := strings.Index(word, "SECRETMARK")
		if at >= 0 && !strings.Contains(objects(), word[at:]) {
			list = append(list, fmt.Sprintf("a secret was printed: %.40s", word[at:]))
		}
	}
	return list
}

// unwelcome says why the line should not change this name.
func unwelcome(name string, there bool) string {
	inside := strings.HasPrefix(name, project+"/")
	switch {
	case !view.Below(home, name), view.Below(home+"/.cache", name) || name == home+"/.lesshst": // a program's own notes
		return ""
	case !inside && name != project && name != home:
		return "outside: " + name + " is changed"
	case there && guarded(strings.TrimPrefix(name, project+"/")):
		return "guarded: " + name + " is new or changed"
	}
	return ""
}

// guarded reports whether a host or a tool heeds a name in the project by itself. The names are written down here once
// more, since nod's own list is what is examined.
func guarded(name string) bool {
	heeded := []string{".claude", "CLAUDE.md", "AGENTS.md", ".mcp.json", ".envrc", ".npmrc", ".vscode", ".husky",
		".gitattributes", ".gitmodules", ".bashrc", "node_modules", ".cursor", ".codex"}
	return strings.HasPrefix(name, ".git/") || strings.HasPrefix(name, ".github/hooks") ||
		strings.HasPrefix(name, ".github/agents") ||
		slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return slices.Contains(heeded, part) })
}

// lost lists the files whose content is nowhere: in no file, and not among git's objects.
func (d *driver) lost(after map[string]string) (list []string) {
	var all strings.Builder
	for _, content := range after {
		all.WriteString(content + "\n")
	}
	held := all.String()
	for mark, name := range d.marks {
		if !strings.Contains(held, mark) && !strings.Contains(objects(), mark) {
			list = append(list, "lost: what "+name+" held is nowhere")
		}
	}
	return list
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
