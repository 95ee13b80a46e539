package release

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/version"
)

var update = flag.Bool("update", false, "write release/plugins")

// about is what every plugin says of itself, and launcher finds nod-hook: first where nod's own channels
// put it, and in no relative element of PATH, which a repository could fill.
const (
	about = "nod decides whether a tool call may run without asking you. It needs nod-hook. This plugin is a " +
		"convenience that a repository or a setting of yours can silence; they cannot silence the managed level: " +
		"sudo nod install claude-code --managed (docs/agents.md)."
	launcher = `p=$(PATH=$HOME/.local/bin:/usr/local/bin:/opt/homebrew/bin:/usr/bin:$HOME/go/bin:$PATH; ` +
		`command -v nod-hook); case $p in /*) exec "$p" "$0";; esac; echo "nod-hook is not installed, so the call ` +
		`is blocked: install nod (https://github.com/nodgate/nod) or take the plugin nod out" >&2; exit 2`
)

// pluginHooks are a host's hooks as nod install writes them, but that the launcher starts nod-hook.
func pluginHooks(t *testing.T, host string) string {
	p, err := install.PlanInstall(install.Options{Agent: host, Home: t.TempDir(), Level: install.User,
		Hook: "/nod-hook", Nod: "/nod"})
	check(t, err)
	text := regexp.MustCompile(`,\s*"--nod",\s*"/nod"`).ReplaceAllLiteralString(string(p.After), "")
	script := strings.ReplaceAll(launcher, `"`, `\"`)
	return strings.NewReplacer("/nod-hook "+host+" --nod /nod", "/bin/sh -c '"+script+"' "+host,
		`"/nod-hook"`, `"/bin/sh"`, `"`+host+`"`, `"-c", "`+script+`", "`+host+`"`,
		"written by nod install opencode; nod uninstall opencode removes it", "the npm plugin").Replace(text)
}

// What lies below release/plugins is what plugins.txtar and the hosts' rows make, and blocks without nod-hook.
func TestPlugins(t *testing.T) {
	source, err := txtar.ParseFile("plugins.txtar")
	check(t, err)
	for _, f := range source.Files {
		host, _, _ := strings.Cut(f.Name, "/")
		text := string(f.Data)
		if text == "$HOOKS\n" {
			text = pluginHooks(t, host)
			t.Run(host, func(t *testing.T) { launches(t, host, text) })
		}
		text = strings.NewReplacer("$ABOUT", about, "$VERSION", version.String()).Replace(text)
		name := filepath.Join("plugins", f.Name)
		if *update {
			check(t, os.MkdirAll(filepath.Dir(name), 0o755))
			check(t, os.WriteFile(name, []byte(text), 0o644))
		}
		if got, err := os.ReadFile(name); string(got) != text {
			t.Errorf("%s is not what plugins.txtar and internal/hosts make (%v); run go test -update", name, err)
		}
		if strings.HasSuffix(name, ".json") && !json.Valid([]byte(text)) {
			t.Errorf("%s is no JSON:\n%s", name, text)
		}
	}
}

// launches runs what a host would, beside a nod-hook that only a relative element of PATH leads to, and with it in PATH.
func launches(t *testing.T, host, hooks string) {
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "nod-hook"), []byte("#!/bin/sh\necho {$1}\n"), 0o755))
	lines := regexp.MustCompile(`"/bin/sh -c '.*"`).FindAllString(hooks, -1)
	if lines == nil { // the host starts the launcher itself
		lines = []string{strconv.Quote("/bin/sh -c '" + launcher + "' " + host)}
	}
	for _, line := range lines {
		line, err := strconv.Unquote(line)
		check(t, err)
		line = strings.ReplaceAll(line, "/usr/local/bin:/opt/homebrew/bin:/usr/bin", "/none") // of this machine
		for path, want := range map[string]string{".": "is not installed, so the call is blocked", dir: "{" + host + "}"} {
			cmd := exec.Command("/bin/sh", "-c", line)
			cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "PATH=" + path}
			out, _ := cmd.CombinedOutput()
			if !strings.Contains(string(out), want) || cmd.ProcessState.ExitCode() != map[string]int{".": 2}[path] {
				t.Errorf("PATH=%s: %s, %s", path, cmd.ProcessState, out)
			}
		}
	}
}
