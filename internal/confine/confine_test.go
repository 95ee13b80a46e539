//go:build linux && (amd64 || arm64)

package confine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/confine"
	"github.com/nodgate/nod/internal/testworld"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == confine.MountedWord {
		os.Exit(confine.RunOverAMount(os.Args[2]))
	}
	if len(os.Args) > 2 && os.Args[1] == escapeWord {
		os.Exit(tryWays(os.Args[2:]))
	}
	if len(os.Args) == 2 && os.Args[1] == oldCall {
		callOld()
	}
	os.Exit(m.Run())
}

// marker is in everything that a run must not see.
const marker = "nod-marker-4711"

// world is a home directory with a workspace in it.
type world struct {
	t          *testing.T
	home, root string
	environ    []string
	rules      nod.Rules
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w := &world{t: t, home: filepath.Join(dir, "home"), root: filepath.Join(dir, "home/src/shop"),
		rules: nod.DefaultRules()}
	must(t, os.MkdirAll(w.root, 0o755))
	w.environ = testworld.Started(w.home, "TERM=dumb")
	w.able()
	return w
}

// able skips where no boundary can be made.
func (w *world) able() {
	w.t.Helper()
	if err := confine.Try(context.Background(), w.home); errors.Is(err, confine.ErrUnavailable) {
		w.t.Skipf("SKIPPED: %v", err)
	} else if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) options(line string) confine.Options {
	gate := nod.New(nod.Options{Rules: w.rules, Files: nod.OnDisk(), Home: w.home})
	return confine.Options{
		Line: line, Shell: "/bin/bash", Dir: w.root, Root: w.root, Home: w.home, Environ: w.environ,
		Cache:  filepath.Join(w.home, ".cache/nod/confine"),
		Stores: confine.Stores(w.rules.Secrets, w.home), Hidden: gate.HoldsSecret,
		Keep: confine.Keep(gate, w.root, w.environ, false),
	}
}

// file writes a file below the home directory, or below the workspace where the name has no ~.
func (w *world) file(name, text string) string {
	w.t.Helper()
	at := w.at(name)
	must(w.t, os.MkdirAll(filepath.Dir(at), 0o755))
	must(w.t, os.WriteFile(at, []byte(text), 0o644))
	return at
}

func (w *world) at(name string) string {
	if below, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(w.home, below)
	}
	return filepath.Join(w.root, name)
}

// ran is a run and what it printed.
type ran struct {
	confine.Result
	out, err string
}

func (w *world) run(line string) ran {
	w.t.Helper()
	return w.runWith(w.options(line))
}

func (w *world) runWith(o confine.Options) ran {
	w.t.Helper()
	dir := w.t.TempDir()
	var files [2]*os.File
	for i, name := range []string{"out", "err"} {
		f, err := os.Create(filepath.Join(dir, name))
		must(w.t, err)
		defer f.Close()
		files[i] = f
	}
	o.Stdout, o.Stderr = files[0], files[1]
	r, err := confine.Run(context.Background(), o)
	must(w.t, err)
	out, _ := os.ReadFile(files[0].Name())
	errText, _ := os.ReadFile(files[1].Name())
	return ran{r, string(out), string(errText)}
}

func (w *world) git(args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", w.root, "-c", "user.name=a", "-c", "user.email=a@example.com"},
		args...)...)
	cmd.Env = testworld.Started(w.home)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// copySelf lays this test's program where a run sees it.
func copySelf(t *testing.T, at string) {
	t.Helper()
	own, err := os.Executable()
	must(t, err)
	program, err := os.ReadFile(own)
	if err == nil {
		err = os.WriteFile(at, program, 0o755)
	}
	must(t, err)
}

// What a line is to the host it is inside: its code, its output, its input.
func TestALineIsWhatItIsOutside(t *testing.T) {
	w := newWorld(t)
	for _, row := range []struct {
		line, in, out, err string
		code               int
	}{
		{line: "echo a; echo b >&2; exit 3", out: "a\n", err: "b\n", code: 3},
		{line: "kill -9 $$", code: 137},
		{line: "kill -TERM $$", code: 143},
		{line: "cat", in: "typed\n", out: "typed\n"},
		{line: "no-such-program-4711", code: 127, err: "no-such-program-4711"},
		{line: "printf '%s\\n' 'two  blanks' \"$BASH_VERSION\" | head -1", out: "two  blanks\n"},
		{line: "pwd", out: w.root + "\n"},
		{line: "echo ~", out: w.home + "\n"},
		{line: "test -t 1 && echo terminal; true"},
		{line: "for i in 1 2 3; do echo $i; done\necho next", out: "1\n2\n3\nnext\n"},
		{line: "sleep 600 & echo left", out: "left\n"}, // what runs on in the background ends with it
	} {
		o := w.options(row.line)
		if row.in != "" {
			name := w.file("~/in", row.in)
			f, err := os.Open(name)
			must(t, err)
			defer f.Close()
			o.Stdin = f
		}
		r := w.runWith(o)
		if r.Code != row.code || r.out != row.out || !strings.Contains(r.err, row.err) {
			t.Errorf("%q: %d %q %q, want %d %q %q", row.line, r.Code, r.out, r.err, row.code, row.out, row.err)
		}
	}
}

