package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/llm/llmtest"
)

// driven is an agent that the tests can run without an account, on a scripted
// model. A further one is a function that returns one, a line in allDriven,
// its configuration in testdata/agents, and its version in package.json.
type driven struct {
	adapter agent.Adapter
	title   string
	version string // pinned
	// program returns the absolute path, or skips.
	program func(*testing.T) string
	// inPath is the name under which nod install looks for it in PATH; "" if
	// it does not.
	inPath string
	// words run one prompt without a person, and environ is what they need beside
	// HOME and PATH. In both, and in the files of testdata/agents, stand signs
	// such as {url}: see fill.
	words, environ []string
	// consent does what a person does after nod install, if anything.
	consent func(m *machine)
	// hooks is the file below the home directory that nod install writes, and
	// short what makes its limits a second or two: texts and replacements.
	hooks string
	short []string

	// The agent's own spelling of a call: a command, a path and a text, nothing.
	shell, write, mcp spelling
	// child starts a sub-agent that is told a task; nil without sub-agents.
	child spelling
	// wait is what the model does while a sub-agent works, where the host
	// does not wait by itself.
	wait []llmtest.Call

	// granted is what nod answers for a call that it allows: allow, or
	// abstained where a hook cannot grant.
	granted string
	// open names the cells of the failure matrix in which the call runs
	// because the host offers no way to stop it, and why.
	open map[string]string
}

func allDriven() []driven {
	return []driven{claudeDriven(), codexDriven(), copilotDriven(), geminiDriven(), qwenDriven(), opencodeDriven(),
		piDriven()}
}

// unanswered is why a call runs where a hook says nothing.
const unanswered = "no decision, so the host's own rules hold"

// spelling is a tool as an agent's model calls it, with the values of a test.
type spelling func(name string, values ...string) llmtest.Call

// spelled is a call of a tool with arguments in JSON, in which $1 and $2 stand for
// the values. The namespace of a tool is put before it and a slash.
func spelled(tool, arguments string) spelling {
	namespace, tool := filepath.Split(tool)
	return func(name string, values ...string) llmtest.Call {
		var signs []string
		for i, value := range values {
			signs = append(signs, "$"+strconv.Itoa(i+1), marshal(value))
		}
		text := strings.NewReplacer(signs...).Replace(arguments)
		call := llmtest.Call{Name: name, Namespace: strings.TrimSuffix(namespace, "/"), Tool: tool}
		if err := json.Unmarshal([]byte(text), &call.Input); err != nil {
			panic("e2e: " + text + ": " + err.Error())
		}
		return call
	}
}

func marshal(v any) string { return string(must(json.Marshal(v))) }

// npm returns a program of a pinned package, by the names that its platform has in
// npm.
func npm(t *testing.T, at string) string {
	t.Helper()
	tools := os.Getenv("NOD_TOOLS")
	if tools == "" {
		missing(t, "NOD_TOOLS is not set, so there is no agent to test with")
	}
	arch := strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
	triple := map[string]string{"linux/x64": "x86_64-unknown-linux-musl", "linux/arm64": "aarch64-unknown-linux-musl",
		"darwin/x64": "x86_64-apple-darwin", "darwin/arm64": "aarch64-apple-darwin"}[runtime.GOOS+"/"+arch]
	at = strings.NewReplacer("OS", runtime.GOOS, "ARCH", arch, "TRIPLE", triple).Replace(at)
	path, err := filepath.Abs(filepath.Join(tools, "node_modules", at))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		missing(t, "NOD_TOOLS holds no such program: %v", err)
	}
	return path
}

// packaged is a driven's program.
func packaged(at string) func(*testing.T) string {
	return func(t *testing.T) string { t.Helper(); return npm(t, at) }
}

// fill puts what is known of a machine in the place of signs.
func (d driven) fill(m *machine, srv *llmtest.Server, text string) string {
	if strings.Contains(text, "{node}") {
		text = strings.ReplaceAll(text, "{node}", npm(m.t, "node-OS-ARCH/bin/node"))
	}
	return strings.NewReplacer("{url}", srv.URL, "{lab}", must(programs())+"/mcp", "{poked}", m.poked(),
		"{home}", m.home, "{dir}", m.dir, "{program}", d.program(m.t), "{version}", d.version).Replace(text)
}

// prepare lays the agent's own configuration over the home directory, with the
// MCP server "lab" in it and beside what stands there, and returns words and
// environment of one prompt.
func (d driven) prepare(m *machine, srv *llmtest.Server) (words, environ []string) {
	m.t.Helper()
	from := filepath.Join("testdata", "agents", d.adapter.Name())
	err := filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		below, text := strings.TrimPrefix(name, from), d.fill(m, srv, m.read(name))
		if filepath.Ext(name) == ".json" {
			m.setting(filepath.Join(m.home, below), text)
		} else {
			m.write(filepath.Join(m.home, below), text+m.trusted, 0o600)
		}
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
	for _, word := range d.words {
		words = append(words, d.fill(m, srv, word))
	}
	for _, variable := range d.environ {
		environ = append(environ, d.fill(m, srv, variable))
	}
	return words, environ
}

