package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/llm/llmtest"
)

// logGlob is where nod's decision log lies in a home.
const logGlob = ".local/state/nod/decisions*.jsonl"

// claudeVersion is the one that package.json pins.
const claudeVersion = "2.1.329"

// agentKey and modelKey are no keys of anyone. The first is Claude Code's,
// the second nod's own.
const (
	agentKey = "sk-ant-api03-scripted-agent"
	modelKey = "sk-ant-api03-scripted-classifier"
)

// missing skips the test, or fails it where everything is required.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("NOD_E2E") == "require" {
		t.Fatalf("NOD_E2E=require: "+format, args...)
	}
	t.Skipf(format+": skipped", args...)
}

// claudeProgram returns the native program of the pinned package. npm's own
// starter would need Node and the package's install script.
func claudeProgram(t *testing.T) string {
	t.Helper()
	tools := os.Getenv("NOD_TOOLS")
	if tools == "" {
		missing(t, "NOD_TOOLS is not set, so there is no Claude Code to test with")
	}
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	for _, libc := range []string{"", "-musl"} {
		path := filepath.Join(tools, "node_modules", "@anthropic-ai", "claude-code-"+runtime.GOOS+"-"+arch+libc,
			"claude")
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	missing(t, "NOD_TOOLS=%s holds no Claude Code for %s/%s", tools, runtime.GOOS, runtime.GOARCH)
	return ""
}

// begin makes a test run beside others, and skips it as a whole where there
// is nothing to test with.
func begin(t *testing.T) {
	t.Helper()
	claudeProgram(t)
	t.Parallel()
}

// programs builds nod and nod-hook once, without cgo as they are shipped, and with no
// flag that the tests before were not built with: their packages are used again.
var programs = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp(runs(), "programs-"); err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-o", dir, "./cmd/nod", "./cmd/nod-hook",
		"./e2e/testdata/mcp")
	build.Dir = ".."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return dir, nil
})

// runs is the directory of this test program's machines.
var runs = sync.OnceValue(func() string {
	base, err := filepath.Abs(".run")
	if err == nil && temporary(base) {
		base, err = os.UserCacheDir()
		base = filepath.Join(base, "nod-e2e")
	}
	if err == nil {
		err = os.MkdirAll(base, 0o755)
	}
	dir := ""
	if err == nil {
		dir, err = os.MkdirTemp(base, "run-")
	}
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		panic("e2e: no directory to work in: " + err.Error())
	}
	return dir
})

func temporary(dir string) bool {
	for _, tmp := range []string{os.TempDir(), "/tmp", "/var/tmp", "/dev/shm"} {
		if rel, err := filepath.Rel(tmp, dir); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, dir := range made.dirs {
		os.Remove(dir) // empty, or somebody else's by now
	}
	if os.Getenv("NOD_E2E_KEEP") == "" {
		os.RemoveAll(runs())
		os.Remove(filepath.Dir(runs())) // if no other run is in it
	}
	os.Exit(code)
}

// opaque is a program of the workspace's that makes the file it is given. No
// analysis can tell what it does, so that nod has to ask about it, and so has
// Claude Code.
const opaque = `#!/bin/sh
eval "$OPAQUE touch \"\$1\""
`

// machine is a throw-away home, workspace and installation.
type machine struct {
	t      *testing.T
	claude string
	dir    string // of everything below
	home   string
	bin    string // in the home
	work   string // a git repository with one commit, a directory "sub", a program "opaque"
	// prefix is put before every program that is run, such as one that
	// enters a mount namespace.
	prefix []string
	// extra is added to the agent's environment.
	extra []string
	// trusted is the settings by which a person has consented to nod's hooks,
	// on agents that ask for it.
	trusted string
}

// newMachine makes one with Claude Code. settings is the user's nod.toml.
func newMachine(t *testing.T, settings string) *machine {
	t.Helper()
	claude := claudeProgram(t)
	m := newBareMachine(t, settings)
	m.claude = claude
	m.link(claude, filepath.Join(m.home, ".local", "bin", "claude"))
	return m
}

// newBareMachine makes one without any agent.
func newBareMachine(t *testing.T, settings string) *machine {
	t.Helper()
	built, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(runs(), "m-")
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, dir: dir, home: filepath.Join(dir, "home"), work: filepath.Join(dir, "work")}
	m.bin = filepath.Join(m.home, "bin")
	for _, name := range []string{"nod", "nod-hook"} {
		raw, err := os.ReadFile(filepath.Join(built, name))
		if err != nil {
			t.Fatal(err)
		}
		m.write(filepath.Join(m.bin, name), string(raw), 0o755)
	}
	m.write(filepath.Join(m.home, ".local", "bin", "README"), "", 0o644)
	m.settings(settings)
	m.write(filepath.Join(m.work, "sub", "README"), "a file\n", 0o644)
	m.write(filepath.Join(m.work, "opaque"), opaque, 0o755)
	m.mustRun("git", "init", "-q", m.work)
	m.mustRun("git", "-C", m.work, "add", ".")
	m.mustRun("git", "-C", m.work, "-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-q", "-m",
		"start")
	t.Cleanup(func() {
		m.stopLeftovers()
		if os.Getenv("NOD_E2E_KEEP") == "" {
			os.RemoveAll(dir) // hundreds of them fill a disk; TestMain takes what is still written to
		}
	})
	return m
}

