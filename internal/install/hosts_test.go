package install

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
	rows "github.com/nodgate/nod/internal/hosts"
)

// What install writes, doctor looks at and an adapter speaks for has its row,
// which knows the same program, files and keys.
func TestEveryHostHasItsRow(t *testing.T) {
	for _, a := range agent.All() {
		if row := rows.ByName(a.Name()); row.Name == "" {
			t.Errorf("%s has an adapter and no row", a.Name())
		}
	}
	for _, h := range hosts() {
		row := rows.ByName(h.agent)
		if !row.Editor && !slices.Contains(row.Processes, h.programName()) {
			t.Errorf("%s: %s is none of %v", h.agent, h.programName(), row.Processes)
		}
		for prefix, files := range map[string][]string{"~/": {h.user}, "": {h.project},
			"/": {h.managed, h.managedDarwin}} {
			for _, file := range files {
				if file != "" && !slices.ContainsFunc(row.Hooks,
					func(p string) bool { ok, _ := path.Match(p, prefix+file); return ok }) {
					t.Errorf("%s: %s%s is none of %v", h.agent, prefix, file, row.Hooks)
				}
			}
		}
		for _, key := range h.silencers {
			if !slices.Contains(row.Keys, key) {
				t.Errorf("%s: %s is none of %v", h.agent, key, row.Keys)
			}
		}
		for _, s := range offSwitches(h.agent) {
			if !slices.ContainsFunc(row.Settings,
				func(p string) bool { return s.File == p || strings.HasPrefix(s.File, p+"/") }) {
				t.Errorf("%s: %s lies in none of %v", h.agent, s.File, row.Settings)
			}
		}
	}
}