// setting puts the keys of an object into a settings file, beside those that it has.
func (m *machine) setting(file, keys string) {
	m.t.Helper()
	all := map[string]any{}
	for _, text := range []string{m.readIfThere(file), keys} {
		if err := json.Unmarshal([]byte(text), &all); err != nil && text != "" {
			m.t.Fatalf("%s: %v", file, err)
		}
	}
	m.write(file, marshal(all), 0o600)
}

// claudeDriven is Claude Code in print mode, in the mode in which it lets the
// calls of these tests run by itself.
func claudeDriven() driven {
	const rubbish = "Claude Code takes what is no object for text, also under onFailure. nod-hook writes its answer in one piece"
	return driven{
		adapter: agent.Host("claude-code"), title: "Claude Code", version: claudeVersion,
		program: claudeProgram, inPath: "claude",
		words: []string{"{program}", "-p", task, "--permission-mode", "acceptEdits", "--mcp-config", "{home}/mcp.json"},
		environ: []string{"ANTHROPIC_BASE_URL={url}", "ANTHROPIC_API_KEY=" + agentKey,
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
			"DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_AUTO_MODE_SERVER=0", "IS_SANDBOX=1"},
		hooks: ".claude/settings.json",
		short: []string{`"timeout": 60`, `"timeout": 2`},
		shell: spelled("Bash", `{"command":$1,"description":"a step of a test"}`),
		write: spelled("Write", `{"file_path":$1,"content":$2}`),
		mcp:   spelled("mcp__lab__poke", `{"x":"1"}`),
		child: spelled("Agent",
			`{"description":"a child","prompt":$1,"subagent_type":"general-purpose","run_in_background":false}`),
		granted: "allow",
		// A shell before the hook would close the last two, and load a library that the
		// project's environment names.
		open: map[string]string{silent: unanswered, "is cut off in its answer": rubbish, "prints text": "the same"},
	}
}

func claudeProgram(t *testing.T) string {
	t.Helper()
	return npm(t, "@anthropic-ai/claude-code-OS-ARCH/claude")
}

// codexDriven is the Codex CLI in `codex exec`, without its sandbox, so that
// what runs is nobody's to stop but nod's.
func codexDriven() driven {
	patch := func(name string, values ...string) llmtest.Call {
		return spelled("exec_command", `{"cmd":$1}`)(name, "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: "+
			values[0]+"\n+"+values[1]+"*** End Patch\nEOF")
	}
	return driven{
		adapter: agent.Host("codex"), title: "Codex CLI", version: "0.169.0",
		program: packaged("@openai/codex-OS-ARCH/vendor/TRIPLE/bin/codex"),
		words:   []string{"{program}", "exec", "-s", "danger-full-access", task},
		environ: []string{"SCRIPTED_KEY=none"},
		consent: func(m *machine) { m.trusted = codexConsent(m) },
		hooks:   ".codex/hooks.json",
		short:   []string{`"timeout": 60`, `"timeout": 5`, "KILL 55", "KILL 2"},
		shell:   spelled("exec_command", `{"cmd":$1}`),
		write:   patch,
		mcp:     spelled("mcp__lab/poke", `{"x":"1"}`),
		child:   spelled("multi_agent_v1/spawn_agent", `{"message":$1}`),
		wait:    []llmtest.Call{spelled("exec_command", `{"cmd":"sleep 20","yield_time_ms":25000}`)("wait")},
		granted: "abstained",
		open:    map[string]string{silent: unanswered},
	}
}

// copilotDriven is the GitHub Copilot CLI in print mode with a model of one's
// own, which needs no account. Where nod is silent it would ask, and so deny.
func copilotDriven() driven {
	return driven{
		adapter: agent.Host("copilot"), title: "GitHub Copilot CLI", version: "1.0.102",
		program: packaged("@github/copilot-OS-ARCH/copilot"),
		words:   []string{"{program}", "-p", task, "--allow-all-tools"},
		environ: []string{"COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_BASE_URL={url}/v1",
			"COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=claude-scripted", "COPILOT_OFFLINE=true"},
		hooks: ".copilot/hooks/nod.json",
		short: []string{`"timeoutSec": 60`, `"timeoutSec": 5`, "KILL 55", "KILL 2"},
		shell: spelled("bash", `{"command":$1,"description":"a step of a test"}`),
		write: spelled("create", `{"path":$1,"file_text":$2}`),
		mcp:   spelled("lab-poke", `{"x":"1"}`),
		child: spelled("task",
			`{"agent_type":"general-purpose","prompt":$1,"description":"a child","name":"kid","mode":"sync"}`),
		granted: "allow",
		open:    map[string]string{silent: unanswered},
	}
}

