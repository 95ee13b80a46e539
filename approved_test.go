package nod_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

// approvesAll approves every call that it is asked about, once each time.
type approvesAll struct {
	asked  []string
	err    error
	letRun bool
}

func (a *approvesAll) Approved(key string) (string, error) {
	a.asked = append(a.asked, key)
	if a.err != nil {
		return "standing", a.err
	}
	return "standing (0000000a)", nil
}

func (a *approvesAll) LetRun(string) bool { return a.letRun }

// approvable is what a call that is left open may be approved by.
func approvable(t *testing.T, w *view.Memory, c nod.Call) nod.Approvable {
	t.Helper()
	o := options(nod.DefaultRules())
	o.Approvals = onlyLetRun(false)
	if w != nil {
		o.Files = w
	}
	d := nod.New(o).Check(context.Background(), c)
	if d.Verdict == nod.Allow || len(d.Approvable.Key) != 64 {
		t.Fatalf("%s: %+v", c.Command, d)
	}
	return d.Approvable
}

// The key is of what the call would do, and where, and of what it would run;
// not of who makes it, when, or in which words that mean the same.
func TestTheKeyOfAnApproval(t *testing.T) {
	publish := `curl -d "a b" https://example.org`
	first := approvable(t, nil, bash(publish))
	for name, change := range map[string]func(*nod.Call){
		"agent, session and id": func(c *nod.Call) { c.Agent, c.Session, c.ID, c.RawTool = "codex", "t", "x", "shell" },
		"words that describe": func(c *nod.Call) {
			c.Input = json.RawMessage(`{"cmd":"curl -d \"a b\" https://example.org","description":"x","timeout":7}`)
		},
		"a person there":  func(c *nod.Call) { c.Interactive = true },
		"other workspace": func(c *nod.Call) { c.Roots = []string{"/home/dev"} },
	} {
		c := bash(publish)
		change(&c)
		if got := approvable(t, nil, c); got != first {
			t.Errorf("%s makes another key", name)
		}
	}
	for name, change := range map[string]func(*nod.Call){
		"command":   func(c *nod.Call) { *c = bash("curl -d a b https://example.org") },
		"directory": func(c *nod.Call) { c.Dir += "/src" },
		"argument": func(c *nod.Call) {
			c.Input = json.RawMessage(`{"command":` + jsonText(publish) +
				`,"sandbox":false}`)
		},
		"tool":            func(c *nod.Call) { c.Tool = "monitor" },
		"what is typed":   func(c *nod.Call) { c.StdinUnseen = true },
		"shell":           func(c *nod.Call) { c.Dialect = nod.Zsh },
		"program":         func(c *nod.Call) { c.Environ = []string{"PATH=/home/dev/shop/tools", "HOME=/home/dev"} },
		"no tool's table": func(c *nod.Call) { c.Tool = "" },
	} {
		c := bash(publish)
		change(&c)
		if approvable(t, nil, c).Key == first.Key {
			t.Errorf("another %s has the same key", name)
		}
	}
	for _, command := range []string{"curl -d $T", "curl -d $(cat x)", "for f in a b; do curl -d $f$T; done",
		"$T publish"} {
		if !approvable(t, nil, bash(command)).Once {
			t.Errorf("%s: a word that nobody knows yet is approved for good", command)
		}
	}
	if first.Once {
		t.Error("a constant command is approved once only")
	}
}

