//go:build unix

package install

import (
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/hosts"
)

// What install writes, doctor looks at and an adapter speaks for has its row,
// which knows the same program, files and keys.
func TestEveryHostHasItsRow(t *testing.T) {
	for _, a := range agent.All() {
		if row := hosts.ByName(a.Name()); row.Name == "" {
			t.Errorf("%s has an adapter and no row", a.Name())
		}
	}
	for _, name := range Agents() {
		row := hosts.ByName(name)
		if n := len(row.Install.Rules); n == 0 || n > 77 {
			t.Errorf("%s: what becomes of a person's own rules has %d columns, want a line", name, n)
		}
		if !row.Editor && !slices.Contains(row.Processes, row.ProgramName()) {
			t.Errorf("%s: %s is not one of %v", name, row.ProgramName(), row.Processes)
		}
		for _, s := range row.Off {
			if key := s.Key; s.Counts("own") && !slices.Contains(row.Keys, key) {
				t.Errorf("%s: %s is not one of %v", name, key, row.Keys)
			}
			if !slices.ContainsFunc(row.Settings, func(p string) bool {
				return s.File == p || strings.HasPrefix(s.File, p+"/") || s.Counts("own")
			}) {
				t.Errorf("%s: %s lies in none of %v", name, s.File, row.Settings)
			}
		}
	}
}
