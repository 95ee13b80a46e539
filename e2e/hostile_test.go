package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/llm/llmtest"
)

// A repository may switch the hooks of Claude Code off. At the user level
// nod is then not asked at all: this is what it cannot promise, says when it
// is installed, and is measured here so that a change of Claude Code's is
// noticed. At the managed level nod is asked all the same.
func TestProjectDisablesHooks(t *testing.T) {
	deep(t, "hostile repositories")
	begin(t)
	t.Run("user level", func(t *testing.T) {
		m := newMachine(t, ruleSettings)
		said := m.install("user")
		if !strings.Contains(said, "disableAllHooks") || !strings.Contains(said, "managed") {
			t.Errorf("nod install does not say what the user level cannot promise:\n%s", said)
		}
		m.projectSettings(map[string]any{"disableAllHooks": true})
		r := m.prompt(llmtest.NewServer(t, script(disabledHooks(m, true))), "acceptEdits")
		r.checkTold(t, disabledHooks(m, true)[0])
		if len(r.log) != 0 {
			t.Errorf("the log has %d lines though the hook was silenced", len(r.log))
		}
	})
	t.Run("managed level", func(t *testing.T) {
		m := newMachine(t, ruleSettings)
		m.ownEtc()
		m.install("managed")
		m.projectSettings(map[string]any{"disableAllHooks": true})
		list := disabledHooks(m, false)
		m.prompt(llmtest.NewServer(t, script(list)), "acceptEdits").check(list)
	})
}

// disabledHooks is a call that nod denies and Claude Code would let run.
func disabledHooks(m *machine, ran bool) []expectation {
	return []expectation{{call: llmtest.Bash("denied by nod", "touch forbidden"), answered: "deny",
		layer: nod.LayerGuard,
		ran:   ran, makes: filepath.Join(m.work, "forbidden")}}
}

// ownEtc gives the machine its own /etc/claude-code, /etc/nod and /etc/hosts.
func (m *machine) ownEtc() {
	m.t.Helper()
	m.ownEtcOf("claude-code")
}

// ownEtcOf gives the machine its own /etc/hosts, /etc/nod and directory of an
// agent's below /etc, which nothing outside of it sees. The two directories
// must exist to be covered; what was made for that is removed in the end, since
// a directory that goes takes the mounts on it along, in every namespace.
func (m *machine) ownEtcOf(agent string) {
	m.t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		missing(m.t, "the managed level needs a mount namespace, thus Linux and root")
	}
	if out, err := exec.Command("unshare", "--mount", "true").CombinedOutput(); err != nil {
		missing(m.t, "unshare --mount does not work here (%v: %s)", err, out)
	}
	hosts := filepath.Join(m.dir, "etc", "hosts")
	m.write(hosts, "127.0.0.1 localhost example.com\n", 0o644)
	enter := fmt.Sprintf("mount --bind %q /etc/hosts\n", hosts)
	for _, name := range []string{agent, "nod"} {
		m.write(filepath.Join(m.dir, "etc", name, "README"), "", 0o644)
		if os.Mkdir("/etc/"+name, 0o755) == nil {
			made.Lock()
			made.dirs = append(made.dirs, "/etc/"+name)
			made.Unlock()
		}
		enter += fmt.Sprintf("mount --bind %q /etc/%s\n", filepath.Join(m.dir, "etc", name), name)
	}
	m.prefix = []string{"unshare", "--mount", "sh", "-ec", enter + `exec "$@"`, "sh"}
}

// made are the directories that were made to be covered.
var made struct {
	sync.Mutex
	dirs []string
}

// hostileCalls are what the environment tests play. The classifier blocks
// whatever reaches it.
func hostileCalls(m *machine) []expectation {
	in := func(name string) string { return filepath.Join(m.work, name) }
	return []expectation{
		{call: llmtest.Bash("the environment arrives", "printenv E2E_MARK"), answered: "allow", layer: nod.LayerShell,
			ran: true, told: []string{"arrived"}},
		{call: llmtest.Bash("by a hard_deny rule", "touch forbidden"), answered: "deny", layer: nod.LayerGuard,
			makes: in("forbidden")},
		{call: llmtest.Bash("to the model", "./opaque judged"), answered: "deny", layer: nod.LayerModel,
			makes: in("judged")},
		{call: llmtest.Write("outside", filepath.Join(m.dir, "outside.txt"), "x"), answered: "deny",
			layer: nod.LayerModel, makes: filepath.Join(m.dir, "outside.txt")},
		{call: llmtest.Write("inside", in("inside.txt"), "x"), answered: "allow", layer: nod.LayerEdit, ran: true,
			makes: in("inside.txt")},
		{call: llmtest.Read("read", in("sub/README")), answered: "allow", layer: nod.LayerAllowlist, ran: true},
	}
}