// What would run is part of the key, by its content.
func TestAnApprovalIsOfTheFilesThatRun(t *testing.T) {
	world := func(script string) *view.Memory {
		w := newWorld(false)
		w.File("/home/dev/shop/x.py", script, 0o644)
		w.File("/home/dev/shop/s.sh", "curl -d x https://example.org\n"+script, 0o755)
		w.File("/home/dev/shop/v.sh", "curl -d \"$1\" $T https://example.org\n"+script, 0o755)
		w.File("/home/dev/shop/package.json", `{"scripts":{"x":"python3 x.py"},"version":"`+script[:1]+`"}`, 0o644)
		w.File("/home/dev/shop/tools/deploy", script+"curl -d x https://example.org\n", 0o755)
		return w
	}
	for command, once := range map[string]bool{"python3 x.py": true, "sh s.sh": false, "npm run x": true,
		"tools/deploy now": false, "bash -c 'python3 x.py'": true, "./s.sh | cat": false, "./v.sh x": false} {
		before, after := approvable(t, world("a=1\n"), bash(command)), approvable(t, world("b=2\n"), bash(command))
		if before.Key == after.Key || before.Once != once {
			t.Errorf("%s: %+v %+v", command, before, after)
		}
	}
	// More shell than nod follows: what a file says may decide what runs.
	for _, body := range []string{"x=\"$(<list)\"; rm -rf \"$x\"", "mapfile -t a < list; rm \"${a[@]}\"",
		"a=(*.sql); rm ${a[0]}", "read -a x < list; rm $x", "f() { rm \"$(cat)\"; }; f < list",
		"case $(cat list) in a) rm a;; esac", "set -- $(cat list); rm $1"} {
		w := newWorld(false)
		w.File("/home/dev/shop/m.sh", "#!/bin/bash\n"+body+"\n", 0o755)
		if a := approvable(t, w, bash("./m.sh")); !a.Once {
			t.Errorf("%s may be approved for good", body)
		}
	}
	// A link that leads elsewhere since.
	moved := newWorld(false)
	moved.Link("/home/dev/shop/data", "/home/dev/elsewhere")
	other := newWorld(false)
	other.Link("/home/dev/shop/data", "/home/dev/shop-twin")
	if approvable(t, moved, bash("rm -rf data/")) == approvable(t, other, bash("rm -rf data/")) {
		t.Error("what is deleted is no part of the key")
	}
	// What is not read, or reads and runs more than is hashed.
	for _, command := range []string{"python3 -m helper", `python3 -c "import helper"`, "python3 lib.py", "node x.js",
		"curl -K c.cfg", "npm publish",
		"terraform apply", "kubectl apply -f k.yml", "docker build .", "docker compose up", "go run .", "cargo run",
		"ansible-playbook p.yml",
		"pip install -r x.txt", "npx foo", "make", "bash -c 'go run .'", "sh go.sh", "tar xf a.tar"} {
		w := world("a=1\n")
		w.File("/home/dev/shop/lib.py", "import helper\n", 0o644)
		w.File("/home/dev/shop/Makefile", "V := $(shell cat version)\nall:\n\techo $(V)\n", 0o644)
		w.File("/home/dev/shop/x.js", "require('./y')\n", 0o644)
		w.File("/home/dev/shop/go.sh", "go run .\n", 0o644)
		if a := approvable(t, w, bash(command)); !a.Once {
			t.Errorf("%s may be approved for good", command)
		}
	}
	// What leads to files by a name that is made when it runs, or to more files
	// once there are more.
	for name, script := range map[string]string{"c1.sh": `. "$(dirname "$0")/lib.sh"`,
		"c2.sh": `bash "$(dirname "$0")/lib.sh"`, "c3.sh": `"$(dirname "$0")"/lib.sh`, "c4.sh": `"${0%/*}/lib.sh"`,
		"c5.sh": `for s in c5l*.sh; do ./$s; done`, "c6.sh": `X=$(cat c6.txt); $X`,
		"c8.sh": `while read l; do $l; done < c8.txt`, "c9.sh": `python3 "$HERE/x.py"`} {
		w := world("a=1\n")
		w.File("/home/dev/shop/"+name, script+"\n", 0o755).File("/home/dev/shop/lib.sh",
			"curl -d x https://example.org\n", 0o755)
		if a := approvable(t, w, bash("bash "+name)); !a.Once {
			t.Errorf("%s may be approved for good", script)
		}
	}
	for _, command := range []string{"perl do.pl", "node mod.js", "rm k20*", "rm -rf *.q", "cp -r ee .vscode",
		"mv ee .vscode", "tar czf o.tgz k2*"} {
		w := world("a=1\n")
		w.File("/usr/bin/perl", "", 0o755).File("/usr/bin/node", "", 0o755).File("/usr/bin/tar", "", 0o755)
		w.File("/home/dev/shop/do.pl", `do "./l22.pl";`, 0o644).File("/home/dev/shop/mod.js",
			`module["req"+"uire"]("./l.js")`, 0o644)
		w.File("/home/dev/shop/k201", "x", 0o644).File("/home/dev/shop/x.q", "x",
			0o644).File("/home/dev/shop/ee/tasks.json", "x", 0o644).File("/home/dev/shop/.env", "x", 0o600)
		if command == "tar czf o.tgz k2*" {
			command += " .env"
		}
		if a := approvable(t, w, bash(command)); !a.Once {
			t.Errorf("%s may be approved for good", command)
		}
	}
	// What git has by then, and what a tree holds by then.
	for _, command := range []string{"git stash pop", "git stash drop", "git merge topic", "git reset --hard",
		"git push origin main", "git rebase main", "git checkout topic", "git clean -fd", "git push && npm run x",
		"rm -rf data", "mv data /home/dev/elsewhere", "cp -r data /home/dev/elsewhere", "tar czf /home/dev/o.tgz data",
		"rsync -a data h:/x", "scp -r data h:/x", "chmod -R 777 data", "find data -type f -exec cat {} + > /home/dev/o",
		"grep -r x data > /home/dev/o"} {
		w := world("a=1\n")
		w.File("/usr/bin/tar", "", 0o755).File("/usr/bin/rsync", "", 0o755).File("/usr/bin/scp", "",
			0o755).File("/usr/bin/chmod", "", 0o755)
		w.File("/home/dev/shop/data/x", "x", 0o644)
		if a := approvable(t, w, bash(command)); !a.Once {
			t.Errorf("%s may be approved for good", command)
		}
	}
	// What is named and read.
	for _, command := range []string{"curl -d @data.txt https://example.org", "curl -d@data.txt https://example.org",
		"curl --data=@data.txt https://example.org",
		"curl -T data.txt https://example.org", "curl -K data.txt", "kubectl apply -f data.txt",
		"gh pr create -F data.txt", "curl -F 'x=@data.txt' https://example.org",
		"curl -d @- https://example.org < data.txt", "tee /home/dev/o < data.txt", "cat < data.txt > /home/dev/o"} {
		before, after := world("a=1\n"), world("a=1\n")
		before.File("/home/dev/shop/data.txt", "1", 0o644)
		after.File("/home/dev/shop/data.txt", "2", 0o644)
		if approvable(t, before, bash(command)).Key == approvable(t, after, bash(command)).Key {
			t.Errorf("%s: the file is no part of the key", command)
		}
	}
	// What is named and not there yet, or is a pattern of the program's own.
	for _, command := range []string{"curl -d @later.txt https://example.org",
		"curl -T '{a,b}.txt' https://example.org", "cp later.txt /home/dev/o"} {
		if a := approvable(t, world("a=1\n"), bash(command)); !a.Once {
			t.Errorf("%s may be approved for good", command)
		}
	}
	// Without a directory the words are of that workspace, and of once.
	for _, command := range []string{"make ship", "npm run x", "python3 x.py", "curl -d x https://example.org"} {
		here, there := bash(command), bash(command)
		here.Dir, there.Dir, there.Roots = "", "", []string{"/home/dev/other"}
		w := world("a=1\n")
		w.Dir("/home/dev/other", 0o755)
		if a, b := approvable(t, w, here), approvable(t, w, there); a.Key == b.Key || !a.Once || !b.Once {
			t.Errorf("%s: %+v %+v", command, a, b)
		}
	}
	// What cannot be hashed.
	for _, command := range []string{"echo 1 > y.py; python3 y.py", "echo x > tools/d; tools/d"} {
		if a := approvable(t, world("a=1\n"), bash(command)); !a.Once {
			t.Errorf("%s: %+v", command, a)
		}
	}
}

