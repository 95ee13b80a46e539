package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

// perWorld is how many lines in a row are run over one repository.
const perWorld = 80

// turnsOf is what somebody made of the repository of a number; nothing of every
// eighth.
func turnsOf(number uint64) (taken []string, err error) {
	data, err := texts.ReadFile("texts/turns.txt")
	if err != nil || number%8 == 0 {
		return nil, err
	}
	list := slices.DeleteFunc(strings.Split(string(data), "\n"),
		func(line string) bool { return line == "" || line[0] == '#' })
	r := rand.New(rand.NewPCG(number, 0x7475726e))
	for range 2 + r.IntN(7) {
		taken = append(taken, list[r.IntN(len(list))])
	}
	return taken, nil
}

// over returns a stage for lines over a repository, which it makes in a namespace.
// It lies in the stage's directory lines, which the caller may remove.
func (s *stage) over(turns []string) (*stage, error) {
	dir, err := os.MkdirTemp(s.dir, "template-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o777); err != nil { // whoever the namespace runs as
		return nil, err
	}
	script, err := texts.ReadFile("texts/repository.sh")
	if err != nil {
		return nil, err
	}
	for _, turn := range turns {
		script = fmt.Appendf(script, "( %s ) >/dev/null 2>&1 </dev/null || true\n", turn)
	}
	made := *s
	made.lines, made.turns = dir, turns
	return &made, made.build(string(script))
}

// build runs a script in the home directory of the stage's repository.
func (s *stage) build(script string) error {
	making := *s
	making.making = true
	b, err := making.open()
	if err != nil {
		return err
	}
	defer b.close()
	r, err := b.run(job{Shell: "bash", Text: script + "echo made\n", Make: true})
	if err == nil && !strings.HasSuffix(r.Output, "made\n") {
		err = fmt.Errorf("the repository is not made: %s\n%q", r.Output, s.turns)
	}
	return err
}

// seen is the template as nod sees it: below home what lies in the directory,
// elsewhere the programs of this machine.
type seen struct {
	dir  string
	rest *view.Memory
}

var _ view.Files = seen{}

func newSeen(dir string) seen {
	m := viewOf(nil)
	for _, dir := range []string{binDir, sbinDir} {
		list, _ := os.ReadDir(dir) // a directory that is not there holds no program
		for _, e := range list {
			m.File(dir+"/"+e.Name(), "\x7fELF", 0o755)
		}
	}
	for _, name := range []string{"self", "thread-self"} { // links of a process, as on every Linux
		m.Dir("/proc/"+name, 0o555).Link("/proc/"+name+"/cwd", project).Link("/proc/"+name+"/root", "/")
	}
	m.Dir("/tmp", 0o777|os.ModeSticky).File("/tmp/scratch.txt", "scratch\n", 0o644).Dir("/home", 0o755)
	return seen{dir, m}
}

// at is who knows a name, and how that name is called there.
func (s seen) at(name string) (view.Files, string) {
	if view.Below(home, name) {
		return view.Disk{}, s.dir + strings.TrimPrefix(name, home)
	}
	return s.rest, name
}

// Lstat implements view.Files.
func (s seen) Lstat(name string) (view.Info, error) {
	f, name := s.at(name)
	return f.Lstat(name)
}

// Readlink implements view.Files.
func (s seen) Readlink(name string) (string, error) {
	f, name := s.at(name)
	return f.Readlink(name)
}

// Read implements view.Files.
func (s seen) Read(name string, limit int64) ([]byte, error) {
	f, name := s.at(name)
	return f.Read(name, limit)
}

// List implements view.Files.
func (s seen) List(name string, limit int) ([]string, error) {
	f, name := s.at(name)
	return f.List(name, limit)
}

// ofLines is the world of the file lines, with the gate over it.
func (w *worlds) ofLines(s *stage) *world {
	if w.lines == nil {
		files := newSeen(s.lines)
		w.lines = &world{0, files, nod.New(nod.Options{Rules: nod.DefaultRules(), Files: files, Home: home,
			Self: []string{home + "/.config/nod"}, UnrecordedRuns: true})}
	}
	return w.lines
}

// oneLine asks about a line, and runs it where it is allowed.
func (w *witnessing) oneLine(s *stage, b *bed, worlds *worlds, seed uint64, text string) error {
	shell, dialect := s.shellOf(seed)
	d := w.ask(worlds.ofLines(s), seed, text, dialect)
	w.generated(d.Verdict == nod.Allow)
	if d.Verdict != nod.Allow {
		return nil
	}
	r, err := b.run(job{Shell: shell, Text: text, Line: true, Seed: seed})
	if err != nil {
		return err
	}
	var found []string
	if len(r.Harm) > 0 {
		found = append(slices.Compact(r.Harm), "allowed: "+d.Reason, fmt.Sprintf("the repository: %q", s.turns))
	}
	w.book(seed, text, shell, r, found)
	return nil
}

// shellOf is the shell that runs the line of a number: bash for most.
func (s *stage) shellOf(seed uint64) (name string, dialect nod.Dialect) {
	switch {
	case seed%6 == 4 && s.shells["zsh"] != "":
		return "zsh", nod.Zsh
	case seed%6 == 5 && s.shells["dash"] != "":
		return "dash", nod.Posix
	}
	return "bash", nod.Bash
}
