//go:build unix

// Package daemon is the resident process behind layer 4: it keeps what costs
// time to set up, connections and root certificates. [resident] is how the hook
// reaches it, and says what crosses the socket.
//
// It answers what `nod classify` would, to the same request, and nothing else:
// no rule, no allow-list and no log. Without it everything goes on, more
// slowly. It is started by the hook (see internal/hook), or by hand.
//
// The socket lies in nod's state directory, which is this user's alone. Settings and
// key are read again for each request, so that a change holds at once. Settings whose
// key would come from the environment are not served: the hook's environment can be a
// repository's, and the daemon's would outlive it. Nor are settings that dump
// questions, whose notices belong to one question.
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
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/classify"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/resident"
)

const (
	requestLimit  = 4 << 20
	requestTime   = 5 * time.Second  // to send a whole request, and to take an answer
	grace         = 5 * time.Second  // for answers under way when it ends
	defaultIdle   = 15 * time.Minute // without a request
	lookAround    = 2 * time.Second  // how often it sees whether it is still wanted
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
	// Build returns the model that settings describe. It takes nothing from an
	// environment.
	Build func(s config.Settings) (nod.Model, error)
	// Idle is how long it stays without a request; 0 is 15 minutes.
	Idle time.Duration
}

// State is what `nod daemon status` shows.
type State struct {
	V        int       `json:"v"` // 1
	PID      int       `json:"pid"`
	Version  string    `json:"version"`
	Since    time.Time `json:"since"`
	Requests int64     `json:"requests"` // answered
}

type server struct {
	Options
	stamp  string
	socket os.FileInfo
	end    context.CancelFunc
	conns  sync.WaitGroup

	mu     sync.Mutex // guards what follows
	state  State
	used   time.Time
	model  nod.Model // with its connections
	madeOf string    // what stands for the settings and keys of that model
}

// Run serves until ctx ends, the idle time is over, it is asked to stop, or
// its place or program is no longer its own; then it returns nil. ErrRunning
// says that there is a daemon already.
func Run(ctx context.Context, o Options) error {
	if o.Idle <= 0 {
		o.Idle = defaultIdle
	}
	stamp, err := resident.Stamp(o.Program, o.Places.User, o.Places.Managed, o.Places.State)
	if err == nil {
		err = config.EnsureState(o.Places, nil)
	}
	if err != nil {
		return err
	}
	s := &server{Options: o, stamp: stamp, used: time.Now(), state: State{V: 1, PID: os.Getpid(), Version: o.Version,
		Since: time.Now().UTC().Truncate(time.Second)}}
	listener, err := s.listen()
	if err != nil {
		return err
	}
	ctx, s.end = context.WithCancel(ctx)
	defer s.end()
	go s.watch(ctx)
	stop := context.AfterFunc(ctx, func() {
		listener.SetUnlinkOnClose(s.isOurs()) // another daemon's socket stays
		listener.Close()
	})
	defer stop()
	s.accept(ctx, listener)
	return nil
}

