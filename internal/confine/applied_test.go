//go:build linux && (amd64 || arm64)

package confine_test

import (
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// What a run may not leave, it does not leave; what lies beside, it does.
func TestWhatOfARunStays(t *testing.T) {
	for name, row := range map[string]struct {
		before        map[string]string
		line          string
		loose, is     map[string]string
		refused, here []string
	}{
		"a workspace that is an environment": {
			before: map[string]string{"pyvenv.cfg": "home", "bin/activate": "old"},
			line:   "echo x > bin/activate; echo x > bin/python; mkdir lib; echo x > lib/x.pth; echo x > pyvenv.cfg; echo new > x.py",
			is: map[string]string{"pyvenv.cfg": "home", "bin/activate": "old", "bin/python": "", "lib/x.pth": "",
				"x.py": "new\n"},
			refused: []string{"bin", "lib", "pyvenv.cfg"},
		},
		"a workspace that would be a repository without a working tree": {
			line:    "echo x > HEAD; mkdir objects refs; echo x > config; echo x > x.py",
			is:      map[string]string{"HEAD": "", "config": "", "x.py": ""},
			refused: []string{"."},
		},
		"a directory in place of a file, and a file in place of a directory": {
			before: map[string]string{"a": "tracked", "b/c": "tracked"},
			line:   "rm -r a b; mkdir a; echo new > a/x; echo new > b",
			is:     map[string]string{"a/x": "new\n", "b": "new\n"},
		},
		"a link in place of a file": {
			before: map[string]string{"a": "tracked", "c": "tracked"},
			line:   "rm a loose; ln -s c a; ln -s c loose; ln -s c new",
			loose:  map[string]string{"loose": "mine"},
			is:     map[string]string{"a": "tracked", "loose": "mine", "new": "tracked"},
			here:   []string{"a", "loose", "new"}, refused: []string{"loose"},
		},
		"files that are holes, and only some fit": {
			line:    "truncate -s 600M a b; truncate -s 2G c; echo x > d",
			is:      map[string]string{"c": "", "d": "x\n"},
			here:    []string{"a"},
			refused: []string{"b", "c"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.git("init", "-q")
			for _, at := range slices.Sorted(maps.Keys(row.before)) {
				w.file(at, row.before[at])
				w.git("add", at)
			}
			w.git("commit", "-qm", "x", "--allow-empty")
			for _, at := range slices.Sorted(maps.Keys(row.loose)) {
				w.file(at, row.loose[at])
			}
			r := w.run(row.line)
			for at, want := range row.is {
				if text, _ := os.ReadFile(w.at(at)); string(text) != want {
					t.Errorf("%s is %q, want %q", at, text, want)
				}
			}
			for _, at := range row.here {
				if _, err := os.Stat(w.at(at)); err != nil {
					t.Error(err)
				}
			}
			var refused []string
			for _, left := range r.Refused {
				refused = append(refused, left.Name)
			}
			if !slices.Equal(refused, row.refused) {
				t.Errorf("left as they were: %q, want %q", r.Refused, row.refused)
			}
		})
	}
}

// A run lends nobody else the right to write.
func TestNobodyElseMayWriteWhatARunLeaves(t *testing.T) {
	w := newWorld(t)
	w.file("old", "x")
	w.run("chmod 0777 old; echo x > new; chmod 0666 new; mkdir -m 1777 dir; touch dir/x")
	for name, want := range map[string]fs.FileMode{"old": 0o775, "new": 0o664} {
		if info, err := os.Stat(w.at(name)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v %v, want %v", name, info.Mode(), err, want)
		}
	}
	if info, err := os.Stat(w.at("dir")); err != nil || info.Mode().Perm()&0o002 != 0 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// What somebody made where the run made something, a link too, stays theirs.
func TestALinkOfSomebodysIsNotReplaced(t *testing.T) {
	w := newWorld(t)
	o := w.options("echo inside > first; echo inside > mine")
	keep, first := o.Keep, true
	o.Keep = func(path string, deletes bool) string {
		if first {
			first = false
			must(t, os.Symlink("theirs", w.at("mine")))
		}
		return keep(path, deletes)
	}
	r := w.runWith(o)
	if to, err := os.Readlink(w.at("mine")); err != nil || to != "theirs" {
		t.Errorf("%q %v", to, err)
	}
	if len(r.Refused) != 1 || !strings.Contains(r.Refused[0].Why, "changed from outside") {
		t.Errorf("%+v", r.Refused)
	}
}
