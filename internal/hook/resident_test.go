package hook_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/resident"
)

// fallback is a fake nod: `nod classify` allows and counts, `nod daemon` says
// how it was started.
const fallback = `#!/bin/sh
if [ "$1" = daemon ]; then
	{ echo "$*"; env; ls -l /dev/fd/; } >"$0.tmp"
	mv "$0.tmp" "$0.daemon"
	exit
fi
echo asked >>"$0.asked"
`

// withResident is a place whose settings a daemon serves, where nod classify
// blocks and says "as asked".
func withResident(t *testing.T) *place {
	t.Helper()
	p := withFakeNod(t, fallback+strings.TrimPrefix(classification("true", ""), "#!/bin/sh\n"))
	p.write(filepath.Join(p.home, "key"), "sk-1\n")
	p.settings(fmt.Sprintf("[model]\nprovider = \"anthropic\"\ntimeout = \"45s\"\nkey_file = %q\n",
		filepath.Join(p.home, "key")))
	if err := os.MkdirAll(p.options.Places.State, 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) socket() string { return filepath.Join(p.options.Places.State, resident.SocketName) }

// asked is how often nod classify was.
func (p *place) asked() int {
	text, err := os.ReadFile(p.options.Nod + ".asked")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.t.Fatal(err)
	}
	return bytes.Count(text, []byte("\n"))
}

// listen is a fake daemon: serve has each connection until it returns.
func (p *place) listen(serve func(net.Conn)) {
	p.t.Helper()
	l, err := net.Listen("unix", p.socket())
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); serve(c) }()
		}
	}()
}

// request reads a stamp and one request, and returns its digest.
func request(c net.Conn) string {
	var text []byte
	buf := make([]byte, 64<<10)
	for bytes.Count(text, []byte("\n")) < 2 {
		n, err := c.Read(buf)
		if err != nil {
			return ""
		}
		text = append(text, buf[:n]...)
	}
	_, rest, _ := strings.Cut(string(text), `"digest":"`)
	digest, _, _ := strings.Cut(rest, `"`)
	return digest
}

func allowing(digest string) string {
	return `{"v":1,"digest":"` + digest + `","classification":{"digest":"` + digest +
		`","should_block":false,"reason":"warm","thinking":"","model":"m","usage":{"in":1,"out":1,"cached":0},"cost_usd":0}}` + "\n"
}

func TestTheDaemonIsAsked(t *testing.T) {
	p, s := greetedInTime(t, func(c net.Conn, digest string) { c.Write([]byte("\n\n" + allowing(digest))) })
	if s.verdict != "allow" || !strings.Contains(s.reason, "warm") || p.asked() != 0 {
		t.Errorf("%+v; nod classify was asked %d times", s, p.asked())
	}
}

// greetedInTime runs the hook beside a daemon that answers. The hook waits a
// second for a greeting, which a busy machine can miss: then nothing reached
// the daemon, and it is tried again.
func greetedInTime(t *testing.T, answer func(c net.Conn, digest string)) (p *place, s said) {
	t.Helper()
	hang.Until(t, "a greeting in time", func() bool {
		var reached atomic.Bool
		p = withResident(t)
		p.listen(func(c net.Conn) {
			digest := request(c)
			reached.Store(digest != "")
			answer(c, digest)
		})
		s = p.run(bytes.NewReader(p.bash("npm publish")))
		return reached.Load()
	})
	return p, s
}

// A failure of the model is the daemon's answer too, and not asked about again.
func TestAFailureFromTheDaemonBlocks(t *testing.T) {
	p, s := greetedInTime(t, func(c net.Conn, digest string) {
		fmt.Fprintf(c, `{"v":1,"digest":%q,"error":{"kind":"overloaded","message":"busy"},"notices":["a note"]}`+"\n",
			digest)
	})
	if s.verdict != "deny" || !strings.Contains(s.system, string(fault.Overloaded)) || !strings.Contains(s.system,
		"a note") || p.asked() != 0 {
		t.Errorf("%+v; nod classify was asked %d times", s, p.asked())
	}
}

