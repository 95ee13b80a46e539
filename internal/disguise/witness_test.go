package disguise

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"

	"github.com/nodgate/nod/internal/hang"
)

// witness runs texts in an interpreter that starts nothing and opens nothing,
// and writes down what it is asked for: the words of each program, and each
// file that is opened to be written.
type witness struct {
	mu    sync.Mutex
	saw   []string
	files map[string][]byte // by name; the only files there are
	calls int
	tmp   string // where the interpreter makes its pipes
	pause time.Duration
}

// observe returns what a text asks for. What it starts in the background is
// taken to be done when nothing is asked for within a pause: on a busy machine
// that wants a longer one.
func observe(text string, pause time.Duration) []string {
	w := &witness{files: map[string][]byte{}, tmp: os.TempDir(), pause: pause}
	ctx, cancel := context.WithTimeout(context.Background(), hang.Scale(2*time.Second)+100*pause)
	defer cancel()
	w.run(ctx, text, shellCall{})
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.saw)
}

// brief is enough for nearly every text; patient is for those that it fails.
const brief = 200 * time.Microsecond

func patient() time.Duration { return hang.Scale(20 * time.Millisecond) }

// missing returns what of want is not in got.
func missing(want, got []string) []string {
	var lost []string
	for _, s := range want {
		if !slices.Contains(got, s) {
			lost = append(lost, s)
		}
	}
	return lost
}

func (w *witness) record(words []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := words[0]
	switch path.Dir(path.Clean(name)) {
	case "/bin", "/usr/bin":
		name = path.Base(name)
	}
	w.saw = append(w.saw, quoteAll(append([]string{name}, words[1:]...)))
}

func (w *witness) file(name string) ([]byte, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	data, ok := w.files[path.Base(name)]
	return data, ok
}

func (w *witness) write(name string, data []byte, add bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if add {
		data = append(slices.Clone(w.files[path.Base(name)]), data...)
	}
	w.files[path.Base(name)] = data
}

// shellCall is how a shell is called.
type shellCall struct {
	env    []string
	args   []string
	in     io.Reader
	out    io.Writer
	errOut io.Writer
	depth  int
}

type depthKey struct{}

const maxShells = 24

// run is the shell itself.
func (w *witness) run(ctx context.Context, text string, c shellCall) error {
	file, err := parse(text)
	if err != nil || c.depth > maxShells {
		return interp.ExitStatus(2)
	}
	if c.out == nil {
		c.out, c.errOut = io.Discard, io.Discard
	}
	env := c.env
	if env == nil {
		env = []string{"HOME=/home/dev", "PATH=/usr/bin:/bin", "USER=dev", "PWD=/home/dev/project"}
	}
	ctx = context.WithValue(ctx, depthKey{}, c.depth)
	runner, err := interp.New(
		interp.Env(expand.ListEnviron(append(slices.Clone(env), "TMPDIR="+w.tmp)...)), interp.Dir(w.tmp),
		interp.Params(append([]string{"--"}, c.args...)...),
		interp.StdIO(c.in, c.out, c.errOut), interp.CallHandler(w.call), interp.OpenHandler(w.open),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return w.exec }),
		interp.ReadDirHandler2(readDir), interp.StatHandler(w.stat),
		interp.AccessHandler(func(context.Context, string, interp.AccessMode) error { return nil }),
	)
	if err != nil {
		panic(err)
	}
	err = runner.Run(ctx, file)
	for range 40 { // what runs in the background is not waited for
		if !strings.ContainsAny(text, "&<>") {
			break
		}
		before := w.count()
		if time.Sleep(w.pause); w.count() == before {
			break
		}
	}
	return err
}

func (w *witness) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls
}

var errTooMany = errors.New("too many calls")

func (w *witness) call(ctx context.Context, args []string) ([]string, error) {
	w.mu.Lock()
	w.calls++
	over := w.calls > 3000
	w.mu.Unlock()
	if over {
		return nil, errTooMany
	}
	switch args[0] {
	case "kill", "exec", "eval", "source", ".", "trap", "cd", "export", "umask", "ulimit", "set":
		w.record(args)
	case "wait":
		time.Sleep(5 * w.pause)
	}
	// Options that the interpreter does not know.
	if args[0] == "exec" && len(args) > 2 && args[1] == "-a" {
		return append([]string{"exec"}, args[3:]...), nil
	}
	if args[0] == "command" && len(args) > 1 && args[1] == "-p" {
		return append([]string{"command"}, args[2:]...), nil
	}
	return args, nil
}

