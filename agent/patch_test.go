package agent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nodgate/nod"
)

func TestReadPatch(t *testing.T) {
	in := func(lines ...string) string {
		return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch"
	}
	for _, row := range []struct {
		name, text string
		want       []nod.Edit // nil: no reading
	}{
		{"add", in("*** Add File: a.txt", "+one", "+", "+two"),
			[]nod.Edit{{Path: "a.txt", New: "one\n\ntwo\n", Whole: true}}},
		{"delete", in("*** Delete File: /etc/passwd"), []nod.Edit{{Path: "/etc/passwd", Whole: true, Deletes: true}}},
		{"update", in("*** Update File: a.go", "@@ func f()", " keep", "-old", "+new", "@@", "-x", "*** End of File"),
			[]nod.Edit{{Path: "a.go", Old: "keep\nold\n", New: "keep\nnew\n"}, {Path: "a.go", Old: "x\n"}}},
		{"move", in("*** Update File: a", "*** Move to: ../b", "@@", "-x", "+y"),
			[]nod.Edit{{Path: "a", Whole: true, Moved: true}, {Path: "../b", Whole: true},
				{Path: "../b", Old: "x\n", New: "y\n"}}},
		{"several", in("*** Add File: a", "+x", "*** Delete File: b", "*** Update File: c", "@@", "-x"),
			[]nod.Edit{{Path: "a", New: "x\n", Whole: true}, {Path: "b", Whole: true, Deletes: true},
				{Path: "c", Old: "x\n"}}},
		{"empty", "", nil},
		{"text after", in("*** Delete File: a") + "\nx", nil},
		{"blank before a marker", in("*** Add File: a", "+x", " *** Delete File: b"), nil},
		{"blank after a name", in("*** Delete File: a "), nil},
		{"another marker", in("*** Environment ID: x", "*** Delete File: a"), nil},
		{"body of a delete", in("*** Delete File: a", "+x"), nil},
		{"move after the body", in("*** Update File: a", "@@", "-x", "*** Move to: c"), nil},
		{"carriage return", in("*** Delete File: a\r"), nil},
		{"a body without a file", in("+x"), nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, ok := readPatch(row.text)
			if ok != (row.want != nil) {
				t.Fatalf("ok is %v: %+v", ok, got)
			}
			if diff := cmp.Diff(row.want, got); ok && diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What is read names every file that stands behind a marker.
func FuzzReadPatch(f *testing.F) {
	f.Add("*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch")
	f.Add("*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n")
	f.Fuzz(func(t *testing.T, text string) {
		edits, ok := readPatch(text)
		if !ok {
			return
		}
		named := map[string]bool{}
		for _, e := range edits {
			named[e.Path] = true
		}
		for line := range strings.SplitSeq(text, "\n") {
			for _, marker := range []string{"*** Add File: ", "*** Delete File: ", "*** Update File: ",
				"*** Move to: "} {
				if name, found := strings.CutPrefix(strings.TrimSpace(line), marker); found && !named[name] {
					t.Errorf("%q names %q, which is not among the edits", text, name)
				}
			}
		}
	})
}
