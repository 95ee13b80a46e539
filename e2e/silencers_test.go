package e2e

import (
	_ "embed" // the settings
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/nodgate/nod/llm/llmtest"
)

// silencer is a setting in a file below the machine's directory, which holds home, work and, at the managed level, etc.
type silencer struct {
	Name, File, Text string
	// Add appends to Codex's settings, as the installation left them.
	Add bool
	// Into is what the text takes the place of.
	Into string
	// Sub has the agent work in a directory below the workspace.
	Sub bool
	// Trusted has the person trust the workspace, where the agent asks.
	Trusted  bool
	Silences bool
}

//go:embed testdata/silencers.toml
var silencersTable string

// silencing are an agent's silencers.
func silencing(agent string) []silencer {
	var all map[string][]silencer
	if err := toml.Unmarshal([]byte(silencersTable), &all); err != nil {
		panic("e2e: " + err.Error())
	}
	return all[agent]
}

// TestSilencers shows which settings keep an installed nod from being asked
// about a call that it denies. What nod doctor names rests on it.
func TestSilencers(t *testing.T) {
	deep(t, "hostile repositories")
	onEach(t, allDriven(), func(t *testing.T, d driven) {
		for _, row := range silencing(d.adapter.Name()) {
			t.Run(row.Name, func(t *testing.T) {
				m := d.ready(t, ruleSettings, oneByOne(d.shell("denied", "touch forbidden")))
				m.installed(false)
				m.silencedBy(t, row)
			})
		}
	})
}

// silencedBy runs the agent with a setting, and looks at the call that nod denies.
func (d *driving) silencedBy(t *testing.T, row silencer) {
	workspace := d.work
	switch file := filepath.Join(d.dir, row.File); {
	case row.Add && row.Into != "":
		d.trusted = strings.ReplaceAll(d.trusted, row.Into, row.Text)
	case row.Add:
		d.trusted += row.Text
	case row.Into != "":
		if text := d.read(file); strings.Contains(text, row.Into) {
			d.machine.write(file, strings.Replace(text, row.Into, row.Text, 1), 0o600)
		} else {
			t.Fatalf("%s holds no %s:\n%s", file, row.Into, text)
		}
	case row.File != "":
		d.machine.write(file, row.Text, 0o600)
	}
	if row.Trusted {
		d.trust(d.adapter.Name(), workspace)
	}
	if row.Sub {
		d.work = filepath.Join(d.work, "sub")
	}
	d.run()
	d.work = workspace
	told, ran := d.told(t, "denied"), exists(filepath.Join(workspace, "forbidden")) ||
		exists(filepath.Join(workspace, "sub", "forbidden"))
	if ran != row.Silences || strings.Contains(told, "hard_deny") == row.Silences {
		t.Errorf("the call ran: %v, want %v; the model was told %q", ran, row.Silences, told)
	}
}

// trust is what a person does where the agent asks whether they trust a directory.
func (m *machine) trust(agent, dir string) {
	m.t.Helper()
	switch agent {
	case "codex":
		m.trusted += fmt.Sprintf("[projects.%q]\ntrust_level = \"trusted\"\n", dir)
	case "copilot":
		m.write(filepath.Join(m.home, ".copilot", "config.json"),
			fmt.Sprintf(`{"trusted_folders": [%q], "trustedFolders": [%q]}`, dir, dir), 0o600)
	case "gemini":
		m.write(filepath.Join(m.home, ".gemini", "trustedFolders.json"), fmt.Sprintf(`{%q: "TRUST_FOLDER"}`, dir),
			0o600)
	case "pi":
		m.write(filepath.Join(m.home, ".pi", "agent", "trust.json"), fmt.Sprintf("{%q: true}", dir), 0o600)
	}
}

// What the managed level holds against.
func TestManaged(t *testing.T) {
	deep(t, "the managed level")
	for _, d := range []driven{drivenBy("claude-code"), drivenBy("codex")} {
		for _, row := range silencing("managed-" + d.adapter.Name()) {
			t.Run(d.title+", "+row.Name, func(t *testing.T) {
				d.program(t)
				t.Parallel()
				m := d.ready(t, ruleSettings, oneByOne(d.shell("denied", "touch forbidden")))
				m.ownEtc(d.adapter.Name())
				if d.adapter.Name() == "codex" {
					m.machine.write(filepath.Join(m.dir, "etc/codex/requirements.toml"), "# ours\n", 0o644)
				}
				m.installFor(d.adapter.Name(), "managed")
				if row.Silences {
					m.trusted = "[features]\nhooks = false\n"
				}
				m.silencedBy(t, row)
			})
		}
	}
}

// ownEtc gives the machine its own /etc/hosts, /etc/nod and directory of an agent's below /etc, which nothing outside
// of it sees. The two directories must exist to be covered; what was made for that is removed in the end, since a
// directory that goes takes the mounts on it along, in every namespace.
func (m *machine) ownEtc(agent string) {
	m.t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		missing(m.t, "the managed level needs a mount namespace, thus Linux and root")
	}
	if out, err := exec.Command("unshare", "--mount", "true").CombinedOutput(); err != nil {
		missing(m.t, "unshare --mount does not work here (%v: %s)", err, out)
	}
	enter := ""
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

// What becomes of a call where the file that nod wrote cannot be loaded: opencode goes on without a word, and nothing
// of nod's can close that; Pi does not start.
func TestPluginThatCannotBeLoaded(t *testing.T) {
	deep(t, "hostile repositories")
	onEach(t, []driven{drivenBy("opencode"), drivenBy("pi")}, func(t *testing.T, d driven) {
		m := d.ready(t, ruleSettings, oneByOne(d.shell("call", "touch forbidden")))
		m.installed(false)
		m.machine.write(filepath.Join(m.home, d.hooks), "export default function (\n", 0o600)
		m.tries()
		goesOn := d.adapter.Name() == "opencode"
		if asked := len(m.srv.Requests(llmtest.Turn)) > 0; asked != goesOn ||
			exists(filepath.Join(m.work, "forbidden")) != goesOn {
			t.Errorf("the model was asked: %v:\n%s", asked, m.output)
		}
	})
}
