package view_test

import (
	"slices"
	"testing"

	"github.com/nodgate/nod/internal/view"
)

// lister is a file system that does not say what its names are.
type lister struct{ view.Lister }

// TestWith holds that what the names of a directory are is the same where they
// are looked at one by one, and that a directory with too many names, or none,
// is an error there too.
func TestWith(t *testing.T) {
	m := view.NewMemory(false).File("/w/a.txt", "x", 0o644).Dir("/w/sub", 0o755).Link("/w/link", "a.txt")
	files := view.With(lister{m})
	for dir, limit := range map[string]int{"/w": 10, "/w/sub": 10, "/": 10, "/w/a.txt": 10, "/none": 10} {
		want, wantErr := m.Entries(dir, limit)
		got, err := files.Entries(dir, limit)
		byName := func(a, b view.Entry) int { return slices.Compare([]byte(a.Name), []byte(b.Name)) }
		slices.SortFunc(want, byName)
		slices.SortFunc(got, byName)
		if (err == nil) != (wantErr == nil) || err == nil && !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v, %v", dir, got, err, want, wantErr)
		}
	}
	if _, err := files.Entries("/w", 2); err == nil {
		t.Error("three names pass a limit of two")
	}
	if view.With(m) != view.Files(m) {
		t.Error("what has Entries is wrapped")
	}
}
