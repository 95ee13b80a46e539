package e2e

import (
	_ "embed" // the agents
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/llm/llmtest"
)

// driven is an agent that the tests can run without an account, on a scripted model. A further one is a section of
// testdata/driven.toml, a name in allDriven, its configuration in testdata/agents, and its version in package.json.
type driven struct {
	adapter agent.Adapter
	title   string
	version string // pinned
	// program returns the absolute path, or skips.
	program func(*testing.T) string
	// inPath is the name under which nod install looks for it in PATH; "" if it does not.
	inPath string
	// words run one prompt without a person, and environ is what they need beside HOME and PATH. In both, and in the
	// files of testdata/agents, stand signs such as {url}: see fill.
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
	// wait is what the model does while a sub-agent works, where the host does not wait by itself.
	wait []llmtest.Call

	// granted is what nod answers for a call that it allows: allow, or abstained where a hook cannot grant.
	granted string
	// open names the cells of the failure matrix in which the call runs
	// because the host offers no way to stop it, and why.
	open map[string]string
}

func allDriven() (all []driven) {
	for _, name := range []string{"claude-code", "codex", "copilot", "gemini", "qwen", "opencode", "pi"} {
		all = append(all, drivenBy(name))
	}
	return all
}

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

// npm returns a program of a pinned package, by the names that its platform has in npm.
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

// prepare lays the agent's own configuration over the home directory, with the MCP server "lab" in it and beside what
// stands there, and returns words and environment of one prompt.
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

func claudeProgram(t *testing.T) string {
	t.Helper()
	return npm(t, "@anthropic-ai/claude-code-OS-ARCH/claude")
}

//go:embed testdata/driven.toml
var drivenTable string

// drivenBy is the agent of that name in testdata/driven.toml.
func drivenBy(name string) (d driven) {
	var all map[string]struct {
		Title, Version, Program, InPath, Hooks, Granted       string
		Words, Environ, Short, Shell, Write, MCP, Child, Wait []string
		Open                                                  map[string]string
	}
	text := strings.NewReplacer("{task}", task, "{key}", agentKey, "{claude}", claudeVersion).Replace(drivenTable)
	if err := toml.Unmarshal([]byte(text), &all); err != nil {
		panic("e2e: " + err.Error())
	}
	row := all[name]
	said := func(tool []string) spelling {
		if tool == nil {
			return nil
		}
		return spelled(tool[0], tool[1])
	}
	d = driven{adapter: agent.Host(name), title: row.Title, version: row.Version, program: packaged(row.Program),
		inPath: row.InPath, words: row.Words, environ: row.Environ, hooks: row.Hooks, short: row.Short,
		shell: said(row.Shell), write: said(row.Write), mcp: said(row.MCP), child: said(row.Child),
		granted: row.Granted, open: row.Open}
	if row.Wait != nil {
		d.wait = []llmtest.Call{said(row.Wait)("wait")}
	}
	if name == "codex" {
		d.consent = func(m *machine) { m.trusted = codexConsent(m) }
		d.write = func(name string, values ...string) llmtest.Call {
			return d.shell(name, "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: "+values[0]+"\n+"+values[1]+
				"*** End Patch\nEOF")
		}
	}
	return d
}

// rewriters are the driven agents to which nod may hand a line.
func rewriters() []driven {
	return slices.DeleteFunc(allDriven(), func(d driven) bool {
		return !d.adapter.Capabilities().Rewrites
	})
}
