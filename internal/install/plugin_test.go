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
				if err != nil {
					t.Fatal(err)
				}
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

// Whatever becomes of nod-hook, the lines throw; and only an answer of nod's
// shape, or nothing at all, lets a call go on. Run by node, where there is one.
func TestPluginFailsClosed(t *testing.T) {
	node := testworld.Needs(t, "node")
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
			dir := t.TempDir()
			o := paths()
			o.Agent, o.Hook = "pi", filepath.Join(dir, "nod-hook")
			if row.script != "" {
				script(t, o.Hook, row.script)
			}
			text := strings.Replace(string(o.plugin()), "limit = 55000", "limit = 1500", 1) +
				"\nask({tool: \"bash\"}).then((a) => console.log(\"answer \" + a.decision), (e) => console.log(\"threw \" + e.message))\n"
			file := filepath.Join(dir, "nod.mjs")
			write(t, file, text)
			out, err := exec.Command(node, file).CombinedOutput()
			if err != nil || !strings.HasPrefix(string(out), row.want) {
				t.Errorf("%v: got %q, want %q", err, out, row.want)
			}
		})
	}
}

// The plugin says that opencode will ask only where that is certain from the
// person's settings and the session's permissions, and never under `opencode run`.
func TestOpencodePluginAsks(t *testing.T) {
	node := testworld.Needs(t, "node")
	for _, row := range []struct {
		config, word string
		asks         bool
		session      string
	}{
		{`{}`, "serve", true, `{data:{}}`},
		{`{"permission":{"bash":"ask"}}`, "serve", true, `{data:{}}`},
		{`{"permission":"ask"}`, "serve", true, `{data:{}}`},
		{`{}`, "run", false, `{data:{}}`},
		{`{"permission":"allow"}`, "serve", false, `{data:{}}`},
		{`{"permission":{"bash":"allow"}}`, "serve", false, `{data:{}}`},
		{`{"permission":{"*":"allow"}}`, "serve", false, `{data:{}}`},
		{`{"agent":{"build":{"permission":{"bash":"allow"}}}}`, "serve", false, `{data:{}}`},
		{`{}`, "serve", true, `{data:{permission:[{permission:"bash",pattern:"rm *",action:"deny"}]}}`},
		{`{}`, "serve", false, `{data:{permission:[{permission:"bash",pattern:"*",action:"allow"}]}}`},
		{`{}`, "serve", false, `{error:"gone"}`},
	} {
		t.Run(row.word+" "+row.config+" "+row.session, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			o := paths()
			o.Agent, o.Hook = "opencode", filepath.Join(dir, "nod-hook")
			script(t, o.Hook, "cat > "+Quote(filepath.Join(dir, "payload")))
			file := filepath.Join(dir, "nod.mjs")
			write(t, file, string(o.plugin())+`
const hooks = await Nod({ client: { session: { get: async () => (`+row.session+`) } }, directory: "/w" })
await hooks.config(`+row.config+`)
await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, { args: { command: "x" } })
`)
			if out, err := exec.Command(node, file, row.word).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			raw, err := os.ReadFile(filepath.Join(dir, "payload"))
			if err != nil {
				t.Fatal(err)
			}
			var payload struct{ Asks, Interactive bool }
			if err := json.Unmarshal(raw,
				&payload); err != nil || payload.Asks != row.asks || payload.Interactive == (row.word == "run") {
				t.Errorf("%s (%v)", raw, err)
			}
		})
	}
}

