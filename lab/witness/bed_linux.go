package main

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// job is a text to run.
type job struct {
	Shell   string // one of shellsTried
	Text    string
	Variant uint64 // of the world
	Seed    uint64 // of what recorders print
	// Make says that the text makes the world of the file lines, Line that it is such a line.
	Make, Line bool
}

// ran is what happened.
type ran struct {
	Started []started
	Changed []change
	Stopped bool // says that the text did not end by itself
	Output  string
	Harm    []string // what must not have happened, of a file line
	Err     string
}

// started is one program that was started.
type started struct {
	Dir   string
	Words []string
}

// change is one name that is not what it was.
type change struct {
	Name string
	Gone bool
	Dir  bool
}

// bed is a namespace without network on a read-only root, in which texts run one after the other. Everything that can
// be written lies in memory and ends with it.
type bed struct {
	cmd *exec.Cmd
	in  *gob.Encoder
	out *gob.Decoder
	end io.Closer
}

// stage holds what every bed is made of: the recorder under all names, the
// programs that really run, and this program itself.
type stage struct {
	dir    string
	bwrap  string
	shells map[string]string // name to path
	demote bool              // bwrap is started as a user without rights

	lines  string   // the template of the file lines; "": those are not run
	turns  []string // what was made of the plain repository there
	making bool     // the template is being made
}

var errNoNamespace = errors.New("no namespace") // says that nothing can be run on this machine

// newStage prepares the files. The caller removes dir.
func newStage(dir string) (*stage, error) {
	s := &stage{dir: dir, shells: map[string]string{}}
	var err error
	if s.bwrap, err = exec.LookPath("bwrap"); err != nil {
		return nil, fmt.Errorf("%w: bwrap is not installed (Debian: bubblewrap)", errNoNamespace)
	}
	for _, name := range shellsTried() {
		if file, err := exec.LookPath(name); err == nil {
			s.shells[name] = file
		}
	}
	if err := errors.Join(os.Chmod(dir, 0o755), s.fill()); err != nil {
		return nil, err
	}
	return s, s.try()
}

// fill puts recorder, driver and real programs into the directory.
func (s *stage) fill() error {
	bin, real, recorder := filepath.Join(s.dir, "bin"), filepath.Join(s.dir, "real"), filepath.Join(s.dir, "recorder")
	build := exec.Command("go", "build", "-o", recorder, "-ldflags=-s -w",
		"github.com/nodgate/nod/lab/witness/recorder")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the recorder cannot be built: %w\n%s", err, out)
	}
	self, err := os.Executable()
	all := errors.Join(err, os.Mkdir(bin, 0o755), os.Mkdir(real, 0o755), copyFile(self, filepath.Join(s.dir, "driver")))
	for _, name := range stubs() {
		all = errors.Join(all, os.Link(recorder, filepath.Join(bin, name)))
	}
	for name, at := range shellNames() {
		all = errors.Join(all, os.Symlink("/shells/"+at, filepath.Join(bin, name)))
	}
	passwd := "root:x:0:0::/root:/bin/sh\ndev:x:65534:65534::" + home + ":/bin/sh\n"
	all = errors.Join(all, os.WriteFile(filepath.Join(s.dir, "passwd"), []byte(passwd), 0o644))
	for _, name := range programs("real") {
		if file, err := exec.LookPath(name); err == nil {
			all = errors.Join(all, copyFile(file, filepath.Join(real, name)))
		}
	}
	return all
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o755)
}

// try starts a bed once, first without rights: a text that gets out then has none either.
func (s *stage) try() error {
	var all error
	for _, demote := range []bool{os.Getuid() == 0, false} {
		s.demote = demote
		b, err := s.open()
		if err == nil {
			_, err = b.run(job{Shell: "none"})
			b.close()
		}
		if err == nil {
			return nil
		}
		all = errors.Join(all, err)
	}
	return fmt.Errorf("%w: bwrap starts nothing: %w", errNoNamespace, all)
}

const nobody = 65534 // the user that bwrap is started as where this process is root

func (s *stage) open() (*bed, error) {
	cmd := exec.Command(s.bwrap, s.arguments()...)
	cmd.Env = []string{}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if s.demote {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		return nil, err
	}
	return &bed{cmd, gob.NewEncoder(in), gob.NewDecoder(out), in}, nil
}

// arguments builds the namespace from nothing.
func (s *stage) arguments() []string {
	args := []string{"--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL",
		"--clearenv", "--chdir", "/"}
	for _, name := range []string{"/usr/lib", "/usr/lib64", "/usr/share/zsh", "/etc/ld.so.cache"} {
		args = append(args, "--ro-bind-try", name, name)
	}
	for _, name := range []string{"/lib", "/lib64"} {
		if to, err := os.Readlink(name); err == nil {
			args = append(args, "--symlink", to, name)
		} else {
			args = append(args, "--ro-bind-try", name, name)
		}
	}
	bin := filepath.Join(s.dir, "bin")
	if s.lines != "" {
		bin = binDir
		args = append(args, "--ro-bind-try", "/usr/share", "/usr/share", "--ro-bind-try", "/etc/alternatives",
			"/etc/alternatives", "--ro-bind-try", sbinDir, sbinDir, "--symlink", "usr/sbin", "/sbin")
	}
	args = append(args, "--ro-bind", bin, binDir, "--symlink", "usr/bin", "/bin", "--hostname", "witness",
		"--ro-bind", filepath.Join(s.dir, "real"), realDir,
		"--ro-bind", filepath.Join(s.dir, "driver"), "/driver",
		"--ro-bind", filepath.Join(s.dir, "passwd"), "/etc/passwd")
	for name, file := range s.shells {
		args = append(args, "--ro-bind", file, "/shells/"+name)
	}
	for _, dir := range []string{"/home", "/tmp", recDir} {
		args = append(args, "--size", "33554432", "--tmpfs", dir)
	}
	switch {
	case s.making:
		args = append(args, "--bind", s.lines, home)
	case s.lines != "":
		args = append(args, "--ro-bind", s.lines, templateDir)
	}
	return append(args, "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/", "/driver", insideArg)
}

// run runs one text. An error is one of the bed, which is then of no use.
func (b *bed) run(j job) (ran, error) {
	var r ran
	if err := b.in.Encode(j); err != nil {
		return r, fmt.Errorf("the namespace takes no text: %w", err)
	}
	if err := b.out.Decode(&r); err != nil {
		return r, fmt.Errorf("the namespace gives no answer: %w", err)
	}
	if r.Err != "" { // a text that did not run has shown nothing, and must not pass for harmless
		return r, errors.New(r.Err)
	}
	return r, nil
}

func (b *bed) close() {
	_ = b.end.Close()
	_ = b.cmd.Wait()
}
