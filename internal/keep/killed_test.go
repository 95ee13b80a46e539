package keep

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The test binary starts itself as what is killed: KEEP_CHILD says what it does, its
// arguments are the step at which it kills itself, the store, and the files.
func TestMain(m *testing.M) {
	if job := os.Getenv("KEEP_CHILD"); job != "" {
		os.Exit(child(job, os.Args[1], os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

func child(job, step, dir string, names []string) int {
	left, _ := strconv.Atoi(step)
	s := Open(dir, Options{Held: 20})
	s.step = func() {
		if left--; left == 0 {
			if self, err := os.FindProcess(os.Getpid()); err == nil && self.Kill() == nil {
				select {}
			}
		}
	}
	var err error
	switch job {
	case "keep":
		err = s.Keep(Call{ID: "killed"}, names)
	case "over", "restore":
		_, err = s.Restore("kept-1", nil, RestoreOptions{Over: job == "over"})
	}
	if err != nil {
		os.Stderr.WriteString(err.Error())
		return 1
	}
	return 0
}

// killedAt runs the job until that step, and reports whether it was killed there.
func killedAt(t *testing.T, job string, step int, dir string, names ...string) bool {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, append([]string{strconv.Itoa(step), dir}, names...)...)
	c.Env = []string{"KEEP_CHILD=" + job}
	out, err := c.CombinedOutput()
	var ended *exec.ExitError
	if errors.As(err, &ended) && !ended.Exited() {
		return true
	}
	if err != nil {
		t.Fatalf("step %d: %v %s", step, err, out)
	}
	return false
}

// A run that is killed has kept all of a call or nothing, and the next one goes on.
func TestKilledWhileKeeping(t *testing.T) {
	step := 1
	for ; step < 100; step++ {
		w := newWorld(t, Options{Held: 20})
		a, b, c := w.write("a", "aaaa"), w.write("b", "bbbb"), w.write("c", "cccc")
		w.must(w.store.Keep(Call{ID: "before"}, []string{a, b, c}))
		killed := killedAt(t, "keep", step, w.store.dir, a, b, c)
		list, err := w.store.List()
		w.must(err)
		for _, k := range list {
			if len(k.Files) != 3 {
				t.Errorf("step %d: half of %s", step, k.ID)
			}
			for _, f := range k.Files {
				if from, err := w.store.bytes(k, f); err != nil || f.Size != 4 {
					t.Errorf("step %d: %+v %v", step, f, err)
				} else {
					from.Close()
				}
			}
		}
		later := Open(w.store.dir, Options{Held: 20, Now: func() time.Time { return time.Now().Add(2 * abandoned) }})
		w.must(later.Keep(Call{ID: "second"}, []string{a, b, c}))
		kept, rest, err := w.store.entries()
		if err != nil || len(kept) != 1 || len(rest) > 0 { // 12 bytes of 20: but one call, and nothing left behind
			t.Errorf("step %d: %v, %v, %v", step, err, kept, rest)
		}
		w.must(os.Remove(a))
		w.restore("second", nil, RestoreOptions{})
		if w.holds()["a"] != "aaaa" {
			t.Errorf("step %d: %v", step, w.holds())
		}
		if !killed {
			break
		}
	}
	if step < 10 || step == 100 {
		t.Errorf("%d steps", step)
	}
	t.Logf("%d steps", step-1)
}

// A run that is killed while it restores leaves each name as it was or as it shall be,
// and the next one makes it whole and leaves nothing behind.
func TestKilledWhileRestoring(t *testing.T) {
	for _, job := range []string{"restore", "over"} {
		step := 1
		for ; step < 100; step++ {
			w := newWorld(t, Options{Held: 20})
			a, b := w.write("d/e/a", "aaaa"), w.write("b", "bbbb")
			want := w.holds()
			w.must(w.store.Keep(Call{ID: "kept-1"}, []string{a, b}))
			w.must(os.RemoveAll(w.at("d")))
			if job == "over" {
				w.write("b", "new b")
			} else {
				w.must(os.Remove(b))
			}
			killed := killedAt(t, job, step, w.store.dir)
			for name, text := range w.holds() {
				hidden := strings.HasPrefix(filepath.Base(name), ".nod-undo-")
				if !hidden && text != want[name] && text != "new b" {
					t.Errorf("step %d: %s is %q", step, name, text)
				}
			}
			w.restore("kept-1", nil, RestoreOptions{Over: true})
			if diff := cmp.Diff(want, w.holds()); diff != "" {
				t.Errorf("%s, step %d: %s", job, step, diff)
			}
			if !killed {
				break
			}
		}
		if step < 8 || step == 100 {
			t.Errorf("%s: %d steps", job, step)
		}
		t.Logf("%s: %d steps", job, step-1)
	}
}