// The plugin puts a command of nod's in the place of a call's, and says that it does: only
// where no rule tells one command from another, and of no other tool.
func TestOpencodePluginHandsOver(t *testing.T) {
	node := testworld.Needs(t, "node")
	for _, row := range []struct {
		config, session, tool string
		hands                 bool
	}{
		{`{}`, `{data:{}}`, "bash", true},
		{`{"permission":"allow"}`, `{data:{}}`, "bash", true},
		{`{"permission":{"bash":"allow","edit":"ask"}}`, `{data:{}}`, "bash", true},
		{`{}`, `{data:{permission:[{permission:"question",pattern:"*",action:"deny"}]}}`, "bash", true},
		{`{}`, `{data:{}}`, "write", false},
		{`{"permission":"ask"}`, `{data:{}}`, "bash", false},
		{`{"permission":{"bash":{"rm *":"deny","*":"allow"}}}`, `{data:{}}`, "bash", false},
		{`{"permission":{"*":"deny","bash":"allow"}}`, `{data:{}}`, "bash", false},
		{`{"agent":{"build":{"permission":{"bash":{"rm *":"deny"}}}}}`, `{data:{}}`, "bash", false},
		{`{}`, `{data:{permission:[{permission:"bash",pattern:"rm *",action:"deny"}]}}`, "bash", false},
		{`{}`, `{data:{permission:[{permission:"*",pattern:"*",action:"ask"}]}}`, "bash", false},
		{`{}`, `{error:"gone"}`, "bash", false},
	} {
		t.Run(row.tool+" "+row.config+" "+row.session, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			o := paths()
			o.Agent, o.Hook = "opencode", filepath.Join(dir, "nod-hook")
			script(t, o.Hook, `cat > `+Quote(filepath.Join(dir, "payload"))+
				`; echo '{"decision":"allow","reason":"r","command":"confined"}'`)
			file := filepath.Join(dir, "nod.mjs")
			write(t, file, string(o.plugin())+`
const hooks = await Nod({ client: { session: { get: async () => (`+row.session+`) } }, directory: "/w" })
await hooks.config(`+row.config+`)
const output = { args: { command: "original", timeout: 1 } }
let why = ""
await hooks["tool.execute.before"]({ tool: "`+row.tool+`", sessionID: "s", callID: "c" }, output).catch((e) => (why = e.message))
console.log(JSON.stringify(output.args), why)
`)
			out, err := exec.Command(node, file, "run").CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			payload, err := os.ReadFile(filepath.Join(dir, "payload"))
			if err != nil || strings.Contains(string(payload), `"rewrites":true`) != row.hands {
				t.Errorf("%s (%v)", payload, err)
			}
			want := `{"command":"original","timeout":1} nod-hook handed over a command`
			if row.hands {
				want = `{"command":"confined","timeout":1} `
			}
			if !strings.HasPrefix(string(out), want) {
				t.Errorf("%s, want %s", out, want)
			}
		})
	}
}

// The plugin answers a question of opencode's for what nod allows only where neither a rule
// of the person's nor one of the session may be why opencode asks.
func TestOpencodePluginLeavesRules(t *testing.T) {
	node := testworld.Needs(t, "node")
	for _, row := range []struct {
		config, permission, session string
		answers                     bool
	}{
		{`{}`, "bash", `{data:{}}`, true},
		{`{"permission":{"edit":"ask"}}`, "bash", `{data:{}}`, true},
		{`{"permission":"ask"}`, "bash", `{data:{}}`, false},
		{`{"permission":{"bash":"ask"}}`, "bash", `{data:{}}`, false},
		{`{"permission":{"bash":{"*":"allow","git commit*":"ask"}}}`, "bash", `{data:{}}`, false},
		{`{"permission":{"*":"ask"}}`, "bash", `{data:{}}`, false},
		{`{"permission":{"external_directory":{"/etc/*":"ask"}}}`, "external_directory", `{data:{}}`, false},
		{`{"permission":{"bash":"ask"}}`, "external_directory", `{data:{}}`, true},
		{`{"agent":{"build":{"permission":{"bash":{"git commit*":"ask"}}}}}`, "bash", `{data:{}}`, false},
		{`{}`, "bash", `{data:{permission:[{permission:"bash",pattern:"git *",action:"ask"}]}}`, false},
		{`{}`, "bash", `{error:"gone"}`, false},
	} {
		t.Run(row.permission+" "+row.config+" "+row.session, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			o := paths()
			o.Agent, o.Hook = "opencode", filepath.Join(dir, "nod-hook")
			script(t, o.Hook, `echo '{"decision":"allow","reason":"r"}'`)
			file := filepath.Join(dir, "nod.mjs")
			write(t, file, string(o.plugin())+`
let answers = 0
const hooks = await Nod({ client: { session: { get: async () => (`+row.session+`) },
  postSessionIdPermissionsPermissionId: async () => answers++ }, directory: "/w" })
await hooks.config(`+row.config+`)
await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, { args: { command: "git commit" } })
await hooks.event({ event: { type: "permission.asked", properties: { id: "p", sessionID: "s",
  permission: "`+row.permission+`", metadata: { command: "git commit" }, tool: { callID: "c" } } } })
console.log(answers)
`)
			out, err := exec.Command(node, file, "serve").CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != map[bool]string{true: "1", false: "0"}[row.answers] {
				t.Errorf("%v: it answered %s times, want %v", err, out, row.answers)
			}
		})
	}
}