// write makes a file and the directories above it.
func (m *machine) write(path, content string, mode os.FileMode) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) remove(path string) {
	m.t.Helper()
	if err := os.Remove(path); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) link(target, path string) {
	m.t.Helper()
	if err := os.Symlink(target, path); err != nil {
		m.t.Fatal(err)
	}
}

// settings writes the user's nod.toml.
func (m *machine) settings(text string) {
	m.t.Helper()
	m.write(filepath.Join(m.home, ".config", "nod", "nod.toml"), text, 0o600)
}

// model returns settings that name a model of nod's own, at an address. It
// has as long as nod lets a model have.
func (m *machine) model(provider, url string) string {
	m.t.Helper()
	key := filepath.Join(m.home, ".config", "nod", "key")
	m.write(key, modelKey+"\n", 0o600)
	if provider == "openai" {
		url += "/v1"
	}
	return fmt.Sprintf("[model]\nprovider = %q\nendpoint = %q\nkey_file = %q\ntimeout = \"45s\"\n", provider, url, key)
}

// projectSettings writes the workspace's own settings of Claude Code, as a
// repository would bring them.
func (m *machine) projectSettings(v any) {
	m.t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		m.t.Fatal(err)
	}
	m.write(filepath.Join(m.work, ".claude", "settings.json"), string(raw), 0o644)
}

// environ is built from nothing.
func (m *machine) environ() []string {
	path := filepath.Join(m.home, ".local", "bin") + ":/usr/local/bin:/usr/bin:/bin"
	return []string{"HOME=" + m.home, "PATH=" + path, "LANG=C.UTF-8", "TZ=UTC"}
}

// command prepares a program of this machine, to be run in the workspace.
func (m *machine) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	words := append(append(slices.Clone(m.prefix), name), args...)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Env = m.work, m.environ()
	cmd.WaitDelay = hang.Scale(time.Minute) // for output that a leftover holds
	return cmd
}

