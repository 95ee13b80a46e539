package shell

import (
	"os"
	"strings"
	"testing"
)

func TestZZ(t *testing.T) {
	env := testEnv(world())
	for _, n := range strings.Split(os.Getenv("ZF"), ",") {
		bad, tot := 0, 0
		for _, r := range rows(t, n) {
			want := os.Getenv("ZL")
			if r.Label != want {
				continue
			}
			tot++
			rep := Analyze(r.Input.Command, env)
			ro := readsOnly(rep)
			if os.Getenv("ZN") != "" {
				ro = fetches(rep)
			}
			if (os.Getenv("ZM") == "ro") == ro {
				bad++
				u := ""
				if len(rep.Unknowns) > 0 {
					u = rep.Unknowns[0].What
				}
				t.Logf("%s | %q | %s | %s", r.ID, shorten(r.Input.Command), brief(rep), u)
			}
		}
		t.Logf("%s: %d of %d", n, bad, tot)
	}
}
