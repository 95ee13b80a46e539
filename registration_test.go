package nod_test

import (
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/view"
)

// place is a file of hooks as an absolute path of the test's machine.
func place(hook string) string {
	hook = strings.ReplaceAll(hook, "*", "x")
	if below, ok := strings.CutPrefix(hook, "~/"); ok {
		return home + "/" + below
	}
	if strings.HasPrefix(hook, "/") {
		return hook
	}
	return shop + "/" + hook
}

const registered = `{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"/usr/bin/nod-hook x"}]}]}}`

func registeredAt(hook string) string {
	switch {
	case strings.HasSuffix(hook, ".js"):
		return "// nod-hook: written by nod install\nconst words = [\"/usr/bin/nod-hook\"]\n"
	case strings.HasSuffix(hook, ".toml"):
		return "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"/usr/bin/nod-hook codex\"\n"
	}
	return registered
}

func edits(list ...nod.Edit) nod.Call {
	c := tool("file_edit", list[0].Path)
	c.Edits = list
	return c
}

func parent(name string) string { return name[:strings.LastIndexByte(name, '/')] }

// Every agent times every file in which its hooks may stand: no tool takes nod
// out of it, neither by its name nor by a directory above, nor where the name
// is a link into a directory of the person's own.
func TestNoToolTakesOutARegistration(t *testing.T) {
	for _, a := range hosts.Agents() {
		for _, hook := range a.Hooks {
			t.Run(a.Name+" "+hook, func(t *testing.T) {
				w, file := newWorld(false), place(hook)
				o := options(nod.DefaultRules())
				o.Files = w
				w.File(file, registeredAt(hook), 0o644)
				guarded(t, o, edits(nod.Edit{Path: file, Whole: true, New: "{}"}), true)
				guarded(t, o, edits(nod.Edit{Path: file, Old: "/usr/bin/nod-hook", New: "/bin/true"}), true)
				for _, command := range []string{"rm '" + file + "'", "mv '" + file + "' /tmp/x",
					"echo {} > '" + file + "'", "sed -i s/nod-hook/true/ '" + file + "'",
					"truncate -s 0 '" + file + "'"} {
					guarded(t, o, bash(command), true)
				}
				if dir := parent(file); dir != shop && dir != home {
					guarded(t, o, bash("mv '"+dir+"' /tmp/x"), true)
					guarded(t, o, bash("rm -rf '"+dir+"'"), true)
					guarded(t, o, bash("rm -f '"+dir+"'/*"), true)
				}
				guarded(t, o, bash("cat '"+file+"'"), false)
			})
		}
	}
}

func TestLinkedRegistrations(t *testing.T) {
	for _, a := range hosts.Agents() {
		for _, hook := range a.Hooks {
			if !strings.HasPrefix(hook, "~/") {
				continue
			}
			t.Run(a.Name+" "+hook, func(t *testing.T) {
				const real = home + "/dotfiles/kept.json"
				w, o := newWorld(false), options(nod.DefaultRules())
				o.Files = w
				w.File(real, registered, 0o644).Link(place(hook), real)
				linked(t, o, w, real, place(hook))
			})
		}
	}
}

func linked(t *testing.T, o nod.Options, w *view.Memory, real, name string) {
	guarded(t, o, edits(nod.Edit{Path: real, Whole: true, New: "{}"}), true)
	guarded(t, o, edits(nod.Edit{Path: real, Old: "nod-hook", New: "true"}), true)
	for _, command := range []string{"echo {} > " + real, "rm " + real, "mv " + real + " /tmp/x",
		"sed -i s/nod-hook/true/ " + real, "rm " + name, "mv " + name + " /tmp/x", "rm -rf ~/dotfiles",
		"mv ~/dotfiles ~/d", "rm ~/dotfiles/*.json"} {
		guarded(t, o, bash(command), true)
	}
	w.File("/home/dev/dotfiles/other.json", `{"a": 1}`, 0o644)
	guarded(t, o, bash("rm ~/dotfiles/other.json"), false)
	guarded(t, o, edits(nod.Edit{Path: "/home/dev/dotfiles/other.json", Whole: true, New: "{}"}), false)
}

