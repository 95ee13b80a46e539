package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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

// claudeVersion is the version that package.json pins.
const claudeVersion = "2.1.329"

// agentKey and modelKey are no keys of anyone. The first is Claude Code's, the second nod's own.
const (
	agentKey = "sk-ant-api03-scripted-agent"
	modelKey = "sk-ant-api03-scripted-classifier"
)

// task is what the person tells each agent.
const task = "do what the test wants"

// ruleSettings is what most tests' users have set.
const ruleSettings = "hard_deny = [\"touch forbidden\"]\n"

// missing skips the test, or fails it where everything is required.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("NOD_E2E") == "require" {
		t.Fatalf("NOD_E2E=require: "+format, args...)
	}
	t.Skipf(format+": skipped", args...)
}

// begin makes a test run beside others, and skips it as a whole where there is nothing to test with.
func begin(t *testing.T) {
	t.Helper()
	claudeProgram(t)
	t.Parallel()
}

// deep leaves a test to the long run, and says what the test is about.
func deep(t *testing.T, about string) {
	t.Helper()
	if testing.Short() {
		t.Skipf("left to the deep run: %s", about)
	}
}

// onEach runs a test on each agent, beside others.
func onEach(t *testing.T, agents []driven, test func(t *testing.T, d driven)) {
	for _, d := range agents {
		t.Run(d.adapter.Name(), func(t *testing.T) {
			d.program(t)
			t.Parallel()
			test(t, d)
		})
	}
}

// programs builds nod's programs once, without cgo as they are shipped, and with no
// flag that the tests before were not built with: their packages are used again.
var programs = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp(runs(), "programs-"); err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-o", dir, "./cmd/nod", "./cmd/nod-hook",
		"./cmd/nod-serve", "./e2e/testdata/mcp")
	build.Dir = ".."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return dir, nil
})

// runs is the directory of this test program's machines.
var runs = sync.OnceValue(func() string {
	base := must(filepath.Abs(".run"))
	if temporary(base) {
		base = filepath.Join(must(os.UserCacheDir()), "nod-e2e")
	}
	if err := os.MkdirAll(base, 0o755); err != nil {
		panic("e2e: no directory to work in: " + err.Error())
	}
	return must(filepath.EvalSymlinks(must(os.MkdirTemp(base, "run-"))))
})

func temporary(dir string) bool {
	return slices.ContainsFunc([]string{os.TempDir(), "/tmp", "/var/tmp", "/dev/shm"}, func(tmp string) bool {
		rel, err := filepath.Rel(tmp, dir)
		return err == nil && filepath.IsLocal(rel)
	})
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

// opaque is a program of the workspace's that makes the file it is given. No analysis can tell what it does, so that
// nod has to ask about it, and so has Claude Code.
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
	// prefix is put before every program that is run, for example a program that enters a mount namespace.
	prefix []string
	// trusted is the settings by which a person has consented to nod's hooks, on agents that ask for it.
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
	for _, name := range []string{"nod", "nod-hook", "nod-serve"} {
		m.write(filepath.Join(m.bin, name), m.read(filepath.Join(built, name)), 0o755)
	}
	m.write(filepath.Join(m.home, ".local", "bin", "README"), "", 0o644)
	m.settings(settings)
	m.write(filepath.Join(m.work, "sub", "README"), "a file\n", 0o644)
	m.write(filepath.Join(m.work, "opaque"), opaque, 0o755)
	m.mustRun("git", "init", "-q", m.work)
	m.commit("start")
	t.Cleanup(func() {
		m.stopLeftovers()
		if os.Getenv("NOD_E2E_KEEP") == "" {
			os.RemoveAll(dir) // hundreds of them fill a disk; TestMain takes what is still written to
		}
	})
	return m
}

// commit takes all of the workspace into a commit.
func (m *machine) commit(message string) {
	m.t.Helper()
	m.mustRun("git", "-C", m.work, "add", ".")
	m.mustRun("git", "-C", m.work, "-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-q", "-m",
		message)
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

func (m *machine) read(path string) string {
	m.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(text)
}

func (m *machine) readIfThere(path string) string {
	m.t.Helper()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return m.read(path)
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

// model returns settings that name a model of nod's own, at an address. It has as long as nod lets a model have.
func (m *machine) model(url string) string {
	m.t.Helper()
	key := filepath.Join(m.home, ".config", "nod", "key")
	m.write(key, modelKey+"\n", 0o600)
	return fmt.Sprintf("[model]\nprovider = \"anthropic\"\nendpoint = %q\nkey_file = %q\ntimeout = \"45s\"\n", url, key)
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
	cmd.WaitDelay = 8 * time.Minute // for output that a leftover holds
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

// slots bounds how many agents run at once: one for each core.
var slots = make(chan struct{}, runtime.GOMAXPROCS(0))

// log reads nod's decision log, strictly: every line is one whole entry.
func (m *machine) log() (list []audit.Entry) {
	m.t.Helper()
	files, err := filepath.Glob(filepath.Join(m.state(), "decisions*.jsonl"))
	if err != nil {
		m.t.Fatal(err)
	}
	for _, file := range files {
		for line := range strings.Lines(m.read(file)) {
			var e audit.Entry
			if err := json.Unmarshal([]byte(line), &e); err != nil || !strings.HasSuffix(line, "\n") {
				m.t.Errorf("%s: not a whole entry: %v\n%s", file, err, line)
			}
			list = append(list, e)
		}
	}
	return list
}

// decided finds the log's decisions whose input holds a text.
func (m *machine) decided(holds string) (found []audit.Entry) {
	for _, e := range m.log() {
		if e.Kind == audit.Decision && bytes.Contains(e.Input, []byte(holds)) {
			found = append(found, e)
		}
	}
	return found
}

// state is where nod's state lies in this home.
func (m *machine) state() string { return filepath.Join(m.home, ".local", "state", "nod") }

// poked is the file that the MCP server makes when its tool is called.
func (m *machine) poked() string { return filepath.Join(m.dir, "poked") }

// holds compares what is in the workspace with what is to be there.
func (m *machine) holds(t *testing.T, want map[string]bool) {
	t.Helper()
	for name, there := range want {
		if exists(filepath.Join(m.work, name)) != there {
			t.Errorf("%s exists: %v, want %v", name, !there, there)
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// stopLeftovers ends programs of this machine that outlived their test, such as the child of a hook that was killed, or
// what an agent copied into its home and left running (Codex in a terminal starts a daemon, and that another). Only
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
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		target, err := os.Readlink(link)
		if err == nil && strings.HasPrefix(strings.TrimSuffix(target, " (deleted)"), dir+"/") {
			var pid int
			fmt.Sscanf(link, "/proc/%d/exe", &pid)
			pids = append(pids, pid)
		}
	}
	return pids
}

// oneByOne is a model that makes each call in a step of its own, so that every call
// meets the state that the ones before it left.
func oneByOne(calls ...llmtest.Call) (script llmtest.Script) {
	for _, c := range calls {
		script.Steps = append(script.Steps, llmtest.Step{Calls: []llmtest.Call{c}})
	}
	return script
}

// must is for configuration that the test makes up.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("e2e: ", err))
	}
	return v
}
