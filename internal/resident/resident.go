//go:build unix

// Package resident is how a process that starts for every tool call reaches
// one that stays: a Unix socket in nod's state directory. It links no net
// package, so that the hook can use it; the other end is internal/daemon.
//
//	hook    <stamp>\n                     of the installation
//	hook    {"v":1,"prompt":{...},...}\n  a request of internal/classify
//	daemon  \n                            at once, and every half second while it works
//	daemon  {"v":1,"digest":...}\n        its answer
//
// In place of a request there may be a word, "status" or "stop", see [Say]; then
// the stamp does not count. A daemon of another stamp ends the connection: it is of
// another installation, or of one that was replaced since.
//
// The state directory belongs to this user, is no link and lets nobody else in, so
// whatever listens there and whoever connects runs as this user. Anything else is an
// error, and the caller starts `nod classify` instead. An agent that runs as the same
// user could still put a process of its own there; docs/threat-model.md says what
// follows.
package resident

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// SocketName is the socket's name in the state directory.
const SocketName = "daemon.sock"

const (
	answerLimit = 2 << 20
	// greetingTime is how long a daemon has to say that it is there. A hung one
	// must not eat the time that nod classify needs, and on a machine with two
	// hundred sessions at once a healthy one takes more than a quarter of a second.
	greetingTime = time.Second
	// Beat is how often a daemon that works on an answer says so, and silence
	// after how long without a word it counts as hung.
	Beat    = 500 * time.Millisecond
	silence = 3 * time.Second
)

// The words that may stand in place of a request.
const (
	Status = "status" // answered by one line of JSON
	Stop   = "stop"   // the daemon ends
)

// ErrNone says that no daemon listens.
var ErrNone = errors.New("no daemon listens")

// Stamp stands for an installation: the program's file, as it is now, and the names
// of settings and state.
func Stamp(program, settings, managed, state string) (string, error) {
	info, err := os.Stat(program)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %d %q %q %q", program, info.Size(), info.ModTime().UnixNano(),
		settings, managed, state))
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
	defer c.Close()
	c.SetWriteDeadline(time.Now().Add(silence))
	if _, err := c.Write(append(append([]byte(stamp+"\n"), bytes.TrimSpace(request)...), '\n')); err != nil {
		return nil, fmt.Errorf("the daemon cannot be written to: %w", err)
	}
	in := bufio.NewReaderSize(c, answerLimit)
	for wait := greetingTime; ; wait = silence {
		c.SetReadDeadline(time.Now().Add(wait))
		answer, err := in.ReadSlice('\n') // longer than the buffer is an error
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, fmt.Errorf("the daemon did not answer: %w", err)
		case len(answer) > 1: // an empty line is a sign of life
			return answer[:len(answer)-1], nil
		}
	}
}

// Say sends a word to the daemon of the state directory, of whatever
// installation, and returns what it answers.
func Say(state, word string) ([]byte, error) {
	return Ask(context.Background(), state, "", []byte(word))
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

// dial connects without waiting: where nobody accepts, nod classify is quicker.
func dial(name string) (*os.File, error) {
	if info, err := os.Lstat(name); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNone, err)
	} else if info.Mode().Type() != os.ModeSocket {
		return nil, fmt.Errorf("%s is no socket", name)
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
	if err = syscall.SetNonblock(fd, true); err == nil {
		err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: name})
	}
	switch {
	case err == nil:
		return os.NewFile(uintptr(fd), name), nil
	case errors.Is(err, syscall.ECONNREFUSED):
		err = fmt.Errorf("%w: %v", ErrNone, err)
	}
	syscall.Close(fd)
	return nil, fmt.Errorf("the daemon cannot be reached: %w", err)
}
