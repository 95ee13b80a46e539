package arch

import (
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// step is one change that a how-to tells its reader to make. A how-to says it in
// a line of its own, with a block of code behind it where there is code:
//
//	New file `a/b.go`:
//	In `a/b.go`, above the line `text`:
//	In `a/b.go`, below the line `text`:
//	In `a/b.go`, at the end:
//	In `a/b.go`, put `new` in the place of `old`.
//
// A line is named by a text that stands in it, and in no other line of the file.
type step struct {
	verb, file, at, text string
}

var (
	stepLine = regexp.MustCompile(
		"(?m)^(?:[0-9]+\\. )?(New file|In) `([^`]+)`(?:, (above the line|below the line|at the end|put)(?: `(.+?)`)?(?: in the place of `(.+)`)?)?[:.]$")
	stepBlock = regexp.MustCompile("(?s)^\\s*?\n+```[a-z]*\n(.*?)\n```\n")
)

// stepsOf are the steps of a how-to, in its order, and the commands of its blocks of sh.
func stepsOf(t *testing.T, doc string) (steps []step, commands []string) {
	t.Helper()
	text := string(read(t, doc))
	for _, m := range stepLine.FindAllStringSubmatchIndex(text, -1) {
		part := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return text[m[2*i]:m[2*i+1]]
		}
		s := step{verb: part(3), file: part(2), at: part(4)}
		if s.verb == "put" {
			s.at, s.text = part(5), part(4)
		} else if block := stepBlock.FindStringSubmatch(text[m[1]:]); block != nil {
			s.text = block[1]
		} else {
			t.Fatalf("%s: no code stands behind %q", doc, text[m[0]:m[1]])
		}
		steps = append(steps, s)
	}
	for _, m := range regexp.MustCompile("(?s)\n```sh\n(.*?)\n```\n").FindAllStringSubmatch(text, -1) {
		commands = append(commands, m[1])
	}
	if n := len(regexp.MustCompile("(?m)^(?:[0-9]+\\. )?(?:New file|In) `").FindAllString(text, -1)); n != len(steps) {
		t.Fatalf("%s: %d lines begin as a step, and %d are written as a step is", doc, n, len(steps))
	}
	if len(steps) < 5 || len(commands) == 0 {
		t.Fatalf("%s: %d steps and %d commands were found", doc, len(steps), len(commands))
	}
	return steps, commands
}

// apply makes the change in a tree.
func (s step) apply(tree string) error {
	name := filepath.Join(tree, filepath.FromSlash(s.file))
	if s.verb == "" {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return os.WriteFile(name, []byte(s.text+"\n"), 0o600)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text, err := s.changed(string(data))
	if err != nil {
		return fmt.Errorf("%s: %w", s.file, err)
	}
	if strings.HasSuffix(s.file, ".go") {
		formatted, err := format.Source([]byte(text))
		if err != nil {
			return fmt.Errorf("%s after %q: %w", s.file, s.at, err)
		}
		text = string(formatted)
	}
	return os.WriteFile(name, []byte(text), 0o600)
}

func (s step) changed(text string) (string, error) {
	if s.verb == "at the end" {
		return text + "\n" + s.text + "\n", nil
	}
	if n := strings.Count(text, s.at); n != 1 {
		return "", fmt.Errorf("%q stands there %d times", s.at, n)
	}
	before, after, _ := strings.Cut(text, s.at)
	from, to := strings.LastIndex(before, "\n")+1, strings.Index(after, "\n")+1
	switch s.verb {
	case "put":
		return before + s.text + after, nil
	case "above the line":
		return before[:from] + s.text + "\n" + before[from:] + s.at + after, nil
	}
	return before + s.at + after[:to] + s.text + "\n" + after[to:], nil
}

// howTos are followed to the letter.
func howTos() []string { return []string{"docs/adding-an-agent.md", "docs/adding-a-provider.md"} }

// What a how-to says to change is there to be changed, and the result is Go.
func TestHowTosCanBeFollowed(t *testing.T) {
	for _, doc := range howTos() {
		steps, _ := stepsOf(t, doc)
		tree := t.TempDir()
		for _, s := range steps {
			if err := copyFile(filepath.Join(root, s.file), filepath.Join(tree, s.file)); err != nil {
				t.Errorf("%s: %v", doc, err)
			}
		}
		for _, s := range steps {
			if err := s.apply(tree); err != nil {
				t.Errorf("%s: %v", doc, err)
			}
		}
	}
}

// A reader who does what a how-to says, and opens nothing else, has what it
// promises: its commands succeed in a copy of the tree.
func TestHowTosAreRight(t *testing.T) {
	if os.Getenv("NOD_DEEP") == "" {
		t.Skip("left to the deep run (NOD_DEEP=1): two copies of the tree are built and tested")
	}
	for _, doc := range howTos() {
		t.Run(filepath.Base(doc), func(t *testing.T) {
			t.Parallel()
			tree := filepath.Join(t.TempDir(), "nod")
			run(t, root, "git clone -q . "+tree)
			steps, commands := stepsOf(t, doc)
			for _, s := range steps {
				if err := s.apply(tree); err != nil {
					t.Fatal(err)
				}
			}
			for _, command := range commands {
				run(t, tree, command)
			}
		})
	}
}

// run runs a block of commands as a person does who reads along.
func run(t *testing.T, dir, command string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-ec", command)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-buildvcs=false -trimpath", "HOME="+t.TempDir())
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY"} {
		cmd.Env = append(cmd.Env, name+"="+goEnv(t, name))
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s\n%v\n%s", command, err, out)
	}
}

// copyFile copies a file; a missing file stays missing.
func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode().Perm()|0o200)
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
