//go:build unix

package daemon_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/classify"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/daemon"
	"github.com/nodgate/nod/internal/resident"
)

// place is a daemon's, with a model that a test writes.
type place struct {
	t      testing.TB
	dir    string
	places config.Places
	model  func(context.Context, nod.Prompt) (nod.Classification, error)
	built  atomic.Int32
	idle   time.Duration
	done   chan error
	stop   context.CancelFunc
}

type fake func(context.Context, nod.Prompt) (nod.Classification, error)

func (f fake) Classify(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
	return f(ctx, p)
}

// newPlace has settings that a daemon serves. The directory's name is short,
// since a socket's must be.
func newPlace(t testing.TB) *place {
	t.Helper()
	dir, err := os.MkdirTemp("", "nod")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, dir: dir, places: config.DefaultPlaces(dir), done: make(chan error, 1)}
	p.places.Managed, p.places.User, p.places.State = "", filepath.Join(dir, "nod.toml"), filepath.Join(dir, "state")
	p.settings("")
	p.write("key", "sk-1")
	p.model = func(_ context.Context, q nod.Prompt) (nod.Classification, error) {
		return nod.Classification{Digest: q.Digest, Reason: "fine", Model: "m", Cost: 0.5, Usage: nod.Usage{In: 3}}, nil
	}
	return p
}

func (p *place) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// settings ask a compatible endpoint; more is put behind [model].
func (p *place) settings(more string) {
	p.t.Helper()
	p.write("nod.toml", fmt.Sprintf("[model]\nprovider = \"compatible\"\nname = \"m\"\nendpoint = \"http://127.0.0.1:1\"\nkey_file = %q\n%s", filepath.Join(p.dir, "key"), more))
}

