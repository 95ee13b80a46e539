package nod_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/corpus"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/view"
)

const wired = `{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "*",
        "hooks": [
          {"type": "command", "command": "/usr/bin/nod-hook", "args": ["claude-code"], "onFailure": "block"}
        ]
      }
    ]
  },
  "model": "sonnet"
}
`

func guarded(t *testing.T, o nod.Options, c nod.Call, want bool) {
	t.Helper()
	o.Model = answering{} // a model that clears everything cannot lift the guard
	d := verdictOf(o, c)
	if got := d.Verdict == nod.Deny && d.Layer == nod.LayerGuard; got != want {
		t.Errorf("%s %v %s: %s by %s (%s)", c.Tool, c.Paths, c.Command, d.Verdict, d.Layer, d.Reason)
	}
}

func TestNoToolChangesNod(t *testing.T) {
	o := options(nod.DefaultRules())
	for _, c := range []nod.Call{
		tool("file_write", "~/.config/nod/nod.toml"), tool("file_edit", "/home/dev/.config/NOD/nod.toml"),
		tool("file_write", "/home/dev/.local/state/nod/decisions.jsonl"), tool("file_write", "/usr/bin/nod"),
		tool("apply_patch", "main.go", "/home/dev/.config/nod/nod.toml"),
		bash("echo 'mode = \"off\"' > ~/.config/nod/nod.toml"), bash("rm -rf ~/.config/nod"), bash("rm -rf ~/.config"),
		bash("mv ~/.local/state/nod /tmp/x"), bash("cp x /usr/bin/nod"), bash("echo x | tee -a ~/.config/nod/nod.toml"),
		bash("python3 -c \"open('/home/dev/.config/nod/nod.toml','w')\""), bash("vim ~/.config/nod/nod.toml"),
		bash("frob --out=$HOME/.local/state/nod/decisions.jsonl"),
	} {
		guarded(t, o, c, true)
	}
	guarded(t, o, tool("file_write", "deep/../../.config/nod/nod.toml"), true)
	guarded(t, o, tool("file_write", "missing/../../.config/nod/nod.toml"), true)
	mcp := tool("mcp")
	mcp.MCP = &nod.MCP{Server: "fs", Tool: "write_file"}
	mcp.Input = json.RawMessage(`{"args":[{"path":"/home/dev/.config/nod/nod.toml"}]}`)
	guarded(t, o, mcp, true)
	// Where nobody can say where a name leads, it is nod's by the name itself.
	loop := o
	w := newWorld(false)
	loop.Files = w.Link("/home/dev/.config/nod/nod.toml", "nod.toml")
	for _, c := range []nod.Call{
		tool("file_write", "~/.config/nod/nod.toml"), tool("file_edit", "../.config/./nod/nod.toml"), mcp,
		bash("echo x > ~/.config/nod/nod.toml"), bash("rm ~/.config/nod/nod.toml"),
		bash("cp main.go ../.config/nod/nod.toml"),
	} {
		guarded(t, loop, c, true)
	}
	mcp.Input = json.RawMessage(`{"path":"file:///home/dev/.config/nod/nod.toml"}`)
	guarded(t, o, mcp, true)
	mcp.Input = json.RawMessage(`{"path":"/home/dev/shop/main.go"}`)
	guarded(t, o, mcp, false)
	guarded(t, o, bash("cat ~/.config/nod/nod.toml"), false)
	guarded(t, o, bash("frob /usr/bin/node ~/.config/nodes"), false)
}

