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

// The commands whose output names a file are known, and only where all of the
// name is printed by them.
func TestWhatNamesAFile(t *testing.T) {
	env := testEnv(world())
	for command, want := range map[string][2]int{
		"cat $(find .)":                    {1, 2},
		"cat \"$(find . | head -1)\"":      {1, 3},
		"find . | xargs cat":               {0, 1},
		"find . | sort | xargs -I% cat %":  {0, 2},
		"echo x | { find . | xargs cat; }": {0, 2},
		"cat src/$(find .)":                {},
		"cat $(find .)/x":                  {},
		"cat $X":                           {},
		"find . | xargs -a list cat":       {},
		"xargs cat":                        {},
		"find . | xargs -I% cat src/%":     {},
		"f=$(find .); cat \"$f\"":          {},
		"f=$(find .); f=$X; cat \"$f\"":    {},
		"f=$(find .); cat \"${f#./}\"":     {},
	} {
		for _, e := range Analyze(command, env).Effects {
			if e.Kind == Read && e.Target == "" && [2]int{e.From, e.To} != want {
				t.Errorf("%s: %d to %d, want %v", command, e.From, e.To, want)
			}
		}
	}
}
