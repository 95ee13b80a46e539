package stage

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A plan is read as it was written, and no part of one is a plan: the process
// above may end while it writes.
func FuzzPlanIsReadWholeOrNotAtAll(f *testing.F) {
	f.Add("/d", "lowerdir=/usr:/d/empty", "A=1", "/usr/bin/bwrap", 3)
	f.Add("/d", "", "", "3", 0)
	f.Add("", "0", "1", "2", 9)
	f.Fuzz(func(t *testing.T, dir, overlay, variable, word string, cut int) {
		for _, s := range []string{dir, overlay, variable, word} {
			for _, b := range []byte(s) {
				if b == 0 {
					t.Skip("the kernel takes no such word")
				}
			}
		}
		p := Plan{Dir: dir, Overlays: []string{overlay, overlay}, Environ: []string{variable},
			Command: []string{word, overlay, ""}}
		text := p.Text()
		got, ok := read(text)
		if diff := cmp.Diff(p, got, cmpopts.EquateEmpty()); !ok || diff != "" {
			t.Errorf("%q: %v %s", text, ok, diff)
		}
		if cut = max(cut, -cut) % len(text); cut >= 0 {
			if part, ok := read(text[:cut]); ok {
				t.Errorf("%q of %q is read as %+v", text[:cut], text, part)
			}
		}
	})
}