// start runs the daemon until the test ends, and waits until it listens.
func (p *place) start() {
	p.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	o := daemon.Options{Places: p.places, Program: p.program(), Version: "test", Idle: p.idle,
		Build: func(_ config.Settings, limits *daemon.Limits) (nod.Model, error) {
			p.built.Add(1)
			return limits.Bound("key", fake(func(ctx context.Context, q nod.Prompt) (nod.Classification, error) { return p.model(ctx, q) })), nil
		}}
	go func() { p.done <- daemon.Run(ctx, o) }()
	p.t.Cleanup(func() { stop(); <-p.done })
	for range 500 {
		if _, _, err := resident.Say(p.places.State, resident.Status); err == nil {
			return
		}
		select {
		case err := <-p.done:
			p.done <- err
			p.t.Fatalf("it did not start: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	p.t.Fatal("it does not listen")
}

func (p *place) program() string {
	program, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	return program
}

func (p *place) stamp() string {
	stamp, err := resident.Stamp(p.program(), p.places.User, p.places.Managed, p.places.State)
	if err != nil {
		p.t.Fatal(err)
	}
	return stamp
}

// ask puts a prompt and opens the answer.
func (p *place) ask(q nod.Prompt, timeout time.Duration) (nod.Classification, classify.Answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	request := classify.NewRequest(q, timeout).Encode()
	line, err := resident.Ask(ctx, p.places.State, p.stamp(), request)
	if err != nil {
		return nod.Classification{}, classify.Answer{}, err
	}
	a, err := classify.DecodeAnswer(line)
	if err != nil {
		return nod.Classification{}, a, err
	}
	c, err := a.Open(q.Digest)
	return c, a, err
}

func (p *place) status() daemon.State {
	p.t.Helper()
	_, text, err := resident.Say(p.places.State, resident.Status)
	var s daemon.State
	if err = errors.Join(err, json.Unmarshal(text, &s)); err != nil {
		p.t.Fatal(err)
	}
	return s
}

func prompt(digest string) nod.Prompt {
	return nod.Prompt{ID: "i", Digest: digest, System: "s", User: "u"}
}

func TestAnAnswer(t *testing.T) {
	p := newPlace(t)
	p.start()
	for i := range 3 {
		c, _, err := p.ask(prompt(fmt.Sprint(i)), 5*time.Second)
		if err != nil || c.ShouldBlock || c.Reason != "fine" || c.Remembered {
			t.Errorf("%+v, %v", c, err)
		}
	}
	p.model = func(context.Context, nod.Prompt) (nod.Classification, error) {
		return nod.Classification{}, &nod.Failure{Kind: nod.Overloaded, Message: "busy"}
	}
	if _, _, err := p.ask(prompt("d"), 5*time.Second); nod.AsFailure(err).Kind != nod.Overloaded {
		t.Error(err)
	}
	p.model = func(context.Context, nod.Prompt) (nod.Classification, error) { panic("boom") }
	if _, _, err := p.ask(prompt("d"), 5*time.Second); nod.AsFailure(err).Kind != nod.Internal {
		t.Error(err)
	}
	p.model = func(context.Context, nod.Prompt) (nod.Classification, error) {
		return nod.Classification{Digest: "another"}, nil
	}
	if _, _, err := p.ask(prompt("d"), 5*time.Second); nod.AsFailure(err).Kind != nod.Malformed {
		t.Error(err)
	}
	if s := p.status(); s.Requests != 6 || s.Failures != 3 || s.Models != 1 || s.PID != os.Getpid() || p.built.Load() != 1 {
		t.Errorf("%+v, built %d times", s, p.built.Load())
	}
	info, err := os.Lstat(filepath.Join(p.places.State, resident.SocketName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// A long answer is no silence: the daemon says that it works.
func TestALongAnswerIsWaitedFor(t *testing.T) {
	p := newPlace(t)
	p.start()
	p.model = func(_ context.Context, q nod.Prompt) (nod.Classification, error) {
		time.Sleep(3500 * time.Millisecond)
		return nod.Classification{Digest: q.Digest, ShouldBlock: true, Reason: "late"}, nil
	}
	if c, _, err := p.ask(prompt("d"), 20*time.Second); err != nil || !c.ShouldBlock {
		t.Errorf("%+v, %v", c, err)
	}
}

// An asker that goes away takes its question along.
func TestAnAskerThatGoesAway(t *testing.T) {
	p := newPlace(t)
	p.start()
	gone := make(chan struct{})
	p.model = func(ctx context.Context, _ nod.Prompt) (nod.Classification, error) {
		<-ctx.Done()
		close(gone)
		return nod.Classification{}, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	request := classify.NewRequest(prompt("d"), time.Minute).Encode()
	if _, err := resident.Ask(ctx, p.places.State, p.stamp(), request); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Error("the question goes on")
	}
}

// Settings, key and rules for whom it serves hold from the next request on.
func TestSettingsAreReadAgain(t *testing.T) {
	p := newPlace(t)
	p.start()
	ask := func(want nod.Kind) {
		t.Helper()
		_, _, err := p.ask(prompt("d"), 5*time.Second)
		if f := nod.AsFailure(err); f == nil && want != "" || f != nil && f.Kind != want {
			t.Errorf("want %q: %v", want, err)
		}
	}
	ask("")
	ask("")
	p.settings("max_tokens = 300\n")
	ask("")
	p.write("key", "sk-2")
	ask("")
	if p.built.Load() != 3 {
		t.Errorf("built %d times, want 3: at first, for new settings, for a new key", p.built.Load())
	}
	p.settings("nonsense = 1\n")
	ask(nod.BadSettings)
	p.write("nod.toml", "[model]\nprovider = \"anthropic\"\n")
	ask(nod.NoKey)
	p.write("nod.toml", "")
	ask(nod.NoKey)
	p.settings("[[fallback]]\nprovider = \"openai\"\n")
	ask(nod.NoKey)
}

// What the socket takes that is no request is not answered.
func TestRubbishIsNotAnswered(t *testing.T) {
	p := newPlace(t)
	p.start()
	good := classify.NewRequest(prompt("d"), time.Second).Encode()
	for name, text := range map[string]string{
		"empty": "\n", "a word": "hello\n", "JSON of another kind": "{}\n", "two keys": strings.Replace(string(good), `"v":1`, `"v":1,"v":1`, 1),
		"another version": strings.Replace(string(good), `"v":1`, `"v":2`, 1), "too long": strings.Repeat("x", 5<<20) + "\n", "cut off": string(good[:20]),
	} {
		conn, err := net.Dial("unix", filepath.Join(p.places.State, resident.SocketName))
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(10 * time.Second))
		conn.Write([]byte(text)) // may fail once it is too long
		conn.(*net.UnixConn).CloseWrite()
		var got []byte
		buf := make([]byte, 1<<10)
		for {
			n, err := conn.Read(buf)
			got = append(got, buf[:n]...)
			if err != nil {
				break
			}
		}
		conn.Close()
		if want := resident.Greeting + p.stamp() + "\n"; string(got) != want && string(got) != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if _, _, err := p.ask(prompt("d"), 5*time.Second); err != nil {
		t.Error(err)
	}
}

// One daemon at a place; what was left behind is no obstacle, anything else
// is; and when it ends, nothing listens.
func TestOnePlaceOneDaemon(t *testing.T) {
	p := newPlace(t)
	if err := os.Mkdir(p.places.State, 0o700); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(p.places.State, resident.SocketName)
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	stale.Close()
	p.start()
	if err := daemon.Run(context.Background(), daemon.Options{Places: p.places, Program: p.program()}); !errors.Is(err, daemon.ErrRunning) {
		t.Errorf("a second daemon: %v", err)
	}
	if _, _, err := resident.Say(p.places.State, resident.Stop); err != nil {
		t.Fatal(err)
	}
	if err := <-p.done; err != nil {
		t.Error(err)
	}
	p.done <- nil
	if _, err := os.Lstat(socket); err == nil {
		t.Error("the socket is still there")
	}
	if _, _, err := resident.Say(p.places.State, resident.Status); !errors.Is(err, resident.ErrNone) {
		t.Error(err)
	}

	q := newPlace(t)
	if err := os.Mkdir(q.places.State, 0o700); err != nil {
		t.Fatal(err)
	}
	q.write("state/daemon.sock", "a file")
	if err := daemon.Run(context.Background(), daemon.Options{Places: q.places, Program: q.program()}); err == nil || !strings.Contains(err.Error(), "no socket") {
		t.Error(err)
	}
}

// It ends when nobody asks, and when its place is gone.
func TestItEndsByItself(t *testing.T) {
	for name, end := range map[string]func(*place) error{
		"idle":              func(p *place) error { return nil },
		"the place is gone": func(p *place) error { return os.RemoveAll(p.places.State) },
		"another's socket":  func(p *place) error { return os.Remove(filepath.Join(p.places.State, resident.SocketName)) },
		"an open place":     func(p *place) error { return os.Chmod(p.places.State, 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			if p.idle = time.Hour; name == "idle" {
				p.idle = 300 * time.Millisecond
			}
			p.start()
			if err := end(p); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-p.done:
				p.done <- err
			case <-time.After(20 * time.Second):
				t.Error("it stays")
			}
		})
	}
}

// Where it may not listen it says so.
func TestPlacesThatAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*place) error{
		"a link": func(p *place) error {
			return errors.Join(os.Mkdir(p.dir+"/real", 0o700), os.Symlink(p.dir+"/real", p.places.State))
		},
		"for everyone": func(p *place) error {
			return errors.Join(os.Mkdir(p.places.State, 0o700), os.Chmod(p.places.State, 0o777))
		},
		"too long": func(p *place) error {
			p.places.State = filepath.Join(p.dir, strings.Repeat("x", 120))
			return nil
		},
	} {
		p := newPlace(t)
		if err := spoil(p); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
		if err := daemon.Run(ctx, daemon.Options{Places: p.places, Program: p.program()}); err == nil {
			t.Errorf("%s: it ran", name)
		}
		if _, _, err := p.ask(prompt("d"), time.Second); err == nil {
			t.Errorf("%s: it was asked", name)
		}
		stop()
	}
}

// The same call has the same answer without a second question; what lets a
// call run only where that can be undone; a failure never.
func TestVerdictsAreRemembered(t *testing.T) {
	p := newPlace(t)
	p.start()
	asked, block, fail := 0, false, false
	p.model = func(_ context.Context, q nod.Prompt) (nod.Classification, error) {
		asked++
		if fail {
			return nod.Classification{}, &nod.Failure{Kind: nod.ServerError, Message: "m"}
		}
		return nod.Classification{Digest: q.Digest, ShouldBlock: block, Reason: "r", Cost: 1, Usage: nod.Usage{In: 1}}, nil
	}
	for _, row := range []struct {
		memory            string
		keep, block, fail bool
		questions         int // for two calls
	}{
		{"a", true, false, false, 1},
		{"b", true, true, false, 1},
		{"c", false, true, false, 1},
		{"d", false, false, false, 2},
		{"", true, false, false, 2},
		{"", false, true, false, 2},
		{"e", true, false, true, 2},
	} {
		asked, block, fail = 0, row.block, row.fail
		var last nod.Classification
		for _, digest := range []string{"1", "2"} {
			q := prompt(digest)
			q.Memory, q.Keep = row.memory, row.keep
			c, _, err := p.ask(q, 5*time.Second)
			if (err != nil) != row.fail || c.ShouldBlock != row.block {
				t.Errorf("%+v: %+v, %v", row, c, err)
			}
			last = c
		}
		if asked != row.questions || last.Remembered != (row.questions == 1) || last.Remembered && (last.Cost != 0 || last.Usage.In != 0 || last.Digest != "2") {
			t.Errorf("%+v: %d questions, %+v", row, asked, last)
		}
	}
	// Other settings are another model's.
	p.settings("max_tokens = 300\n")
	asked, block, fail = 0, false, false
	q := prompt("3")
	q.Memory, q.Keep = "a", true
	if c, _, err := p.ask(q, 5*time.Second); err != nil || c.Remembered || asked != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

// A key has at most eight questions under way.
func TestConcurrencyOfAKey(t *testing.T) {
	p := newPlace(t)
	p.start()
	var now, most atomic.Int32
	p.model = func(_ context.Context, q nod.Prompt) (nod.Classification, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(20 * time.Millisecond)
		return nod.Classification{Digest: q.Digest, Reason: "r"}, nil
	}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if _, _, err := p.ask(prompt(fmt.Sprint(i)), 30*time.Second); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if most.Load() != 8 {
		t.Errorf("%d at once", most.Load())
	}
}