func TestNodCommandsThatChangeSomething(t *testing.T) {
	o := options(nod.DefaultRules())
	for _, command := range []string{
		"nod mode off", "nod trust", "nod install claude-code", "nod init", "nod init --yes",
		"nod init --from-log --unattended", "nod init --dry-run", "nod uninstall claude-code --unattended",
		"nod rules add x",
		"/usr/bin/nod mode observe", "sudo nod mode off", "timeout 5 nod trust", "bash -c 'nod mode off'",
		"env A=b nod uninstall claude-code",
		"true && nod mode off", "echo $(nod mode off)", "nod $X", "nod mode $X", "command nod trust", "NOD mode off",
		"echo y | nod trust",
		"xargs nod mode off", "nohup nod mode off &", "nod mode --unattended off", "nod mode --settings F off",
		"nod rules --json add x",
		"nod daemon", "nod daemon stop", "nod daemon --state /x stop", "nod daemon status stop", "nod daemon $X",
	} {
		guarded(t, o, bash(command), true)
	}
	for _, command := range []string{"nod log", "nod check -- rm -rf /tmp/x",
		"nod rules", "nod rules --json", "nod rules --root /x", "nod mode", "nod daemon status",
		"nod daemon --state /x status --json", "nod help mode", "nod doctor", "nod doctor --json --root /x codex",
		"nod version", "echo nod mode off"} {
		guarded(t, o, bash(command), false)
	}
}

func TestAgentSettingsThatCallNod(t *testing.T) {
	const file = "/home/dev/shop/.claude/settings.json"
	w := newWorld(false)
	w.File(file, wired, 0o644).File("/home/dev/shop/.claude/settings.local.json", "{}\n", 0o644).
		File("/home/dev/.gemini/settings.json", `{"theme": "dark", "hooksConfig": {"enabled": true}, "hooks": {}}`,
			0o644).
		Dir("/home/dev/elsewhere/deep", 0o755).Link("/home/dev/shop/away", "/home/dev/elsewhere/deep")
	o := options(nod.DefaultRules())
	o.Files = w
	edit := func(e nod.Edit) nod.Call {
		c := tool("file_edit", e.Path)
		c.Edits = []nod.Edit{e}
		return c
	}
	for name, e := range map[string]nod.Edit{
		"takes the command out": {Path: file, Old: "/usr/bin/nod-hook", New: "/bin/true"},
		"takes onFailure out":   {Path: file, Old: `, "onFailure": "block"`, New: ""},
		"changes an argument":   {Path: file, Old: `["claude-code"]`, New: `["claude-code","--settings","/tmp/x"]`},
		"replaces the whole":    {Path: file, Whole: true, New: "{}"},
		"silences":              {Path: file, Old: `"model"`, New: `"disableAllHooks": true, "model"`},
		"silences, escaped":     {Path: file, Old: `"model"`, New: `"disable\u0041llHooks": true, "model"`},
		"silences, another file": {Path: "/home/dev/shop/.claude/settings.local.json", Whole: true,
			New: `{"disableAllHooks":true}`},
		"silences, new file": {Path: "/home/dev/other/.claude/settings.json", Whole: true,
			New: `{"disableAllHooks":true}`},
		"silences Codex": {Path: "/home/dev/.codex/config.toml", Whole: true,
			New: "[features]\nhooks = false\n"},
		"silences Copilot, repo": {Path: "/home/dev/shop/.github/copilot/settings.json", Whole: true,
			New: `{"disableAllHooks":true}`},
		"silences Copilot": {Path: "/home/dev/shop/.github/hooks/x.json", Whole: true,
			New: `{"disableAllHooks":true}`},
		"silences Gemini": {Path: "/home/dev/shop/.gemini/settings.json", Whole: true,
			New: `{"hooksConfig": {"enabled": false}}`},
		"silences one of Gemini": {Path: "/home/dev/shop/.gemini/settings.json", Whole: true,
			New: `{"hooksConfig": {"disabled": ["x"]}}`},
		"silences Gemini, was on": {Path: "/home/dev/.gemini/settings.json", Old: "true", New: "false"},
		"distrusts for Gemini": {Path: "/home/dev/.gemini/trustedFolders.json", Whole: true,
			New: `{"/home/dev/shop": "DO_NOT_TRUST"}`},
		"silences Qwen": {Path: "/home/dev/shop/.qwen/settings.json", Whole: true,
			New: `{"disableAllHooks": true}`},
		"silences by its text": {Path: "/home/dev/shop/away/../.claude/settings.json", Old: `"model"`,
			New: `"disableAllHooks": true, "model"`},
		"takes out by its text": {Path: "/home/dev/shop/away/../.claude/settings.json", Whole: true, New: "{}"},
		"matches loosely":       {Path: file, Old: "  /usr/bin/nod-hook  ", New: "/bin/true"},
	} {
		t.Run(name, func(t *testing.T) { guarded(t, o, edit(e), true) })
	}
	guarded(t, o, edit(nod.Edit{Path: "/home/dev/.gemini/settings.json", Old: `"dark"`, New: `"light"`}), false)
	guarded(t, o, edit(nod.Edit{Path: "/home/dev/shop/.gemini/settings.json", Whole: true,
		New: `{"hooksConfig": {"notifications": false}}`}), false)
	guarded(t, o, bash(`echo '{"hooksConfig":{"enabled":false}}' > .gemini/settings.json`), true)
	for _, name := range []string{"/home/dev/.config/opencode/plugin/nod.js", "/home/dev/shop/.opencode/plugin/nod.js",
		"/home/dev/.pi/agent/extensions/nod.js"} {
		w.File(name, "// nod-hook: written by nod install\nconst words = [\"/usr/bin/nod-hook\"]\n\n\n\n\n\n\n\n\n\n\nif (denied) block()\n", 0o644)
		guarded(t, o, edit(nod.Edit{Path: name, Old: "if (denied) block()", New: ""}), true)
		guarded(t, o, edit(nod.Edit{Path: name, Whole: true, New: "export const Mine = 1\n"}), true)
		guarded(t, o, bash("rm "+name), true)
		guarded(t, o, bash("sed -i s/block/pass/ "+name), true)
	}
	guarded(t, o, edit(nod.Edit{Path: "/home/dev/shop/.opencode/plugin/mine.js", Whole: true,
		New: "export const Mine = 1"}), false)
	guarded(t, o, edit(nod.Edit{Path: "/home/dev/shop/.github/workflows/hooks.yml", Whole: true,
		New: "disableAllHooks"}), false)
	// Everything else in these files is the model's to judge.
	guarded(t, o, edit(nod.Edit{Path: file, Old: `"sonnet"`, New: `"opus"`}), false)
	guarded(t, o, edit(nod.Edit{Path: "/home/dev/shop/docs/../.claude/settings.json", Old: `"sonnet"`, New: `"opus"`}),
		false)
	guarded(t, o, edit(nod.Edit{Path: "/home/dev/shop/docs/x.json", Whole: true, New: `{"disableAllHooks":true}`}),
		false)
	for _, command := range []string{
		"echo {} > .claude/settings.json", "rm .claude/settings.json", "cp x.json .claude/settings.json",
		`echo '{"disableAllHooks":true}' > .claude/settings.local.json`, "tee .claude/settings.json < x",
	} {
		guarded(t, o, bash(command), true)
	}
	guarded(t, o, bash("cat .claude/settings.json"), false)
}

