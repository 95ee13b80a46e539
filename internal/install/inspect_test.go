//go:build unix

package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// put writes a program.
func put(t *testing.T, path, text string) {
	t.Helper()
	write(t, path, text)
	chmod(t, path, 0o755)
}

// An agent shows by its program or its directory; nothing else counts.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "bin/claude"), "")
	put(t, filepath.Join(dir, "bin/codex/not-a-program"), "")
	put(t, filepath.Join(dir, "home/.copilot/x"), "")
	put(t, filepath.Join(dir, "home/.gemini/x"), "") // Antigravity CLI keeps its own in .gemini/config
	put(t, filepath.Join(dir, "home/.config/other/x"), "")
	put(t, filepath.Join(dir, "home/.codex"), "a file")
	var got []string
	for _, p := range Find(filepath.Join(dir, "home"), "relative:"+filepath.Join(dir, "bin")) {
		got = append(got, p.Agent+": "+strings.ReplaceAll(p.Program+p.Config, dir, "DIR"))
	}
	want := []string{"claude-code: DIR/bin/claude", "copilot: DIR/home/.copilot", "gemini: DIR/home/.gemini"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestVersionWord(t *testing.T) {
	for said, want := range map[string]string{
		"2.1.329 (Claude Code)": "2.1.329", "codex-cli 0.169.0": "0.169.0", "GitHub Copilot CLI 1.0.102.": "1.0.102",
		"v1.2.3": "1.2.3", "soon": "soon", "": "", "v": "v",
	} {
		if got := versionWord(said); got != want {
			t.Errorf("%q: %q", said, got)
		}
	}
}

// onDisk installs nod for an agent in a home of its own.
func onDisk(t *testing.T, agent string) Options {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	o := paths()
	o.Agent, o.Level, o.Home = agent, User, home
	p, err := PlanInstall(o)
	if err == nil {
		_, err = Apply(p, time.Now())
	}
	must(t, err)
	return o
}

// What was installed is read back: the same paths, every hook as nod writes
// it, nothing to change. Every change to a hook shows.
func TestInspect(t *testing.T) {
	for _, name := range Agents() {
		t.Run(name, func(t *testing.T) {
			o := onDisk(t, name)
			target := Options{Agent: name, Level: User, Home: o.Home}
			in, err := Inspect(target)
			if err != nil || in == nil || in.Again != "" || len(in.Missing()) > 0 || len(in.Findings) > 0 {
				t.Fatalf("%+v %v", in, err)
			}
			if diff := cmp.Diff(o, in.Options); diff != "" {
				t.Error(diff)
			}
			for _, r := range in.Hooks {
				if !r.Written {
					t.Errorf("%s: not as written", r.Event)
				}
				if _, err := in.Command(r, in.Options); err != nil {
					t.Error(err)
				}
			}
			if in.Code {
				return
			}
			text, err := os.ReadFile(o.Target())
			must(t, err)
			changed := strings.Replace(string(text), `"type": "command",`, `"type": "command", "async": true,`, 1)
			if changed == string(text) { // hosts whose hooks name no type
				changed = strings.Replace(changed, `"command":`, `"async": true, "command":`, 1)
			}
			put(t, o.Target(), changed)
			if in, err = Inspect(target); err != nil || in.Again == "" || in.Hooks[0].Written {
				t.Errorf("another member: %+v %v", in, err)
			} else if _, err := in.Command(in.Hooks[0], in.Options); err == nil {
				t.Error("a line that is not nod's would be started")
			}
		})
	}
}

func TestInspectNothing(t *testing.T) {
	for _, text := range []string{"", "{}",
		`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}`} {
		home := t.TempDir()
		if text != "" {
			put(t, filepath.Join(home, ".claude/settings.json"), text)
		}
		if in, err := Inspect(Options{Agent: "claude-code", Level: User, Home: home}); in != nil || err != nil {
			t.Errorf("%q: %+v %v", text, in, err)
		}
	}
	if in, err := Inspect(Options{Agent: "codex", Level: Managed}); in != nil || err != nil {
		t.Errorf("no such level: %+v %v", in, err)
	}
}

// Each switch is found where it counts, with its place, and nowhere else.
func TestOffSwitches(t *testing.T) {
	for _, row := range []struct {
		name, agent, file, text, dir string
		level                        Level
		found, elsewhere             int
	}{
		{"project", "claude-code", "p/.claude/settings.json", `{"disableAllHooks": true}`, "p", User, 1, 0},
		{"managed level", "claude-code", "p/.claude/settings.json", `{"disableAllHooks": true}`, "p", Managed, 0, 0},
		{"said no", "claude-code", "p/.claude/settings.json", `{"disableAllHooks": false}`, "p", User, 0, 0},
		{"null", "claude-code", "p/.claude/settings.json", `{"disableAllHooks": null}`, "p", User, 0, 0},
		{"twice, the last counts", "claude-code", "p/.claude/settings.json",
			`{"disableAllHooks": true, "disableAllHooks": false}`, "p", User, 0, 0},
		{"a word", "claude-code", "p/.claude/settings.json", `{"disableAllHooks": "yes"}`, "p", User, 1, 0},
		{"above", "claude-code", "p/.claude/settings.json", `{"disableAllHooks": true}`, "p/sub", User, 0, 1},
		{"at home", "claude-code", "home/.claude/settings.json", `{"disableAllHooks": true}`, "p", User, 1, 0},
		{"not JSON", "claude-code", "p/.claude/settings.json", `{`, "p", User, 1, 0},
		{"Codex above", "codex", "p/.codex/config.toml", "[features]\nhooks = false", "p/sub", User, 1, 0},
		{"Codex on", "codex", "p/.codex/config.toml", "[features]\nhooks = true", "p", User, 0, 0},
		{"Codex, hooks of its own", "codex", "p/.codex/config.toml", "[hooks.state]\nx = 1", "p", User, 0, 0},
		{"Copilot, Claude's file", "copilot", "p/.claude/settings.json", `{"disableAllHooks": true}`, "p/sub", User, 1,
			0},
		{"Copilot, the user's does nothing", "copilot", "home/.copilot/settings.json", `{"disableAllHooks": true}`, "p",
			User, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, filepath.Join(dir, row.file), row.text)
			o := Options{Agent: row.agent, Level: row.level, Home: filepath.Join(dir, "home"), Root: dir}
			found, elsewhere := 0, 0
			for _, off := range OffSwitches(o, filepath.Join(dir, row.dir)) {
				if off.Path != filepath.Join(dir, row.file) || off.Kind == Silences && strings.HasSuffix(row.file,
					".json") && off.Line != 1 {
					t.Errorf("%+v", off)
				}
				if off.Elsewhere {
					elsewhere++
				} else {
					found++
				}
			}
			if found != row.found || elsewhere != row.elsewhere {
				t.Errorf("%d here and %d elsewhere, want %d and %d", found, elsewhere, row.found, row.elsewhere)
			}
		})
	}
}

