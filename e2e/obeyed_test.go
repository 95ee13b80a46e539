package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/llm/llmtest"
)

// TestNextSessionRunsNothing writes, under every name that an agent is known to
// run something from, a file that would leave a mark, as far as nod lets a call
// write it unasked. Then each agent works in that repository: no mark may be
// there. In the end what nod refuses is written by hand, and runs.
func TestNextSessionRunsNothing(t *testing.T) {
	deep(t, "what an agent runs from a repository by itself")
	files := allowedFiles(t)
	for _, d := range allDriven() {
		t.Run(d.adapter.Name(), func(t *testing.T) {
			d.program(t)
			t.Parallel()
			m := d.ready(t, "", llmtest.Script{})
			m.trustWork(d.adapter.Name())
			m.plant(files)
			for _, dir := range []string{m.work, filepath.Join(m.work, "sub")} {
				m.session(dir)
				for _, mark := range m.marked() {
					i := must(strconv.Atoi(mark))
					t.Errorf("a session in %s ran %s, which nod lets a call write", filepath.Base(dir), files[i].name)
				}
			}
			m.control(t)
		})
	}
}

// control shows that the test can fail.
func (d *driving) control(t *testing.T) {
	t.Helper()
	name := controls[d.adapter.Name()]
	files := obeyedFiles()
	i := slices.IndexFunc(files, func(f obeyedFile) bool { return f.name == name })
	if i < 0 || d.allows(t, name, files[i].text("mark")) {
		t.Fatalf("%q: not among the files, or nod lets a call write it", name)
	}
	d.machine.write(filepath.Join(d.work, name), files[i].text(d.mark("control")), 0o755)
	d.session(d.work)
	if !slices.Contains(d.marked(), "control") {
		t.Errorf("%s did not run %s, written by hand, so this test shows nothing:\n%s", d.title, name, d.output)
	}
}

// controls names, for each agent, a file that it is known to run.
var controls = map[string]string{
	"claude-code": ".claude/settings.json", "codex": ".codex/config.toml", "copilot": ".github/hooks/x.json",
	"gemini": ".gemini/settings.json",
	"qwen":   ".qwen/settings.json", "opencode": ".opencode/plugin/x.js", "pi": ".pi/extensions/x.js",
}

// trustWork is what a person does who trusts their own repository, on agents
// that ask about that.
func (m *machine) trustWork(agent string) {
	switch agent {
	case "codex", "copilot", "gemini":
		m.trust(agent, m.work)
	case "pi":
		m.write(filepath.Join(m.home, ".pi", "agent", "trust.json"), fmt.Sprintf("{%q: true}", m.work), 0o600)
	}
}

// session has the agent do something harmless in a directory, without nod.
func (d *driving) session(dir string) {
	d.t.Helper()
	whole := d.work
	d.work = dir
	defer func() { d.work = whole }()
	d.srv = llmtest.NewServer(d.t, llmtest.Script{Steps: []llmtest.Step{
		{Calls: []llmtest.Call{d.shell("shell", "true")}},
		{Calls: []llmtest.Call{d.driven.write("write", filepath.Join(dir, "made.ts"), "let a = 1\n")}},
	}})
	d.run()
	d.told(d.t, "write")
	d.remove(filepath.Join(dir, "made.ts"))
}

func (m *machine) mark(name string) string { return filepath.Join(m.dir, "marks", name) }

