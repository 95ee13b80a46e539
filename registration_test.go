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

// Every agent times every file in which its hooks may stand: no tool takes nod out of it, neither by its name nor
// by a directory above, nor where the name is a link into a directory of the person's own.
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
