package nod_test

import (
	"strings"
	"testing"

	"github.com/nodgate/nod"
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