// Only the hash of this very hook counts. TestDoctor in e2e shows that Codex computes the same hash.
func TestCodexTrust(t *testing.T) {
	o := onDisk(t, "codex")
	in, err := Inspect(Options{Agent: "codex", Level: User, Home: o.Home})
	must(t, err)
	var hashes []string
	for _, h := range in.Hooks {
		hashes = append(hashes, codexHash(h))
	}
	state := func(hash, more string) string {
		return "[hooks.state.\"" + in.Path + ":pre_tool_use:0:0\"]\ntrusted_hash = \"" + hash + "\"\n" + more
	}
	for _, row := range []struct {
		name, config string
		want         Trust
	}{
		{"nothing said", "", Untrusted},
		{"trusted", state(hashes[0], ""), Trusted},
		{"another hash", state("sha256:0", ""), Altered},
		{"that of another hook", state(hashes[1], ""), Altered},
		{"switched off", state(hashes[0], "enabled = false\n"), Disabled},
		{"switched on", state(hashes[0], "enabled = true\n"), Trusted},
		{"an empty hash", state("", ""), Untrusted},
	} {
		put(t, filepath.Join(o.Home, ".codex/config.toml"), row.config)
		list, asks, err := in.Trust()
		if err != nil || !asks || list[0] != row.want || list[1] != Untrusted {
			t.Errorf("%s: %v %v %v", row.name, list, asks, err)
		}
	}
	put(t, filepath.Join(o.Home, ".codex/config.toml"), "[hooks")
	if _, asks, err := in.Trust(); err == nil || !asks {
		t.Error("settings that cannot be read say nothing of trust")
	}
}
