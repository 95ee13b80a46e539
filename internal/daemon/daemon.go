//go:build unix

// Package daemon is the resident process behind layer 4: it keeps what costs
// time to set up (connections, root certificates) and what must be known of
// more than one call (limits of a key, verdicts). [resident] is how the hook
// reaches it, and says what crosses the socket.
//
// It answers what `nod classify` would, to the same request, and nothing else:
// no rule, no allow-list and no log. Without it everything goes on, more
// slowly. It is started by the hook (see internal/hook), or by hand.
//
// # What keeps it in its place
//
// The socket lies in nod's state directory, which is this user's alone, and is
// readable by this user alone. The other process must be this user's; so must
// the daemon be, which the hook checks. A lock file keeps two daemons from one
// place, and only its holder removes a socket that was left behind.
//
// Settings and key are read again for each request, so that a change holds at
// once. Settings whose key would come from the environment are not served: the
// hook's environment can be a repository's, and the daemon's would outlive it.
//
// The daemon ends after 15 minutes without a request, on SIGTERM, when asked
// to, and when its program, its socket or its directory is replaced or gone.
// It writes no file, and neither prompts nor answers anywhere.
package daemon

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/classify"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/resident"
)

const (
	lockName      = "daemon.lock"
	requestLimit  = 4 << 20
	requestTime   = 5 * time.Second  // to send a whole request
	writeTime     = 5 * time.Second  // to take what is sent
	grace         = 5 * time.Second  // for answers under way when it ends
	defaultIdle   = 15 * time.Minute // without a request
	lookAround    = 2 * time.Second  // how often it sees whether it is still wanted
	lockTries     = 20
	lockPause     = 50 * time.Millisecond
	maxConns      = 512
	maxAnswerTime = 10 * time.Minute // for a request that names no time
)

// ErrRunning says that another daemon holds the place.
var ErrRunning = errors.New("a daemon runs here already")

// Options are what a daemon needs.
type Options struct {
	Places config.Places // State is where the socket lies
	// Program is this program's file, absolute; the stamp names it.
	Program string
	Version string
	// Build returns the model that settings describe, with every target of
	// theirs bounded by limits. It takes nothing from an environment.
	Build func(s config.Settings, limits *Limits) (nod.Model, error)
	// Idle is how long it stays without a request; 0 is 15 minutes.
	Idle time.Duration
}

// State is what `nod daemon status` shows.
type State struct {
	V          int       `json:"v"` // 1
	PID        int       `json:"pid"`
	Version    string    `json:"version"`
	Since      time.Time `json:"since"`
	Requests   int64     `json:"requests"`   // answered, failures included
	Failures   int64     `json:"failures"`   // of them
	Remembered int64     `json:"remembered"` // answered from memory
	Verdicts   int       `json:"verdicts"`   // in memory
	Models     int       `json:"models"`     // kept warm
	Active     int64     `json:"active"`     // connections now
}

type server struct {
	closing sync.Once
	Options
	stamp    string
	listener *net.UnixListener
	socket   os.FileInfo
	since    time.Time
	end      context.CancelFunc

	limits *Limits
	models models
	memory *memory

	conns                          sync.WaitGroup
	seats                          chan struct{}
	active                         atomic.Int64
	lastUsed                       atomic.Int64 // Unix nanoseconds
	requests, failures, remembered atomic.Int64
}

// Run serves until ctx ends, the idle time is over, it is asked to stop, or
// its place or program is no longer its own; then it returns nil. ErrRunning
// says that there is a daemon already.
func Run(ctx context.Context, o Options) error {
	if o.Idle <= 0 {
		o.Idle = defaultIdle
	}
	stamp, err := resident.Stamp(o.Program, o.Places.User, o.Places.Managed, o.Places.State)
	if err != nil {
		return err
	}
	if err := config.EnsureState(o.Places, nil); err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(o.Places.State, lockName))
	if err != nil {
		return err
	}
	defer unlock()
	s := &server{Options: o, stamp: stamp, since: time.Now(), limits: NewLimits(), memory: newMemory(),
		seats: make(chan struct{}, maxConns)}
	if err := s.listen(); err != nil {
		return err
	}
	s.lastUsed.Store(time.Now().UnixNano())
	return s.run(ctx)
}