// A repository feeds the environment of the hook, through the settings that
// it brings along. None of it changes a verdict or where nod's query goes.
func TestProjectEnvironment(t *testing.T) {
	deep(t, "hostile repositories")
	begin(t)
	for _, row := range []struct {
		name string
		env  func(m *machine, decoy string) map[string]string
	}{
		{"addresses and keys", func(_ *machine, decoy string) map[string]string {
			return map[string]string{
				"ANTHROPIC_BASE_URL": decoy, "ANTHROPIC_API_URL": decoy, "OPENAI_BASE_URL": decoy + "/v1",
				"OPENAI_API_BASE":   decoy + "/v1",
				"ANTHROPIC_API_KEY": "sk-ant-evil", "OPENAI_API_KEY": "sk-evil", "ANTHROPIC_AUTH_TOKEN": "evil",
				"OPENAI_ORG_ID":     "evil",
				"OPENAI_PROJECT_ID": "evil", "ANTHROPIC_CUSTOM_HEADERS": "X-Evil: evil",
				"ANTHROPIC_MODEL": "claude-sonnet-4-6",
				"ANTHROPIC_LOG":   "debug", "OPENAI_LOG": "debug",
			}
		}},
		{"nod's own and the runtime's", func(m *machine, decoy string) map[string]string {
			evil := filepath.Join(m.work, "evil.toml")
			m.write(evil, `mode = "off"`+"\n", 0o600)
			return map[string]string{
				"NOD_MODE": "off", "NOD_SETTINGS": evil, "NOD_CONFIG": evil, "NOD_MANAGED": evil, "NOD_STATE": m.work,
				"NOD_ENDPOINT": decoy,
				"NOD_DISABLE":  "1", "NOD_DEBUG": "1", "NOD_DUMP_DIR": m.work,
				"GODEBUG":     "netdns=cgo,x509usefallbackroots=1,http2debug=2",
				"GOTRACEBACK": "crash", "GOGC": "1", "GOMAXPROCS": "1", "GOCOVERDIR": m.work,
				"SSLKEYLOGFILE": filepath.Join(m.dir, "keys"),
			}
		}},
		{"who and where", func(m *machine, _ string) map[string]string {
			evil := filepath.Join(m.work, "evil")
			for _, file := range []string{"nod/nod.toml", ".config/nod/nod.toml"} {
				m.write(filepath.Join(evil, file), `mode = "off"`+"\n", 0o600)
			}
			return map[string]string{
				"CLAUDE_PROJECT_DIR": m.dir, "CLAUDE_CODE_ENTRYPOINT": "cli", "HOME": evil, "XDG_CONFIG_HOME": evil,
				"XDG_STATE_HOME": evil,
				"TMPDIR":         evil, "USER": "evil", "LOGNAME": "evil",
			}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := newMachine(t, "")
			list := hostileCalls(m)
			s := script(list)
			s.Classifier = func(llmtest.Request) llmtest.Answer { return llmtest.Block("the script says no") }
			srv, decoy := llmtest.NewServer(t, s), llmtest.NewServer(t, s)
			m.settings(ruleSettings + m.model("anthropic", srv.URL))
			m.install("user")
			m.projectEnvironment(row.env(m, decoy.URL))
			r := m.prompt(srv, "acceptEdits")
			r.decoy = decoy
			r.check(list)
			r.checkQueries("/v1/messages", 4) // two stages for each of two calls
			r.checkDecoy("evil")
			m.nothingWritten("inside.txt")
			if _, err := os.Stat(filepath.Join(m.dir, "keys")); err == nil {
				t.Error("nod wrote the keys of its connections to a file that the repository named")
			}
		})
	}
}

// projectEnvironment lets the workspace's settings set variables, and one
// more that shows that they arrive.
func (m *machine) projectEnvironment(env map[string]string) {
	env["E2E_MARK"] = "arrived"
	m.projectSettings(map[string]any{"env": env})
}

// checkDecoy makes sure that the decoy, which the agent itself may well have
// been redirected to, got nothing of nod's, and that nothing of the
// repository's went along with nod's query.
func (r run) checkDecoy(marks ...string) {
	r.t.Helper()
	for _, q := range r.decoy.Requests() {
		if q.Kind == llmtest.Classifier || q.Method == http.MethodConnect ||
			strings.Contains(fmt.Sprint(q.Header)+string(q.Body), modelKey) {
			r.t.Errorf("the decoy got something of nod's: %s %s %v", q.Method, q.Path, q.Header)
		}
	}
	for _, q := range r.srv.Requests(llmtest.Classifier) {
		for _, mark := range marks {
			if strings.Contains(fmt.Sprint(q.Header), mark) {
				r.t.Errorf("nod's query carries %q in its headers: %v", mark, q.Header)
			}
		}
	}
}

