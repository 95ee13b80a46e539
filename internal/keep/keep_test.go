package keep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// world is a store and a directory of files, by real names.
type world struct {
	*testing.T
	store *Store
	dir   string
}

func newWorld(t *testing.T, o Options) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t, Open(filepath.Join(dir, "state", "kept"), o), filepath.Join(dir, "work")}
	w.must(os.MkdirAll(w.dir, 0o755))
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) at(name string) string { return filepath.Join(w.dir, name) }

func (w *world) write(name, text string) string {
	w.Helper()
	w.must(os.MkdirAll(filepath.Dir(w.at(name)), 0o755))
	w.must(os.WriteFile(w.at(name), []byte(text), 0o644))
	return w.at(name)
}

// holds reads the world: a link as "-> target", a directory as "dir".
func (w *world) holds() map[string]string { return holds(w.T, w.dir) }

func holds(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, text := strings.TrimPrefix(name, dir+"/"), []byte("dir")
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			says, err := os.Readlink(name)
			got[rel] = "-> " + says
			return err
		case !d.IsDir():
			text, err = os.ReadFile(name)
		}
		got[rel] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (w *world) restore(id string, names []string, o RestoreOptions) map[string]Did {
	w.Helper()
	list, err := w.store.Restore(id, names, o)
	w.must(err)
	did := map[string]Did{}
	for _, r := range list {
		did[strings.TrimPrefix(r.Path, w.dir+"/")] = r.Did
		if (r.Did == Failed) != (r.Why != "") {
			w.Errorf("%+v", r)
		}
	}
	return did
}

// What is kept and taken away comes back as it was.
func TestKeptComesBack(t *testing.T) {
	long := strings.Repeat("long ", 60_000)
	w := newWorld(t, Options{})
	w.write("a/b/one", "1")
	w.write("a/empty", "")
	w.write("a/long", long)
	w.must(os.Chmod(w.at("a/b/one"), 0o750))
	w.must(os.Chmod(w.at("a/b"), 0o700))
	w.must(os.Symlink("../nowhere", w.at("a/link")))
	w.must(os.Mkdir(w.at("a/hollow"), 0o711))
	old := time.Date(2020, 2, 3, 4, 5, 6, 789, time.UTC)
	w.must(os.Chtimes(w.at("a/b/one"), old, old))
	want := w.holds()
	w.must(w.store.Keep(Call{ID: "t-123456"},
		[]string{w.at("a/b/one"), w.at("a/empty"), w.at("a/long"), w.at("a/link"), w.at("a/hollow")}))
	w.must(os.RemoveAll(w.at("a")))

	dry := w.restore("123456", nil, RestoreOptions{DryRun: true})
	if len(w.holds()) > 0 {
		t.Fatalf("a dry run made %v", w.holds())
	}
	did := w.restore("123456", nil, RestoreOptions{})
	if diff := cmp.Diff(dry, did); diff != "" {
		t.Errorf("the dry run said otherwise:\n%s", diff)
	}
	if diff := cmp.Diff(want, w.holds()); diff != "" {
		t.Error(diff)
	}
	one, err := os.Stat(w.at("a/b/one"))
	w.must(err)
	if one.Mode() != 0o750 || !one.ModTime().Equal(old) {
		t.Errorf("%v, %v", one.Mode(), one.ModTime())
	}
	for n, mode := range map[string]fs.FileMode{"a/b": 0o700, "a/hollow": 0o711, "a": 0o755} {
		if info, err := os.Stat(w.at(n)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", n, info.Mode(), err)
		}
	}
	for n, d := range w.restore("t-123456", nil, RestoreOptions{}) {
		if d != There {
			t.Errorf("%s: %s", n, d)
		}
	}
}

// What is kept of what is replaced does not push out the call that is restored.
func TestOverPrunesLast(t *testing.T) {
	w := newWorld(t, Options{Held: 10})
	f := w.write("f", "12345678")
	w.must(w.store.Keep(Call{ID: "call"}, []string{f}))
	w.must(os.Remove(f))
	w.write("f", "abcdefgh")
	if did := w.restore("call", nil, RestoreOptions{Over: true}); did["f"] != Replaced || w.holds()["f"] != "12345678" {
		t.Errorf("%v %v", did, w.holds())
	}
	list, err := w.store.List()
	if err != nil || len(list) != 1 || list[0].Tool != "nod undo" {
		t.Errorf("%v %+v", err, list)
	}
}

// What is restored shares no bytes with what is kept: the next edit must not reach it.
func TestRestoredIsApart(t *testing.T) {
	w := newWorld(t, Options{})
	f := w.write("f", "first")
	w.must(w.store.Keep(Call{ID: "call"}, []string{f}))
	w.must(os.Remove(f))
	w.restore("call", nil, RestoreOptions{})
	w.write("f", "other")
	if did := w.restore("call", nil, RestoreOptions{Over: true}); did["f"] != Replaced || w.holds()["f"] != "first" {
		t.Errorf("%v %v", did, w.holds())
	}
}