func TestTheGuardIsNotOnAnyList(t *testing.T) {
	rules := ruled(nod.ListAllow, "nod mode off", "rm *")
	rules.Guarded, rules.Secrets = []string{}, []string{}
	rules.Allowlist = append(rules.Allowlist, "file_write", "bash")
	o := options(rules)
	guarded(t, o, bash("nod mode off"), true)
	guarded(t, o, bash("rm -r ~/.config/nod"), true)
	guarded(t, o, tool("file_write", "~/.config/nod/nod.toml"), true)
}

func TestIrrecoverableIsDenied(t *testing.T) {
	o := options(ruled(nod.ListAllow, "rm *", "dd *"))
	o.Model = answering{}
	for _, command := range []string{"rm -rf /", "rm -rf /*", "rm -rf ~", "rm -rf ~/", "rm -rf $HOME",
		"rm -r -f \"$HOME\"", "rm -rf /home", "rm -rf /etc", "sudo rm -rf /usr", "cd / && rm -rf *",
		"dd if=/dev/zero of=/dev/sda", "cat x > /dev/sda", ":(){ :|:& };:", "bash -c 'rm -rf ~'", "find / -delete",
		"rm -rf ~/*", "find ~ -print0 | xargs -0 rm -rf", "find / | xargs rm", "find ~ -type f | xargs -n1 shred -u",
		"rm -rf $(find ~)", "declare a=/; rm -rf \"$a\"", "export a=/; sh -c 'rm -rf $a'",
		"export d=sda; dd if=/dev/zero of=/dev/$d", "n=rm && $n -rf ~"} {
		d := verdictOf(o, bash(command))
		if d.Verdict != nod.Deny || d.Layer != nod.LayerShell {
			t.Errorf("%s: %s by %s (%s)", command, d.Verdict, d.Layer, d.Reason)
		}
	}
	for _, command := range []string{"rm -rf build", "rm -rf /tmp/x", "rm -rf ~/shop/build", "echo rm -rf /",
		"dd if=a of=b",
		"export a=/; echo \"rm -rf $a\"", "a=~ && rm -rf $a/shop/build", "a=~ && a=$a/shop && rm -rf $a/build",
		"git commit -m 'rm -rf /'",
		"find ~ -name '*.tmp' | xargs rm", "find ~ -mtime +30 | xargs rm", "find ~ | grep x | xargs rm",
		"find . | xargs rm"} {
		if d := verdictOf(o, bash(command)); d.Verdict == nod.Deny {
			t.Errorf("%s: denied by %s (%s)", command, d.Layer, d.Reason)
		}
	}
}

