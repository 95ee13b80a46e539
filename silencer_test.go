package nod_test

import (
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// Every spelling that a host's parser reads as the key is one; a text that
// holds the words and is none is not.
func TestSilencerSpellings(t *testing.T) {
	w := newWorld(false)
	const codex, user = "/home/dev/shop/.codex/config.toml", "/home/dev/.codex/config.toml"
	const droid, local = "/home/dev/shop/.factory/settings.json", "/home/dev/shop/.claude/settings.local.json"
	w.File(user, "[mcp_servers.x]\nenabled = true\n\n[hooks.state.\"/home/dev/.codex/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:1\"\n", 0o644)
	o := options(nod.DefaultRules())
	o.Files = w
	for _, row := range []struct {
		path, text string
		want       bool
	}{
		{codex, "[features]\nhooks = false\n", true},
		{codex, "[ features ]\r\nmemories = true\r\nhooks=false\r\n", true},
		{codex, "[\"features\"]\n\"hooks\" = false # x\n", true},
		{codex, `"\U00000066eatures"."\x68ooks" = false`, true},
		{codex, "features.hooks = false\n", true},
		{codex, "features = { hooks = false }\n", true},
		{codex, "features = {\n  memories = true,\n  hooks = false\n}\n", true},
		{codex, "[features]\nx = [\n  [\"a\"],\n  [\"b\"]\n]\nhooks = false\n", true},
		{codex, "[features]\nx = \"\"\"\n[other]\n\"\"\"\nhooks = false\n", true},
		{codex, "[features]\ncodex_hooks = false\n", true},
		{codex, "[profiles.quick.features]\nhooks = false\n", true},
		{codex, "[features]\nhooks = { enabled = false }\n", true},
		{codex, "hooks = false\n", true}, // the table that it will stand in is not known
		{codex, "[hooks.state.\"/x:pre_tool_use:0:0\"]\nenabled = false\n", true},
		{codex, "[hooks.state]\n\"/x\" = { \"enabled\" = false }\n", true},
		{codex, "hooks = { state = { \"/x\" = { enabled = false } } }\n", true},
		{"/etc/codex/requirements.toml", "allow_managed_hooks_only = true\n", true},
		{"/home/dev/shop/.claude/settings.local.json", `{"disableAll\u0048ooks" : true}`, true},
		{"/home/dev/shop/.qwen/settings.json", "{'disable\\x41llHooks': true}", true},
		{"/home/dev/shop/.qwen/settings.json", "{DisableAllHooks: true}", true},
		{"/home/dev/shop/.gemini/settings.json", "{\"hooksC\\u006fnfig\"\n:\n{/**/\"en\\u0061bled\"\t:\nfalse}}", true},
		{"/home/dev/.gemini/trustedFolders.json", `{"/home/dev/shop": "DO_NOT_\u0054RUST"}`, true},

		{droid, `{"hooksDisabled": true}`, true}, {droid, `{"hooks": {"disabled": true}}`, true},
		{droid, `{"hooks-enabled": false}`, true}, {droid, `{"enableHooks": "false"}`, true},
		{droid, `{"features": {"hooks": false}}`, true},
		{droid, `{"hooks": null}`, true}, {droid, `{"hooks": {"PreToolUse": {"enabled": false}}}`, true},
		{droid, `{"skip_hooks": 1}`, true}, {droid, `{"disabledHooks": ["nod"]}`, true},
		{droid, `{"tools": {"enableHooks": false}}`, true}, {droid, `{"hooks": {"mode": "off"}}`, true},
		{local, `{"env": {"HOME": "/tmp/x"}}`, true}, {local, `{"env": {"XDG_CONFIG_HOME": "x"}}`, true},
		{local, `{"env": {"CLAUDE_CONFIG_DIR": "x"}}`, true}, {local, `{"env": {"LD_PRELOAD": "/tmp/x.so"}}`, true},
		{local, `{"env": {"NOD_STATE": "x"}}`, true}, {local, `{"env": {"CLAUDE_CODE_SIMPLE": "1"}}`, true},
		{droid, `{"hooksDisabled": false, "hooksEnabled": true, "disabledHooks": [], "hooks": {}}`, false},
		{droid, `{"hooks": {"PreToolUse": [{"matcher": "x", "hooks": [{"command": "disabled", "enabled": false}]}]}}`,
			false},
		{local, `{"env": {"EDITOR": "vi", "DEBUG": "1"}}`, false},
		{local, `{"mcpServers": {"x": {"env": {"HOME": "/x"}}}}`, false},
		{local, `{"webhookUrl": "off", "enableTelemetry": false}`, false},

		{codex, "model = \"gpt\"\n[features]\nhooks = true\nmemories = false\n", false},
		{codex, "# hooks = false\n[features]\n# [x]\nmemories = false # hooks = false\n", false},
		{codex, "[features]\nnote = \"\"\"\nhooks = false\n\"\"\"\n", false},
		{codex, "[mcp_servers.hooks]\nenabled = false\n", false},
		{user, "[mcp_servers.x]\nenabled = false\n\n[hooks.state.\"/home/dev/.codex/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:1\"\n", false},
		{"/home/dev/shop/.claude/settings.local.json", `{"webhooks": false, "hooks": {}, "model": "a\\b"}`, false},
		{"/home/dev/shop/.gemini/settings.json", `{"hooksConfig": {"enabled": true}, "ui": {"enabled": false}}`, false},
	} {
		c := tool("file_write", row.path)
		c.Edits = []nod.Edit{{Path: row.path, Whole: true, New: row.text}}
		t.Run(row.text, func(t *testing.T) { guarded(t, o, c, row.want) })
	}
}

// A key that stands there already, and comes to count.
func TestSilencersThatWereThere(t *testing.T) {
	const file = "/home/dev/shop/.claude/settings.json"
	for _, row := range []struct {
		before, old, new string
		want             bool
	}{
		{`{"disableAllHooks": false}`, "false", "true", true},
		{"{\"disableAllHooks\":\n false}", "false", "true", true},
		{"{\n//\"disableAllHooks\": true,\n\"model\": \"x\"}", "//", "", true},
		{`{/*"disableAllHooks": true*/}`, "/*", "", true},
		{`{"note": "x\",disableAllHooks\": true"}`, `\"`, `"`, true},
		{`{"env": {"CLAUDE_CODE_SIMPLE": "0"}}`, "0", "1", true},
		{`{"disableAllHooks": false, "model": "x"}`, `"x"`, `"y"`, false},
		{`{"disableAllHooks": true}`, "true", "false", false},
		{"{\"model\": \"x\", // not disableAllHooks\n\"language\": \"a\"}", `"a"`, `"b"`, false},
	} {
		o := options(nod.DefaultRules())
		w := newWorld(false)
		w.File(file, row.before, 0o644)
		o.Files = w
		edit, write := tool("file_edit", file), tool("file_write", file)
		edit.Edits = []nod.Edit{{Path: file, Old: row.old, New: row.new}}
		write.Edits = []nod.Edit{{Path: file, Whole: true, New: strings.Replace(row.before, row.old, row.new, 1)}}
		for _, c := range []nod.Call{edit, write} {
			t.Run(c.Tool+" "+row.before, func(t *testing.T) { guarded(t, o, c, row.want) })
		}
	}
	o := options(nod.DefaultRules())
	w := newWorld(false)
	w.File(file, `{"disableAllHooks": false}`, 0o644).File(shop+"/tpl/settings.json", `{"disableAllHooks": true}`,
		0o644).File(shop+"/tpl/plain.json", `{}`, 0o644)
	o.Files = w
	for command, want := range map[string]bool{
		"sed -i s/false/true/ .claude/settings.json": true, "cp tpl/settings.json .claude/settings.local.json": true,
		"cat tpl/settings.json > .claude/settings.local.json": true,
		"mv tpl/settings.json .claude/settings.local.json":    true,
		"cp tpl/plain.json .claude/settings.local.json":       false, "cat .claude/settings.json": false,
	} {
		guarded(t, o, bash(command), want)
	}
}

// A command says what it writes in more ways than a file.
func TestSilencersInCommands(t *testing.T) {
	w := newWorld(false)
	w.File("/home/dev/.codex/config.toml", "model = \"gpt\"\n", 0o644)
	o := options(nod.DefaultRules())
	o.Files = w
	for command, want := range map[string]bool{
		"printf '[features]\\nhooks\\t=\\tfalse\\n' >> ~/.codex/config.toml":                 true,
		"echo 'features.\"hooks\"=false' >> ~/.codex/config.toml":                            true,
		"sed -i 's/hooks = true/hooks = false/' ~/.codex/config.toml":                        true,
		"printf '{\"disable\\101llHooks\": true}' > .claude/settings.local.json":             true,
		"printf '{\"disable\\x41llHooks\": true}' > .claude/settings.local.json":             true,
		"cat > ~/.codex/config.toml <<'EOF'\n[features]\n\"h\\u006foks\" = false\nEOF":       true,
		"cat > ~/.codex/config.toml <<'EOF'\n[hooks.state.\"x\"]\nenabled = false\nEOF":      true,
		"echo '{\"env\": {\"HOME\": \"/tmp\"}}' > .claude/settings.json":                     true,
		"printf '{\"hooks\":{\"disabled\":true}}' > .factory/settings.json":                  true,
		"echo '{\"env\": {\"DEBUG\": \"1\"}}' > .claude/settings.json":                       false,
		"cat > ~/.codex/config.toml <<'EOF'\n[mcp_servers.x]\nenabled = false\nEOF":          false,
		"git commit -m 'hooks = false' && echo 'model = \"gpt-5\"' >> .codex/other-file.txt": false,
	} {
		guarded(t, o, bash(command), want)
	}
}
