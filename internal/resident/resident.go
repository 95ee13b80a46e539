//go:build unix

// Package resident is how a process that starts for every tool call reaches
// one that stays: a Unix socket in nod's state directory. It links no net
// package, so that the hook can use it; the other end is internal/daemon.
//
//	daemon  nod daemon 1 <stamp>\n        the greeting
//	hook    {"v":1,"prompt":{...},...}\n  a request of internal/classify
//	daemon  {"v":1,"digest":...}\n        its answer
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
	// before. A hung one must not eat the time that nod classify needs.
	greetingTime = 250 * time.Millisecond
)

// ErrNone says that no daemon listens.
var ErrNone = errors.New("no daemon listens")

// Stamp stands for an installation: the program's file (name, device, inode,
// size, time of change) and the names of its settings files and state.
func Stamp(program, settings, managed, state string) (string, error) {
	var st syscall.Stat_t
	if err := syscall.Stat(program, &st); err != nil {
		return "", fmt.Errorf("%s: %w", program, err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %d %d %d %q %q %q", program, st.Dev, st.Ino, st.Size, changed(&st), settings, managed, state))
	return hex.EncodeToString(sum[:16]), nil
}

// Ask sends one line to the daemon of the state directory and returns the one
// it answers. An error that is not about ctx means that nothing was decided,
// and that the caller should ask in another way.
func Ask(ctx context.Context, state, stamp string, request []byte) ([]byte, error) {
	if err := CheckPlace(state); err != nil {
		return nil, err
	}
	c, err := dial(filepath.Join(state, SocketName))
	if err != nil {
		return nil, err
	}
	defer c.close()
	stop := context.AfterFunc(ctx, c.shut) // wakes a read that waits
	defer stop()
	if err := c.greeted(stamp); err != nil {
		return nil, err
	}
	if err := c.send(request); err != nil {
		return nil, err
	}
	c.within(remaining(ctx))
	answer, err := c.line(answerLimit)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return answer, err
}

func remaining(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return max(time.Until(deadline), time.Millisecond)
	}
	return time.Minute
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
	fd   int
	kept []byte // read and not yet returned
}

func dial(name string) (*conn, error) {
	var st syscall.Stat_t
	if err := syscall.Lstat(name, &st); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNone, err)
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFSOCK || int(st.Uid) != syscall.Getuid() {
		return nil, fmt.Errorf("%s is not a socket of this user's", name)
	}
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, err
	}
	c := &conn{fd: fd}
	c.within(greetingTime)
	if err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: name}); err != nil {
		c.close()
		return nil, fmt.Errorf("%w: %v", ErrNone, err)
	}
	if uid, err := peer(fd); err != nil || uid != syscall.Getuid() {
		c.close()
		return nil, fmt.Errorf("the process behind %s is user %d's: %v", name, uid, err)
	}
	return c, nil
}

func (c *conn) close() { syscall.Close(c.fd) }

func (c *conn) shut() { syscall.Shutdown(c.fd, syscall.SHUT_RDWR) }

// within bounds each read and write from now on.
func (c *conn) within(d time.Duration) {
	tv := syscall.NsecToTimeval(d.Nanoseconds())
	syscall.SetsockoptTimeval(c.fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &tv)
	syscall.SetsockoptTimeval(c.fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &tv)
}

// greeted reads the greeting and compares the stamp.
func (c *conn) greeted(stamp string) error {
	line, err := c.line(greetingLimit)
	if err != nil {
		return fmt.Errorf("no greeting: %w", err)
	}
	got, ok := strings.CutPrefix(string(line), Greeting)
	if !ok || got != stamp {
		return errors.New("the daemon is of another installation")
	}
	return nil
}

func (c *conn) send(text []byte) error {
	for len(text) > 0 {
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