// An approval lets run what is left open, and no model is asked.
func TestAnApprovedCall(t *testing.T) {
	for name, c := range map[string]nod.Call{
		"command": bash("npm publish"), "soft_deny": bash("curl -d x https://example.org"),
		"secret":       bash("cat ~/.ssh/id_ed25519"),
		"guarded edit": tool("file_edit", "/home/dev/shop/.git/config"), "unknown tool": tool(""),
		"ask rule": bash("git status"),
	} {
		a, m := &approvesAll{}, &counting{block: true}
		o := options(ruled(nod.ListSoftDeny, "curl"))
		o.Rules.Ask = ruled(nod.ListAsk, "git status").Ask
		o.Approvals, o.Model = a, m
		d := nod.New(o).Check(context.Background(), c)
		if d.Verdict != nod.Allow || d.Layer != nod.LayerApproval || m.asked != 0 || len(a.asked) != 1 ||
			d.Approvable.Key != "" || !strings.Contains(d.Reason, "standing (0000000a)") {
			t.Errorf("%s: asked %d models, %+v", name, m.asked, d)
		}
		a.err = errors.New("a disk that fails")
		if d := nod.New(o).Check(context.Background(),
			c); d.Verdict == nod.Allow || d.Approvable.Key == "" || len(d.Notices) == 0 ||
			!strings.Contains(d.Notices[len(d.Notices)-1], "a disk that fails") {
			t.Errorf("%s, with an error: %+v", name, d)
		}
	}
}

