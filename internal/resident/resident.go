//go:build unix

// Package resident is how a process that starts for every tool call reaches
// one that stays: a Unix socket in nod's state directory. It links no net
// package, so that the hook can use it; the other end is internal/daemon.
//
//	daemon  nod daemon 1 <stamp>\n        the greeting
//	hook    {"v":1,"prompt":{...},...}\n  a request of internal/classify
//	daemon  \n                            every half second while it works
//	daemon  {"v":1,"digest":...}\n        its answer
//
// In place of a request there may be a word, "status" or "stop", see [Say].
//
// The stamp stands for the program file that the daemon was started from and
// for its settings files by name. A daemon with another stamp is not asked: it
// is of another installation, or of one that was replaced since.
//
// # What is checked
//
// The state directory belongs to this user, is no link and lets nobody else
// in; the socket is one, and this user's; the process behind it runs as this
// user. Anything else is an error, and the caller starts `nod classify`
// instead. An agent that runs as the same user could still put a process of
// its own there; docs/threat-model.md says what follows.
package resident

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Greeting begins the first line that a daemon sends, before its stamp.
const Greeting = "nod daemon 1 "

// SocketName is the socket's name in the state directory.
const SocketName = "daemon.sock"

const (
	answerLimit   = 2 << 20
	greetingLimit = 200
	// greetingTime is how long a daemon has to greet: it does nothing else
	// before. A hung one must not eat the time that nod classify needs, and on
	// a machine with two hundred sessions at once a healthy one takes more
	// than a quarter of a second.
	greetingTime = time.Second
	// Beat is how often a daemon that works on an answer says so, and silence
	// after how long without a word it counts as hung.
	Beat    = 500 * time.Millisecond
	silence = 3 * time.Second
	// socketLimit is the longest name of a socket that every system takes.
	socketLimit = 103
)

// The words that may stand in place of a request.
const (
	Status = "status" // answered by one line of JSON
	Stop   = "stop"   // answered by an empty line; the daemon ends
)

// ErrNone says that no daemon listens.
var ErrNone = errors.New("no daemon listens")

// Stamp stands for an installation: the program's file (device, inode, size,
// time of change, whatever its name) and the names of settings and state.
func Stamp(program, settings, managed, state string) (string, error) {
	var st syscall.Stat_t
	if err := syscall.Stat(program, &st); err != nil {
		return "", fmt.Errorf("%s: %w", program, err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %d %d %q %q %q", st.Dev, st.Ino, st.Size, changed(&st), settings,
		managed, state))
	return hex.EncodeToString(sum[:16]), nil
}

// Ask sends one line to the daemon of the state directory and returns the one
// it answers. An error that is not about ctx means that nothing was decided,
// and that the caller should ask in another way.
func Ask(ctx context.Context, state, stamp string, request []byte) ([]byte, error) {
	c, got, err := reach(state)
	if err != nil {
		return nil, err
	}
	defer c.close()
	defer context.AfterFunc(ctx, c.shut)() // wakes a read that waits
	if got != stamp {
		return nil, errors.New("the daemon is of another installation")
	}
	answer, err := c.exchange(request)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return answer, err
}

// Say sends a word to the daemon of the state directory, of whatever
// installation, and returns its stamp and what it answers.
func Say(state, word string) (stamp string, answer []byte, err error) {
	c, stamp, err := reach(state)
	if err != nil {
		return "", nil, err
	}
	defer c.close()
	c.within(silence)
	if err := c.send([]byte(word + "\n")); err != nil {
		return stamp, nil, err
	}
	answer, err = c.line(answerLimit)
	return stamp, answer, err
}

// reach connects and reads the greeting.
func reach(state string) (*conn, string, error) {
	if err := CheckPlace(state); err != nil {
		return nil, "", err
	}
	c, err := dial(filepath.Join(state, SocketName))
	if err != nil {
		return nil, "", err
	}
	c.within(greetingTime)
	stamp, err := c.greeted()
	if err != nil {
		c.close()
		return nil, "", err
	}
	return c, stamp, nil
}

// exchange sends a request and returns the first line that is not empty.
func (c *conn) exchange(request []byte) ([]byte, error) {
	c.within(silence)
	if err := c.send(request); err != nil {
		return nil, err
	}
	for {
		c.within(silence)
		answer, err := c.line(answerLimit)
		if err != nil || len(answer) > 0 {
			return answer, err
		}
	}
}

