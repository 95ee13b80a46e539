//go:build linux && (amd64 || arm64)

package confine_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/nodgate/nod/internal/confine"
)

// What a run leaves in the caches, a later run in the same workspace finds. It
// leads that run to nothing outside either.
func TestWhatARunLeavesForTheNext(t *testing.T) {
	for _, line := range []string{
		"ln -s /oldroot$HOME/made ~/.cache/uv", "ln -s /newroot$HOME/made ~/.cache/uv", "ln -s ../made ~/.cache/uv",
		"ln -s $HOME/src/other ~/.cache/uv", "mkfifo ~/.cache/uv", "echo x > ~/.cache/uv",
		"ln -s /proc/self/root ~/.cache/uv", "mkdir ~/.cache/uv; chmod 0 ~/.cache/uv",
		"ln -s /oldroot/$HOME ~/.cache/a", "mkdir ~/.cache/a; ln -s /oldroot$HOME ~/.cache/a/b",
		"rm -rf ~/.cache/*; ln -s / ~/.cache/go-build", "chmod 0 ~/.npm ~/.cache",
		"ln -s /oldroot$HOME/src ~/go/pkg/mod", "ln -s $HOME/src ~/go/pkg/mod", "mkfifo ~/go/pkg/mod",
		"rm -rf ~/.npm ~/.npm/*; ln -s / ~/.npm/_cacache",
	} {
		w := newWorld(t)
		w.file("~/.npm/shared", "shared")
		w.file("~/go/pkg/x", "shared")
		w.file("~/go/pkg/mod/cache/lock", "")
		w.file("~/.cache/a/b/c/trim.txt", "")
		w.environ = append(w.environ, "GOCACHE="+filepath.Join(w.home, ".cache/a/b/c"),
			"GOMODCACHE="+filepath.Join(w.home, "go/pkg/mod"))
		w.run(line)
		w.file("~/.cache/uv/shared", "shared")
		w.file("~/.cache/a/b/c/shared", "shared")
		w.file("~/go/pkg/mod/shared", "shared")
		before := tree(t, w.home)
		w.run("echo x > ~/.cache/uv/poison; echo x > ~/.cache/a/b/c/poison; echo x > ~/.npm/poison; echo x > ~/go/pkg/mod/poison; cat ~/.npm/shared ~/.cache/uv/shared; echo x > made")
		after := tree(t, w.home)
		delete(after, "src/shop/made")
		for name := range after {
			if !before[name] {
				t.Errorf("%s: %s was made outside", line, name)
			}
		}
	}
}

// tree are the names below a directory, but for what is confine's own.
func tree(t *testing.T, dir string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || name == filepath.Join(dir, ".cache/nod") {
			return filepath.SkipDir
		}
		below, _ := filepath.Rel(dir, name)
		all[below] = true
		return nil
	})
	must(t, err)
	return all
}

// While a run is applied, somebody outside puts a link to elsewhere where a
// directory was, again and again. Nothing of elsewhere changes.
func TestADirectoryThatIsSwappedMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.file("dir/x.txt", "before")
	w.file("~/elsewhere/x.txt", "outside")
	must(t, os.Symlink(w.at("~/elsewhere"), w.at("link")))
	done := make(chan struct{})
	var swaps sync.WaitGroup
	swaps.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				_ = os.Rename(w.at("dir"), w.at("kept"))
				_ = os.Rename(w.at("link"), w.at("dir"))
				_ = os.Rename(w.at("dir"), w.at("link"))
				_ = os.Rename(w.at("kept"), w.at("dir"))
			}
		}
	})
	for range 5 {
		w.runLoosely("for d in dir kept link; do for i in $(seq 50); do echo inside > $d/x.txt; echo inside > $d/y$i.txt; done; done; rm -f dir/x.txt; true")
	}
	close(done)
	swaps.Wait()
	if names, err := os.ReadDir(w.at("~/elsewhere")); err != nil || len(names) != 1 {
		t.Errorf("%v %v", names, err)
	}
	if text, _ := os.ReadFile(w.at("~/elsewhere/x.txt")); string(text) != "outside" {
		t.Errorf("%q", text)
	}
}

// runLoosely is a run that may also be refused.
func (w *world) runLoosely(line string) {
	w.t.Helper()
	if _, err := confine.Run(w.t.Context(), w.options(line)); err != nil && !errors.Is(err, confine.ErrUnavailable) {
		w.t.Error(err)
	}
}

// A pipe that is the run's input may be somebody else's too: the run reads what
// comes through it, and writes nothing into it.
func TestNothingIsWrittenIntoTheInput(t *testing.T) {
	w := newWorld(t)
	in, tell, err := os.Pipe()
	must(t, err)
	if _, err := tell.WriteString("typed\n"); err != nil {
		t.Fatal(err)
	}
	o := w.options("read a; echo $a; echo planted > /proc/self/fd/0")
	o.Stdin = in
	if r := w.runWith(o); r.out != "typed\n" {
		t.Errorf("%q %q", r.out, r.err)
	}
	_ = tell.Close()
	if left, err := io.ReadAll(in); err != nil || len(left) != 0 {
		t.Errorf("%q %v", left, err)
	}
}

// A run has a terminal, and does not change who else may write to it.
func TestTheTerminalKeepsItsMode(t *testing.T) {
	w := newWorld(t)
	terminal := pseudoTerminal(t)
	before, err := terminal.Stat()
	must(t, err)
	o := w.options("test -t 0 && echo terminal; chmod 0602 /proc/self/fd/0")
	o.Stdin = terminal
	if r := w.runWith(o); r.out != "terminal\n" || r.Code == 0 {
		t.Errorf("%d %q %q", r.Code, r.out, r.err)
	}
	if after, err := terminal.Stat(); err != nil || after.Mode() != before.Mode() {
		t.Errorf("%v, then %v %v", before.Mode(), after.Mode(), err)
	}
}

func pseudoTerminal(t *testing.T) (theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("SKIPPED: no terminal can be made: %v", err)
	}
	t.Cleanup(func() { _ = ours.Close() })
	fd := int(ours.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err = errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)); err != nil {
		t.Fatal(err)
	}
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	t.Cleanup(func() { _ = theirs.Close() })
	return theirs
}
