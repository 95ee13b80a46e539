package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

// repositoryScript makes the world of the file lines. Each file holds a word
// of its own, so that it can be told where its content went.
const repositoryScript = `set -e
mark() { mkdir -p "$(dirname "$1")"; printf 'MARK-%s\none\ntwo\n' "$(printf %s "$1" | tr '/ ' '__')$2" > "$1"; }
secret() { mark "$1"; echo "SECRETMARK-$(basename "$1")" >> "$1"; }
cd "$HOME"
git config --global user.name dev; git config --global user.email dev@example.org; git config --global init.defaultBranch main; git config --global gc.auto 0
for f in .bashrc other/file.txt other/deep/x.txt .claude/settings.json .config/nod/nod.toml; do mark $f; done
for f in .ssh/id_rsa .aws/credentials .netrc; do secret $f; done
echo '//registry.example.org/:_authToken=SECRETMARK-npmrc' > .npmrc
mkdir -p project; cd project; git init -q
for f in README.md LICENSE src/main.go src/tax.js src/sub/c.c docs/a.md data/b.csv 'a b.txt' x.sh gone.txt src/half.txt; do mark "$f" -1; done
for f in a b c d f x y 1 a.txt file.txt main.go a.json a.c a.html a.xml a.md; do mark $f; done
printf 'build/\ndist/\n*.log\n.env\n*.key\nlocal.cfg\n' > .gitignore
secret keep/.env; git add -f keep/.env; mark kit/hooks/x; mark kit/settings.json; git add -A; git commit -qm one; git tag v1
mark README.md -2; git commit -qam two
git checkout -qb feature; mark CLAUDE.md; mark .claude/settings.json; mark notes-feature.md; mark README.md -3; git add -A; git commit -qm feature; git checkout -q main
mark src/tax.js -stash; git stash -q
mark src/tax.js -changed; mark docs/a.md -changed
mark src/staged.txt; mark src/half.txt -staged; git add src; mark src/half.txt -later; git reset -q src/tax.js
rm gone.txt
mark notes.txt; mark src/todo.txt; mark scratch/one.txt; mark scratch/deep/two.txt; mark out.txt; mark w.tmp; mark @x
mark build/o.o; mark build/deep/p.o; mark debug.log; mark local.cfg
secret .env; secret config/server.key; secret id_rsa
tar cf pack.tar src/main.go notes.txt; gzip -k notes.txt; gzip -c docs/a.md > a.md.gz; mv notes.txt.gz old.gz
ln -s src lnk; ln -s ../other outside; ln -s notes.txt notes-link; ln -s .env envlink; ln notes.txt hard.txt
git clone -q --bare . ../remote.git; git remote add origin ../remote.git
`

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
	made := *s
	made.lines, made.turns = dir, turns
	return &made, made.build(scriptOf(turns))
}

// turned returns the same for a copy of the stage's repository, of which one thing
// more was made.
func (s *stage) turned(turn string) (*stage, error) {
	dir, err := os.MkdirTemp(s.dir, "template-")
	if err != nil {
		return nil, err
	}
	if out, err := exec.Command("cp", "-a", s.lines+"/.", dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("a copy of the repository: %w: %s", err, out)
	}
	made := *s
	made.lines, made.turns = dir, append(slices.Clone(s.turns), turn)
	return &made, made.build("cd project\n" + turnScript(turn))
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
	r, err := b.run(job{Shell: "bash", Text: script + "echo made\n", Make: true, Output: true})
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

// Entries implements view.Files.
func (s seen) Entries(name string, limit int) ([]view.Entry, error) {
	f, name := s.at(name)
	return f.Entries(name, limit)
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

// allowedLine asks about a line and counts it; nil where it is not allowed.
func (w *witnessing) allowedLine(world *world, seed uint64, text string, dialect nod.Dialect) *nod.Decision {
	d := w.ask(world, seed, text, dialect)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count.generated++
	if d.Verdict != nod.Allow {
		return nil
	}
	w.count.allowed++
	return &d
}

// oneLine asks about a line, and runs it where it is allowed.
func (w *witnessing) oneLine(s *stage, b *bed, worlds *worlds, seed uint64, text string) error {
	shell, dialect := s.shellOf(seed)
	d := w.allowedLine(worlds.ofLines(s), seed, text, dialect)
	if d == nil {
		return nil
	}
	r, err := b.run(job{Shell: shell, Text: text, Line: true, Seed: seed})
	if err != nil {
		return err
	}
	why := d.Reason
	if len(s.turns) > 0 {
		why += "\n\tthe repository:\n\t\t" + strings.Join(s.turns, "\n\t\t")
	}
	w.bookLine(seed, shell, text, r, r.Harm, why)
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

// bookLine counts a line that ran.
func (w *witnessing) bookLine(seed uint64, shell, text string, r ran, harm []string, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count.runs[shell]++
	w.count.started += uint64(len(r.Started))
	w.count.changed += uint64(len(r.Changed))
	if r.Stopped {
		w.count.stopped[shell]++
	}
	if len(harm) > 0 {
		w.violated(seed, text, shell+": "+strings.Join(slices.Compact(harm), "\n\t")+"\n\tallowed: "+why)
	}
}

// line returns the file line of a number.
func line(seed uint64) string {
	g := &liner{&generator{r: rand.New(rand.NewPCG(seed, 0x66696c65))}}
	text := g.command()
	for g.chance(30) {
		text += g.of(" && ", "; ", "; ", " | ", " || ") + g.command()
	}
	return text
}