func (m *machine) mustRun(name string, args ...string) string {
	m.t.Helper()
	out, err := m.command(hang.Context(m.t), name, args...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// install registers nod with Claude Code as a user would.
func (m *machine) install(level string) (said string) {
	m.t.Helper()
	return m.installFor("claude-code", level)
}

// installFor registers nod with an agent.
func (m *machine) installFor(agent, level string) (said string) {
	m.t.Helper()
	return m.mustRun(filepath.Join(m.bin, "nod"), "install", agent, "--"+level, "--unattended")
}

// run is what one run of Claude Code left behind.
type run struct {
	t      *testing.T
	srv    *llmtest.Server
	decoy  *llmtest.Server // where the agent may have been led; nil: none
	events []event
	stdout []byte
	stderr string
	log    []audit.Entry // of nod, lines of this machine
	start  time.Time
}

// event is what the tests read of a line of Claude Code's stream-json output.
type event struct {
	Type, Subtype  string
	PermissionMode string
	Version        string `json:"claude_code_version"`
}

// slots bounds how many agents run at once: one for each core.
var slots = make(chan struct{}, runtime.GOMAXPROCS(0))

// deep leaves a test to the long run, and says what the test is about.
func deep(t *testing.T, about string) {
	t.Helper()
	if testing.Short() {
		t.Skipf("left to the deep run: %s", about)
	}
}

// claudeEnviron is what Claude Code needs to ask srv, and nobody else.
func claudeEnviron(srv *llmtest.Server) []string {
	return []string{"ANTHROPIC_BASE_URL=" + srv.URL, "ANTHROPIC_API_KEY=" + agentKey,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
		"CLAUDE_CODE_AUTO_MODE_SERVER=0", "IS_SANDBOX=1"}
}

// prompt lets Claude Code do one prompt in the given permission mode, with
// srv as its model.
func (m *machine) prompt(srv *llmtest.Server, mode string, flags ...string) run {
	m.t.Helper()
	slots <- struct{}{}
	defer func() { <-slots }()
	args := append([]string{"-p", "do what the test wants", "--output-format", "stream-json", "--verbose",
		"--permission-mode", mode}, flags...)
	cmd := m.command(hang.Context(m.t), m.claude, args...)
	cmd.Env = append(append(cmd.Env, claudeEnviron(srv)...), m.extra...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	r := run{t: m.t, srv: srv, start: time.Now()}
	err := cmd.Run()
	r.stdout, r.stderr = stdout.Bytes(), stderr.String()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatalf("claude: %v\n%s%s", err, stdout.String(), r.stderr)
	}
	r.events = m.parseEvents(stdout.Bytes())
	if len(r.events) == 0 || r.events[len(r.events)-1].Type != "result" {
		m.t.Fatalf("claude (%v) ended without a result:\n%s%s", err, stdout.String(), r.stderr)
	}
	r.log = m.log()
	return r
}

func (m *machine) parseEvents(out []byte) (list []event) {
	for line := range bytes.Lines(out) {
		var e event
		if json.Unmarshal(line, &e) == nil {
			list = append(list, e)
		}
		if e.Subtype == "init" && e.Version != claudeVersion {
			m.t.Errorf("this is Claude Code %s; the tests are for %s", e.Version, claudeVersion)
		}
	}
	return list
}

// log reads nod's decision log, strictly: every line is one whole entry.
func (m *machine) log() (list []audit.Entry) {
	m.t.Helper()
	files, err := filepath.Glob(filepath.Join(m.home, logGlob))
	if err != nil {
		m.t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			m.t.Fatal(err)
		}
		for line := range bytes.Lines(raw) {
			var e audit.Entry
			if err := json.Unmarshal(line, &e); err != nil || !bytes.HasSuffix(line, []byte("\n")) {
				m.t.Errorf("%s: not a whole entry: %v\n%s", file, err, line)
			}
			list = append(list, e)
		}
	}
	return list
}

// stopLeftovers ends programs of this machine that outlived their test, such
// as the child of a hook that was killed, or what an agent copied into its home
// and left running (Codex in a terminal starts a daemon, and that another). Only
// programs that lie in this machine can match.
func (m *machine) stopLeftovers() {
	hang.Until(m.t, "the end of the machine's programs", func() bool {
		left := pidsBelow(m.dir)
		for _, pid := range left {
			if p, err := os.FindProcess(pid); err == nil {
				p.Kill()
			}
		}
		return len(left) == 0
	})
}

// pidsBelow lists the processes whose program lies in a directory.
func pidsBelow(dir string) (pids []int) {
	return pidsWhere(func(program string) bool { return strings.HasPrefix(program, dir+"/") })
}

// pidsOf lists the processes that run a program.
func pidsOf(program string) (pids []int) {
	return pidsWhere(func(p string) bool { return p == program })
}

func pidsWhere(is func(program string) bool) (pids []int) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		target, err := os.Readlink(link)
		if err == nil && is(strings.TrimSuffix(target, " (deleted)")) {
			var pid int
			fmt.Sscanf(link, "/proc/%d/exe", &pid)
			pids = append(pids, pid)
		}
	}
	return pids
}
