//go:build unix

package lines

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/nodgate/nod/internal/hang"
)

// The test binary starts itself as a writer: LINES_CHILD says which.
func TestMain(m *testing.M) {
	if role := os.Getenv("LINES_CHILD"); role != "" {
		os.Exit(child(role, os.Getenv("LINES_FILE")))
	}
	os.Exit(m.Run())
}

func child(role, name string) int {
	switch role {
	case "limited": // as on a full disk
		signal.Ignore(syscall.SIGXFSZ)
		syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096})
	}
	if err := PrivateDir(filepath.Dir(name)); err != nil {
		fmt.Println(err)
		return 3
	}
	f, err := Open(name)
	if err != nil {
		fmt.Println(err)
		return 3
	}
	count, _ := strconv.Atoi(os.Getenv("LINES_COUNT"))
	size, _ := strconv.Atoi(os.Getenv("LINES_SIZE"))
	for i := range count {
		if err := f.Append(testLine(os.Getpid(), i, size)); err != nil {
			fmt.Println(err)
			return 4
		}
	}
	return 0
}

// testLine is a line that shows whether it is whole: its size stands at both ends and its middle is all of one letter.
func testLine(pid, i, size int) []byte {
	head := fmt.Sprintf("%d %d %d ", pid, i, size)
	tail := fmt.Sprintf(" %d", size)
	fill := bytes.Repeat([]byte{'a' + byte(i%26)}, max(0, size-len(head)-len(tail)))
	return append(append([]byte(head), fill...), tail...)
}

func whole(line string) bool {
	f := strings.Fields(line)
	if len(f) != 5 || f[2] != f[4] || strings.Trim(f[3], f[3][:1]) != "" {
		return false
	}
	return strconv.Itoa(len(line)) == f[2]
}

func start(t *testing.T, program, role, name string, count, size int) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Env = []string{"LINES_CHILD=" + role, "LINES_FILE=" + name, fmt.Sprintf("LINES_COUNT=%d", count),
		fmt.Sprintf("LINES_SIZE=%d", size)}
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	return cmd, out
}

func self(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	must(t, err)
	return program
}

func privateFile(t *testing.T) string { return filepath.Join(t.TempDir(), "private", "x.jsonl") }

// eachLine calls use for the non-empty lines of a file.
func eachLine(t *testing.T, name string, use func(line string)) {
	t.Helper()
	file, err := os.Open(name)
	must(t, err)
	defer file.Close()
	in := bufio.NewScanner(file)
	in.Buffer(nil, 4*Limit)
	for in.Scan() {
		if in.Text() != "" {
			use(in.Text())
		}
	}
	if in.Err() != nil {
		t.Fatal(in.Err())
	}
}

// grown waits until the file is that large.
func grown(t *testing.T, name string, size int64) {
	t.Helper()
	hang.Until(t, fmt.Sprintf("%s of %d bytes", name, size), func() bool {
		info, err := os.Stat(name)
		return err == nil && info.Size() >= size
	})
}

func TestKilledWriters(t *testing.T) {
	name := privateFile(t)
	for round := range 8 {
		var running []*exec.Cmd
		for range 4 {
			cmd, _ := start(t, self(t), "writer", name, 1<<30, 200<<10)
			must(t, cmd.Start())
			running = append(running, cmd)
		}
		grown(t, name, int64(round+1)*3<<20) // they are at it
		for _, cmd := range running {
			cmd.Process.Kill()
			cmd.Wait()
		}
	}
	f, err := Open(name)
	must(t, err)
	defer f.Close()
	must(t, f.Append(testLine(1, 1, 100)))
	lines, torn, last := 0, 0, ""
	eachLine(t, name, func(line string) {
		lines++
		if last = line; !whole(line) {
			torn++
		}
	})
	if !whole(last) || !strings.HasPrefix(last, "1 1 ") {
		t.Errorf("the line after the killed writers is damaged: %.60q", last)
	}
	if lines < 20 || torn > 32 {
		t.Errorf("%d lines, %d torn: at most one for each of the 32 killed", lines, torn)
	}
	t.Logf("%d lines, %d torn", lines, torn)
}

// A disk that is full in the middle of a line: an error, and a torn line that damages nothing once there is room again.
func TestFullDisk(t *testing.T) {
	name := privateFile(t)
	cmd, out := start(t, self(t), "limited", name, 10, 1000)
	if err := cmd.Run(); err == nil || !strings.Contains(out.String(), "file too large") {
		t.Fatalf("ten lines of 1000 bytes fit into 4096: %v, %s", err, out)
	}
	f, err := Open(name)
	must(t, err)
	defer f.Close()
	if size, err := f.Size(); err != nil || size != 4096 {
		t.Fatalf("size %d, %v: want a file that ends inside a line", size, err)
	}
	must(t, f.Append(testLine(1, 1, 100)))
	good, torn := 0, 0
	eachLine(t, name, func(line string) {
		if whole(line) {
			good++
		} else {
			torn++
		}
	})
	if good != 5 || torn != 1 {
		t.Errorf("%d whole lines and %d torn, want 4+1 and 1", good, torn)
	}
}

