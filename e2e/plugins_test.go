package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPlugins has the real programs take in what release/plugins holds, as testdata/plugins.txt says, alone and beside
// nod install: nod is asked once about a call by each (by the second not where the first said no), and without nod-hook
// nothing runs.
func TestPlugins(t *testing.T) {
	deep(t, "plugins")
	onEach(t, allDriven(), func(t *testing.T, d driven) {
		for name, decisions := range map[string]int{"alone": 1, "beside nod install": 2} {
			t.Run(name, func(t *testing.T) {
				m := d.ready(t, ruleSettings, oneByOne(d.shell("allowed", "touch allowed"),
					d.shell("denied", "touch forbidden")))
				m.plugged(decisions == 2)
				m.run()
				m.holds(t, map[string]bool{"allowed": true, "forbidden": false})
				yes, no := len(m.decided("touch allowed")), len(m.decided("touch forbidden"))
				if yes != decisions || no < 1 || no > decisions {
					t.Errorf("%d and %d decisions, want %d each", yes, no, decisions)
				}
				m.remove(filepath.Join(m.home, ".local", "bin", "nod-hook"))
				m.calls(d.shell("late", "touch late"))
				m.run()
				m.told(t, "late")
				m.holds(t, map[string]bool{"late": false})
			})
		}
	})
}

// plugged takes the plugin in.
func (d *driving) plugged(beside bool) {
	rows, name := d.read("testdata/plugins.txt"), "\n"+d.adapter.Name()+"\t"
	if !strings.Contains(rows, name) {
		d.t.Skip("release/plugins has none for " + d.title)
	}
	d.link(filepath.Join(d.bin, "nod-hook"), filepath.Join(d.home, ".local", "bin", "nod-hook"))
	for _, row := range strings.Split(rows, name)[1:] {
		row, _, _ = strings.Cut(row, "\n")
		row = strings.ReplaceAll(row, "{plugins}", must(filepath.Abs("../release/plugins")))
		d.mustRun("sh", "-c", d.fill(d.machine, d.srv, row))
	}
	if beside {
		d.installFor(d.adapter.Name(), "user")
	}
	if d.consent != nil {
		d.trusted = d.readIfThere(filepath.Join(d.home, ".codex", "config.toml"))
		config := d.trusted
		d.consent(d.machine)
		d.trusted += config
	}
}