// No approval clears layer 0, a hard_deny rule or the irrecoverable, and none is
// asked for, so that none is used up; nor for what is allowed without one.
func TestWhatNoApprovalClears(t *testing.T) {
	typed := bash("python3")
	typed.StdinUnseen = true
	for name, c := range map[string]nod.Call{
		"hard_deny": bash("npm publish"), "nod's files": bash("rm ~/.config/nod/nod.toml"),
		"its store":   tool("file_write", "/home/dev/.local/state/nod/approvals.jsonl"),
		"nod approve": bash("nod approve --standing"), "behind a pipe": bash("yes | nod approve"),
		"in a terminal of its own": bash("script -qc 'nod approve' /dev/null"),
		"in a shell":               bash(`bash -c "cd .; nod approve"`),
		"by its path":              bash("env A=1 /usr/bin/nod approve abcdef"),
		"in a substitution":        bash("echo $(nod approve)"),
		"in the background":        bash("nohup nod approve --once &"),
		"revoking":                 bash("nod approvals --revoke 0000000a"),
		"home":                     bash("rm -rf ~"), "disk": bash("dd if=/dev/zero of=/dev/sda"), "typed later": typed,
		"too long": bash(strings.Repeat("echo x;", 20_000)),
	} {
		a := &approvesAll{}
		o := options(ruled(nod.ListHardDeny, "npm publish"))
		o.Approvals = a
		if d := nod.New(o).Check(context.Background(),
			c); d.Verdict != nod.Deny || len(a.asked) != 0 || d.Approvable.Key != "" {
			t.Errorf("%s: asked %d times, %+v", name, len(a.asked), d)
		}
	}
	for _, c := range []nod.Call{bash("ls"), bash("nod approvals"), tool("read_file", "/home/dev/shop/main.go"),
		tool("file_edit", "/home/dev/shop/main.go")} {
		a := &approvesAll{}
		o := options(nod.DefaultRules())
		o.Approvals = a
		d := nod.New(o).Check(context.Background(), c)
		if c.Command != "nod approvals" && (d.Verdict != nod.Allow || len(a.asked) != 0) || d.Layer == nod.LayerGuard {
			t.Errorf("%s%s: asked %d times, %+v", c.Tool, c.Command, len(a.asked), d)
		}
	}
}

// That a person let the call run before is a fact for the model and no answer.
func TestLetRunIsAFact(t *testing.T) {
	for _, letRun := range []bool{false, true} {
		m := &counting{block: true}
		g := repeatGate(m, nil, func(o *nod.Options) { o.Approvals = onlyLetRun(letRun) })
		d := g.Check(context.Background(), repeatCall("npm publish", "", "hello", false))
		if d.Verdict != nod.Deny || m.asked != 1 || strings.Contains(m.last.User, "it was then let run") != letRun {
			t.Errorf("%v: %+v\n%s", letRun, d, m.last.User)
		}
	}
}

type onlyLetRun bool

func (onlyLetRun) Approved(string) (string, error) { return "", nil }
func (l onlyLetRun) LetRun(string) bool            { return bool(l) }
