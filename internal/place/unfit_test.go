package place

import (
	"fmt"
	"sync"
	"testing"

	"github.com/nodgate/nod/internal/view"
)

// What is kept of a name is what would be found again, for as many names as
// there are, and by many calls at once; what stands there is looked at anew.
func TestUnfitNamesAreKept(t *testing.T) {
	w := view.NewMemory(false)
	w.Dir("/home/dev", 0o755)
	m := New(Options{Files: w, Home: "/home/dev", Self: []string{"/home/dev/.config/nod/nod.toml"},
		Guarded: []string{"guarded"}})
	want := map[string]bool{"/etc/x": false, "/home/dev/.claude": false, "/home/dev/.config": false,
		"/home/dev/shop/guarded": false}
	for i := range maxAnswers + 20 {
		want[fmt.Sprintf("/home/dev/shop%d", i)] = true
	}
	for dir := range want {
		w.Dir(dir, 0o755)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for dir, usable := range want {
				for range 2 {
					if got := m.UsableRoot(dir); got != usable {
						t.Errorf("%s: usable %v, want %v", dir, got, usable)
					}
				}
			}
		})
	}
	wg.Wait()
	if len(m.unfit.said) > maxAnswers {
		t.Errorf("%d names are kept, want at most %d", len(m.unfit.said), maxAnswers)
	}
	if m.UsableRoot("/home/dev/later") {
		t.Error("a directory that is not there is a workspace")
	}
	if w.Dir("/home/dev/later", 0o755); !m.UsableRoot("/home/dev/later") {
		t.Error("a directory that was made since is none")
	}
	if w.Link("/home/dev/later", "/etc"); m.UsableRoot("/home/dev/later") {
		t.Error("a link that was made since is a workspace")
	}
}
