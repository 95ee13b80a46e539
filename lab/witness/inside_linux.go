package main

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const insideArg = "-inside-the-namespace" // the only argument of this program in the namespace

// patience is how long a text may run. A text that is stopped has shown what it did until then.
const patience = 500 * time.Millisecond

// driver is the first process of the namespace.
type driver struct {
	before map[string]string // what the world is, by name: see survey
	marks  map[string]string // of the file lines: the unique word of a file to its name
}

// inside answers jobs until its input ends.
func inside() error {
	if err := limit(); err != nil {
		return err
	}
	d := &driver{}
	signal.Ignore(syscall.SIGPIPE, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR2,
		syscall.SIGALRM)
	in, out := gob.NewDecoder(os.Stdin), gob.NewEncoder(os.Stdout)
	for {
		var j job
		if in.Decode(&j) != nil {
			return nil
		}
		r, err := d.run(j)
		if err != nil {
			r.Err = err.Error()
		}
		if err := out.Encode(r); err != nil {
			return err
		}
	}
}

// limit bounds files, processes and memory of everything that runs here.
func limit() error {
	const nproc = 6 // RLIMIT_NPROC, which package syscall does not name
	for which, most := range map[int]uint64{syscall.RLIMIT_FSIZE: 1 << 20, nproc: 500, syscall.RLIMIT_DATA: 1 << 30,
		syscall.RLIMIT_CORE: 0} {
		if err := syscall.Setrlimit(which, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit %d: %w", which, err)
		}
	}
	return nil
}

// run makes the world of a job, runs its text, and looks at what is left.
func (d *driver) run(j job) (r ran, err error) {
	if err := d.prepare(j); err != nil || j.Shell == "none" {
		return r, err
	}
	if r.Stopped, err = d.start(j); err == nil {
		// The text may have changed the mode of /dev/stdout, which is that file.
		chmod := os.Chmod(recDir+"/out", 0o644)
		var printed []byte
		printed, err = os.ReadFile(recDir + "/out")
		r.Output, err = string(printed), errors.Join(chmod, err)
	}
	if err != nil || j.Make {
		return r, err
	}
	after := survey(j.Line)
	r.Changed = d.changes(after, r.Stopped)
	if j.Line {
		r.Harm = d.harm(r.Changed, after, r.Output)
		return r, nil
	}
	r.Started, err = readLog(r.Stopped)
	return r, err
}

// prepare makes the world what the job wants it to be.
func (d *driver) prepare(j job) error {
	if j.Make {
		return nil
	}
	err := errors.Join(os.WriteFile(recDir+"/seed", []byte(strconv.FormatUint(j.Seed, 10)), 0o644),
		os.WriteFile(recDir+"/log", nil, 0o644), empty("/home"), empty("/tmp"))
	switch {
	case err != nil:
		return err
	case !j.Line:
		err = build(worldOf(j.Variant))
		d.before = survey(false)
		return err
	}
	if err := restore(); err != nil || d.before != nil {
		return err
	}
	d.before = survey(true)
	d.marks = marksIn(d.before)
	return d.prepare(j) // what looked at it has changed modes
}

