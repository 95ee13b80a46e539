package nod_test

import (
	"context"
	"path"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

// verdictOf decides without a model: layers 0 to 3 alone.
func verdictOf(o nod.Options, c nod.Call) nod.Decision {
	return nod.New(o).Check(context.Background(), c)
}

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

func TestCaseInsensitiveSystems(t *testing.T) {
	o := options(nod.DefaultRules())
	o.Files = newWorld(true)
	if d := verdictOf(o, tool("file_write", "/HOME/dev/SHOP/new.txt")); d.Verdict != nod.Allow {
		t.Errorf("another spelling of the workspace: %s (%s)", d.Verdict, d.Reason)
	}
	for _, name := range []string{".Git/config", "OUT/x", "Node_Modules/x", ".CLAUDE/settings.json"} {
		if d := verdictOf(o, tool("file_write", name)); d.Verdict == nod.Allow {
			t.Errorf("%s was allowed", name)
		}
	}
}

// Whatever the path, an allowed edit lies inside the workspace.
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
