//go:build unix

package view_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/view"
)

func TestDiskSaysWhatPackageOsSays(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/file", []byte("hello"), 0o640))
	must(t, os.Link(dir+"/file", dir+"/second"))
	must(t, os.Symlink("file", dir+"/link"))
	must(t, os.Mkdir(dir+"/sub", 0o755))
	must(t, os.Chmod(dir+"/sub", 0o777|fs.ModeSticky))
	must(t, syscall.Mkfifo(dir+"/fifo", 0o600))
	for _, name := range []string{"file", "second", "link", "sub", "fifo", "/dev/null"} {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		want, err := os.Lstat(name)
		must(t, err)
		got, err := view.Disk{}.Lstat(name)
		must(t, err)
		if got.Mode != want.Mode() || got.Size != want.Size() {
			t.Errorf("%s: %v %d, want %v %d", name, got.Mode, got.Size, want.Mode(), want.Size())
		}
	}
	info, err := view.Disk{}.Lstat(dir + "/file")
	must(t, err)
	if info.Links != 2 || info.Inode == 0 || info.Born == 0 {
		t.Errorf("%+v", info)
	}
	if _, err := (view.Disk{}).Lstat(dir + "/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestReadTakesRegularFilesOnlyAndNeverBlocks(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/file", []byte(strings.Repeat("x", 2000)), 0o600))
	must(t, os.Symlink("file", dir+"/link"))
	must(t, syscall.Mkfifo(dir+"/fifo", 0o600))
	done := make(chan struct{})
	go func() {
		defer close(done)
		data, err := view.Disk{}.Read(dir+"/file", 2000)
		if err != nil || len(data) != 2000 {
			t.Errorf("%d bytes, %v", len(data), err)
		}
		for _, name := range []string{dir + "/link", dir + "/fifo", dir, "/dev/zero", dir + "/none"} {
			if _, err := (view.Disk{}).Read(name, 1<<20); err == nil {
				t.Errorf("%s was read", name)
			}
		}
		if _, err := (view.Disk{}).Read(dir+"/file", 1999); err == nil {
			t.Error("more than the limit was read")
		}
	}()
	hang.Receive(t, "the end of reading", done)
}

// /proc does not tell sizes.
func TestReadOfFilesWithoutASize(t *testing.T) {
	want, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("no /proc here: skipped")
	}
	got, err := view.Disk{}.Read("/proc/self/status", 1<<20)
	if err != nil || len(got) < len(want)/2 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		must(t, os.WriteFile(dir+"/"+name, nil, 0o600))
	}
	names, err := view.Disk{}.List(dir, 3)
	must(t, err)
	slices.Sort(names)
	if diff := cmp.Diff([]string{"a", "b", "c"}, names); diff != "" {
		t.Error(diff)
	}
	if _, err := (view.Disk{}).List(dir, 2); err == nil {
		t.Error("more than the limit was listed")
	}
	empty := t.TempDir()
	if names, err := (view.Disk{}).List(empty, 3); err != nil || len(names) != 0 {
		t.Errorf("%v %v", names, err)
	}
}

func TestResolve(t *testing.T) {
	w := view.NewMemory(false)
	w.Dir("/a/b", 0o755).Link("/a/l", "b").Link("/abs", "/a/b").Link("/up", "a/../a/b").Link("/loop",
		"loop").Link("/x1", "x2").Link("/x2", "x1").File("/f", "", 0o644)
	w.Link("/proc/self", "7").Link("/proc/7/cwd", "/a").Link("/dev/fd", "/proc/self/fd").Dir("/proc/7/fd", 0o755).
		Link("/mine", "/proc/self/cwd").Link("/proc/7/fd/0", "/f")
	for name, want := range map[string]string{
		"/a/l/new": "/a/b/new", "/abs/..": "/a", "/up/x": "/a/b/x", "/a/./b//c": "/a/b/c",
		"/missing/x/y": "/missing/x/y", "/..": "/", "/a/l/..": "/a",
		// What Linux makes for each process leads nowhere that is known.
		"/mine/b": "/proc/7/cwd/b", "/dev/fd/../cwd/b": "/proc/7/cwd/b", "/dev/fd/0": "/proc/7/fd/0",
		"/mine/../b": "/proc/7/cwd/b",
	} {
		if got, err := view.Resolve(w, name); err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "a", "/loop", "/x1/y", "/missing/../a", "/a\x00b"} {
		if got, err := view.Resolve(w, name); err == nil {
			t.Errorf("%q: %q", name, got)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