// An edit must leave nod's hook where its agent reads it.
func TestEditsThatMakeSettingsVoid(t *testing.T) {
	const claude, gemini, copilot = "/home/dev/.claude/settings.json", "/home/dev/.gemini/settings.json",
		"/home/dev/.copilot/hooks/nod.json"
	w, o := newWorld(false), options(nod.DefaultRules())
	o.Files, o.Model = w, answering{}
	const body = `"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"/usr/bin/nod-hook x"}]}]}`
	w.File(claude, `{"model":"sonnet",`+body+`}`, 0o644)
	w.File(gemini, "{\n// mine\n\"theme\":\"dark\",\n"+body+"\n}", 0o644)
	w.File(copilot, `{"version":1,`+body+`}`, 0o644)
	for _, e := range []nod.Edit{
		{Path: claude, Old: `"model":"sonnet",`, New: `"model":"sonnet","hooks":{},`},
		{Path: claude, Old: `"model":"sonnet",`, New: `"model":"sonnet","hooks":{},`, All: true},
		{Path: claude, Old: `"model":"sonnet",`, New: `"model":`},
		{Path: claude, Old: `"type":"command",`, New: `"type":"command","if":{"a":1},`},
		{Path: gemini, Old: `"hooks"`, New: `"x":1}/*"hooks"`},
		{Path: gemini, Old: body, New: "/*\n\n\n\n\n\n\n\n" + body + "\n\n\n\n\n\n\n\n\n*/ \"hooks\": {}"},
		{Path: gemini, Old: `"theme":"dark",`, New: `"hooks": {},`},
		{Path: copilot, Old: `1`, New: `99`},
	} {
		guarded(t, o, edits(e), true)
	}
	// Whatever else changes there a person decides, not the model.
	for _, change := range []string{"// mine\n", `"model":"opus",`, `"model":{"a":1},`, `"model":5,`, `"cleanupPeriodDays":"x",`, `"permissions":5,`,
		`"statusLine":{"type":"x"},`, `"model":"sonnet","env":{"A":1},`, `"model":"sonnet","env":{"PATH":"/x"},`,
		`"model":"sonnet","env":{"NODE_OPTIONS":"--require x"},`, `"model":"sonnet","env":{"GIT_SSH_COMMAND":"x"},`} {
		d := verdictOf(o, edits(nod.Edit{Path: claude, Old: `"model":"sonnet",`, New: change}))
		if d.Verdict != nod.Ask || d.Layer != nod.LayerGuard {
			t.Errorf("%s: %s by %s (%s)", change, d.Verdict, d.Layer, d.Reason)
		}
	}
}

// Several edits of one file follow each other.
func TestEditsThatTogetherTakeNodOut(t *testing.T) {
	const file = "/home/dev/shop/.claude/settings.json"
	w, o := newWorld(false), options(nod.DefaultRules())
	o.Files = w
	w.File(file, `{"model":"sonnet","hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/usr/bin/nod-hook x"}]}]}}`, 0o644)
	guarded(t, o, edits(nod.Edit{Path: file, Old: `"sonnet"`, New: `"nod-h"`},
		nod.Edit{Path: file, Old: `nod-h`, New: `x`, All: true}), true)
	guarded(t, o, edits(nod.Edit{Path: file, Old: `"sonnet"`, New: `"opus"`},
		nod.Edit{Path: file, Old: `"opus"`, New: `"haiku"`}), false)
}

// Codex starts a hook only while its settings say that the person trusts it.
func TestTrustOfHooksIsKept(t *testing.T) {
	const file = "/home/dev/.codex/config.toml"
	w, o := newWorld(false), options(nod.DefaultRules())
	o.Files = w
	const trust = "model = \"gpt\"\n[hooks.state.\"/home/dev/.codex/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:1\"\n"
	w.File(file, trust, 0o644)
	for _, after := range []string{"model = \"gpt\"\n", "", strings.Replace(trust, "sha256:1", "sha256:2", 1),
		"x = '''\n" + trust + "'''\n", "x = \"\"\"\n" + trust + "\"\"\"\n"} {
		guarded(t, o, edits(nod.Edit{Path: file, Whole: true, New: after}), true)
	}
	guarded(t, o, bash("echo > ~/.codex/config.toml"), true)
	guarded(t, o, edits(nod.Edit{Path: file, Old: `"gpt"`, New: `"gpt-5"`}), false)
}