// Another writer is killed inside its line after we looked and before we write.
func TestTornInBetween(t *testing.T) {
	f, err := open(t)
	must(t, err)
	other, err := os.OpenFile(f.Name(), os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	defer other.Close()
	f.Append(testLine(1, 1, 100))
	calls := 0
	f.write = func(p []byte) (int, error) {
		if calls++; calls == 1 {
			other.WriteString("half a li")
		}
		n, err := f.file.Write(p)
		other.WriteString("a whole one\n") // and one comes right behind
		return n, err
	}
	must(t, f.Append(testLine(1, 2, 100)))
	var got []string
	eachLine(t, f.Name(), func(line string) { got = append(got, line) })
	if len(got) != 5 || !whole(got[0]) || whole(got[1]) || got[3] != string(testLine(1, 2, 100)) || calls != 2 {
		t.Errorf("%d writes gave %q", calls, got)
	}
}

// The line that is made of the last one is made anew where a killed writer came in between.
func TestAppendAfterTorn(t *testing.T) {
	f, err := open(t)
	must(t, err)
	must(t, f.Append([]byte("one")))
	f.write = func(p []byte) (int, error) {
		f.write = f.file.Write
		must(t, os.WriteFile(f.Name(), []byte("one\nhalf a li"), 0o600))
		return f.file.Write(p)
	}
	must(t, f.AppendAfter(func(last []byte) []byte { return append([]byte("after "), last...) }))
	last, torn, err := f.Last()
	if string(last) != "after half a liafter one" || torn || err != nil {
		t.Errorf("%q, %v, %v", last, torn, err)
	}
}

func open(t *testing.T) (*File, error) {
	name := privateFile(t)
	if err := PrivateDir(filepath.Dir(name)); err != nil {
		return nil, err
	}
	f, err := Open(name)
	t.Cleanup(func() { f.Close() })
	return f, err
}

func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		prepare    func(dir string) error
	}{
		{"directory open to others", "open to other users (mode 0755)",
			func(dir string) error { return os.Chmod(dir, 0o755) }},
		{"directory is a link", "is not a directory", func(dir string) error {
			return errors.Join(os.Rename(dir, dir+"2"), os.Symlink(dir+"2", dir))
		}},
		{"directory is a file", "is not a directory", func(dir string) error {
			return errors.Join(os.Remove(dir), os.WriteFile(dir, nil, 0o600))
		}},
		{"file open to others", "open to other users (mode 0644)",
			func(dir string) error { return os.WriteFile(dir+"/x", nil, 0o644) }},
		{"file is a link", "symbolic link", func(dir string) error { return os.Symlink("/dev/full", dir+"/x") }},
		{"file is a directory", "is a directory", func(dir string) error { return os.Mkdir(dir+"/x", 0o700) }},
		{"file is a fifo", "not a regular file", func(dir string) error { return syscall.Mkfifo(dir+"/x", 0o600) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "private")
			must(t, os.Mkdir(dir, 0o700))
			syscall.Umask(syscall.Umask(0o022))
			must(t, tt.prepare(dir))
			err := PrivateDir(dir)
			if err == nil {
				_, err = Open(dir + "/x")
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	f, err := open(t)
	must(t, err)
	if err := f.Append(make([]byte, Limit)); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("a line of %d bytes: %v", Limit, err)
	}
}

// Another user neither uses our directory nor makes one where he may not.
func TestOtherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to become another user: skipped")
	}
	public, err := os.MkdirTemp("", "lines")
	must(t, err)
	defer os.RemoveAll(public)
	os.Chmod(public, 0o755)
	program := filepath.Join(public, "test")
	data, err := os.ReadFile(self(t))
	if err == nil {
		err = os.WriteFile(program, data, 0o755)
	}
	must(t, err)
	os.Chmod(program, 0o755)
	must(t, os.Mkdir(filepath.Join(public, "ours"), 0o700))
	for name, want := range map[string]string{"ours": "belongs to user 0", "new": "permission denied"} {
		cmd, out := start(t, program, "writer", filepath.Join(public, name, "x"), 1, 100)
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if err := cmd.Run(); err == nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v, %q; want %q", name, err, out, want)
		}
	}
}

func TestLockAndCurrent(t *testing.T) {
	f, err := open(t)
	must(t, err)
	g, err := Open(f.Name())
	must(t, err)
	defer g.Close()
	if !f.Lock() || g.Lock() {
		t.Error("the lock is not exclusive")
	}
	f.Unlock()
	if !g.Lock() || !f.Current() {
		t.Error("the lock is not free, or the file not current")
	}
	must(t, os.Rename(f.Name(), f.Name()+"2"))
	if f.Current() {
		t.Error("a renamed file is current")
	}
}

// must ends a test where what it needs is not to be had.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
