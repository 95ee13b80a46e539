package nod_test

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/testworld"
)

// shelf is a keeper that remembers bytes.
type shelf struct {
	files   map[string]string
	commits []nod.KeptCommit
	full    error
}

func (s *shelf) Keep(_ string, _ nod.Call, files []string, commits []nod.KeptCommit) error {
	if s.full != nil {
		return s.full
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		s.files[f] = string(data)
	}
	s.commits = append(s.commits, commits...)
	return nil
}

func (p project) keeping(s *shelf, tool string, c nod.Call) nod.Decision {
	gate := nod.New(nod.Options{Rules: nod.DefaultRules(), Files: testworld.Disk(), Home: p.home, Keeper: s})
	c.Agent, c.Session, c.Tool, c.RawTool, c.Dir, c.Roots = "test", "s", tool, tool, p.dir, []string{p.dir}
	c.Environ, c.Interactive = testworld.Environ(p.home), true
	return gate.Check(context.Background(), c)
}

// all are the files of the working tree.
func (p project) all() map[string]string {
	p.t.Helper()
	files := map[string]string{}
	p.must(filepath.WalkDir(p.dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		data, err := os.ReadFile(name)
		files[name] = string(data)
		return err
	}))
	return files
}

// lossLine is a line that replaces, deletes or moves files, as people and agents write it.
func lossLine(r *rand.Rand) string {
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	file := func() string {
		return one("a.txt", "b.txt", "new.txt", "src/c.txt", "notes/x.md", "data.db", "src", "notes", "*.txt", ".env",
			"dist", "notes/*", "src/deep")
	}
	return one("rm "+file(), "rm -rf "+file(), "rm -f "+file()+" "+file(), "mv "+file()+" "+file(),
		"cp "+file()+" "+file(), "cp -r "+file()+" "+file(), "echo x > "+file(), "cat a.txt > "+file(),
		"sed -i s/x/y/ "+file(), "tee "+file()+" < a.txt", "truncate -s 0 "+file(), "echo x >> "+file(),
		"git reset --hard", "git reset -q --hard HEAD", "git checkout -- .", "git checkout -- "+file(), "git restore .",
		"git restore "+file(), "git clean -fd", "git clean -fdx", "git clean -qf", "git restore --staged --worktree .",
		"git rm -f "+file(), "git mv -f "+file()+" "+file(), "git stash drop", "git checkout .", "find . -name '*.md' -delete",
		"cd src && rm -f c.txt", "rm -rf notes && mkdir notes", "git checkout -- a.txt && rm new.txt",
		"for f in new.txt notes/x.md; do rm $f; done", "sort -o "+file()+" a.txt", "dd if=a.txt of="+file())
}

// What a line replaces or deletes that nod allows was kept before, or git has it, or a build makes it again.
func TestWhatIsLostWasKept(t *testing.T) {
	p := newProject(t)
	begin := func() {
		p.git("reset", "-q", "--hard")
		p.git("clean", "-qfdx")
		p.git("stash", "clear")
		p.write("b.txt", "stashed\n")
		p.git("stash", "-q")
		for name, text := range map[string]string{"new.txt": "new\n", "notes/x.md": "x\n", "notes/deep/y.md": "y\n",
			"data.db": "rows\n", ".env": "KEY=x\n", "dist/x.js": "built\n", "src/c.txt": "changed\n", "out": "made\n",
			"src/deep/z.txt": "z\n"} {
			p.write(name, text)
		}
	}
	allowed, saved, r := 0, 0, rand.New(rand.NewPCG(37, 1))
	clean := false
	for range 400 {
		if !clean { // only a line that ran leaves something to put back
			begin()
			clean = true
		}
		line, before, s := lossLine(r), p.all(), &shelf{files: map[string]string{}}
		if p.keeping(s, "bash", nod.Call{Command: line}).Verdict != nod.Allow {
			continue
		}
		allowed++
		clean = false
		cmd := exec.Command("bash", "-c", line)
		cmd.Dir, cmd.Env = p.dir, testworld.Started(p.home)
		out, _ := cmd.CombinedOutput()
		after := p.all()
		for name, text := range before {
			if after[name] == text {
				continue
			}
			below := strings.TrimPrefix(name, p.dir+"/")
			if s.files[name] == text {
				saved++
			} else if shown, err := p.shows(":" + below); (err != nil || shown != text) && !moved(after, text) &&
				!strings.HasPrefix(below, "dist/") && below != "out" && !strings.HasPrefix(after[name], text) {
				if shown, err = p.shows("HEAD:" + below); err != nil || shown != text {
					t.Errorf("%s: %s is lost, kept were %v: %s", line, below, s.files, out)
				}
			}
		}
		if strings.Contains(line, "stash drop") && len(s.commits) != 1 {
			t.Errorf("%s: kept %v", line, s.commits)
		}
	}
	if t.Logf("%d of 400 lines allowed, %d files saved", allowed, saved); allowed < 150 || saved < 100 {
		t.Errorf("%d of 400 lines allowed, %d files saved: this shows little", allowed, saved)
	}
}