// What is there is not replaced unless that is asked for, and then kept itself.
func TestNewerIsLeftAlone(t *testing.T) {
	w := newWorld(t, Options{})
	w.write("changed", "old")
	w.write("same", "same")
	w.write("away", "away")
	w.write("was/file", "x")
	w.must(os.Symlink("old", w.at("link")))
	w.must(w.store.Keep(Call{ID: "call-1"},
		[]string{w.at("changed"), w.at("same"), w.at("away"), w.at("was/file"), w.at("link")}))
	w.write("changed", "new")
	w.must(os.Remove(w.at("away")))
	w.must(os.Remove(w.at("was/file")))
	w.must(os.Mkdir(w.at("was/file"), 0o755))
	w.must(os.Remove(w.at("link")))
	w.must(os.Symlink("new", w.at("link")))
	did := w.restore("call-1", nil, RestoreOptions{})
	want := map[string]Did{"changed": Left, "same": There, "away": Put, "was/file": Left, "link": Left}
	if diff := cmp.Diff(want, did); diff != "" {
		t.Error(diff)
	}
	did = w.restore("call-1", nil, RestoreOptions{Over: true})
	want = map[string]Did{"changed": Replaced, "same": There, "away": There, "was/file": Failed, "link": Replaced}
	if diff := cmp.Diff(want, did); diff != "" {
		t.Error(diff)
	}
	if now := w.holds(); now["changed"] != "old" || now["link"] != "-> old" {
		t.Errorf("%v", now)
	}
	list, err := w.store.List()
	if err != nil || len(list) != 2 || list[0].Tool != "nod undo" || len(list[0].Files) != 2 {
		t.Fatalf("%v %+v", err, list)
	}
	w.restore(list[0].ID, nil, RestoreOptions{Over: true})
	if now := w.holds(); now["changed"] != "new" || now["link"] != "-> new" {
		t.Errorf("undone: %v", now)
	}
}

func TestSomeNames(t *testing.T) {
	w := newWorld(t, Options{})
	files := []string{w.write("d/a", "a"), w.write("d/b", "b"), w.write("dd", "c")}
	w.must(w.store.Keep(Call{ID: "some"}, files))
	w.must(os.RemoveAll(w.at("d")))
	w.must(os.Remove(w.at("dd")))
	if _, err := w.store.Restore("some", []string{w.at("x")}, RestoreOptions{}); err == nil {
		t.Error("a name that was not kept")
	}
	w.restore("some", []string{w.at("d/b")}, RestoreOptions{})
	w.restore("some", []string{w.at("d")}, RestoreOptions{})
	if diff := cmp.Diff(map[string]string{"d": "dir", "d/a": "a", "d/b": "b"}, w.holds()); diff != "" {
		t.Error(diff)
	}
}