// Whatever is wrong with the daemon, nod classify is asked, once, within the
// same deadline.
func TestADaemonThatIsNoGood(t *testing.T) {
	greeted := func(then func(c net.Conn, digest string)) func(*place) func(net.Conn) {
		return func(p *place) func(net.Conn) {
			return func(c net.Conn) {
				digest := request(c)
				c.Write([]byte("\n"))
				then(c, digest)
			}
		}
	}
	says := func(text func(digest string) string) func(*place) func(net.Conn) {
		return greeted(func(c net.Conn, digest string) { c.Write([]byte(text(digest))) })
	}
	before := func(text string) func(*place) func(net.Conn) {
		return func(*place) func(net.Conn) {
			return func(c net.Conn) { c.Write([]byte(text)); c.Read(make([]byte, 1)) }
		}
	}
	for name, serve := range map[string]func(*place) func(net.Conn){
		"another program":       before("SSH-2.0-OpenSSH_9.6\r\n"),
		"another version":       before("nod daemon 2 00\n"),
		"a greeting in drops":   dripping,
		"an endless greeting":   before(strings.Repeat("x", 100_000)),
		"no greeting":           before(""),
		"ended at once":         func(*place) func(net.Conn) { return func(net.Conn) {} },
		"hung after a request":  greeted(func(c net.Conn, _ string) { c.Read(make([]byte, 1)) }),
		"ended after a request": greeted(func(net.Conn, string) {}),
		"killed mid-answer":     says(func(d string) string { return allowing(d)[:60] }),
		"rubbish":               says(func(string) string { return "allow\n" }),
		"another call's answer": says(func(string) string { return allowing("other") }),
		"no decision": says(func(d string) string {
			return strings.Replace(allowing(d),
				`"should_block":false,`, "", 1)
		}),
		"a key twice": says(func(d string) string {
			return strings.Replace(allowing(d), `"should_block"`, `"should_block":true,"should_block"`, 1)
		}),
		"both": says(func(d string) string {
			return strings.Replace(allowing(d), `"v":1`, `"v":1,"error":{"kind":"refused","message":"m"}`, 1)
		}),
		"another wire": says(func(d string) string { return strings.Replace(allowing(d), `"v":1`, `"v":2`, 1) }),
		"a fault of its own": says(func(d string) string {
			return `{"v":1,"digest":"` + d + `","error":{"kind":"internal","message":"m"}}` + "\n"
		}),
		"no key for it": says(func(d string) string {
			return `{"v":1,"digest":"` + d + `","error":{"kind":"no_key","message":"m"}}` + "\n"
		}),
		"another's failure": says(func(string) string {
			return `{"v":1,"digest":"other","error":{"kind":"refused","message":"m"}}` + "\n"
		}),
		"too much": says(func(string) string { return strings.Repeat("x", 3<<20) + "\n" }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := withResident(t)
			p.listen(serve(p))
			s := p.run(bytes.NewReader(p.bash("npm publish")))
			if s.verdict != "deny" || !strings.Contains(s.reason, "as asked") || s.system != "" || p.asked() != 1 {
				t.Errorf("%+v; nod classify was asked %d times", s, p.asked())
			}
		})
	}
}

