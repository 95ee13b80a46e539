package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

const perWorld = 80 // how many lines in a row are run over one repository

// turnsOf is what somebody made of the repository of a number; nothing of every eighth.
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

// seenOf is the template as nod sees it, and elsewhere the programs of this machine.
func seenOf(template string) (*view.Memory, error) {
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
	return m, filepath.WalkDir(template, func(file string, _ fs.DirEntry, err error) error {
		info, lerr := view.Disk{}.Lstat(file)
		name := home + strings.TrimPrefix(file, template)
		switch {
		case err != nil || lerr != nil:
			return errors.Join(err, lerr)
		case info.Mode.IsDir():
			m.Dir(name, info.Mode)
		case info.Mode&fs.ModeSymlink != 0:
			to, err := os.Readlink(file)
			m.Link(name, to)
			return err
		case info.Mode.IsRegular():
			data, err := os.ReadFile(file)
			m.File(name, string(data), info.Mode).Hard(name, info.Links)
			return err
		default:
			m.Special(name, info.Mode)
		}
		return nil
	})
}