func (p project) shows(object string) (string, error) {
	cmd := exec.Command("git", "show", object)
	cmd.Dir, cmd.Env = p.dir, testworld.Started(p.home)
	out, err := cmd.Output()
	return string(out), err
}

func moved(files map[string]string, text string) bool {
	for _, now := range files {
		if now == text {
			return true
		}
	}
	return false
}

// What cannot be kept is asked about, and so is what lies outside, is guarded, or belongs to others.
func TestWhatIsNotKeptIsAskedAbout(t *testing.T) {
	p := newProject(t)
	p.write("new.txt", "by hand\n")
	p.write(".claude/settings.json", "{}")
	p.write("../notes.txt", "mine\n")
	for _, row := range []struct {
		line string
		full error
		want nod.Verdict
	}{
		{"rm new.txt", nil, nod.Allow}, {"echo x > new.txt", nil, nod.Allow}, {"git clean -f new.txt", nil, nod.Ask},
		{"rm new.txt", errors.New("the disk is full"), nod.Ask},
		{"rm a.txt", errors.New("the disk is full"), nod.Allow}, // which git has
		{"rm -rf .claude", nil, nod.Ask}, {"rm ../notes.txt", nil, nod.Ask}, {"git checkout -- .", nil, nod.Allow},
		{"git checkout pr -- .", nil, nod.Ask}, {"git restore --source=HEAD~1 a.txt", nil, nod.Ask},
		{"git reset --hard HEAD~1", nil, nod.Ask}, {"git push --force", nil, nod.Ask},
	} {
		s := &shelf{files: map[string]string{}, full: row.full}
		d := p.keeping(s, "bash", nod.Call{Command: row.line})
		if d.Verdict != row.want && !(row.want == nod.Ask && d.Verdict == nod.Deny) {
			t.Errorf("%s: %v (%s), want %v", row.line, d.Verdict, d.Reason, row.want)
		}
		if row.full != nil && row.want == nod.Ask && (!strings.Contains(d.Reason, "disk is full") || d.Deferrable) {
			t.Errorf("%s: %s, left to a host: %v", row.line, d.Reason, d.Deferrable)
		}
	}
	p.write("staged.txt", "staged\n")
	p.git("add", "staged.txt")
	for _, line := range []string{"git reset --hard", "git restore --staged --worktree ."} {
		s := &shelf{files: map[string]string{}}
		d := p.keeping(s, "bash", nod.Call{Command: line})
		if d.Verdict != nod.Allow || s.files[filepath.Join(p.dir, "staged.txt")] != "staged\n" {
			t.Errorf("%s: %v (%s), kept %v", line, d.Verdict, d.Reason, s.files)
		}
	}
	split := newProject(t)
	split.write("a.txt", "changed\n")
	split.git("update-index", "--split-index") // which nod does not read
	for _, line := range []string{"git reset --hard", "git diff"} {
		d := split.keeping(&shelf{files: map[string]string{}}, "bash", nod.Call{Command: line})
		if d.Verdict == nod.Allow {
			t.Errorf("with a split index %s: %v (%s)", line, d.Verdict, d.Reason)
		}
	}
	name := filepath.Join(p.dir, "new.txt")
	s := &shelf{files: map[string]string{}}
	write := nod.Call{Paths: []string{name}, Edits: []nod.Edit{{Path: name, New: "x", Whole: true}}}
	if d := p.keeping(s, "file_write", write); d.Verdict != nod.Allow || s.files[name] != "by hand\n" || d.Kept != 1 {
		t.Errorf("a file that is written anew: %v (%s), %d kept, %v", d.Verdict, d.Reason, d.Kept, s.files)
	}
}