// CheckPlace reports what keeps a state directory from being trusted.
func CheckPlace(state string) error {
	var st syscall.Stat_t
	if err := syscall.Lstat(state, &st); err != nil {
		return fmt.Errorf("%w: %s: %v", ErrNone, state, err)
	}
	switch {
	case st.Mode&syscall.S_IFMT != syscall.S_IFDIR:
		return fmt.Errorf("%s is not a directory", state)
	case int(st.Uid) != syscall.Getuid():
		return fmt.Errorf("%s belongs to another user", state)
	case st.Mode&0o077 != 0:
		return fmt.Errorf("%s can be entered by others; run chmod 700 on it", state)
	}
	return nil
}

// conn is a connection to the daemon. Its calls block; within bounds them.
type conn struct {
	fd    int
	until time.Time
	kept  []byte // read and not yet returned

	mu     sync.Mutex
	closed bool
}

func dial(name string) (*conn, error) {
	if len(name) > socketLimit {
		return nil, fmt.Errorf("%s is longer than the %d bytes that a socket's name may have", name, socketLimit)
	}
	var st syscall.Stat_t
	if err := syscall.Lstat(name, &st); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNone, err)
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFSOCK || int(st.Uid) != syscall.Getuid() {
		return nil, fmt.Errorf("%s is not a socket of this user's", name)
	}
	fd, err := newSocket()
	if err != nil {
		return nil, err
	}
	c := &conn{fd: fd}
	c.within(greetingTime)
	if err := c.connect(name); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func newSocket() (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	return fd, err
}

// connect connects, and looks who is there.
func (c *conn) connect(name string) error {
	if err := c.bounded(syscall.SO_SNDTIMEO); err != nil {
		return err
	}
	switch err := syscall.Connect(c.fd, &syscall.SockaddrUnix{Name: name}); {
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT):
		return fmt.Errorf("%w: %v", ErrNone, err)
	case err != nil:
		return fmt.Errorf("the daemon cannot be reached: %w", err)
	}
	uid, err := Peer(c.fd)
	switch {
	case err != nil:
		return fmt.Errorf("whose process is behind %s is not known: %w", name, err)
	case uid != syscall.Getuid():
		return fmt.Errorf("the process behind %s is user %d's", name, uid)
	}
	return nil
}

// close and shut may be called by two goroutines; a number that was closed may
// already name another file.
func (c *conn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	syscall.Close(c.fd)
}

func (c *conn) shut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		syscall.Shutdown(c.fd, syscall.SHUT_RDWR)
	}
}

// within bounds all reads and writes from now on, together.
func (c *conn) within(d time.Duration) { c.until = time.Now().Add(d) }

// bounded lets the next call wait for what is left of the time.
func (c *conn) bounded(option int) error {
	left := time.Until(c.until)
	if left <= 0 {
		return errors.New("the daemon is too slow")
	}
	tv := syscall.NsecToTimeval(max(left, time.Millisecond).Nanoseconds())
	return syscall.SetsockoptTimeval(c.fd, syscall.SOL_SOCKET, option, &tv)
}

// greeted reads the greeting and returns the stamp in it.
func (c *conn) greeted() (string, error) {
	line, err := c.line(greetingLimit)
	if err != nil {
		return "", fmt.Errorf("no greeting: %w", err)
	}
	stamp, ok := strings.CutPrefix(string(line), Greeting)
	if !ok {
		return "", errors.New("what listens is no daemon of this version")
	}
	return stamp, nil
}

func (c *conn) send(text []byte) error {
	for len(text) > 0 {
		if err := c.bounded(syscall.SO_SNDTIMEO); err != nil {
			return err
		}
		n, err := syscall.Write(c.fd, text)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return fmt.Errorf("the daemon cannot be written to: %w", err)
		default:
			text = text[n:]
		}
	}
	return nil
}

// line returns the next line without its end, of at most limit bytes.
func (c *conn) line(limit int) ([]byte, error) {
	chunk := make([]byte, 16<<10)
	for {
		if i := bytes.IndexByte(c.kept, '\n'); i >= 0 && i <= limit {
			line := c.kept[:i:i]
			c.kept = c.kept[i+1:]
			return line, nil
		}
		if len(c.kept) > limit {
			return nil, errors.New("the daemon sent too much")
		}
		if err := c.bounded(syscall.SO_RCVTIMEO); err != nil {
			return nil, err
		}
		n, err := syscall.Read(c.fd, chunk)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return nil, fmt.Errorf("the daemon did not answer: %w", err)
		case n == 0:
			return nil, errors.New("the daemon ended the connection")
		default:
			c.kept = append(c.kept, chunk[:n]...)
		}
	}
}
