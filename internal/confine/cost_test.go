//go:build linux && (amd64 || arm64)

package confine

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/confine/stage"
)

// What starting costs: the whole process of nod-hook confine, and bubblewrap alone with the same places, namespaces,
// overlays and shell, take turns, so that a busy machine slows both. It is no test: how much slower the first is
// hangs on how many processors are free. What other programs do only adds, so that the least of each says most; the
// times of the processor are those of the process and all that it waited for.
func BenchmarkStartUp(b *testing.B) {
	c := newCost(b)
	var wall, processor [2][]time.Duration
	for i := 0; b.Loop(); i++ {
		for j := range wall {
			which := (i + j) % len(wall)
			w, p := []func() (wall, processor time.Duration){c.nod, c.overlays}[which]()
			wall[which], processor[which] = append(wall[which], w), append(processor[which], p)
		}
	}
	for what, took := range map[string][2][]time.Duration{"wall": wall, "processor": processor} {
		for i, name := range []string{"nod-", "bubblewrap-"} {
			slices.Sort(took[i])
			b.ReportMetric(ms(took[i][0]), name+what+"-least-ms")
			b.ReportMetric(ms(took[i][len(took[i])/2]), name+what+"-ms")
		}
		b.ReportMetric(ratio(took[0][0], took[1][0]), what+"-least-times")
		b.ReportMetric(ratio(took[0][len(took[0])/2], took[1][len(took[1])/2]), what+"-times")
	}
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// cost is a home directory with a workspace and some caches, and what runs in it.
type cost struct {
	t       testing.TB
	o       Options
	program string // nod-hook
}

func newCost(t testing.TB) *cost {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	home := filepath.Join(dir, "home")
	c := &cost{t: t, program: filepath.Join(dir, "nod-hook"), o: Options{
		Line: "true", Shell: "/bin/bash", Dir: home + "/src/shop", Root: home + "/src/shop", Home: home,
		Cache:   home + "/.cache/nod/confine",
		Environ: []string{"HOME=" + home, "PATH=/usr/local/bin:/usr/bin:/bin"},
		Keep:    func(string, bool) string { return "" },
	}}
	for _, below := range []string{"src/shop/.git/hooks", "src/shop/lib", ".cache/go-build", "go/pkg", ".npm",
		".cargo/registry", ".cargo/bin", ".local/bin"} {
		must(t, os.MkdirAll(filepath.Join(home, below), 0o755))
	}
	build := exec.Command("go", "build", "-o", c.program, "github.com/nodgate/nod/cmd/nod-hook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := Run(t.Context(), c.o); errors.Is(err, ErrUnavailable) {
		t.Skipf("SKIPPED: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *cost) nod() (wall, processor time.Duration) {
	c.t.Helper()
	cmd := exec.Command(c.program, "confine", "--", "true")
	cmd.Dir, cmd.Env = c.o.Dir, c.o.Environ
	begun := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("%v\n%s", err, out)
	}
	return time.Since(begun), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// overlays is bubblewrap, started as nod starts it. What is made before and removed after is nod's, and not counted.
func (c *cost) overlays() (wall, processor time.Duration) {
	r, end := c.laid()
	defer end()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	must(c.t, err)
	defer null.Close()
	p := r.layout.plan
	p.Command, p.Environ, p.Files = withoutDescriptors(r.words()), c.o.Environ, []*os.File{null, null, os.Stderr}
	begun := time.Now()
	pid, err := stage.Start(p)
	var ended syscall.WaitStatus
	var used syscall.Rusage
	if err == nil {
		_, err = syscall.Wait4(pid, &ended, 0, &used)
	}
	if wall = time.Since(begun); err != nil || ended != 0 {
		c.t.Fatalf("%v %v", err, ended)
	}
	return wall, time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// laid is a run that was laid out, with what removes it.
func (c *cost) laid() (*running, func()) {
	o := c.o
	must(c.t, o.check())
	lease, err := rent(o)
	must(c.t, err)
	l, err := lay(o, lease.run, lease.kept)
	must(c.t, err)
	return &running{Options: o, layout: l}, func() {
		lease.end()
		_ = os.RemoveAll(lease.run)
	}
}

// withoutDescriptors leaves out what takes descriptors.
func withoutDescriptors(words []string) []string {
	i := slices.Index(words, "--seccomp")
	return slices.Concat(words[:i], words[i+4:])
}
