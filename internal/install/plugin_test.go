//go:build unix

package install

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/testworld"
)

// A file of nod's own is written once, replaced where nod moves, and removed.
func TestPlugin(t *testing.T) {
	for _, name := range []string{"opencode", "pi"} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			o := paths()
			o.Agent, o.Level, o.Home = name, User, home
			apply := func(plan func(Options) (Plan, error)) Plan {
				p, err := plan(o)
				if err == nil {
					_, err = Apply(p, time.Now())
				}
				must(t, err)
				return p
			}
			first := apply(PlanInstall)
			if got := configuredWords(t, first.After); len(got) < 2 || got[0] != o.Hook || got[1] != name {
				t.Errorf("words are %q", got)
			}
			if again := apply(PlanInstall); again.Changed() {
				t.Errorf("installed twice:\n%s", again.Diff())
			}
			o.Hook = `/opt/else "where"/nod-hook`
			if moved := apply(PlanInstall); configuredWords(t, moved.After)[0] != o.Hook || bytes.Contains(moved.After,
				[]byte(paths().Hook)) {
				t.Errorf("moved:\n%s", moved.After)
			}
			apply(PlanUninstall)
			if _, err := os.Stat(o.Target()); !os.IsNotExist(err) {
				t.Errorf("uninstalled: %v", err)
			}
			if again := apply(PlanUninstall); again.Changed() {
				t.Error("uninstalled twice")
			}
		})
	}
}

// A file of the same name that nod did not write stays as it is.
func TestPluginOfAnother(t *testing.T) {
	o := paths()
	o.Agent, o.Level, o.Home = "opencode", User, t.TempDir()
	write(t, o.Target(), "export const Mine = async () => ({})\n")
	if _, err := PlanInstall(o); err == nil || !strings.Contains(err.Error(), "nod did not write this file") {
		t.Errorf("install: %v", err)
	}
	if p, err := PlanUninstall(o); err != nil || p.Changed() {
		t.Errorf("uninstall: %v, changed %v", err, p.Changed())
	}
}

// configuredWords reads the command line out of a file of nod's own.
func configuredWords(t *testing.T, text []byte) (words []string) {
	t.Helper()
	_, rest, _ := bytes.Cut(text, []byte("\nconst words = "))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	if err := json.Unmarshal(line, &words); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return words
}

// If nod-hook fails in any way, the lines throw. Only an answer of nod's shape,
// or nothing at all, lets a call go on. Run by node, if node is installed.
func TestPluginFailsClosed(t *testing.T) {
	for _, row := range []struct{ name, script, want string }{
		{"allow", `echo '{"decision":"allow","reason":"r"}'`, "answer allow"},
		{"ask", `echo '{"decision":"ask","reason":"r"}'`, "answer ask"},
		{"silence", `exit 0`, "answer none"},
		{"deny", `echo '{"decision":"deny","reason":"because"}'`, "threw because"},
		{"deny without a reason", `echo '{"decision":"deny"}'`, "threw nod-hook blocked"},
		{"exit 2", `echo blocked here >&2; exit 2`, "threw blocked here"},
		{"exit 1 with an allow", `echo '{"decision":"allow"}'; exit 1`, "threw nod-hook failed (1)"},
		{"killed", `kill -9 $$`, "threw nod-hook failed (SIGKILL)"},
		{"text", `echo fine`, "threw nod-hook printed"},
		{"an unknown word", `echo '{"decision":"approve"}'`, "threw nod-hook printed"},
		{"too slow", `exec sleep 30`, "threw nod-hook did not answer in time"},
		{"missing", "", "threw nod-hook could not be started"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			js := "\nask({tool: \"bash\"}).then((a) => console.log(\"answer \" + a.decision), " +
				"(e) => console.log(\"threw \" + e.message))\n"
			if out := runPlugin(t, t.TempDir(), "pi", row.script, js, "run"); !strings.HasPrefix(out, row.want) {
				t.Errorf("got %q, want %q", out, row.want)
			}
		})
	}
}