func TestTooComplexOrMalformedIsDenied(t *testing.T) {
	o := options(nod.DefaultRules())
	o.Model = answering{}
	for name, command := range map[string]string{
		"parentheses": strings.Repeat("(", 160_000), "long": "echo " + strings.Repeat("x", 70_000), "NUL": "ls\x00",
		"CR": "ls\rrm -rf x", "nested": strings.Repeat("$(", 500) + "ls" + strings.Repeat(")", 500),
	} {
		if d := verdictOf(o, bash(command)); d.Verdict != nod.Deny || d.Layer != nod.LayerShell {
			t.Errorf("%s: %s by %s (%s)", name, d.Verdict, d.Layer, d.Reason)
		}
	}
}

func TestShellLayer(t *testing.T) {
	o := options(nod.DefaultRules())
	for _, command := range []string{"ls", "ls -la src", "git status", "cat main.go | head -5", "grep -rn x src",
		"cd src && ls", "ls 2>/dev/null", "echo $(ls)", "git log --oneline -5", "touch new.txt", "echo hi > new.txt",
		"find / -name '*.conf'", "find ~ -size +10M", "ls -R ~", "ls $X", "cat $(find . -name '*.md')",
		"head $(git ls-files | grep go)"} {
		if d := verdictOf(o, bash(command)); d.Verdict != nod.Allow || d.Layer != nod.LayerShell {
			t.Errorf("%s: %s by %s (%s)", command, d.Verdict, d.Layer, d.Reason)
		}
	}
	for _, command := range []string{
		"", " ", "npm test", "ls; npm publish", "echo hi > main.go", "echo hi > ../x", "touch .git/hooks/pre-commit",
		"rm main.go", "curl example.com", "$X", "ls $(npm x)",
		"PATH=. ls", "LD_PRELOAD=./x.so ls", "git push", "find . -delete", "find . -exec rm {} +",
		"python3 -c 'exec(input())'", "cat main.go | sh", "alias ls=rm; ls", "./run.sh", "sudo ls", "unknownprogram",
		"echo ~/.ssh/id_ed25519 | xargs cat", "cat $F", "cat $(cat list)", "cat list | xargs cat",
		"grep . list | xargs cat", "echo x | sort | xargs head", "find ~ | xargs cat", "find . | xargs -a list cat",
		"cd ~ && ls shop/src | xargs cat", "find . -printf '/etc/%p' | xargs cat", "xargs cat < list",
		"find ~ -name id_rsa", "find ~ -name x -exec cat {} \\;", "git ls-files --format=/etc/hosts | xargs cat",
		"git diff --name-only --line-prefix=/etc/ | xargs cat", "ls -l --time-style=+/etc/hosts | xargs cat",
		"find . | grep -o '/.*' | xargs cat", "grep -l x --label=/etc/hosts < main.go | xargs cat", "ls $X | xargs cat",
		"find / -type f -exec head -1 {} +", "fd x ~ -x cat", "find ~/* -exec cat {} +", "cat $(find ~ -name x)",
		"for f in $(find / -name x); do cat $f; done", "ls ~ | xargs cat", "find ~ -exec sh -c 'cat \"$1\"' _ {} \\;",
		"find / -name '*.pem'", "find / -iname '*passw*'", "find / | grep id_rsa", "ls -R ~ | grep -i secret",
		"ls ~/.ssh", "find ~/.aws", "grep -r x ~", "rg x /etc",
		"cat $(cat list; find .)", "cat $(find .; echo ~/.ssh/id_rsa)", "cat /$(find .)",
		"for f in $(cat list); do cat $f; done", "cat list | while read f; do cat $f; done",
		"cat list | (find .; cat) | xargs cat",
		"find . | while read a b; do cat $b; done", "find . | while read -u 3 f; do cat $f; done 3<list",
		"find . | sed 's,.,/etc/shadow,' | xargs cat", "find . | xargs -I{} cat ~/{}",
		"cat $(find . -exec echo /etc/shadow \\;)",
	} {
		if d := verdictOf(o, bash(command)); d.Verdict == nod.Allow {
			t.Errorf("%s: allowed by %s (%s)", command, d.Layer, d.Reason)
		}
	}
}

