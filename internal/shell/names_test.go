package shell

import "testing"

// Programs that look at names and status say so; those that open files do not.
func TestNames(t *testing.T) {
	env := testEnv(world())
	for command, want := range map[string]bool{
		"ls src": true, "ls": true, "ls -R": true, "find src": true, "find": true, "fd x src": true, "du src": true,
		"stat src": true, "tree": true, "df .": true, "realpath src": true, "rg --files src": true,
		"cat src": false, "grep -r x src": false, "rg x": false, "diff src a": false, "file src": false,
		"wc src": false, "tree --fromfile x": false,
	} {
		r := Analyze(command, env)
		if len(r.Effects) == 0 || len(r.Unknowns) > 0 {
			t.Errorf("%s: %+v", command, r)
		}
		if len(r.Effects) > 0 && r.Effects[0].Names != want {
			t.Errorf("%s: Names is %v", command, !want)
		}
	}
}
