package cli

import (
	"os"
	"strings"
	"testing"
)

// Agents other than Claude Code: without a level it is the user's where there
// is no managed one, at which nobody is asked for trust, nothing is there twice, and what is taken out is all.
func TestInstallOtherAgents(t *testing.T) {
	for _, row := range []struct {
		agent, file string
		managed     string // the file at the managed level, "" where there is none
		holds       []string
	}{
		{"codex", "home/.codex/hooks.json", "/etc/codex/requirements.toml",
			[]string{`choose "Trust all"`, "nod uninstall codex --user"}},
		{"copilot", "home/.copilot/hooks/nod.json", "", []string{"nod uninstall copilot --user"}},
	} {
		t.Run(row.agent, func(t *testing.T) {
			m := newMachine(t)
			line := "install " + row.agent + " --unattended"
			if row.managed != "" {
				line = "install " + row.agent + " --user --unattended"
			}
			code, stdout, stderr := m.run(line)
			if code != ExitOK {
				t.Fatalf("%d: %s%s", code, stdout, stderr)
			}
			for _, want := range append(row.holds, "(user level)") {
				if !strings.Contains(stdout, want) {
					t.Errorf("lacks %q: %s", want, stdout)
				}
			}
			installed := m.read(row.file)
			if !strings.Contains(installed, m.path("opt/nod-hook")+" "+row.agent) ||
				!strings.Contains(strings.ToLower(installed), "permissionrequest") {
				t.Errorf("%s", installed)
			}
			if code, stdout, _ := m.run("install " + row.agent + " --user --unattended"); code != ExitOK ||
				!strings.Contains(stdout, "nothing to change") || m.read(row.file) != installed {
				t.Errorf("again: %d %s", code, stdout)
			}
			if row.managed == "" {
				if code, _, stderr := m.run("install " + row.agent + " --managed --unattended"); code != ExitBadInput ||
					!strings.Contains(stderr, "no hooks at the managed level") {
					t.Errorf("managed: %d %s", code, stderr)
				}
			} else if code, stdout, stderr := m.run("install " + row.agent + " --managed --dry-run"); code != ExitOK ||
				!strings.Contains(stdout, row.managed+" (managed level)") || strings.Contains(stdout, "Trust all") {
				t.Errorf("managed: %d %s%s", code, stdout, stderr)
			}
			code, stdout, stderr = m.run("uninstall " + row.agent + " --unattended")
			if _, err := os.Stat(m.path(row.file)); code != ExitOK || !os.IsNotExist(err) || !strings.Contains(stdout,
				"Removed: ~/") {
				t.Errorf("uninstall: %d %s%s: %v", code, stdout, stderr, err)
			}
			if m.read(userFile) != "{\n  \"model\": \"opus\"\n}\n" {
				t.Error("Claude Code's settings were touched")
			}
		})
	}
}
