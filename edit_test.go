package nod_test

import (
	"path"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

func TestRootsThatAreNoWorkspace(t *testing.T) {
	for _, root := range []string{"/", "/home", "/home/dev", "/etc", "/usr/bin", "/tmp", "/nowhere", "", "relative",
		"/home/dev/.config/nod"} {
		c := tool("file_write", root+"/x.txt")
		c.Roots, c.Dir = []string{root}, root
		if d := verdictOf(options(nod.DefaultRules()), c); d.Verdict == nod.Allow {
			t.Errorf("root %q: an edit was allowed", root)
		}
	}
}

// An allowed edit lies inside the workspace, for any path.
func FuzzEdit(f *testing.F) {
	for _, s := range []string{"main.go", "../x", "out/x", "in/../../x", "~/x", "/home/dev/shop/../shop-twin/y",
		".git/x", "\x00", "hooks/../../x"} {
		f.Add(s)
	}
	o := options(nod.DefaultRules())
	f.Fuzz(func(t *testing.T, name string) {
		d := verdictOf(o, tool("file_write", name))
		if d.Verdict != nod.Allow {
			return
		}
		full := name
		switch {
		case name == "~" || len(name) > 1 && name[:2] == "~/":
			full = home + name[1:]
		case name == "" || name[0] != '/':
			full = shop + "/" + name
		}
		real, err := view.Resolve(o.Files, full)
		lexical, lexicalErr := view.Resolve(o.Files, path.Clean(full))
		if lexicalErr != nil || !view.Below(shop, lexical) || err != nil || !view.Below(shop,
			real) || view.Below(shop+"/.git", real) {
			t.Fatalf("%q resolves to %q (%v) and was allowed", name, real, err)
		}
	})
}