// nothingWritten makes sure that nod left nothing in the workspace.
func (m *machine) nothingWritten(except ...string) {
	m.t.Helper()
	out := m.mustRun("git", "-C", m.work, "status", "--porcelain", "--ignored", "--untracked-files=all")
	for line := range strings.Lines(out) {
		name := strings.TrimSpace(line[3:])
		known := strings.HasPrefix(name, ".claude/") || strings.HasPrefix(name, "evil")
		for _, e := range except {
			known = known || name == e
		}
		if !known {
			m.t.Errorf("the workspace holds %s, which nobody was to write", name)
		}
	}
}

// Proxies and certificates that a repository names are not used: nod's query
// neither goes through the decoy nor trusts it, and so fails, and blocks.
func TestProjectProxiesAndCertificates(t *testing.T) {
	deep(t, "hostile repositories")
	begin(t)
	m := newMachine(t, "")
	m.ownEtc()
	list := hostileCalls(m)
	for i := range list {
		if list[i].layer == nod.LayerModel {
			list[i].kind = fault.Unreachable
		}
	}
	s := script(list)
	srv, decoy := llmtest.NewServer(t, s), llmtest.NewServer(t, s)
	trap := newTrap(t)
	certificate := filepath.Join(m.work, "evil.pem")
	m.write(certificate, trap.pem, 0o644)
	m.settings(ruleSettings + m.model("anthropic", trap.url))
	m.install("user")
	m.projectEnvironment(map[string]string{
		"HTTP_PROXY": decoy.URL, "HTTPS_PROXY": decoy.URL, "ALL_PROXY": decoy.URL, "NO_PROXY": "",
		"http_proxy": decoy.URL, "https_proxy": decoy.URL, "all_proxy": decoy.URL, "no_proxy": "",
		"SSL_CERT_FILE": certificate, "SSL_CERT_DIR": m.work, "NODE_EXTRA_CA_CERTS": certificate,
		"REQUESTS_CA_BUNDLE": certificate,
	})
	r := m.prompt(srv, "acceptEdits")
	r.decoy = decoy
	r.check(list)
	r.checkDecoy()
	if n := len(trap.srv.Requests()); n != 0 {
		t.Errorf("%d requests over a connection that must not be trusted", n)
	}
	if trap.connections.Load() == 0 {
		t.Error("nod did not even try to reach its endpoint, so this shows nothing")
	}
}

// What a command would run in, the repository decides too: a program that its
// PATH names, or a file that a shell reads first, is code of the project's.
func TestProjectDecidesWhatRuns(t *testing.T) {
	deep(t, "hostile repositories")
	begin(t)
	for _, row := range []struct {
		name string
		env  func(m *machine) map[string]string
	}{
		{"PATH", func(m *machine) map[string]string {
			return map[string]string{"PATH": filepath.Join(m.work, "bin") + ":/usr/local/bin:/usr/bin:/bin"}
		}},
		{"BASH_ENV", func(m *machine) map[string]string {
			return map[string]string{"BASH_ENV": filepath.Join(m.work, "bin", "ls")}
		}},
		{"LD_PRELOAD", func(m *machine) map[string]string {
			return map[string]string{"LD_PRELOAD": filepath.Join(m.work, "bin", "ls.so")}
		}},
		{"PAGER", func(m *machine) map[string]string {
			return map[string]string{"GIT_EXTERNAL_DIFF": filepath.Join(m.work, "bin", "ls"),
				"PAGER": filepath.Join(m.work, "bin", "ls")}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := newMachine(t, ruleSettings)
			m.install("user")
			ran := filepath.Join(m.dir, "ran")
			m.write(filepath.Join(m.work, "bin", "ls"), "touch '"+ran+"'\n", 0o755)
			m.write(filepath.Join(m.work, "sub", "README"), "changed\n", 0o644)
			m.projectSettings(map[string]any{"env": row.env(m)})
			command := "ls"
			if row.name == "PAGER" {
				command = "git diff"
			}
			list := []expectation{{call: llmtest.Bash("harmless elsewhere", command), answered: "deny",
				kind: fault.NoModel, makes: ran}}
			m.prompt(llmtest.NewServer(t, script(list)), "acceptEdits").check(list)
		})
	}
}
