package main

import (
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// insideArg is the only argument of this program in the namespace.
const insideArg = "-inside-the-namespace"

// patience is how long a text may run. One that is stopped has shown what it
// did until then.
const patience = 500 * time.Millisecond

// driver is the first process of the namespace.
type driver struct {
	marks map[string]mark // what the world is, by name
	line  lineWorld
}

// mark is what shows that a file was touched.
type mark struct {
	mode           uint32
	inode          uint64
	size           int64
	written, other syscall.Timespec
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

// limit bounds files, processes and memory of whatever runs here.
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

func (d *driver) run(j job) (ran, error) {
	switch {
	case j.Make:
		return d.make(j)
	case j.Line:
		return d.runLine(j)
	case j.Shell == "none":
		return ran{}, d.reset(j)
	}
	if err := d.reset(j); err != nil {
		return ran{}, err
	}
	stopped, err := d.start(j)
	if err != nil {
		return ran{}, err
	}
	r := ran{Stopped: stopped, Changed: d.changes(stopped)}
	if r.Started, err = readLog(stopped); err == nil {
		r.Output, err = whatWasPrinted()
	}
	return r, err
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

// handed is how the shell gets the text: mostly as it is, for every third as
// Claude Code hands it over.
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

// whatWasPrinted is what the text printed. The text may have changed the mode of
// /dev/stdout, which is that file.
func whatWasPrinted() (string, error) {
	if err := os.Chmod(recDir+"/out", 0o644); err != nil {
		return "", err
	}
	data, err := os.ReadFile(recDir + "/out")
	return string(data), err
}

// readLog takes the recorders' notes. A recorder that was stopped may not have
// written all of its note.
func readLog(stopped bool) ([]started, error) {
	data, err := os.ReadFile(recDir + "/log")
	if err != nil {
		return nil, err
	}
	var list []started
	for len(data) >= 4 {
		size := int(binary.BigEndian.Uint32(data))
		if size > len(data)-4 {
			if stopped {
				break
			}
			return nil, fmt.Errorf("the log is cut off")
		}
		dir, words, _ := strings.Cut(string(data[4:4+size]), "\x00")
		list = append(list, started{dir, strings.Split(strings.TrimSuffix(words, "\x00"), "\x00")})
		data = data[4+size:]
	}
	return list, nil
}

// reset makes the world what the job wants it to be.
func (d *driver) reset(j job) error {
	if err := os.WriteFile(recDir+"/seed", []byte(strconv.FormatUint(j.Seed, 10)), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(recDir+"/log", nil, 0o644); err != nil {
		return err
	}
	for _, dir := range []string{"/home", "/tmp"} {
		if err := empty(dir); err != nil {
			return err
		}
	}
	if err := build(worldOf(j.Variant)); err != nil {
		return err
	}
	d.marks = look()
	return nil
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

// look marks everything that can be written here.
func look() map[string]mark {
	marks := map[string]mark{}
	for _, dir := range []string{"/home", "/tmp", "/dev", recDir} {
		_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil || name == "/dev/pts" || name == recDir+"/log" || name == recDir+"/seed" ||
				name == recDir+"/out" || name == recDir+"/cwd" {
				return nil
			}
			var st syscall.Stat_t
			if syscall.Lstat(name, &st) != nil {
				return nil
			}
			m := mark{mode: st.Mode, inode: st.Ino}
			if st.Mode&syscall.S_IFMT == syscall.S_IFREG {
				m.size, m.written, m.other = st.Size, st.Mtim, st.Ctim
			}
			marks[name] = m
			return nil
		})
	}
	return marks
}

// changes lists what is not as it was. The files that zsh makes for =( ), and
// what a shell that was killed left, are not the text's.
func (d *driver) changes(stopped bool) []change {
	var list []change
	now := look()
	for name, m := range now {
		if was, ok := d.marks[name]; ok && was == m || strings.HasPrefix(name,
			"/tmp/zsh") || stopped && strings.HasPrefix(name, "/tmp/") {
			continue
		}
		was := d.marks[name]
		was.other = m.other
		list = append(list, change{Name: name, Dir: m.mode&syscall.S_IFMT == syscall.S_IFDIR, Linked: was == m})
	}
	for name := range d.marks {
		if _, ok := now[name]; !ok {
			list = append(list, change{Name: name, Gone: true})
		}
	}
	return list
}