// runPlugin has node run an agent's plugin in a directory, with a script for nod-hook, "" for
// none, and lines behind it.
func runPlugin(t *testing.T, dir, agent, hook, js, word string) string {
	t.Helper()
	node := testworld.Needs(t, "node")
	o := paths()
	o.Agent, o.Hook = agent, filepath.Join(dir, "nod-hook")
	if hook != "" {
		script(t, o.Hook, hook)
	}
	file := filepath.Join(dir, "nod.mjs")
	write(t, file, strings.Replace(string(o.plugin()), "limit = 595000", "limit = 1500", 1)+js)
	out, err := exec.Command(node, file, word).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// eachOpencode runs the rows of testdata/opencode.txt of a kind: what is wanted, a word, opencode's
// settings, and what it says of the session.
func eachOpencode(t *testing.T, kind string,
	check func(t *testing.T, dir string, want bool, word, config, get string)) {
	data, err := os.ReadFile("testdata/opencode.txt")
	must(t, err)
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if f[0] == kind {
			t.Run(strings.Join(f[2:], " "), func(t *testing.T) {
				t.Parallel()
				check(t, t.TempDir(), f[1] == "true", f[2], f[3], "session: { get: async () => ("+f[4]+") }")
			})
		}
	}
}

// The plugin says that opencode will ask only where that is certain from the
// person's settings and the session's permissions, and never under `opencode run`.
func TestOpencodePluginAsks(t *testing.T) {
	eachOpencode(t, "asks", func(t *testing.T, dir string, want bool, word, config, get string) {
		file := filepath.Join(dir, "payload")
		runPlugin(t, dir, "opencode", "cat > "+Quote(file), `
const hooks = await Nod({ client: { `+get+` }, directory: "/w" })
await hooks.config(`+config+`)
await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, { args: { command: "x" } })
`, word)
		var payload struct{ Asks, Interactive bool }
		if err := json.Unmarshal([]byte(read(t, file)), &payload); err != nil || payload.Asks != want ||
			payload.Interactive == (word == "run") {
			t.Errorf("%+v (%v)", payload, err)
		}
	})
}

// The plugin puts a command of nod's in the place of a call's, and says that it does: only
// where no rule tells one command from another, and of no other tool.
func TestOpencodePluginHandsOver(t *testing.T) {
	eachOpencode(t, "hands", func(t *testing.T, dir string, want bool, tool, config, get string) {
		file := filepath.Join(dir, "payload")
		out := runPlugin(t, dir, "opencode", `cat > `+Quote(file)+
			`; echo '{"decision":"allow","reason":"r","command":"confined"}'`, `
const hooks = await Nod({ client: { `+get+` }, directory: "/w" })
await hooks.config(`+config+`)
const output = { args: { command: "original", timeout: 1 } }
let why = ""
await hooks["tool.execute.before"]({ tool: "`+tool+`", sessionID: "s", callID: "c" }, output).catch((e) => (why = e.message))
console.log(JSON.stringify(output.args), why)
`, "run")
		if payload := read(t, file); strings.Contains(payload, `"rewrites":true`) != want {
			t.Error(payload)
		}
		says := `{"command":"original","timeout":1} nod-hook handed over a command`
		if want {
			says = `{"command":"confined","timeout":1} `
		}
		if !strings.HasPrefix(out, says) {
			t.Errorf("%s, want %s", out, says)
		}
	})
}

// The plugin answers a question of opencode's for what nod allows only where neither a rule
// of the person's nor one of the session may be why opencode asks.
func TestOpencodePluginLeavesRules(t *testing.T) {
	eachOpencode(t, "answers", func(t *testing.T, dir string, want bool, permission, config, get string) {
		out := runPlugin(t, dir, "opencode", `echo '{"decision":"allow","reason":"r"}'`, `
let answers = 0
const hooks = await Nod({ client: { `+get+`,
  postSessionIdPermissionsPermissionId: async () => answers++ }, directory: "/w" })
await hooks.config(`+config+`)
await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, { args: { command: "git commit" } })
await hooks.event({ event: { type: "permission.asked", properties: { id: "p", sessionID: "s",
  permission: "`+permission+`", metadata: { command: "git commit" }, tool: { callID: "c" } } } })
console.log(answers)
`, "serve")
		if (strings.TrimSpace(out) == "1") != want {
			t.Errorf("it answered %s times, want %v", out, want)
		}
	})
}