// listen makes the socket. One that was left behind is removed; anything else
// of that name is not.
func (s *server) listen() (*net.UnixListener, error) {
	name := filepath.Join(s.Places.State, resident.SocketName)
	if info, err := os.Lstat(name); err == nil {
		if info.Mode().Type() != os.ModeSocket {
			return nil, fmt.Errorf("%s is in the way and no socket; remove it", name)
		}
		if _, err := resident.Say(s.Places.State, resident.Status); !errors.Is(err, resident.ErrNone) {
			return nil, ErrRunning
		}
		if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	before := syscall.Umask(0o177)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	syscall.Umask(before)
	if err == nil {
		s.socket, err = os.Lstat(name)
	}
	return listener, err
}

// accept serves until ctx ends. Answers that are under way then are given a while.
func (s *server) accept(ctx context.Context, listener *net.UnixListener) {
	answers, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	for {
		conn, err := listener.AcceptUnix()
		switch {
		case err == nil:
			s.conns.Go(func() {
				defer conn.Close()
				s.serve(answers, conn)
			})
		case ctx.Err() != nil:
			defer time.AfterFunc(grace, cancel).Stop()
			s.conns.Wait()
			return
		default:
			time.Sleep(10 * time.Millisecond) // out of descriptors, most likely
		}
	}
}

// watch ends the daemon when nobody needs it.
func (s *server) watch(ctx context.Context) {
	tick := time.NewTicker(min(lookAround, s.Idle))
	defer tick.Stop()
	for ctx.Err() == nil {
		<-tick.C
		s.mu.Lock()
		idle := time.Since(s.used) >= s.Idle
		s.mu.Unlock()
		if idle || !s.isOurs() {
			s.end()
		}
	}
}

// isOurs reports whether the socket is still the one that was made here, and the
// program the one that was started.
func (s *server) isOurs() bool {
	info, err := os.Lstat(filepath.Join(s.Places.State, resident.SocketName))
	stamp, gone := resident.Stamp(s.Program, s.Places.User, s.Places.Managed, s.Places.State)
	return err == nil && os.SameFile(info, s.socket) && resident.CheckPlace(s.Places.State) == nil && gone == nil &&
		stamp == s.stamp
}

// serve answers one request, or one word. What is not understood, and what is of
// another installation, is not answered.
func (s *server) serve(ctx context.Context, conn *net.UnixConn) {
	conn.SetDeadline(time.Now().Add(requestTime))
	in := bufio.NewReader(io.LimitReader(conn, requestLimit+1))
	stamp, _ := in.ReadString('\n')
	line, err := in.ReadBytes('\n')
	switch word := strings.TrimSpace(string(line)); {
	case err != nil:
	case word == resident.Status:
		s.mu.Lock()
		defer s.mu.Unlock()
		json.NewEncoder(conn).Encode(s.state) // whoever asked may have gone
	case word == resident.Stop:
		s.end()
		io.WriteString(conn, "ending\n")
	case s.isOurs() && strings.TrimSpace(stamp) == s.stamp:
		s.work(ctx, conn, line)
	}
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
	done := make(chan classify.Answer, 1)
	go func() { done <- s.answer(ctx, r) }()
	beat := time.NewTicker(resident.Beat)
	defer beat.Stop()
	for {
		conn.SetWriteDeadline(time.Now().Add(requestTime))
		if _, err := io.WriteString(conn, "\n"); err != nil {
			return
		}
		select {
		case <-beat.C:
		case a := <-done:
			if a.Version == classify.Version {
				_ = a.Write(conn) // whoever asked may have gone
			}
			return
		}
	}
}

// answer is what nod classify would say; the zero value where that is to be asked.
func (s *server) answer(ctx context.Context, r classify.Request) (a classify.Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = classify.Fail(r, &fault.Error{Kind: fault.Internal, Message: "the daemon failed inside",
				Cause: fmt.Errorf("%v", p)})
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.state.Requests, s.used = s.state.Requests+1, time.Now()
	}()
	settings, err := config.Load(s.Places)
	if err == nil && (!settings.Model.Resident() || settings.Log.DumpDir != "") {
		return a
	}
	var model nod.Model
	if err == nil {
		model, err = s.modelOf(settings)
	}
	if err != nil {
		return classify.Fail(r, err)
	}
	return classify.Reply(ctx, model, r)
}

// modelOf returns the model of these settings: other settings or another key make a
// new one.
func (s *server) modelOf(settings config.Settings) (nod.Model, error) {
	var b strings.Builder
	for _, source := range settings.Sources {
		fmt.Fprintf(&b, "%q %s\n", source.Path, source.SHA256)
	}
	for _, t := range append([]config.Target{settings.Model.Target}, settings.Model.Fallbacks...) {
		key, err := t.Key(s.Places.Files, s.Places.UID)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q\n", key)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.model != nil && s.madeOf == b.String() {
		return s.model, nil
	}
	model, err := s.Build(settings)
	if err == nil {
		s.model, s.madeOf = model, b.String()
	}
	return model, err
}