// lock takes the lock of the place, for as long as the process lives. One that
// is just ending is waited for.
func lock(name string) (unlock func(), err error) {
	fd, err := syscall.Open(name, syscall.O_RDWR|syscall.O_CREAT|syscall.O_CLOEXEC|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for range lockTries {
		if err = syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			return func() { syscall.Close(fd) }, nil
		}
		time.Sleep(lockPause)
	}
	syscall.Close(fd)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, ErrRunning
	}
	return nil, fmt.Errorf("%s: %w", name, err)
}

// listen makes the socket. One that was left behind is removed; anything else
// of that name is not.
func (s *server) listen() error {
	name := filepath.Join(s.Places.State, resident.SocketName)
	if info, err := os.Lstat(name); err == nil {
		if info.Mode().Type() != os.ModeSocket {
			return fmt.Errorf("%s is in the way and no socket; remove it", name)
		}
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	before := syscall.Umask(0o177)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	syscall.Umask(before)
	if err != nil {
		return err
	}
	s.listener = listener
	s.socket, err = os.Lstat(name)
	return err
}

func (s *server) run(ctx context.Context) error {
	ctx, s.end = context.WithCancel(ctx)
	defer s.end()
	answers, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go s.watch(ctx)
	defer context.AfterFunc(ctx, func() { s.close() })()
	for {
		conn, err := s.listener.AcceptUnix()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				conn.Close()
			}
			s.close()
			s.settle(cancel)
			return nil
		case err != nil:
			time.Sleep(10 * time.Millisecond) // out of descriptors, most likely
		default:
			s.admit(answers, conn)
		}
	}
}

// admit serves a connection, unless there are too many.
func (s *server) admit(ctx context.Context, conn *net.UnixConn) {
	select {
	case s.seats <- struct{}{}:
	default:
		conn.Close()
		return
	}
	s.active.Add(1)
	s.conns.Go(func() {
		defer func() {
			conn.Close()
			s.lastUsed.Store(time.Now().UnixNano())
			s.active.Add(-1)
			<-s.seats
			_ = recover() // of one connection; the hook asks in another way
		}()
		s.serve(ctx, conn)
	})
}

// close ends listening. The socket is removed only while it is this one's.
func (s *server) close() {
	s.closing.Do(func() {
		s.listener.SetUnlinkOnClose(s.isOurs())
		s.listener.Close()
	})
}

// settle waits a little for answers under way, then ends them.
func (s *server) settle(cancel func()) {
	done := make(chan struct{})
	go func() { s.conns.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(grace):
		cancel()
		<-done
	}
}

// watch ends the daemon when nobody needs it.
func (s *server) watch(ctx context.Context) {
	tick := time.NewTicker(min(lookAround, s.Idle))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		idle := time.Since(time.Unix(0, s.lastUsed.Load()))
		if s.active.Load() == 0 && idle >= s.Idle || !s.isOurs() || !s.isCurrent() {
			s.end()
			return
		}
	}
}

// isOurs reports whether the socket is still the one that was made here.
func (s *server) isOurs() bool {
	info, err := os.Lstat(filepath.Join(s.Places.State, resident.SocketName))
	return err == nil && os.SameFile(info, s.socket) && resident.CheckPlace(s.Places.State) == nil
}

// isCurrent reports whether the program is still the one that was started.
func (s *server) isCurrent() bool {
	stamp, err := resident.Stamp(s.Program, s.Places.User, s.Places.Managed, s.Places.State)
	return err == nil && stamp == s.stamp
}