// What is written is applied when all has ended, but for what runs later.
func TestWhatIsApplied(t *testing.T) {
	w := newWorld(t)
	w.git("init", "-q")
	w.file("kept.txt", "committed")
	w.file("gone.txt", "committed")
	w.file("sub/deep/x.go", "package deep")
	w.file("only.txt", "nowhere else")
	w.file(".env", "KEY="+marker)
	w.git("add", "kept.txt", "gone.txt", "sub")
	w.git("commit", "-qm", "x")
	r := w.run(`echo changed > kept.txt; rm gone.txt only.txt; mkdir -p made/below; echo new > made/below/file; chmod +x made/below/file; ln -s below/file made/link
		rm -rf sub; mkdir sub; echo other > sub/y; echo x > .git/hooks/pre-commit; echo '{}' > .env; mkdir -p pkg/.claude; echo '{}' > pkg/.claude/settings.json; chmod u+s made/below/file; mkfifo pipe; ln -s /etc out`)
	for name, want := range map[string]string{
		"kept.txt": "changed\n", "made/below/file": "new\n", "made/link": "new\n", "sub/y": "other\n",
		"only.txt": "nowhere else", ".env": "KEY=" + marker,
		"gone.txt": "", "sub/deep/x.go": "", ".git/hooks/pre-commit": "", "pkg/.claude/settings.json": "", "pipe": "",
		"out": "",
	} {
		got, err := os.ReadFile(w.at(name))
		if string(got) != want || want == "" && err == nil {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	if info, err := os.Stat(w.at("made/below/file")); err != nil || info.Mode() != 0o755 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	var named []string
	for _, refusal := range r.Refused {
		named = append(named, refusal.Name)
	}
	for _, want := range []string{".git", ".env", "pkg/.claude", "only.txt", "pipe", "out"} {
		if !strings.Contains(" "+strings.Join(named, " ")+" ", " "+want+" ") {
			t.Errorf("%s is not among what was left: %v", want, r.Refused)
		}
	}
}

// Somebody outside works on while the run goes on.
func TestChangedFromOutsideMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.file("mine.txt", "before")
	w.file("dir/x.txt", "before")
	elsewhere := filepath.Join(w.home, "elsewhere")
	must(t, os.MkdirAll(elsewhere, 0o755))
	w.file("~/elsewhere/x.txt", "outside")
	o := w.options("echo inside > mine.txt; echo inside > dir/x.txt; echo ready; read line")
	in, tell, err := os.Pipe()
	must(t, err)
	said, out, err := os.Pipe()
	must(t, err)
	o.Stdin, o.Stdout = in, out
	done := make(chan confine.Result, 1)
	go func() {
		r, err := confine.Run(context.Background(), o)
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	if _, err := said.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	w.file("mine.txt", "outside")
	must(t, os.Rename(w.at("dir"), w.at("dir.old")))
	must(t, os.Symlink(elsewhere, w.at("dir")))
	if _, err := tell.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	r := <-done
	for _, name := range []string{"mine.txt", "~/elsewhere/x.txt"} {
		if got, _ := os.ReadFile(w.at(name)); string(got) != "outside" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if len(r.Refused) < 2 {
		t.Errorf("%v", r.Refused)
	}
}

// No run leaves anything in confine's own directory but the caches' layers, and empty
// directories, which the next one removes.
func TestNothingIsLeft(t *testing.T) {
	w := newWorld(t)
	name := fmt.Sprintf("1000%d", os.Getpid()) // a time that names the sleeping
	w.run("mkdir -p a/b; chmod 000 a/b a; mkdir /tmp/x; chmod 000 /tmp/x; sleep " + name + " & setsid nohup sleep " +
		name + " >/dev/null 2>&1 & (trap '' TERM HUP INT; sleep " + name + ") & echo started")
	runs := filepath.Join(w.home, ".cache/nod/confine/runs")
	for name := range tree(t, runs) {
		if info, err := os.Stat(filepath.Join(runs, name)); err != nil || !info.IsDir() {
			t.Errorf("%s is left: %v", name, err)
		}
	}
	w.run("sleep 1")
	if left, err := os.ReadDir(runs); err != nil || len(left) != 1 {
		t.Errorf("the next run leaves %v %v", left, err)
	}
	if alive := running(t, name); alive != "" {
		t.Errorf("%q runs on", alive)
	}
}

// Nothing outlives bubblewrap, also what it has not bound to its own life when it
// ends. The bubblewrap of this test binds nothing.
func TestNothingOutlivesBubblewrap(t *testing.T) {
	w := newWorld(t)
	name := fmt.Sprintf("3000%d", os.Getpid())
	w.behind("/usr/bin/setsid /bin/sleep " + name + " </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- &")
	if alive := running(t, name); alive != "" {
		t.Errorf("%q lives", alive)
	}
}

// Bubblewrap looks up its own processes by their numbers: they are those that it sees, not those of the machine.
func TestBubblewrapSeesItsOwnProcesses(t *testing.T) {
	w := newWorld(t)
	if out := w.behind("cd /proc; exec /bin/readlink self"); out != "1\n" {
		t.Errorf("the first process is %q", out)
	}
}

// behind runs a shell's text in place of bubblewrap and returns what it prints.
func (w *world) behind(text string) (out string) {
	w.t.Helper()
	fake := w.file("~/bwrap", "#!/bin/sh\n"+text+"\n")
	printed, err := os.Create(filepath.Join(w.home, "printed"))
	must(w.t, err)
	defer printed.Close()
	o := w.options("true")
	o.Bubblewrap, o.Stdout = fake, printed
	must(w.t, os.Chmod(fake, 0o755))
	if _, err := confine.Run(w.t.Context(), o); !errors.Is(err, confine.ErrUnavailable) {
		w.t.Errorf("it is taken for bubblewrap: %v", err)
	}
	said, err := os.ReadFile(printed.Name())
	must(w.t, err)
	return string(said)
}

// A boundary that cannot be made is no boundary: nothing runs.
func TestNothingRunsWithoutTheBoundary(t *testing.T) {
	w := newWorld(t)
	old := w.file("~/bwrap", "#!/bin/sh\necho 'bwrap: Unknown option --disable-userns' >&2\nexit 1\n")
	must(t, os.Chmod(old, 0o755))
	for name, change := range map[string]func(o *confine.Options){
		"no bubblewrap":              func(o *confine.Options) { o.Bubblewrap = "/nowhere/bwrap" },
		"a bubblewrap that is older": func(o *confine.Options) { o.Bubblewrap = old },
		"another program":            func(o *confine.Options) { o.Bubblewrap = "/bin/false" },
		"home is the workspace":      func(o *confine.Options) { o.Root, o.Dir = o.Home, o.Home },
		"the workspace holds home": func(o *confine.Options) {
			o.Root, o.Dir = filepath.Dir(o.Home),
				filepath.Dir(o.Home)
		},
		"not in the workspace":     func(o *confine.Options) { o.Dir = o.Home },
		"no directory for the run": func(o *confine.Options) { o.Cache = old + "/cache" },
		"settings that are refused": func(o *confine.Options) {
			o.Settle = func(*confine.Options) error { return errors.New("refused") }
		},
		"the cache in the workspace": func(o *confine.Options) { o.Cache = o.Root + "/cache" },
	} {
		o := w.options("touch ran")
		change(&o)
		r, err := confine.Run(context.Background(), o)
		if _, statErr := os.Stat(w.at("ran")); statErr == nil || err == nil {
			t.Errorf("%s: ran: %+v", name, r)
		}
	}
}

// While what a run wrote is applied, no process of it lives: it could change what was looked at.
func TestAllHasEndedBeforeItIsApplied(t *testing.T) {
	w := newWorld(t)
	name := fmt.Sprintf("2000%d", os.Getpid())
	o := w.options("for i in $(seq 60); do (while :; do echo " + name +
		" > f$i; done) & done; for i in $(seq 60); do sleep " + name + " & done; sleep 0.3")
	keep, looked := o.Keep, 0
	o.Keep = func(path string, deletes bool) string {
		if looked++; looked == 1 {
			if alive := running(t, name); alive != "" {
				t.Errorf("%q lives", alive)
			}
		}
		return keep(path, deletes)
	}
	if r := w.runWith(o); looked == 0 {
		t.Errorf("nothing was applied: %+v", r)
	}
}

// running returns the command line of a process that holds a text.
func running(t *testing.T, text string) string {
	t.Helper()
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(commands) < 2 {
		t.Fatalf("%v %v", commands, err)
	}
	for _, file := range commands {
		if line, err := os.ReadFile(file); err == nil && strings.Contains(string(line), text) {
			return string(line)
		}
	}
	return ""
}

// must ends a test where what it needs is not to be had.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
