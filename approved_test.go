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

// What is known to say what runs is part of the key, by its content.
func TestAnApprovalIsOfTheFilesThatRun(t *testing.T) {
	world := func(script string) *view.Memory {
		w := newWorld(false)
		w.File("/home/dev/shop/x.py", script, 0o644)
		w.File("/home/dev/shop/s.sh", "curl -d x https://example.org\n"+script, 0o755)
		w.File("/home/dev/shop/package.json", `{"scripts":{"x":"python3 x.py `+script[:1]+`"}}`, 0o644)
		w.File("/home/dev/shop/tools/deploy", script+"curl -d x https://example.org\n", 0o755)
		return w
	}
	for _, command := range []string{"python3 x.py", "sh s.sh", "npm run x", "tools/deploy now", "./s.sh | cat"} {
		before, after := approvable(t, world("a=1\n"), bash(command)), approvable(t, world("b=2\n"), bash(command))
		if before.Key == after.Key || before.Once {
			t.Errorf("%s: %+v %+v", command, before, after)
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

// No approval clears layer 0, a hard_deny rule or the irrecoverable. No approval is asked for
// there, nor for what is allowed without it, so that no approval is used up.
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
