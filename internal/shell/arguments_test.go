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
	m.File(testRepo+"/docs/b.txt", "", 0o644)
	m.File(testRepo+"/docs/x.jq", ".a | env", 0o644)
	m.File(testRepo+"/docs/plain.jq", ".a", 0o644)
	m.File(testRepo+"/docs/e.xml", `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>`, 0o644)
	m.File(testRepo+"/docs/u.xml", "\xff\xfe<\x00!\x00D\x00", 0o644)
	m.File(testRepo+"/docs/p.xml", "<a/>", 0o644)
	m.File(testRepo+"/docs/c.yml", "include:\n  - oci://x.example/y\n", 0o644)
	m.File(testRepo+"/docs/d.yml", "services: {}\n", 0o644)
	return testEnv(m)
}

// TestOneWord holds that what may be several words, options or files of
// arguments leaves the command open.
func TestOneWord(t *testing.T) {
	env := hostile()
	for command, open := range map[string]bool{
		"cd z && nice -n * ls":          true,
		"cd z && env -u * ls":           true,
		"cd z && timeout -k * 5 ls":     true,
		"cd z && timeout * ls":          true,
		"cd z && stdbuf -o * ls":        true,
		"cd z && ionice -c * ls":        true,
		"cd z && watch -n * ls":         true,
		"cd z && flock -w * l ls":       true,
		"cd z && tar tf *.tar":          true,
		"cd z && tar -tf *.tar":         true,
		"cd z && tar tvf *":             true,
		"cd z && jar tf *.tar":          true,
		"cd z && head -n * one.gz":      true,
		"cd z && jq --arg * . one.gz":   true,
		"tar tf $(ls)":                  true,
		"ls | xargs tar tf":             true,
		"rm --interactive=$(ls)":        true,
		"rm -f$(ls)":                    true,
		"rm -rf$X":                      true,
		"touch --date=$(ls)":            true,
		"mkdir --mode=$(ls)":            true,
		"tee --output-error=$(ls)":      true,
		"cd z && echo x | xargs -n * l": true,
		"cd z && tar tf one.g*":         true,
		"cd docs && tar tf a.t*":        true,
		"cd docs && tar tf *.txt":       true,
		"cd z && file *":                true,
		"cd docs && file *":             false,
		"cd docs && sort *":             false,
		"cd z && sort *":                true,
		"cd z && find * -name x":        true,
		"cd docs && find * -name x":     false,
		"cd z && strings *":             true,
		"cd docs && strings *":          false,
		"cd docs && nm a.txt":           false,
		"cd docs && nm @a.txt":          true,
		"cd docs && nm -n \"$F\"":       true,
		"ls | xargs nm":                 true,
		"cd z && less *":                true,
	} {
		r := Analyze(command, env)
		if got := len(r.Unknowns) > 0; got != open {
			t.Errorf("%s: open is %v: %+v", command, got, r.Unknowns)
		}
	}
}

// A file whose name begins with a dash is an option to whoever is handed it.
func TestNamesThatAreOptions(t *testing.T) {
	m := world().File(testRepo+"/-r", "", 0o644)
	for text, unknown := range map[string]bool{
		"cp * src": true, "cat -*": true, "cp ./* src": false, "cp -- * src": false,

		"cp *.go src": false, "touch @x && cp *.go src": true} {
		if got := len(Analyze(text, testEnv(m)).Unknowns) > 0; got != unknown {
			t.Errorf("%s: unknown %v", text, got)
		}
	}
}