// start runs the text and waits until nothing of it is left.
func (d *driver) start(j job) (stopped bool, err error) {
	out, err := output()
	if err != nil {
		return false, err
	}
	defer out.Close()
	in, err := input(j.Seed)
	if err != nil {
		return false, err
	}
	defer in.Close()
	dir := project
	if j.Make {
		dir = home
	}
	pid, err := syscall.ForkExec("/shells/"+j.Shell, arguments(j), &syscall.ProcAttr{
		Dir: dir, Env: environ(j.Variant), Files: []uintptr{in.Fd(), out.Fd(), out.Fd()},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return false, fmt.Errorf("%s does not start: %w", j.Shell, err)
	}
	in.Close()
	most := patience
	switch {
	case j.Make: // without it there is nothing to look at
		most *= 600
	case j.Line:
		most *= 20
	}
	late := killLate(most)
	err = waitAll(pid)
	return late(), err
}

// killLate ends everything once patience is at its end. The function that it
// returns ends the waiting, and says whether it came to that.
func killLate(patience time.Duration) (stop func() bool) {
	done := make(chan struct{})
	timer := time.AfterFunc(patience, func() {
		defer close(done)
		for range 50 { // what forks while it is killed is killed again
			if syscall.Kill(-1, syscall.SIGKILL) != nil {
				return
			}
			time.Sleep(2 * time.Millisecond)
		}
	})
	return func() bool {
		if timer.Stop() {
			return false
		}
		<-done
		return true
	}
}

// waitAll reaps until there is no child.
func waitAll(pid int) error {
	for {
		_, err := syscall.Wait4(-1, nil, 0, nil)
		if err == syscall.ECHILD {
			return nil
		}
		if err != nil && err != syscall.EINTR {
			return fmt.Errorf("waiting for %d: %w", pid, err)
		}
	}
}

// output is where what is printed goes.
func output() (*os.File, error) {
	if err := os.Remove(recDir + "/out"); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	return os.OpenFile(recDir+"/out", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
}

func arguments(j job) []string {
	switch j.Shell {
	case "bash":
		return append([]string{"bash", "--norc", "--noprofile", "-c"}, handed(j, "shopt -u extglob"))
	case "zsh":
		return append([]string{"zsh", "-c"}, handed(j, "setopt NO_EXTENDED_GLOB"))
	}
	return append([]string{"sh", "-c"}, handed(j, ":"))
}

// handed is how the shell gets the text: mostly as it is, for every third as Claude Code hands it over.
func handed(j job, first string) string {
	if j.Line || j.Make || j.Seed%3 > 0 {
		return j.Text
	}
	quoted := "'" + strings.ReplaceAll(j.Text, "'", `'"'"'`) + "'"
	return first + " 2>/dev/null || true && eval " + quoted + " < /dev/null && pwd -P >| " + recDir + "/cwd"
}

// input is what the text finds on its standard input: little or nothing.
func input(seed uint64) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	_, err = w.WriteString([]string{"", "", "wc typed\nx=1\n", "k1 k2\n"}[seed%4])
	return r, err
}

// readLog takes the recorders' notes. A recorder that was stopped may not have written all of its note.
func readLog(stopped bool) (list []started, err error) {
	data, err := os.ReadFile(recDir + "/log")
	for line := range strings.Lines(string(data)) {
		note, cut := strconv.Unquote(strings.TrimSuffix(line, "\n"))
		if cut != nil && !stopped {
			return nil, fmt.Errorf("the log is cut off")
		}
		if dir, words, ok := strings.Cut(note, "\x00"); ok {
			list = append(list, started{dir, strings.Split(words, "\x00")})
		}
	}
	return list, err
}

func empty(dir string) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// build makes the entries, all of an old time.
func build(list []entry) error {
	old := []syscall.Timespec{{Sec: 1e9}, {Sec: 1e9}}
	for _, e := range list {
		var err error
		switch {
		case e.Mode.IsDir():
			if err = os.MkdirAll(e.Name, 0o755); err == nil {
				err = os.Chmod(e.Name, e.Mode&(fs.ModePerm|fs.ModeSticky))
			}
		case e.Mode&fs.ModeSymlink != 0:
			err = os.Symlink(e.Content, e.Name)
		default:
			if err = os.WriteFile(e.Name, []byte(e.Content), e.Mode); err == nil {
				err = syscall.UtimesNano(e.Name, old)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// survey says of everything that can be written here what it is. Over files it passes over what git keeps
// for itself and when something was written.
func survey(lines bool) map[string]string {
	all := map[string]string{}
	for _, dir := range []string{"/home", "/tmp", "/dev", recDir} {
		_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			rest, inGit := strings.CutPrefix(name, project+"/.git/")
			gitsOwn := lines && inGit && !strings.HasPrefix(rest, "hooks") && !strings.HasPrefix(rest, "info") &&
				rest != "config"
			ours := name == "/dev/pts" || slices.Contains([]string{"log", "seed", "out", "cwd"},
				strings.TrimPrefix(name, recDir+"/"))
			if err == nil && !ours && !gitsOwn {
				all[name] = described(name, lines)
			}
			return nil
		})
	}
	return all
}

// described is mode and content of a file, or where a link leads.
func described(name string, lines bool) string {
	info, err := os.Lstat(name)
	if err != nil {
		return err.Error()
	}
	mode, text := info.Mode(), info.Mode().String()+" "
	if perm := mode.Perm(); perm&0o400 == 0 && mode&fs.ModeSymlink == 0 || mode.IsDir() && perm&0o700 != 0o700 {
		_ = os.Chmod(name, 0o700) // what cannot be read is not lost
	}
	switch {
	case mode&fs.ModeSymlink != 0:
		to, _ := os.Readlink(name)
		return text + to
	case !mode.IsRegular():
		return text
	case !lines:
		text += info.ModTime().String() + " "
	}
	data, _ := os.ReadFile(name)
	if lines && name == project+"/.git/config" { // which branch follows which does not matter
		data = regexp.MustCompile(`(?m)^\[branch .*\n(?:[^\[].*\n)*`).ReplaceAll(data, nil)
	}
	return text + string(data)
}

// changes lists what is not as it was. The files that zsh makes for =( ), and
// what a shell that was killed left, are not the text's.
func (d *driver) changes(after map[string]string, stopped bool) (list []change) {
	names := maps.Clone(d.before)
	maps.Copy(names, after)
	for name := range names {
		was, before := d.before[name]
		now, there := after[name]
		left := strings.HasPrefix(name, "/tmp/zsh") || stopped && strings.HasPrefix(name, "/tmp/")
		if !left && (before != there || was != now) {
			list = append(list, change{Name: name, Gone: !there, Dir: strings.HasPrefix(was+now, "d")})
		}
	}
	return list
}
