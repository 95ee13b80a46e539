package confine

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/nodgate/nod"
)

// Keep is [Options.Keep] by a gate: a run may change what an edit tool may change without asking, and remove what can
// be restored. keeps says that the gate keeps what is replaced, so that what cannot be kept stays.
func Keep(gate *nod.Gate, root string, environ []string, keeps bool) func(name string, deletes bool) (why string) {
	return func(name string, deletes bool) string {
		c := nod.Call{Agent: "nod confine", Tool: "file_write", RawTool: "nod confine", Paths: []string{name},
			Dir: root, Roots: []string{root}, Environ: environ}
		if deletes {
			c.Tool, c.Edits = "apply_patch", []nod.Edit{{Path: name, Deletes: true}}
		} else if info, err := os.Lstat(name); keeps && err == nil && info.Mode().IsRegular() {
			c.Edits = []nod.Edit{{Path: name, Whole: true}}
		}
		d := gate.Check(context.Background(), c)
		if d.Verdict == nod.Allow && d.Layer == nod.LayerEdit {
			return ""
		}
		const before = ", which " // without the name, which the run chose and which is said beside
		if i := strings.LastIndex(d.Reason, before); i >= 0 {
			return "it " + d.Reason[i+len(before):]
		}
		return d.Reason
	}
}

// Stores are [Options.Stores] by a list of secrets: what it names by where it is, and not by a name alone. Below
// /proc and /dev nothing is looked for: a run has those of its own, and all processes would be walked. Most of the
// directories that the list names are not there, and each is looked for once.
func Stores(secrets []string, home string) (all []string) {
	there, absent := map[string]bool{}, absentFrom(home)
	for _, s := range secrets {
		if below, ok := strings.CutPrefix(s, "~/"); ok {
			s = filepath.Join(home, below)
		}
		if !filepath.IsAbs(s) || within("/proc", s) || within("/dev", s) {
			continue
		}
		plain, _, _ := strings.Cut(s, "*")
		dir := filepath.Dir(plain)
		if _, known := there[dir]; !known && !absent(dir) {
			_, err := os.Stat(dir)
			there[dir] = err == nil
		}
		if there[dir] {
			found := []string{s} // without a star it is there or not; who hides it looks
			if strings.ContainsAny(s, "*?[") {
				found, _ = filepath.Glob(s)
			}
			all = append(all, found...)
		}
	}
	return all
}

// absentFrom tells names that are surely not there: nothing in home has the first part of the name, in any case of its
// letters. Hundreds of names are looked for, and one look at home is far faster.
func absentFrom(home string) func(name string) bool {
	folded := func(name string) string { return strings.ToLower(strings.ToUpper(name)) }
	there := map[string]bool{}
	entries, err := os.ReadDir(home)
	for _, e := range entries {
		there[folded(e.Name())] = true
	}
	return func(name string) bool {
		below, inside := strings.CutPrefix(name, home+"/")
		first, _, _ := strings.Cut(below, "/")
		return inside && err == nil && !there[folded(first)]
	}
}

// within reports whether name is dir or lies in it. Both are clean.
func within(dir, name string) bool {
	return dir == name || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}
