package shell

import "testing"

// hostile is a directory of a repository that somebody made to be listed.
func hostile() Env {
	m := world()
	dir := testRepo + "/z/"
	for _, name := range []string{"1", "bash", "evil.sh", "!a.tar", "--use-compress-program=sh x.tar", "x.tar", "@x",
		"id|", "+!id", "one.gz"} {
		m.File(dir+name, "", 0o644)
	}
	m.File(testRepo+"/docs/a.txt", "", 0o644)
	return testEnv(m)
}

// TestOneWord holds that what may be several words, options or files of arguments leaves the command open.
func TestOneWord(t *testing.T) {
	env := hostile()
	for command, open := range map[string]bool{
		"cd z && nice -n * ls":        true,
		"cd z && env -u * ls":         true,
		"cd z && timeout -k * 5 ls":   true,
		"cd z && timeout * ls":        true,
		"cd z && flock -w * l ls":     true,
		"cd z && tar tf *.tar":        true,
		"cd z && head -n * one.gz":    true,
		"cd z && jq --arg * . one.gz": true,
		"tar tf $(ls)":                true,
		"rm --interactive=$(ls)":      true,
		"rm -f$(ls)":                  true,
		"rm -rf$X":                    true,
		"touch --date=$(ls)":          true,
		"mkdir --mode=$(ls)":          true,
		"tee --output-error=$(ls)":    true,
		"cd z && file *":              true,
		"cd z && sort *":              true,
		"cd z && find * -name x":      true,
		"cd z && strings *":           true,
		"cd docs && nm a.txt":         false,
		"cd docs && nm @a.txt":        true,
		"cd docs && nm -n \"$F\"":     true,
		"cd z && less *":              true,
		"cd z && cp * ..":             true, // one of them begins with a dash
		"cd z && cat -*":              true,
		"cd z && cp ./* ..":           false,
		"cd z && cp -- * ..":          false,
	} {
		r := Analyze(command, env)
		if got := len(r.Unknowns) > 0; got != open {
			t.Errorf("%s: open is %v: %+v", command, got, r.Unknowns)
		}
	}
}
