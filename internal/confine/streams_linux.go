//go:build amd64 || arm64

package confine

import (
	"io"
	"os"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// streams hands on terminals. All else is read and written here instead: opened
// anew by its descriptor, a file, a socket, a pipe or a device would be a way out.
func (a *Ahead) streams(o Options) error {
	a.cmd.Stdout, a.cmd.Stderr = a.output(o.Stdout), a.output(o.Stderr)
	if same(o.Stdout, o.Stderr) {
		a.cmd.Stderr = a.cmd.Stdout
	}
	return a.input(o.Stdin)
}

// input copies what is no terminal. Nobody waits for the end of what is copied:
// it may never come.
func (a *Ahead) input(f *os.File) error {
	if terminal(f) {
		a.cmd.Stdin = f
		return nil
	}
	from, to, err := os.Pipe()
	if err != nil {
		return err
	}
	a.cmd.Stdin = from
	a.theirs = append(a.theirs, from)
	go func() {
		_, _ = io.Copy(to, f) // nil has no end of its own: it cannot be read
		_ = to.Close()
	}()
	return nil
}

func terminal(f *os.File) bool {
	if f == nil {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

func (a *Ahead) output(f *os.File) io.Writer {
	switch {
	case f == nil:
		return io.Discard
	case terminal(f):
		return f
	}
	return &copied{f, &a.said}
}

func same(a, b *os.File) bool {
	if a == nil || b == nil {
		return false
	}
	one, err := a.Stat()
	other, otherErr := b.Stat()
	return err == nil && otherErr == nil && os.SameFile(one, other)
}

// copied hands output on and remembers its end.
type copied struct {
	to   io.Writer
	said *tail
}

func (c *copied) Write(p []byte) (int, error) {
	c.said.add(p)
	return c.to.Write(p)
}

// tail is the end of what was printed.
type tail struct {
	mu   sync.Mutex
	last []byte
}

const tailLimit = 64 << 10

func (t *tail) add(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	if len(t.last) > 2*tailLimit {
		t.last = slices.Clone(t.last[len(t.last)-tailLimit:])
	}
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
}