// A component that has become a link, or a file, is not gone through.
func TestLinksOnTheWay(t *testing.T) {
	for name, block := range map[string]func(w *world) error{
		"link out":  func(w *world) error { return os.Symlink(filepath.Join(w.dir, "..", "elsewhere"), w.at("d")) },
		"link near": func(w *world) error { return os.Symlink("other", w.at("d")) },
		"file":      func(w *world) error { return os.WriteFile(w.at("d"), nil, 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Options{})
			w.must(os.MkdirAll(filepath.Join(w.dir, "..", "elsewhere/s"), 0o755))
			w.must(os.MkdirAll(w.at("other/s"), 0o755))
			w.must(w.store.Keep(Call{ID: "call"}, []string{w.write("d/s/f", "x")}))
			w.must(os.RemoveAll(w.at("d")))
			w.must(block(w))
			before := holds(t, filepath.Dir(w.dir))
			for _, o := range []RestoreOptions{{DryRun: true}, {}, {Over: true}} {
				if did := w.restore("call", nil, o); did["d/s/f"] != Failed {
					t.Errorf("%v", did)
				}
			}
			if diff := cmp.Diff(before, holds(t, filepath.Dir(w.dir)), cmpopts.IgnoreMapEntries(
				func(name, _ string) bool { return strings.HasSuffix(name, "kept/lock") })); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Beyond a bound, or with a file that cannot be kept, nothing is kept, and the error says why.
func TestAllOrNothing(t *testing.T) {
	w := newWorld(t, Options{Names: 3, Copied: 10, Held: 8})
	six, nine := w.write("six", "123456"), w.write("nine", "123456789")
	other, link := w.write("other", "123456"), w.at("link")
	w.must(os.Symlink("six", link))
	for _, tt := range []struct {
		name  string
		id    string
		files []string
		want  string // "" is kept
	}{
		{"few", "a", []string{six, link}, ""},
		{"nothing", "b", nil, ""},
		{"names", "c", []string{six, six, six, six}, "takes away 4 names, and nod keeps 3"},
		{"copied", "d", []string{six, other}, "other: with it more than 10 bytes would have to be copied"},
		{"held", "f", []string{nine}, "the files hold more than the 8 bytes that nod keeps"},
		{"absent", "g", []string{six, w.at("none")}, "none: no such file"},
		{"device", "h", []string{"/dev/null"}, "/dev/null is no file, link or directory"},
		{"relative", "i", []string{w.dir + "/./six"}, "no clean, absolute name"},
		{"id", "../j", []string{six}, "is no id of a call"},
		{"no id", "", []string{six}, "is no id of a call"},
	} {
		before, _ := w.store.List()
		err := w.store.Keep(Call{ID: tt.id}, tt.files)
		after, _ := w.store.List()
		switch {
		case tt.want == "" && (err != nil || len(after) != len(before)+1):
			t.Errorf("%s: %v, %d kept", tt.name, err, len(after))
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || len(after) != len(before)):
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	if _, rest, err := w.store.entries(); err != nil || len(rest) > 0 {
		t.Errorf("%v, left behind: %v", err, rest)
	}
}

func TestPrune(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	w := newWorld(t, Options{Held: 10, Age: time.Hour, Now: func() time.Time { return now }})
	f := w.write("f", "1234")
	left := func() (ids []string) {
		list, err := w.store.List()
		w.must(err)
		for _, k := range list {
			ids = append(ids, k.ID)
		}
		return ids
	}
	for i := range 4 {
		w.must(w.store.Keep(Call{ID: fmt.Sprint(i)}, []string{f}))
		now = now.Add(time.Minute)
	}
	if diff := cmp.Diff([]string{"3", "2"}, left()); diff != "" {
		t.Errorf("by bytes: %s", diff)
	}
	fresh, stale := filepath.Join(w.store.dir, "part-fresh"), filepath.Join(w.store.dir, "part-stale")
	for dir, at := range map[string]time.Time{fresh: now, stale: now.Add(-2 * abandoned)} {
		w.must(os.Mkdir(dir, 0o700))
		w.must(os.Chtimes(dir, at, at))
	}
	now = now.Add(58 * time.Minute)
	w.must(os.Chtimes(fresh, now, now))
	w.must(w.store.Keep(Call{ID: "last"}, []string{f}))
	if diff := cmp.Diff([]string{"last", "3"}, left()); diff != "" {
		t.Errorf("by age: %s", diff)
	}
	_, err := os.Stat(fresh)
	_, err2 := os.Stat(stale)
	if err != nil || !errors.Is(err2, fs.ErrNotExist) {
		t.Errorf("fresh %v, stale %v", err, err2)
	}
}

// What is damaged is named, and does not hide the rest.
func TestDamaged(t *testing.T) {
	for name, text := range map[string]string{"cut off": `{"v":1,"id":"bad`, "newer": `{"v":2,"id":"bad-one"}`,
		"other": `{"v":1,"id":"good-one"}`, "absent": ""} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Options{})
			w.must(w.store.Keep(Call{ID: "bad-one"}, []string{w.write("f", "x")}))
			w.must(w.store.Keep(Call{ID: "good-one"}, []string{w.at("f")}))
			entries, _, _ := w.store.entries()
			manifest := filepath.Join(w.store.dir, entries[0].name, manifestName)
			w.must(os.Remove(manifest))
			if text != "" {
				w.must(os.WriteFile(manifest, []byte(text), 0o600))
			}
			list, err := w.store.List()
			if err == nil || !strings.Contains(err.Error(), manifest) || len(list) != 1 || list[0].ID != "good-one" {
				t.Errorf("%v %+v", err, list)
			}
			if _, err := w.store.Restore("bad-one", nil, RestoreOptions{}); err == nil {
				t.Error("restored")
			}
			w.must(w.store.Keep(Call{ID: "third"}, nil))
		})
	}
}

// An id is found by its end, where only one ends so.
func TestFind(t *testing.T) {
	w := newWorld(t, Options{})
	if _, err := w.store.Find("123456"); err == nil {
		t.Error("found in a store that is not there")
	}
	for _, id := range []string{"2026-a-123456", "2026-b-123456", "2026-c-654321"} {
		w.must(w.store.Keep(Call{ID: id}, nil))
	}
	for id, want := range map[string]string{"2026-a-123456": "2026-a-123456", "a-123456": "2026-a-123456",
		"654321": "2026-c-654321", "123456": "", "21": "", "": "", "777777": ""} {
		if k, err := w.store.Find(id); k.ID != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v", id, k.ID, err)
		}
	}
}

// Many use one store: each call is kept wholly, pruned or not, and nobody sees half.
func TestManyAtOnce(t *testing.T) {
	w := newWorld(t, Options{})
	files := []string{w.write("a", "1234"), w.write("b", "12")}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			s := Open(w.store.dir, Options{Held: 60})
			for j := range 20 {
				if err := s.Keep(Call{ID: fmt.Sprintf("%06d-%d", j, i)}, files); err != nil {
					t.Error(err)
				}
				if _, err := s.List(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	w.must(w.store.Keep(Call{ID: "the-last"}, files))
	list, err := Open(w.store.dir, Options{}).List()
	if err != nil || len(list) < 2 || list[0].ID != "the-last" {
		t.Errorf("%v, %d", err, len(list))
	}
}