// geminiDriven is the Gemini CLI in print mode, in the mode in which it asks
// about nothing: no hook can grant there, and where its policy asks and nobody
// is there it does not even offer a tool. What lies outside of its directories it
// refuses by itself.
func geminiDriven() driven {
	return driven{
		adapter: agent.Host("gemini"), title: "Gemini CLI", version: "0.61.0",
		program: packaged("@google/gemini-cli/bundle/gemini.js"),
		words: []string{"node", "{program}", "-p", task, "-m", "gemini-2.5-flash", "--yolo", "--skip-trust",
			"--include-directories", "{dir}"},
		environ: []string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL={url}", "GEMINI_TELEMETRY_ENABLED=false"},
		hooks:   ".gemini/settings.json",
		short:   []string{`"timeout": 60000`, `"timeout": 5000`, "KILL 55", "KILL 2"},
		shell:   spelled("run_shell_command", `{"command":$1,"description":"a step of a test"}`),
		write:   spelled("write_file", `{"file_path":$1,"content":$2}`),
		mcp:     spelled("mcp_lab_poke", `{"x":"1"}`),
		child:   spelled("invoke_agent", `{"agent_name":"generalist","prompt":$1}`),
		granted: "abstained",
		open:    map[string]string{silent: unanswered},
	}
}

// qwenDriven is Qwen Code in print mode, in the mode in which it asks about
// nothing: in the others it refuses by itself, before any hook, what it would
// ask about. What a hook grants there is in TestGrants.
func qwenDriven() driven {
	return driven{
		adapter: agent.Host("qwen"), title: "Qwen Code", version: "0.24.4",
		program: packaged("@qwen-code/qwen-code/cli-entry.js"),
		words:   []string{"node", "{program}", "-p", task, "--approval-mode", "yolo"},
		environ: []string{"OPENAI_API_KEY=none", "OPENAI_BASE_URL={url}/v1", "OPENAI_MODEL=scripted",
			"QWEN_CODE_SUPPRESS_YOLO_WARNING=1"},
		hooks: ".qwen/settings.json",
		short: []string{`"timeout": 60000`, `"timeout": 5000`, "KILL 55", "KILL 2"},
		shell: spelled("run_shell_command", `{"command":$1,"description":"a step of a test","is_background":false}`),
		write: spelled("write_file", `{"file_path":$1,"content":$2}`),
		// As the host's model calls a tool that it was not shown.
		mcp: spelled("tool_call", `{"name":"mcp__lab__poke","arguments":{"x":"1"}}`),
		child: spelled("agent",
			`{"description":"a child","prompt":$1,"subagent_type":"general-purpose","run_in_background":false}`),
		granted: "abstained",
		open:    map[string]string{silent: unanswered},
	}
}

// opencodeDriven is opencode in `opencode run`, told to approve everything it
// would ask about, so that only nod can stop what runs. Beside its
// settings lie files that keep it from fetching, in each new home, a package for
// plugins written in TypeScript, which nod's is not.
func opencodeDriven() driven {
	return driven{
		adapter: agent.Host("opencode"), title: "opencode", version: "1.18.33",
		program: packaged("opencode-OS-ARCH/bin/opencode"),
		words:   []string{"{program}", "run", "--dangerously-skip-permissions", task},
		environ: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
			"OPENCODE_DISABLE_LSP_DOWNLOAD=1"},
		hooks:   ".config/opencode/plugin/nod.js",
		short:   []string{"limit = 55000", "limit = 2000"},
		shell:   spelled("bash", `{"command":$1,"description":"a step of a test"}`),
		write:   spelled("write", `{"filePath":$1,"content":$2}`),
		mcp:     spelled("lab_poke", `{"x":"1"}`),
		child:   spelled("task", `{"description":"a child","prompt":$1,"subagent_type":"general"}`),
		granted: "allow",
		open:    map[string]string{silent: unanswered},
	}
}

// piDriven is Pi in print mode. It asks nobody about anything, so what runs is
// nobody's to stop but nod's.
func piDriven() driven {
	return driven{
		adapter: agent.Host("pi"), title: "Pi", version: "1.5.2",
		program: packaged("@earendil-works/pi-coding-agent/dist/bundle/cli.js"),
		words:   []string{"{node}", "{program}", "-p", "--provider", "scripted", "--model", "claude-scripted", task},
		environ: []string{"PI_OFFLINE=1", "PI_TELEMETRY=0"},
		hooks:   ".pi/agent/extensions/nod.js",
		short:   []string{"limit = 55000", "limit = 2000"},
		shell:   spelled("bash", `{"command":$1}`),
		write:   spelled("write", `{"path":$1,"content":$2}`),
		mcp:     spelled("mcp__lab__poke", `{"x":"1"}`),
		granted: "allow",
		open:    map[string]string{silent: "no decision, and Pi asks about nothing"},
	}
}

// rewriters are the driven agents to which nod may hand a line.
func rewriters() []driven {
	return slices.DeleteFunc(allDriven(), func(d driven) bool {
		return !d.adapter.Capabilities().Rewrites
	})
}