// dripping never ends its greeting, and never lets a read time out.
func dripping(*place) func(net.Conn) {
	return func(c net.Conn) {
		for {
			if _, err := c.Write([]byte("n")); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// A place that others could have made is not trusted, whatever listens there.
func TestPlacesThatAreNotAsked(t *testing.T) {
	for name, spoil := range map[string]func(p *place) error{
		"open to everyone": func(p *place) error { return os.Chmod(p.options.Places.State, 0o777) },
		"open to a group":  func(p *place) error { return os.Chmod(p.options.Places.State, 0o710) },
		"a link": func(p *place) error {
			state := p.options.Places.State
			return errors.Join(os.Rename(state, state+"-real"), os.Symlink(state+"-real", state))
		},
		"no socket": func(p *place) error {
			return errors.Join(os.Rename(p.socket(), p.socket()+"2"), os.Symlink(p.socket()+"2", p.socket()))
		},
		"too long": func(p *place) error {
			long := filepath.Join(filepath.Dir(p.options.Places.State), strings.Repeat("x", 110))
			err := os.Rename(p.options.Places.State, long)
			p.options.Places.State = long
			return err
		},
	} {
		p := withResident(t)
		asked := false
		p.listen(func(c net.Conn) {
			asked = true
			c.Write([]byte(allowing(request(c))))
		})
		if err := spoil(p); err != nil {
			t.Fatal(err)
		}
		s := p.run(bytes.NewReader(p.bash("npm publish")))
		if s.verdict != "deny" || !strings.Contains(s.reason, "as asked") || p.asked() != 1 || asked {
			t.Errorf("%s: %+v; nod classify was asked %d times", name, s, p.asked())
		}
		if _, err := os.Stat(p.options.Nod + ".daemon"); err == nil {
			t.Errorf("%s: a daemon was started there", name)
		}
	}
}

// Where none listens, one is started for the next time, with nothing of the
// hook's: built environment, no descriptors; and not twice at once.
func TestADaemonIsStarted(t *testing.T) {
	p := withResident(t)
	p.options.Environ = append(p.options.Environ, "ANTHROPIC_API_KEY=sk-planted", "GODEBUG=x=1",
		"LD_PRELOAD=/tmp/evil.so")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for range 3 {
		if s := p.run(bytes.NewReader(p.bash("npm publish"))); s.verdict != "deny" || !strings.Contains(s.reason,
			"as asked") {
			t.Errorf("%+v", s)
		}
	}
	var text []byte
	hang.Until(t, "a daemon's start", func() bool {
		text, err = os.ReadFile(p.options.Nod + ".daemon")
		return err == nil
	})
	said := string(text)
	want := fmt.Sprintf("daemon --settings %s --managed  --state %s\n", p.options.Places.User, p.options.Places.State)
	if !strings.HasPrefix(said, want) || strings.Contains(said, "planted") || strings.Contains(said,
		"GODEBUG") || strings.Contains(said, "LD_PRELOAD") || strings.Contains(said, "pipe:") || p.asked() != 3 {
		t.Errorf("%d classify, daemon: %s", p.asked(), said)
	}
	// Whoever starts a daemon sets the time of the mark.
	mark, starting := filepath.Join(p.options.Places.State, "daemon.start"), time.Now().Add(5*time.Second)
	if err := os.Chtimes(mark, time.Time{}, starting); err != nil {
		t.Fatal(err)
	}
	p.run(bytes.NewReader(p.bash("npm publish")))
	if info, err := os.Stat(mark); err != nil || !info.ModTime().Equal(starting.Truncate(0)) {
		t.Errorf("a second one was started while the first may still be starting: %v", err)
	}
}

// A key from the environment may be a repository's: no daemon is asked or
// started with it.
func TestAKeyFromTheEnvironmentIsNotForTheDaemon(t *testing.T) {
	for _, settings := range []string{
		"[model]\nprovider = \"anthropic\"\n",
		"[model]\nprovider = \"anthropic\"\nkey_file = \"~/key\"\n[[fallback]]\nprovider = \"openai\"\n",
	} {
		p := withResident(t)
		p.settings(settings)
		asked := false
		p.listen(func(net.Conn) { asked = true })
		p.run(bytes.NewReader(p.bash("npm publish")))
		if asked || p.asked() != 1 {
			t.Errorf("%s: asked %v, nod classify %d times", settings, asked, p.asked())
		}
	}
}