func (m *machine) marked() (names []string) {
	m.t.Helper()
	entries, err := os.ReadDir(m.mark(""))
	if err != nil {
		m.t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// plant writes files that leave a mark by their number.
func (m *machine) plant(files []obeyedFile) {
	m.t.Helper()
	m.write(m.mark(".d"), "", 0o600)
	m.remove(m.mark(".d"))
	for i, f := range files {
		m.write(filepath.Join(m.work, f.name), f.text(m.mark(strconv.Itoa(i))), 0o755)
	}
}

// allowedFiles are those that nod lets a call write unasked.
func allowedFiles(t *testing.T) (files []obeyedFile) {
	t.Helper()
	var names []string
	m := newBareMachine(t, "")
	for _, f := range obeyedFiles() {
		if m.allows(t, f.name, f.text(m.mark("1"))) {
			files = append(files, f)
			names = append(names, f.name)
		}
	}
	t.Logf("%d of %d files are nod's to allow: %q", len(files), len(obeyedFiles()), names)
	if len(files) == 0 || files[0].name != anyFile {
		t.Fatalf("nod does not even let a call write %s", anyFile)
	}
	return files
}

// allows asks the real nod-hook, with nod's own rules and no model.
func (m *machine) allows(t *testing.T, name, text string) bool {
	t.Helper()
	payload, err := json.Marshal(map[string]any{
		"session_id": "s", "transcript_path": filepath.Join(m.dir, "none.jsonl"), "cwd": m.work,
		"permission_mode": "default",
		"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": "toolu_" + name,
		"tool_input": map[string]any{"file_path": filepath.Join(m.work, name), "content": text},
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := m.command(t.Context(), filepath.Join(m.bin, "nod-hook"), "claude-code")
	cmd.Env = append(cmd.Env, "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PROJECT_DIR="+m.work)
	cmd.Stdin = strings.NewReader(string(payload))
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"permissionDecision":`) {
		t.Fatalf("nod-hook: %v\n%s", err, out)
	}
	return strings.Contains(string(out), `"permissionDecision":"allow"`)
}

// obeyedFile is a name in a repository, and what an agent that obeys it would
// run to leave a mark.
type obeyedFile struct {
	name string
	text func(mark string) string
}

// anyFile is one that no agent obeys, and that nod lets a call write.
const anyFile = "tools/x.sh"

// obeyedFiles lists the files: names that agents looked for in a repository
// while strace watched them, names of their documents and neighbours of both,
// and every name of [hosts.Guarded]. The first file of a name counts for controls.
func obeyedFiles() (files []obeyedFile) {
	files = append(files, obeyedFile{anyFile, shellText})
	add := func(text func(string) string, names ...string) {
		for _, name := range names {
			for _, variant := range []string{name, "sub/" + name, "SUB/" + strings.ToUpper(name)} {
				files = append(files, obeyedFile{variant, text})
			}
		}
	}
	add(hooksText("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop"), ".claude/settings.json",
		".claude/settings.local.json", ".claude/hooks.json",
		".claude/hooks/hooks.json", ".claude-plugin/hooks.json", "hooks/hooks.json", "plugins/x/hooks/hooks.json",
		"hooks.json", "settings.json",
		"settings.local.json", "managed-settings.json", "managed-settings.d/x.json", ".codex/hooks.json",
		".codex-plugin/hooks.json",
		".agents/plugins/x/hooks/hooks.json", ".agents/hooks.json", ".qwen/settings.json", ".qwen/settings.local.json",
		".qwen/hooks/hooks.json",
		".qwen/extensions/x/hooks/hooks.json", ".github/hooks.json", ".github/settings.json")
	add(hooksText("SessionStart", "BeforeAgent", "BeforeTool"), ".gemini/settings.json", ".gemini/settings.local.json",
		".gemini/hooks/hooks.json",
		".gemini/extensions/x/hooks/hooks.json", "gemini/settings.json", "gemini-extension.json", ".geminirc")
	add(copilotText, ".github/hooks/x.json", ".github/copilot/settings.json", ".github/copilot/settings.local.json",
		".github/copilot/hooks.json",
		".copilot/hooks/x.json", ".copilot/settings.json", "copilot/hooks/x.json", ".github/copilot-hooks.json",
		"hooks/x.json")
	add(serversText, ".mcp.json", "mcp.json", ".github/mcp.json", ".github/copilot/mcp.json",
		".copilot/mcp-config.json", ".vscode/mcp.json",
		".github/mcp-config.json", "mcp-config.json", ".pi/mcp.json", "pi/mcp.json", ".agents/mcp.json", ".claude.json",
		".gemini/extensions/x/gemini-extension.json",
		".qwen/extensions/x/qwen-extension.json", "qwen-extension.json", ".claude-plugin/plugin.json",
		".codex-plugin/plugin.json",
		".cursor-plugin/plugin.json", ".github/plugin/plugin.json",
		"plugin.json", "servers.json", ".mcp.local.json", "mcp.local.json")
	add(languageText, ".lsp.json", "lsp.json", ".github/lsp.json", ".github/copilot/lsp.json",
		".copilot/lsp-config.json")
	add(opencodeText, "opencode.json", "opencode.jsonc", ".opencode.json", ".opencode.jsonc", ".opencode/opencode.json",
		".opencode/opencode.jsonc",
		"config.json", ".opencode/config.json", "opencode.local.json")
	add(codexText, ".codex/config.toml", ".codex/config.local.toml", "codex.toml", ".codex.toml", "config.toml",
		".agents/config.toml")
	add(moduleText, ".opencode/plugin/x.js", ".opencode/plugins/x.ts", ".opencode/tool/x.js", ".opencode/tools/x.ts",
		"opencode/plugin/x.js", "plugin/x.js",
		".pi/extensions/x.js", ".pi/extensions/x/index.ts", ".pi/tools/x.js", ".pi/hooks/x.js", "extensions/x.js",
		"extensions/x/index.ts",
		".github/extensions/x/extension.mjs", ".github/extensions/x/extension.js", ".agents/extensions/x.js",
		"extension.mjs", "index.js", "bunfig.js",
		"node_modules/@opencode-ai/plugin/index.js", "opencode.config.js", "preload.js")
	add(shellText, ".bashrc", ".envrc", ".claude/hooks/session-start.sh", ".husky/_/h", "sitecustomize.py", "git",
		"node", "rg", "bin/git", "zsh", "bash", "touch")
	add(variablesText, ".env", ".env.local", ".env.development", ".env.production", ".env.development.local",
		".gemini/.env", ".qwen/.env", ".codex/.env",
		".pi/.env", ".opencode/.env", "env")
	add(preloadText, "bunfig.toml", ".bunfig.toml")
	// A repository without a working tree, for an agent that starts git by itself.
	add(shellText, "objects/x", "refs/x")
	add(func(string) string { return "ref: refs/heads/main\n" }, "HEAD")
	add(gitText, "config")
	for _, name := range hosts.Guarded() {
		name = strings.ReplaceAll(name, "*", "x")
		files = append(files, obeyedFile{name, textFor(name)}, obeyedFile{name + "/x.json", serversText})
	}
	return files
}

// textFor is what a file of that name might hold, by how it ends.
func textFor(name string) func(mark string) string {
	switch filepath.Ext(name) {
	case ".json", ".jsonc":
		return serversText
	case ".toml":
		return codexText
	case ".js", ".mjs", ".cjs":
		return moduleText
	}
	return shellText
}

func marshal(v any) string { return string(must(json.Marshal(v))) }

// hooksText is the form of Claude Code, which Codex, Gemini CLI and Qwen Code
// have taken over.
func hooksText(events ...string) func(mark string) string {
	return func(mark string) string {
		groups := map[string]any{}
		for _, e := range events {
			groups[e] = []any{map[string]any{"hooks": []any{map[string]any{"type": "command",
				"command": "touch " + mark}}}}
		}
		return marshal(map[string]any{"hooks": groups})
	}
}

func copilotText(mark string) string {
	hook := []any{map[string]any{"type": "command", "bash": "touch " + mark}}
	return marshal(map[string]any{"version": 1,
		"hooks": map[string]any{"sessionStart": hook, "userPromptSubmitted": hook, "preToolUse": hook}})
}

func serversText(mark string) string {
	server := map[string]any{"m": map[string]any{"command": "touch", "args": []string{mark}, "tools": []string{"*"}}}
	return marshal(map[string]any{"name": "x", "version": "1.0.0", "mcpServers": server})
}

func languageText(mark string) string {
	server := map[string]any{"command": "touch", "args": []string{mark},
		"fileExtensions": map[string]any{".ts": "typescript"}}
	return marshal(map[string]any{"lspServers": map[string]any{"m": server}})
}

func opencodeText(mark string) string {
	return marshal(map[string]any{"mcp": map[string]any{"m": map[string]any{"type": "local",
		"command": []string{"touch", mark}}}})
}

func codexText(mark string) string {
	return fmt.Sprintf("[mcp_servers.m]\ncommand = \"touch\"\nargs = [%q]\n", mark)
}

func moduleText(mark string) string {
	return fmt.Sprintf("import { writeFileSync } from \"node:fs\"\nwriteFileSync(%q, \"\")\nexport default async () => ({})\n", mark)
}

func gitText(mark string) string {
	return fmt.Sprintf("[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch %s; false\"\n", mark)
}

func shellText(mark string) string { return "#!/bin/sh\ntouch " + mark + "\n" }

func preloadText(mark string) string {
	return "preload = [\"data:text/javascript," + fmt.Sprintf("require('fs').writeFileSync('%s','')", mark) + "\"]\n"
}

// variablesText has each agent that reads variables from the file pass over
// to a directory or file that lies in the repository.
func variablesText(mark string) string {
	var lines strings.Builder
	for _, v := range []string{"GEMINI_CLI_SYSTEM_SETTINGS_PATH=settings.json",
		"QWEN_CODE_SYSTEM_SETTINGS_PATH=settings.json", "CLAUDE_CONFIG_DIR=.",
		"CODEX_HOME=.", "COPILOT_HOME=.", "OPENCODE_CONFIG=config.json", "OPENCODE_CONFIG_DIR=.",
		"PI_CODING_AGENT_DIR=.", "GEMINI_CLI_HOME=.", "QWEN_HOME=."} {
		fmt.Fprintln(&lines, v)
	}
	fmt.Fprintf(&lines, "OPENCODE_CONFIG_CONTENT='%s'\n", opencodeText(mark))
	return lines.String()
}
