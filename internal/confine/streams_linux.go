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
type streams struct {
	said    tail
	copying sync.WaitGroup // of what the run prints
	ends    []*os.File     // the run's ends of pipes
}

// open are the run's input, output and errors.
func (s *streams) open(in, out, errors *os.File) (theirs []*os.File, err error) {
	for i, f := range []*os.File{in, out, errors} {
		switch {
		case f != nil && isTerminal(f):
		case i == 0:
			f, err = s.input(f)
		case i == 2 && same(out, errors):
			f = theirs[1]
		default:
			f, err = s.output(f)
		}
		if err != nil {
			return nil, err
		}
		theirs = append(theirs, f)
	}
	return theirs, nil
}

// hand closes in this process what the run has.
func (s *streams) hand() {
	for _, f := range s.ends {
		_ = f.Close()
	}
}

// input copies an input that is not a terminal. Nobody waits for the end of the copy: it may never come.
func (s *streams) input(f *os.File) (*os.File, error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.ends = append(s.ends, from)
	go func() {
		_, _ = io.Copy(to, f) // nil has no end of its own: it cannot be read
		_ = to.Close()
	}()
	return from, nil
}

// output copies what the run prints, and remembers its end.
func (s *streams) output(f *os.File) (*os.File, error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.ends = append(s.ends, to)
	out := io.Writer(&s.said)
	if f != nil {
		out = io.MultiWriter(&s.said, f)
	}
	s.copying.Go(func() {
		_, _ = io.Copy(out, from)
		_ = from.Close()
	})
	return to, nil
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

func same(a, b *os.File) bool {
	if a == nil || b == nil {
		return false
	}
	one, err := a.Stat()
	other, otherErr := b.Stat()
	return err == nil && otherErr == nil && os.SameFile(one, other)
}

// tail is the end of what was printed.
type tail struct {
	mu   sync.Mutex
	last []byte
}

const tailLimit = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	if len(t.last) > 2*tailLimit {
		t.last = slices.Clone(t.last[len(t.last)-tailLimit:])
	}
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
}
