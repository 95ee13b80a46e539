//go:build unix

package daemon_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/classify"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/daemon"
	"github.com/nodgate/nod/internal/hang"
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
	p.write("nod.toml", fmt.Sprintf(
		"[model]\nprovider = \"compatible\"\nname = \"m\"\nendpoint = \"http://127.0.0.1:1\"\nkey_file = %q\n%s",
		filepath.Join(p.dir, "key"), more))
}

// start runs the daemon until the test ends, and waits until it listens.
func (p *place) start() {
	p.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	o := daemon.Options{Places: p.places, Program: p.program(), Version: "test", Idle: p.idle,
		Build: func(config.Settings) (nod.Model, error) {
			p.built.Add(1)
			return fake(func(ctx context.Context, q nod.Prompt) (nod.Classification, error) {
				return p.model(ctx, q)
			}), nil
		}}
	go func() { p.done <- daemon.Run(ctx, o) }()
	p.t.Cleanup(func() { stop(); <-p.done })
	hang.Until(p.t, "a daemon that listens", func() bool {
		select {
		case err := <-p.done:
			p.done <- err
			p.t.Fatalf("it did not start: %v", err)
		default:
		}
		_, err := resident.Say(p.places.State, resident.Status)
		return err == nil
	})
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

// ask puts a prompt and opens the answer. A busy machine may take longer to
// greet than the hook waits: then nothing was asked, and ask tries again.
func (p *place) ask(q nod.Prompt) (nod.Classification, classify.Answer, error) {
	request := classify.NewRequest(q, hang.Limit()).Encode()
	var line []byte
	var err error
	hang.Until(p.t, "the daemon's greeting", func() bool {
		line, err = resident.Ask(hang.Context(p.t), p.places.State, p.stamp(), request)
		return !slow(err)
	})
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

// slow reports whether the daemon did not greet in time.
func slow(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

func (p *place) status() daemon.State {
	p.t.Helper()
	text, err := p.say(resident.Status)
	var s daemon.State
	if err = errors.Join(err, json.Unmarshal(text, &s)); err != nil {
		p.t.Fatal(err)
	}
	return s
}

// say sends a word, again where a busy machine took too long to greet.
func (p *place) say(word string) (text []byte, err error) {
	hang.Until(p.t, "the daemon's greeting", func() bool {
		text, err = resident.Say(p.places.State, word)
		return !slow(err)
	})
	return text, err
}

func prompt(digest string) nod.Prompt {
	return nod.Prompt{ID: "i", Digest: digest, System: "s", User: "u"}
}

func TestAnAnswer(t *testing.T) {
	p := newPlace(t)
	p.start()
	for i := range 3 {
		c, _, err := p.ask(prompt(fmt.Sprint(i)))
		if err != nil || c.ShouldBlock || c.Reason != "fine" {
			t.Errorf("%+v, %v", c, err)
		}
	}
	p.model = func(context.Context, nod.Prompt) (nod.Classification, error) {
		return nod.Classification{}, &fault.Error{Kind: fault.Overloaded, Message: "busy"}
	}
	if _, _, err := p.ask(prompt("d")); fault.Of(err).Kind != fault.Overloaded {
		t.Error(err)
	}
	p.model = func(context.Context, nod.Prompt) (nod.Classification, error) { panic("boom") }
	if _, _, err := p.ask(prompt("d")); fault.Of(err).Kind != fault.Internal {
		t.Error(err)
	}
	p.model = func(context.Context, nod.Prompt) (nod.Classification, error) {
		return nod.Classification{Digest: "another"}, nil
	}
	if _, _, err := p.ask(prompt("d")); fault.Of(err).Kind != fault.Malformed {
		t.Error(err)
	}
	if s := p.status(); s.Requests != 6 || s.PID != os.Getpid() ||
		p.built.Load() != 1 {
		t.Errorf("%+v, built %d times", s, p.built.Load())
	}
	info, err := os.Lstat(filepath.Join(p.places.State, resident.SocketName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// A long answer is no silence: the daemon says that it works, by empty lines.
func TestALongAnswerIsWaitedFor(t *testing.T) {
	p := newPlace(t)
	p.start()
	answer := make(chan struct{})
	p.model = func(_ context.Context, q nod.Prompt) (nod.Classification, error) {
		<-answer
		return nod.Classification{Digest: q.Digest, ShouldBlock: true, Reason: "late"}, nil
	}
	conn, err := net.Dial("unix", filepath.Join(p.places.State, resident.SocketName))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(hang.Limit()))
	request := append([]byte(p.stamp()+"\n"), classify.NewRequest(prompt("d"), hang.Limit()).Encode()...)
	if _, err := conn.Write(request); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(conn)
	for i := range 3 {
		if got, err := lines.ReadString('\n'); got != "\n" || err != nil {
			t.Errorf("line %d: %q, %v", i, got, err)
		}
	}
	close(answer)
	for got := "\n"; ; {
		if got, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if got == "\n" {
			continue
		}
		a, err := classify.DecodeAnswer([]byte(got))
		if c, openErr := a.Open("d"); err != nil || openErr != nil || !c.ShouldBlock {
			t.Errorf("%s: %v, %v", got, err, openErr)
		}
		return
	}
}

// An asker that goes away takes its question along.
func TestAnAskerThatGoesAway(t *testing.T) {
	p := newPlace(t)
	p.start()
	asked, gone := make(chan struct{}), make(chan struct{})
	p.model = func(ctx context.Context, _ nod.Prompt) (nod.Classification, error) {
		close(asked)
		<-ctx.Done()
		close(gone)
		return nod.Classification{}, ctx.Err()
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { <-asked; cancel() }()
	request := classify.NewRequest(prompt("d"), hang.Limit()).Encode()
	var err error
	hang.Until(t, "the daemon's greeting", func() bool {
		_, err = resident.Ask(ctx, p.places.State, p.stamp(), request)
		return !slow(err)
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	hang.Receive(t, "the end of the question", gone)
}

// Settings, key and rules for whom it serves hold from the next request on.
func TestSettingsAreReadAgain(t *testing.T) {
	p := newPlace(t)
	p.start()
	ask := func(want fault.Kind) {
		t.Helper()
		_, _, err := p.ask(prompt("d"))
		if f := fault.Of(err); f == nil && want != "" || f != nil && f.Kind != want {
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
	ask(fault.BadSettings)
	// These are for nod classify.
	for _, text := range []string{"[model]\nprovider = \"anthropic\"\n", ""} {
		p.write("nod.toml", text)
		if _, _, err := p.ask(prompt("d")); err == nil || fault.Of(err).Kind != fault.Internal {
			t.Errorf("%q: %v", text, err)
		}
	}
	p.settings("[log]\ndump_dir = \"/tmp\"\n")
	if _, a, err := p.ask(prompt("d")); err == nil || a.Error != nil {
		t.Errorf("dumps: %+v %v", a, err)
	}
}

// What the socket takes that is no request is not answered.
func TestRubbishIsNotAnswered(t *testing.T) {
	p := newPlace(t)
	p.start()
	good := classify.NewRequest(prompt("d"), hang.Limit()).Encode()
	for name, text := range map[string]string{
		"empty": "\n", "a word": "hello\n", "JSON of another kind": "{}\n",
		"two keys":        strings.Replace(string(good), `"v":1`, `"v":1,"v":1`, 1),
		"another version": strings.Replace(string(good), `"v":1`, `"v":2`, 1),
		"too long":        strings.Repeat("x", 5<<20) + "\n", "cut off": string(good[:20]), "no stamp": string(good),
	} {
		conn, err := net.Dial("unix", filepath.Join(p.places.State, resident.SocketName))
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(hang.Limit()))
		stamp := p.stamp()
		if name == "no stamp" {
			stamp = "of another installation"
		}
		conn.Write([]byte(stamp + "\n" + text)) // may fail once it is too long
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
		if string(got) != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if _, _, err := p.ask(prompt("d")); err != nil {
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
	if err := daemon.Run(context.Background(), daemon.Options{Places: p.places, Program: p.program()}); !errors.Is(err,
		daemon.ErrRunning) {
		t.Errorf("a second daemon: %v", err)
	}
	if _, err := p.say(resident.Stop); err != nil {
		t.Fatal(err)
	}
	if err := <-p.done; err != nil {
		t.Error(err)
	}
	p.done <- nil
	if _, err := os.Lstat(socket); err == nil {
		t.Error("the socket is still there")
	}
	if _, err := resident.Say(p.places.State, resident.Status); !errors.Is(err, resident.ErrNone) {
		t.Error(err)
	}

	q := newPlace(t)
	if err := os.Mkdir(q.places.State, 0o700); err != nil {
		t.Fatal(err)
	}
	q.write("state/daemon.sock", "a file")
	if err := daemon.Run(context.Background(),
		daemon.Options{Places: q.places, Program: q.program()}); err == nil || !strings.Contains(err.Error(),
		"no socket") {
		t.Error(err)
	}
}

// It ends when nobody asks, and when its place is gone.
func TestItEndsByItself(t *testing.T) {
	for name, end := range map[string]func(*place) error{
		"idle":              func(p *place) error { return nil },
		"the place is gone": func(p *place) error { return os.RemoveAll(p.places.State) },
		"another's socket": func(p *place) error {
			return os.Remove(filepath.Join(p.places.State,
				resident.SocketName))
		},
		"an open place": func(p *place) error { return os.Chmod(p.places.State, 0o755) },
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
			p.done <- hang.Receive(t, "its end", p.done)
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
		ctx, stop := context.WithTimeout(context.Background(), hang.Limit())
		if err := daemon.Run(ctx, daemon.Options{Places: p.places, Program: p.program()}); err == nil {
			t.Errorf("%s: it ran", name)
		}
		if _, _, err := p.ask(prompt("d")); err == nil {
			t.Errorf("%s: it was asked", name)
		}
		stop()
	}
}
