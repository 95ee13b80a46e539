//go:build amd64 || arm64

package confine

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"golang.org/x/sys/unix"
)

// first is the first process of the run's pid namespace. The kernel lets it end
// only when it has ended all others in there.
type first struct{ fd int }

// readStatus reads what bubblewrap says until its end, and takes hold of the first
// process as soon as its number is said. bubblewrap is its parent.
func readStatus(status io.Reader, bubblewrap int) (said []byte, f first) {
	f.fd = -1
	part := make([]byte, 512)
	for {
		n, err := status.Read(part)
		said = append(said, part[:n]...)
		if f.fd < 0 {
			f.hold(said, bubblewrap)
		}
		if err != nil && (errors.Is(err, io.EOF) || !errors.Is(err, unix.EINTR)) {
			return said, f
		}
	}
}

func (f *first) hold(said []byte, bubblewrap int) {
	_, text, found := bytes.Cut(said, []byte(`"child-pid": `))
	end := bytes.IndexAny(text, ",}\n ")
	if !found || end < 0 {
		return
	}
	pid, err := strconv.Atoi(string(text[:end]))
	if parent, _ := stat(pid); err != nil || parent != bubblewrap {
		return
	}
	if fd, err := unix.PidfdOpen(pid, 0); err == nil {
		f.fd = fd
	}
}

// ended waits for its end.
func (f *first) ended() {
	if f.fd < 0 {
		return
	}
	defer unix.Close(f.fd)
	for {
		if _, err := unix.Poll([]unix.PollFd{{Fd: int32(f.fd), Events: unix.POLLIN}}, -1); !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