// A session that is rooted where an agent, or nod, is set up has no workspace.
func TestRootsWhereAgentsAreSetUp(t *testing.T) {
	roots := []string{"/home/dev/.config", "/home/dev/.config/nod", "/home/dev/.local", "/home/dev/.local/state"}
	for _, a := range hosts.Agents() {
		for _, dir := range a.Home {
			roots = append(roots, home+"/"+dir, home+"/"+dir+"/skills/x")
		}
	}
	for _, root := range roots {
		w, o := newWorld(false), options(nod.DefaultRules())
		o.Files = w
		w.Dir(root, 0o755).Dir("/home/dev/.local/state/nod", 0o755)
		for _, c := range []nod.Call{tool("file_write", root+"/settings.json"), tool("file_write", root+"/notes.txt"),
			bash("echo x >> notes.jsonl"), bash("touch x")} {
			c.Roots, c.Dir = []string{root}, root
			if d := verdictOf(o, c); d.Verdict == nod.Allow {
				t.Errorf("%s: %v %s: %s by %s (%s)", root, c.Paths, c.Command, d.Verdict, d.Layer, d.Reason)
			}
		}
	}
	for _, root := range []string{"/home/dev/.config/tool", "/home/dev/.codex/worktrees/1/shop",
		"/home/dev/shop/.claude/worktrees/1"} {
		w, o := newWorld(false), options(nod.DefaultRules())
		o.Files = w
		w.Dir(root, 0o755)
		c := tool("file_write", root+"/main.go")
		c.Roots, c.Dir = []string{root}, root
		if d := verdictOf(o, c); d.Verdict != nod.Allow {
			t.Errorf("%s: %s by %s (%s)", root, d.Verdict, d.Layer, d.Reason)
		}
	}
}

// An agent's directory that is a link is guarded where it leads, too.
func TestAnAgentsDirectoryThatIsALink(t *testing.T) {
	w, o := newWorld(false), options(nod.DefaultRules())
	o.Files = w
	w.File("/home/dev/dotfiles/c/settings.json", "{}", 0o644).Link("/home/dev/.claude", "/home/dev/dotfiles/c")
	for file, want := range map[string]bool{"c/settings.json": false, "c/agents/x.md": false,
		"notes.md": true} {
		c := tool("file_write", "/home/dev/dotfiles/"+file)
		c.Roots, c.Dir = []string{"/home/dev/dotfiles"}, "/home/dev/dotfiles"
		if d := verdictOf(o, c); (d.Verdict == nod.Allow) != want {
			t.Errorf("%s: %s by %s (%s)", file, d.Verdict, d.Layer, d.Reason)
		}
	}
}

// A link at the top of a workspace lends its name to what it leads to.
func TestGuardedNamesThatAreLinks(t *testing.T) {
	w, o := newWorld(false), options(nod.DefaultRules())
	o.Files = w
	w.File(shop+"/docs/house.md", "x", 0o644).Link(shop+"/AGENTS.md", "docs/house.md").Dir(shop+"/meta",
		0o755).Link(shop+"/.github", "meta").Link(shop+"/x", "src")
	for file, want := range map[string]bool{"docs/house.md": false, "docs/other.md": true, "meta/hooks/x.json": false,
		"meta/x.md": true, "src/a.go": true} {
		if d := verdictOf(o, tool("file_write", shop+"/"+file)); (d.Verdict == nod.Allow) != want {
			t.Errorf("%s: %s by %s (%s)", file, d.Verdict, d.Layer, d.Reason)
		}
	}
}

// No agent or tool is handed what it obeys by itself, by its name, by that of
// a directory above, by a link in the place of one, or packed.
func TestWhatIsObeyedIsGuarded(t *testing.T) {
	var all []hosts.Obeyed
	for _, a := range hosts.Agents() {
		all = append(all, a.Obeys...)
	}
	for _, tool := range hosts.Tools() {
		all = append(all, tool.Obeys...)
	}
	for _, o := range all {
		for _, name := range o.Names {
			name = strings.ReplaceAll(name, "*", "x")
			for _, command := range backDoors(name) {
				w := newWorld(false)
				w.File(shop+"/m/"+name[strings.IndexByte(name, '/')+1:], "x", 0o644)
				opts := options(nod.DefaultRules())
				opts.Files = w
				if d := verdictOf(opts, bash(command)); d.Verdict == nod.Allow {
					t.Errorf("%s: %s by %s (%s)", command, d.Verdict, d.Layer, d.Reason)
				}
			}
			if d := verdictOf(options(nod.DefaultRules()),
				tool("file_write", shop+"/sub/"+name)); d.Verdict == nod.Allow {
				t.Errorf("%s: %s by %s (%s)", name, d.Verdict, d.Layer, d.Reason)
			}
		}
	}
}

func backDoors(name string) []string {
	list := []string{"touch " + name, "touch " + strings.ToUpper(name), "cp main.go " + name, "ln -s src " + name,
		"echo x > " + name + ".gz", "mv src " + name}
	if above, _, nested := strings.Cut(name, "/"); nested {
		list = append(list, "mv m "+above, "git mv m "+above, "ln -s m "+above, "ln -s m src/"+above, "cp -r m "+above,
			"mkdir n && mv m n/"+above)
	}
	return list
}
