package nod_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

// What cannot run behind the boundary is denied where it is typed confined, and
// is told why: the agent types the line itself then.
func TestUnconfinable(t *testing.T) {
	g := confining(t, nil)
	for command, why := range map[string]string{
		"cd sub && npm test":                "cd changes the directory of your shell",
		"unset A; npm test":                 "unset changes your shell",
		"alias x=y; npm test":               "alias changes your shell",
		"umask 077; npm test":               "umask changes your shell",
		"ulimit -n 9; npm test":             "ulimit changes your shell",
		"python3 /tmp/x.py":                 "what it runs is not there in a confined run",
		"python3 ~/x.py":                    "what it runs is not there in a confined run",
		"npm test < /tmp/x.py":              "what it reads is not there in a confined run",
		"npm test && cat ~/notes.txt":       "what it reads is not there in a confined run",
		"npm test > /tmp/out":               "what it writes outside of the workspace would be gone",
		"npm test | tee ~/out":              "what it writes outside of the workspace would be gone",
		"npm test; curl https://a.example/": "example",
		"npm test; git push":                "push",
		"npm test; kill 1":                  "kill",
		"npm test; rm a.txt":                "a.txt",
		"cat .env | node x.js":              ".env",
		"sudo npm test":                     "sudo",
		"npm install left-pad":              "npm install",
	} {
		d := g.Check(context.Background(), line(confined(confiner, command)))
		if d.Verdict == nod.Allow || !strings.Contains(d.Reason, why) {
			t.Errorf("%q: %v %q, want %q", command, d.Verdict, d.Reason, why)
		}
	}
}

// Where a call starts says what its workspace is; outside of the session's there
// is nothing to confine it to.
func TestWhereACallMayBeConfined(t *testing.T) {
	files := view.NewMemory(false).Dir("/home/dev", 0o755).Dir("/home/dev/shop/.git", 0o755).Dir("/home/dev/shop/sub",
		0o755).Dir("/home/dev/other/.git", 0o755).
		Dir("/home/dev/plain", 0o755).Dir("/tmp/x", 0o777).Dir("/usr/bin", 0o755).File("/usr/bin/python3", "x", 0o755)
	g := nod.New(nod.Options{Rules: nod.DefaultRules(), Files: files, Home: "/home/dev",
		Confine: func() string { return confiner }, ConfineAll: true})
	for dir, want := range map[string]bool{"/home/dev/shop": true, "/home/dev/shop/sub": true, "/home/dev/other": false,
		"/home/dev": false, "/tmp/x": false, "/nowhere": false, "": false} {
		c := line("python3 -c 'print(1)'")
		c.Dir = dir
		if d := g.Check(context.Background(), c); strings.Contains(d.Reason, "type exactly") != want {
			t.Errorf("%q: %q, offered %v", dir, d.Reason, !want)
		}
	}
}
