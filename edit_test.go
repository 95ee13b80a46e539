package nod_test

import (
	"context"
	"path"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

// verdictOf decides without a model: layers 0 to 3 alone.
func verdictOf(o nod.Options, c nod.Call) nod.Decision {
	return nod.New(o).Check(context.Background(), c)
}

func TestEditsInsideTheWorkspaceAreAllowed(t *testing.T) {
	for _, name := range []string{
		"/home/dev/shop/main.go", "main.go", "./src/../src/a.go", "new.txt", "new/deep/file.txt", "~/shop/main.go",
		"in/a.go", "own/file.go", "sub/file.go", "/home/dev/shop/src/../main.go", "a file with spaces", "Makefile",
		"package.json",
	} {
		for _, kind := range []string{"file_edit", "file_write", "notebook_edit", "apply_patch"} {
			if d := verdictOf(options(nod.DefaultRules()),
				tool(kind, name)); d.Verdict != nod.Allow || d.Layer != nod.LayerEdit {
				t.Errorf("%s %s: %s by %s (%s)", kind, name, d.Verdict, d.Layer, d.Reason)
			}
		}
	}
}

func TestEditsThatAreNotAllowed(t *testing.T) {
	for name, why := range map[string]string{
		"/etc/passwd": "elsewhere", "../notes.txt": "above", "/home/dev/shop-twin/x": "prefix twin",
		"out/x": "link out", "out.txt": "link to a file outside", "loop/x": "link loop",
		"missing/../../x":      "nobody can say",
		"hooks/pre-commit":     "link to guarded",
		"deep/../../notes.txt": "inside for the kernel, outside for a host that cleans the text",
		".git./config":         "trailing dot",
		"GIT~1/config":         "short name", ".g\u200cit/config": "ignorable", ".claude/settings.json": "agent settings",
		"sub/.envrc":              "at depth",
		"node_modules/x/index.js": "installed code", ".venv/bin/python": "installed code", "CLAUDE.md": "instructions",
		".mcp.json": "servers",
		"fifo":      "FIFO", "dev": "device", "src": "directory", "linked": "hard link",
		"linkedtree/x": "another repository's worktree",
		".rvmrc":       "run on entering", ".lldbinit": "run at a start", "sub/.gdbinit": "run at a start",
		".ocamlinit": "run at a start", ".autoenv": "run on entering", ".iflow/settings.json": "agent settings",
		".codebuddy/x": "agent settings", ".qoder/rules/x": "agent settings", ".vibe/x": "agent settings",
		"WARP.md": "instructions", "IFLOW.md": "instructions", ".replit": "what runs",
		"": "no path", "~/.bashrc": "home", "/home/dev/.ssh/authorized_keys": "secret", "x\x00y": "NUL",
		".env":      "secret",
		"/home/dev": "home itself", "/": "root", ".": "the root itself", "~root/x": "another's home is a plain name",
		"main.go/x":     "below a file",
		"  /etc/passwd": "blanks that a host takes off", "\u2000CLAUDE.md": "the same", " CLAUDE.md": "the same",
		"\ufeff/etc/passwd": "the same", "CLAUDE.md\u2028": "the same", "\t~/.bashrc": "the same",
	} {
		c := tool("file_write", name)
		d := verdictOf(options(nod.DefaultRules()), c)
		if name == "~root/x" || name == "main.go/x" {
			continue // plain names below the workspace; the host refuses them itself
		}
		if d.Verdict == nod.Allow {
			t.Errorf("%q (%s): allowed by %s: %s", name, why, d.Layer, d.Reason)
		}
	}
}

func TestEveryPathOfAnEditMustPass(t *testing.T) {
	if d := verdictOf(options(nod.DefaultRules()),
		tool("apply_patch", "main.go", "src/new.go")); d.Verdict != nod.Allow {
		t.Errorf("two inside: %s (%s)", d.Verdict, d.Reason)
	}
	if d := verdictOf(options(nod.DefaultRules()),
		tool("apply_patch", "main.go", "../notes.txt")); d.Verdict == nod.Allow {
		t.Error("one of two outside was allowed")
	}
	if d := verdictOf(options(nod.DefaultRules()), tool("apply_patch")); d.Verdict == nod.Allow {
		t.Error("a patch without paths was allowed")
	}
}

func TestRootsThatAreNoWorkspace(t *testing.T) {
	for _, root := range []string{"/", "/home", "/home/dev", "/etc", "/usr/bin", "/tmp", "/nowhere", "", "relative",
		"/home/dev/.config/nod"} {
		c := tool("file_write", root+"/x.txt")
		c.Roots, c.Dir = []string{root}, root
		if d := verdictOf(options(nod.DefaultRules()), c); d.Verdict == nod.Allow {
			t.Errorf("root %q: an edit was allowed", root)
		}
	}
}

// A directory whose files run or are obeyed is no workspace; nor are names
// judged by what stands below the root alone.
func TestRootsThatAreGuarded(t *testing.T) {
	for _, row := range []struct {
		root, name string
		want       bool
	}{
		{shop + "/.git", "config", false}, {shop + "/.git/hooks", "pre-commit", false},
		{shop + "/.git/worktrees/own", "config.worktree", false}, {shop + "/.claude", "settings.local.json", false},
		{shop + "/.vscode", "tasks.json", false}, {shop + "/.husky", "pre-commit", false},
		{shop + "/.github", "hooks/x.json", false}, {shop + "/.github", "workflows/x.yml", true},
		{shop + "/node_modules/x", "index.js", false}, {home + "/.config/git", "config", false},
		{home + "/.config/systemd/user", "x.service", false}, {home + "/.config", "git/config", false},
		{home + "/.local/bin", "git", false}, {home + "/.local", "bin/git", false}, {home + "/bin", "ls", false},
		{home + "/.config/tool", "main.go", true}, {shop + "/src", "main.go", true},
		{shop + "/.claude/worktrees/try", "main.go", true}, {home + "/.codex/worktrees/ab12/shop", "main.go", true},
		{home + "/.codex/worktrees/ab12/shop", ".git/hooks/x", false},
	} {
		w := newWorld(false)
		w.Dir(row.root, 0o755)
		o := options(nod.DefaultRules())
		o.Files, o.Self = w, append(o.Self, home+"/.local/bin/nod")
		c := tool("file_write", row.root+"/"+row.name)
		c.Roots, c.Dir, c.Environ = []string{row.root}, row.root,
			[]string{"PATH=" + home + "/bin:/usr/bin", "HOME=" + home}
		if d := verdictOf(o, c); (d.Verdict == nod.Allow) != row.want {
			t.Errorf("in %s, %s: %s by %s: %s", row.root, row.name, d.Verdict, d.Layer, d.Reason)
		}
	}
}

// Where git's settings name a directory of the workspace for hooks, what lies
// there is guarded as hooks are.
func TestHooksPathInTheWorkspace(t *testing.T) {
	for _, row := range []struct {
		file, text, name string
		want             bool
	}{
		{shop + "/.git/config", "[core]\n\thooksPath = scripts/hooks\n", "scripts/hooks/pre-commit", false},
		{shop + "/.git/config", "[core]\n\thooksPath = scripts/hooks\n", "scripts/build.sh", true},
		{shop + "/.git/config", "[Core] HooksPath=\"tools\"\n", "tools/commit-msg", false},
		{shop + "/.git/config", "[core]\n\thookspath = " + shop + "/ci\n", "ci/post-merge", false},
		{home + "/.gitconfig", "[core]\n\thooksPath = githooks\n", "githooks/pre-commit", false},
		{shop + "/.git/config", "[core]\n\tbare = false\n", "scripts/hooks/pre-commit", true},
	} {
		o := options(nod.DefaultRules())
		w := newWorld(false)
		w.File(shop+"/team.gitconfig", "[core]\nhooksPath = team-hooks\n", 0o644)
		w.File(row.file, row.text, 0o644)
		o.Files = w
		if d := verdictOf(o, tool("file_write", row.name)); (d.Verdict == nod.Allow) != row.want {
			t.Errorf("%q in %s, %s: %s (%s)", row.text, row.file, row.name, d.Verdict, d.Reason)
		}
		if d := verdictOf(o, bash("mkdir -p "+path.Dir(row.name)+" && echo x >> "+row.name+".new && mv "+row.name+
			".new "+row.name)); !row.want && d.Verdict == nod.Allow {
			t.Errorf("%q in %s, by a command: %s (%s)", row.text, row.file, d.Verdict, d.Reason)
		}
	}
}

// A directory with a HEAD is a repository to git, and what its settings name runs.
func TestRepositoriesWithoutWorkingTree(t *testing.T) {
	for _, row := range []struct {
		there []string
		name  string
		want  bool
	}{
		{nil, "data/HEAD", false},
		{nil, "data/config", true},
		{nil, "src/header", true},
		{[]string{"data/HEAD"}, "data/config", false},
		{[]string{"data/HEAD"}, "data/commondir", false},
		{[]string{"data/HEAD"}, "data/hooks/post-checkout", false},
		{[]string{"data/HEAD"}, "other/config", true},
		{nil, "HEAD", true}, // beside a .git
		{[]string{"data/head/x.go"}, "data/head/y.go", true},
	} {
		o, w := options(nod.DefaultRules()), newWorld(false)
		for _, name := range row.there {
			w.File(shop+"/"+name, "ref: refs/heads/main\n", 0o644)
		}
		o.Files = w
		if d := verdictOf(o, tool("file_write", row.name)); (d.Verdict == nod.Allow) != row.want {
			t.Errorf("%q there, %s: %s (%s)", row.there, row.name, d.Verdict, d.Reason)
		}
	}
}

// TestWhatSettingsStart holds that a file which an agent's settings start is
// guarded, by a command too; a file that they only speak of is not.
func TestWhatSettingsStart(t *testing.T) {
	command := func(c string) string {
		return `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"` + c + `"}]}]}}`
	}
	for _, row := range []struct {
		file, text, name string
		want             bool
	}{
		{".claude/settings.json", command("scripts/fmt.sh"), "scripts/fmt.sh", false},
		{".claude/settings.json", command(`\"$CLAUDE_PROJECT_DIR\"/scripts/fmt.sh --all`), "scripts/fmt.sh", false},
		{".claude/settings.json", command("bash ./Scripts/Fmt.sh"), "scripts/fmt.sh", false},
		{".claude/settings.json", command("cd x; ./check"), "check", false},
		{".claude/settings.json", command("npm run check"), "check", true},
		{".claude/settings.json", command("scripts/fmt.sh"), "scripts/fmt.sh.old", true},
		{".claude/settings.local.json", `{"statusLine":{"type":"command","command":"tools/line.py"}}`, "tools/line.py",
			false},
		{".claude/settings.json", `{"permissions":{"allow":["Edit(src/a.go)","Bash(x)"],"ask" : ["Edit(src/b.go)"]}}`,
			"src/a.go", true},
		{".claude/settings.json", `{"permissions":{"ask" : ["Edit(src/b.go)"]}}`, "src/b.go", true},
		{".claude/settings.json", `{"permissions":{"allow":["x"]},"apiKeyHelper":"bin/key.sh"}`, "bin/key.sh", false},
		{".claude/hooks/hooks.json", command("lib/run.sh"), "lib/run.sh", false},
		{".mcp.json", `{"mcpServers":{"x":{"command":"node","args":["tools/mcp.js"]}}}`, "tools/mcp.js", false},
		{".codex/config.toml", "notify = [\"python3\", \"ops/notify.py\"]\n", "ops/notify.py", false},
		{".github/hooks/x.json", command("ci/pre.sh"), "ci/pre.sh", false},
		{"opencode.json", `{"plugin":["./plug/x.ts"]}`, "plug/x.ts", false},
		{"settings.json", command("scripts/fmt.sh"), "scripts/fmt.sh", true},
		{".github/workflows/ci.yml", "jobs:\n  x:\n    steps:\n      - run: scripts/fmt.sh\n", "scripts/fmt.sh", true},
		{"package.json", `{"scripts":{"test":"node tools/t.js"}}`, "tools/t.js", true},
	} {
		o, w := options(nod.DefaultRules()), newWorld(false)
		w.File(shop+"/"+row.file, row.text, 0o644)
		o.Files = w
		if d := verdictOf(o, tool("file_write", row.name)); (d.Verdict == nod.Allow) != row.want {
			t.Errorf("%q in %s, %s: %s (%s)", row.text, row.file, row.name, d.Verdict, d.Reason)
		}
		if d := verdictOf(o, bash("cd "+path.Dir(row.name)+" && echo x > "+path.Base(row.name))); !row.want &&
			d.Verdict == nod.Allow {
			t.Errorf("%q in %s, %s by a command: %s (%s)", row.text, row.file, row.name, d.Verdict, d.Reason)
		}
	}
}

// A link in a directory of an agent's makes what it leads to the agent's settings.
func TestLinksToSettings(t *testing.T) {
	for name, want := range map[string]bool{"team.json": false, "other.json": true} {
		o, w := options(nod.DefaultRules()), newWorld(false)
		w.File(shop+"/team.json", "{}", 0o644)
		w.File(shop+"/other.json", "{}", 0o644)
		w.Link(shop+"/.claude/settings.local.json", "../team.json")
		o.Files = w
		if d := verdictOf(o, tool("file_write", name)); (d.Verdict == nod.Allow) != want {
			t.Errorf("%s: %s (%s)", name, d.Verdict, d.Reason)
		}
	}
}

func TestFurtherRoots(t *testing.T) {
	o := options(nod.DefaultRules())
	o.Roots = []string{"/home/dev/elsewhere"}
	if d := verdictOf(o, tool("file_write", "out/x")); d.Verdict != nod.Allow {
		t.Errorf("in a root of the settings: %s (%s)", d.Verdict, d.Reason)
	}
}

func TestDirectoryFollowsCdButTheWorkspaceDoesNot(t *testing.T) {
	c := tool("file_write", "a.go")
	c.Dir = shop + "/src"
	if d := verdictOf(options(nod.DefaultRules()), c); d.Verdict != nod.Allow {
		t.Errorf("after cd src: %s (%s)", d.Verdict, d.Reason)
	}
	c.Dir = "/home/dev/elsewhere"
	if d := verdictOf(options(nod.DefaultRules()), c); d.Verdict == nod.Allow {
		t.Error("after cd out of the workspace a relative edit was allowed")
	}
}

func TestCaseInsensitiveSystems(t *testing.T) {
	o := options(nod.DefaultRules())
	o.Files = newWorld(true)
	if d := verdictOf(o, tool("file_write", "/HOME/dev/SHOP/new.txt")); d.Verdict != nod.Allow {
		t.Errorf("another spelling of the workspace: %s (%s)", d.Verdict, d.Reason)
	}
	for _, name := range []string{".Git/config", "OUT/x", "Node_Modules/x", ".CLAUDE/settings.json"} {
		if d := verdictOf(o, tool("file_write", name)); d.Verdict == nod.Allow {
			t.Errorf("%s was allowed", name)
		}
	}
}

func TestPathDirectoriesInTheWorkspaceAreGuarded(t *testing.T) {
	c := tool("file_write", "tools/run")
	if d := verdictOf(options(nod.DefaultRules()), c); d.Verdict != nod.Allow {
		t.Fatalf("tools/ is not on PATH yet: %s (%s)", d.Verdict, d.Reason)
	}
	for _, path := range []string{"/home/dev/shop/tools:/usr/bin", "/usr/bin:tools"} {
		c.Environ = []string{"PATH=" + path}
		if d := verdictOf(options(nod.DefaultRules()), c); d.Verdict == nod.Allow {
			t.Errorf("PATH=%s: allowed", path)
		}
	}
}

func TestGuardedListCanBeEmptiedButNotTheGitDirectory(t *testing.T) {
	rules := nod.DefaultRules()
	rules.Guarded = []string{}
	if d := verdictOf(options(rules), tool("file_write", "CLAUDE.md")); d.Verdict != nod.Allow {
		t.Errorf("an emptied list still guards: %s", d.Reason)
	}
	if d := verdictOf(options(rules), tool("file_write", ".git/hooks/pre-commit")); d.Verdict == nod.Allow {
		t.Error("the repository's own git directory was not guarded")
	}
}

// Whatever the path, an allowed edit lies inside the workspace.
func FuzzEdit(f *testing.F) {
	for _, s := range []string{"main.go", "../x", "out/x", "in/../../x", "~/x", "/home/dev/shop/../shop-twin/y",
		".git/x", "\x00", "hooks/../../x"} {
		f.Add(s)
	}
	o := options(nod.DefaultRules())
	f.Fuzz(func(t *testing.T, name string) {
		d := verdictOf(o, tool("file_write", name))
		if d.Verdict != nod.Allow {
			return
		}
		full := name
		switch {
		case name == "~" || len(name) > 1 && name[:2] == "~/":
			full = home + name[1:]
		case name == "" || name[0] != '/':
			full = shop + "/" + name
		}
		real, err := view.Resolve(o.Files, full)
		lexical, lexicalErr := view.Resolve(o.Files, path.Clean(full))
		if lexicalErr != nil || !view.Below(shop, lexical) || err != nil || !view.Below(shop,
			real) || view.Below(shop+"/.git", real) {
			t.Fatalf("%q resolves to %q (%v) and was allowed", name, real, err)
		}
	})
}
