package harm

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/view"
)

// twins are the secrets that have more names than one (hard links).
type twins struct {
	machine *place.Machine
	roots   []string

	atHand, everywhere []view.Info // nil: not looked yet
}

// all are those at their usual places and anywhere in the workspaces, as far as is
// looked.
func (t *twins) all() []view.Info {
	if t.everywhere == nil {
		t.everywhere = slices.Clone(t.near())
		for _, root := range t.roots {
			walkFor(t.machine.Files, root, maxBelow, func(name string, mode fs.FileMode) bool {
				if mode.IsRegular() && t.machine.Secrets.Match(name) {
					t.everywhere = t.add(t.everywhere, name)
				}
				return false
			}, func(string) bool { return false })
		}
	}
	return t.everywhere
}

func (t *twins) add(list []view.Info, name string) []view.Info {
	info, err := t.machine.Files.Lstat(name)
	if err == nil && info.Links > 1 && info.Mode.IsRegular() {
		list = append(list, info)
	}
	return list
}

// near are those at their usual places at home, right below it, and at the top of
// the workspaces.
func (t *twins) near() []view.Info {
	if t.atHand != nil {
		return t.atHand
	}
	list := []view.Info{}
	addBelow := func(dir string, pick func(name string) bool) {
		names, _ := t.machine.Files.List(dir, place.MaxMatches)
		for _, n := range names {
			if pick(dir + "/" + n) {
				list = t.add(list, dir+"/"+n)
			}
		}
	}
	for _, entry := range t.machine.Secrets.Entries {
		if below, ok := strings.CutPrefix(entry, "~/"); ok && paths.GlobIndex(below) < 0 {
			name := t.machine.Home + "/" + below
			if list = t.add(list, name); t.machine.IsDirectory(name) {
				addBelow(name, func(string) bool { return true })
			}
		}
	}
	for _, dir := range append([]string{t.machine.Home}, t.roots...) {
		addBelow(dir, t.machine.Secrets.Match)
	}
	t.atHand = list
	return list
}