// serve answers one request, or one word. What is not understood is not
// answered.
func (s *server) serve(ctx context.Context, conn *net.UnixConn) {
	if !isOwn(conn) {
		return
	}
	if !s.isCurrent() {
		s.end()
		return
	}
	conn.SetDeadline(time.Now().Add(requestTime))
	if _, err := io.WriteString(conn, resident.Greeting+s.stamp+"\n"); err != nil {
		return
	}
	in := bufio.NewReader(io.LimitReader(conn, requestLimit+1))
	line, err := in.ReadBytes('\n')
	if err != nil {
		return
	}
	switch string(bytes.TrimSpace(line)) {
	case resident.Status:
		s.tell(conn)
	case resident.Stop:
		s.end()
		io.WriteString(conn, "\n")
	default:
		s.work(ctx, conn, line)
	}
}

// isOwn reports whether the process at the other end runs as this user.
func isOwn(conn *net.UnixConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	own := false
	err = raw.Control(func(fd uintptr) {
		uid, err := resident.Peer(int(fd))
		own = err == nil && uid == os.Getuid()
	})
	return err == nil && own
}

func (s *server) tell(conn io.Writer) {
	state := State{V: 1, PID: os.Getpid(), Version: s.Version, Since: s.since.UTC().Truncate(time.Second),
		Requests: s.requests.Load(), Failures: s.failures.Load(),
		Remembered: s.remembered.Load(), Verdicts: s.memory.size(), Models: s.models.size(), Active: s.active.Load()}
	_ = json.NewEncoder(conn).Encode(state) // whoever asked has gone
}

// work answers a request, with a sign of life every now and then. When the
// asker goes away, so does the question.
func (s *server) work(ctx context.Context, conn *net.UnixConn, line []byte) {
	r, err := classify.ReadRequest(bytes.NewReader(line))
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, maxAnswerTime)
	defer cancel()
	conn.SetReadDeadline(time.Time{})
	go func() {
		var b [1]byte
		conn.Read(b[:]) // returns when the asker, or serve, closes
		cancel()
	}()
	done := make(chan classify.Answer, 1)
	go func() { done <- s.answer(ctx, r) }()
	beat := time.NewTicker(resident.Beat)
	defer beat.Stop()
	for {
		select {
		case <-beat.C:
			conn.SetWriteDeadline(time.Now().Add(writeTime))
			if _, err := io.WriteString(conn, "\n"); err != nil {
				cancel()
			}
		case a := <-done:
			conn.SetWriteDeadline(time.Now().Add(writeTime))
			_ = a.Write(conn) // whoever asked has gone
			return
		}
	}
}

// answer is what nod classify would say. A panic is a failure.
func (s *server) answer(ctx context.Context, r classify.Request) (a classify.Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = classify.Fail(r, &fault.Error{Kind: fault.Internal, Message: "the daemon failed inside",
				Cause: fmt.Errorf("%v", p)})
		}
		s.requests.Add(1)
		if a.Error != nil {
			s.failures.Add(1)
		}
	}()
	settings, err := config.Load(s.Places)
	if err != nil {
		return classify.Fail(r, err)
	}
	if !settings.Model.Resident() {
		return classify.Fail(r, &fault.Error{Kind: fault.NoKey,
			Message: "a key from the environment is not for the daemon"})
	}
	m, err := s.models.of(s, settings)
	if err != nil {
		return classify.Fail(r, err)
	}
	key := memoryKey(m.print, r.Prompt.Memory)
	if c, ok := s.memory.recall(key, r.Prompt.Digest); ok {
		s.remembered.Add(1)
		return classify.Answer{Version: classify.Version, Digest: r.Prompt.Digest, Classification: &c}
	}
	a = classify.Reply(ctx, m.model, r)
	a.Notices = append(a.Notices, m.notices()...)
	if a.Error == nil && (a.Classification.ShouldBlock || r.Prompt.Keep) {
		s.memory.keep(key, *a.Classification)
	}
	return a
}