type pipe struct {
	io.Reader
	write func([]byte)
}

func (p pipe) Write(b []byte) (int, error) {
	if p.write != nil {
		p.write(b)
	}
	return len(b), nil
}
func (p pipe) Close() error { return nil }

func (w *witness) open(ctx context.Context, name string, flag int, perm os.FileMode) (io.ReadWriteCloser, error) {
	if path.Dir(name) == w.tmp && strings.HasPrefix(path.Base(name), "sh-interp") {
		return os.OpenFile(name, flag, perm) // a pipe of the interpreter's own
	}
	hc := interp.HandlerCtx(ctx)
	switch {
	case name == "/dev/stdin":
		return pipe{Reader: hc.Stdin}, nil
	case flag&(os.O_WRONLY|os.O_RDWR) != 0:
		w.record([]string{"> " + name})
		if flag&os.O_APPEND == 0 && !strings.HasPrefix(name, "/dev/") {
			w.write(name, nil, false)
		}
		return pipe{bytes.NewReader(nil), func(b []byte) { w.write(name, b, true) }}, nil
	}
	if data, ok := w.file(name); ok {
		return pipe{Reader: bytes.NewReader(data)}, nil
	}
	if strings.HasPrefix(name, "/dev/") {
		return pipe{Reader: bytes.NewReader(nil)}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

type entry struct{ name string }

func (e entry) Name() string               { return e.name }
func (e entry) IsDir() bool                { return e.name == "usr" || e.name == "bin" }
func (e entry) Type() fs.FileMode          { return e.Mode().Type() }
func (e entry) Info() (fs.FileInfo, error) { return e, nil }
func (e entry) Size() int64                { return 0 }
func (e entry) ModTime() time.Time         { return time.Time{} }
func (e entry) Sys() any                   { return nil }
func (e entry) Mode() fs.FileMode {
	if e.IsDir() {
		return fs.ModeDir | 0o755
	}
	return 0o755
}

// readDir knows the programs that the commands of the tests name.
func readDir(_ context.Context, name string) ([]fs.DirEntry, error) {
	var list []fs.DirEntry
	switch path.Clean(name) {
	case "/":
		list = append(list, entry{"bin"}, entry{"usr"})
	case "/usr":
		list = append(list, entry{"bin"})
	case "/bin", "/usr/bin":
		for _, p := range strings.Fields(
			"bash cat chmod curl dd find git kill mkfs mkfs.ext4 mv npm python3 rm sh sudo tee terraform truncate wget docker kubectl shred psql") {
			list = append(list, entry{p})
		}
	}
	return list, nil
}

func (w *witness) stat(_ context.Context, name string, _ bool) (fs.FileInfo, error) {
	if _, ok := w.file(name); ok {
		return entry{path.Base(name)}, nil
	}
	if name = path.Clean(name); name == path.Clean(w.tmp) {
		return entry{"bin"}, nil // a directory
	}
	switch path.Dir(name) {
	case "/bin", "/usr/bin", "/":
		return entry{path.Base(name)}, nil
	}
	return nil, fs.ErrNotExist
}

func TestWitnessSees(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"rm -rf /", `'rm' '-rf' '/'`},
		{"echo rm; cat rm", ""},
		{"false && rm a", ""},
		{"echo rm a | sh", `'rm' 'a'`},
		{"trap 'rm a' EXIT", `'rm' 'a'`},
		{"echo x > /etc/passwd", `'> /etc/passwd'`},
		{`x="a b"; rm $x "$x"`, `'rm' 'a' 'b' 'a b'`},
		{"/usr/bin/rm a", `'rm' 'a'`},
		{"sh -c 'rm a' & wait", `'rm' 'a'`},
		{":(){ :|:& };:", ""},
	} {
		got := observe(c.text, patient())
		if c.want != "" && !slices.Contains(got, c.want) {
			t.Errorf("%s: saw %q, not %s", c.text, got, c.want)
		}
		if c.want == "" && slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "'rm'") }) {
			t.Errorf("%s: saw %q", c.text, got)
		}
	}
}
