//go:build linux

// Package trial proves with the real program that a host runs the command which
// a hook hands it in place of the model's.
//
// The program runs in a home directory that is thrown away, asks a model on loopback that plays one call, and finds
// one hook in its settings. What stands in a file at the end says which command it ran.
package trial

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/rewriting"
	"github.com/nodgate/nod/internal/system"
)

// The two commands. Which of them ran is what the trial is about.
const (
	original  = "echo original > ran"
	rewritten = "echo rewritten > ran"
)

// bench is where one program is tried.
type bench struct {
	host
	program, dir, home, work string
}

// Prove returns what asks a host's hooks, if the host's program runs what a hook hands
// it. It takes some seconds, which ctx bounds; what the program started ends with it.
func Prove(ctx context.Context, name, program string) (rewriting.Asker, error) {
	h, known := hosts()[name]
	if !known {
		return rewriting.Asker{}, fmt.Errorf("nod cannot try whether %s runs what a hook hands it", name)
	}
	dir, err := os.MkdirTemp("", "nod-rewriting-*")
	if err != nil {
		return rewriting.Asker{}, err
	}
	defer os.RemoveAll(dir)
	b := &bench{h, program, dir, filepath.Join(dir, "home"), filepath.Join(dir, "work")}
	m, err := listen(h)
	if err != nil {
		return rewriting.Asker{}, err
	}
	defer m.server.Close()
	if err := b.furnish(name, m.url); err != nil {
		return rewriting.Asker{}, err
	}
	asker, said := b.run(ctx, m.url)
	if err := b.verdict(ctx, m, said); err != nil {
		return rewriting.Asker{}, err
	}
	return asker.found, asker.isOf(program)
}

// hook is what the host's settings start: it says who it is, waits until it has been looked at, and answers.
const hook = `cat > /dev/null
echo $$ > "$HOME/hook.pid"
while [ ! -e "$HOME/seen" ]; do sleep 0.02; done
cat "$HOME/answer"
`

// furnish writes what the program finds in its home directory.
func (b *bench) furnish(name, url string) error {
	err := errors.Join(os.Mkdir(b.home, 0o700), os.Mkdir(b.work, 0o700),
		os.WriteFile(filepath.Join(b.home, "hook"), []byte(hook), 0o600))
	return errors.Join(err, fs.WalkDir(homes, "homes/"+name, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := homes.ReadFile(file)
		at := strings.Replace(strings.TrimPrefix(file, "homes/"+name+"/"), "dot-", ".", 1)
		at = filepath.Join(b.home, at)
		return errors.Join(err, os.MkdirAll(filepath.Dir(at), 0o700),
			os.WriteFile(at, bytes.ReplaceAll(text, []byte("LOOPBACK"), []byte(url)), 0o600))
	}))
}

// run starts the program and waits for its end. What it started is in its process group, and ends with it.
func (b *bench) run(ctx context.Context, url string) (asker seen, said string) {
	cmd := exec.CommandContext(ctx, b.program, b.args...)
	cmd.Dir, cmd.Env = b.work, b.environment(url)
	cmd.SysProcAttr, cmd.Cancel = system.Apart(&cmd.Process)
	cmd.WaitDelay = time.Second
	looking, stop := context.WithCancel(ctx)
	looked := make(chan seen)
	go func() { looked <- b.look(looking) }()
	out, err := cmd.CombinedOutput()
	if cmd.Process != nil {
		_ = cmd.Cancel()
	}
	stop()
	said = string(out)
	if err != nil {
		said = err.Error() + " " + said
	}
	return <-looked, printable.Line(strings.TrimSpace(said), 200)
}

// environment is built from nothing. A program that is a script finds its
// interpreter beside itself or where the system has it.
func (b *bench) environment(url string) []string {
	path := filepath.Dir(b.program) + ":/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin"
	environ := []string{"HOME=" + b.home, "TMPDIR=" + b.dir, "PATH=" + path, "LANG=C.UTF-8"}
	for _, entry := range b.environ {
		environ = append(environ, strings.ReplaceAll(entry, "LOOPBACK", url))
	}
	return environ
}

// seen is what was seen above the hook.
type seen struct {
	found rewriting.Asker
	err   error
}

// look waits for the hook, looks at what stands above it, and lets it answer.
func (b *bench) look(ctx context.Context) seen {
	for {
		text, err := os.ReadFile(filepath.Join(b.home, "hook.pid"))
		pid := 0
		if _, scanErr := fmt.Sscanln(string(text), &pid); err == nil && scanErr == nil {
			found, err := rewriting.Above(pid)
			return seen{found, errors.Join(err, os.WriteFile(filepath.Join(b.home, "seen"), nil, 0o600))}
		}
		select {
		case <-ctx.Done():
			return seen{err: errors.New("it started no hook")}
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// verdict reads what the program has done.
func (b *bench) verdict(ctx context.Context, m *model, said string) error {
	text, err := os.ReadFile(filepath.Join(b.work, "ran"))
	ran := strings.TrimSpace(string(text))
	switch {
	case ran == "rewritten":
		return nil
	case err == nil:
		return fmt.Errorf("it was handed %q and left %q", rewritten, printable.Line(ran, 200))
	case ctx.Err() != nil:
		return fmt.Errorf("it did not end in time (%w); it said %q", ctx.Err(), said)
	case m.played.Load() == 0:
		return fmt.Errorf("it asked its model for no command; it said %q", said)
	}
	return fmt.Errorf("it ran neither its model's command nor the hook's; it said %q", said)
}

// isOf holds what asked the hook to be the program, or one of its name, which packages of npm start from a script:
// what merely runs code, as an interpreter does, may be another host the next time.
func (s seen) isOf(program string) error {
	if s.err != nil {
		return fmt.Errorf("what started its hook cannot be told, so nod could not tell it again: %w", s.err)
	}
	asked := cmp.Or(s.found.Script.Path, s.found.Program.Path)
	real, err := filepath.EvalSymlinks(program)
	name := filepath.Base(asked)
	if err == nil && asked != real && strings.TrimSuffix(name, filepath.Ext(name)) != filepath.Base(program) {
		err = fmt.Errorf("its hook was started by %q, not by %s, so nod could not tell it again; "+
			"put that program into PATH", asked, real)
	}
	return err
}