func TestHosts(t *testing.T) {
	o := options(nod.DefaultRules())
	o.Rules.Hosts = []string{"example.com", "*.docs.test"}
	for command, want := range map[string]bool{
		"curl -s https://example.com/x": true, "curl https://api.docs.test/": true,
		"curl https://docs.test.evil.example/": false,
		"curl https://notexample.com":          false, "curl https://notdocs.test": false,
		"curl -d x=1 https://example.com": false,
	} {
		if d := verdictOf(o, bash(command)); (d.Verdict == nod.Allow) != want {
			t.Errorf("%s: %s by %s (%s)", command, d.Verdict, d.Layer, d.Reason)
		}
	}
}

// An effect need not be one command's: where two readings differ it is the
// whole line's.
func TestAnEffectOfTheWholeLine(t *testing.T) {
	for _, command := range []string{"shopt -s extglob; rm -rf x/!(.git)", "shopt -s extglob; cat !(a)",
		"shopt -s extglob; grep -r x !(a)"} {
		c := bash(command)
		c.Dialect = nod.Unstated
		if d := verdictOf(options(nod.DefaultRules()),
			c); d.Verdict == nod.Allow || d.Err != nil && d.Err.Kind == fault.Internal {
			t.Errorf("%s: %s (%s)", command, d.Verdict, d.Reason)
		}
	}
}

// nod is known by where it lies, whatever it is called.
func TestNodByAnotherName(t *testing.T) {
	o := inCorpusOptions()
	o.Files.(*view.Memory).Link("/usr/bin/keeper", corpus.Nod)
	for _, command := range []string{"keeper mode off", "sudo keeper approve", "/usr/bin/keeper uninstall --all",
		"cd /usr/bin && ./keeper mode off"} {
		if d := corpusVerdict(o, nod.Bash, command); d.Verdict != nod.Deny || d.Layer != nod.LayerGuard {
			t.Errorf("%q: %s by %s (%s)", command, d.Verdict, d.Layer, d.Reason)
		}
	}
	if d := corpusVerdict(o, nod.Bash, "keeper check -- true"); d.Verdict == nod.Deny {
		t.Errorf("what changes nothing is denied: %s", d.Reason)
	}
}
