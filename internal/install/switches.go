package install

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	rows "github.com/nodgate/nod/internal/hosts"
)

// offSwitch is a setting, in another file than the one that nod's hooks stand
// in, that keeps them from running at the user's and the project's level.
type offSwitch struct {
	file string // below a directory; JSON, or TOML by its name
	// home, here and above say in which directories it counts: the home
	// directory, the one in which the agent works, those above that one.
	home, here, above bool
	// key is a path of names with dots between them. The switch is off where
	// the value is false, if falsely, else where it is anything but false.
	key     string
	falsely bool
	// when restricts it, in words; "" where nothing does.
	when string
}

// surroundings is what nod doctor knows of a host beside where its hooks stand.
type surroundings struct {
	off []offSwitch
	// environFiles are settings below a project that set variables for the
	// agent and its hooks, under "env".
	environFiles []string
	// bare is what happens where nod-hook fails and no guard script stands
	// before it, as far as it was measured.
	bare []Failing
	// trust reads what a person has said about the hooks, on hosts that ask.
	trust func(*Installed) ([]Trust, error)
}

// surroundingsOf returns the zero value for a host of which nothing is known.
// TestSilencers in e2e measures the switches, on the versions that the
// adapters name.
func surroundingsOf(agent string) surroundings {
	switch agent {
	case "claude-code":
		files := []string{".claude/settings.json", ".claude/settings.local.json"}
		return surroundings{
			off:          switchesIn(offSwitch{home: true, here: true, key: "disableAllHooks"}, files...),
			environFiles: files,
			bare:         []Failing{{Missing, false}, {Killed, false}, {Hangs, false}, {Rubbish, true}},
		}
	case "codex":
		s := offSwitch{home: true, here: true, above: true, key: "features.hooks", falsely: true, when: "in a project where Codex trusts it"}
		old := s
		old.key = "features.codex_hooks"
		return surroundings{
			off:   append(switchesIn(s, ".codex/config.toml"), switchesIn(old, ".codex/config.toml")...),
			trust: codexTrust,
		}
	case "copilot":
		return surroundings{
			off: switchesIn(offSwitch{here: true, above: true, key: "disableAllHooks", when: "where Copilot trusts the folder"},
				".github/copilot/settings.json", ".github/copilot/settings.local.json", ".claude/settings.json", ".claude/settings.local.json"),
		}
	case "antigravity":
		return surroundings{off: switchesIn(offSwitch{home: true, key: "nod.enabled", falsely: true}, ".gemini/config/hooks.json")}
	case "opencode", "pi":
		return surroundings{bare: []Failing{{Missing, false}, {Killed, false}, {Hangs, false}, {Rubbish, false}}}
	case "gemini":
		return surroundings{off: switchesIn(offSwitch{home: true, here: true, key: "hooksConfig.enabled", falsely: true, when: "in a project where Gemini CLI trusts the folder"}, ".gemini/settings.json")}
	case "qwen":
		return surroundings{off: switchesIn(offSwitch{home: true, here: true, key: "disableAllHooks"}, ".qwen/settings.json")}
	}
	return surroundings{}
}

// switchesIn is the same switch in several files.
func switchesIn(s offSwitch, files ...string) (all []offSwitch) {
	for _, s.file = range files {
		all = append(all, s)
	}
	return all
}

// Off is a setting that silences nod, and for whom.
type Off struct {
	Finding
	// Elsewhere says that it silences an agent that is started in Dir, and not
	// one that is started in the directory that was asked about.
	Elsewhere bool
	Dir       string
}

// OffSwitches returns the settings in home, dir and the directories above dir
// that keep o's nod from being asked at o's level, as far as they are known. A file that cannot be read is one
// of them.
func OffSwitches(o Options, dir string) (all []Off) {
	h := o.host()
	if h.agent == "claude-code" {
		for _, f := range ManagedSilencers(o.Level, o.Root, o.OS) {
			all = append(all, Off{Finding: f, Dir: "/"})
		}
	}
	for _, key := range h.silencers {
		for _, f := range switches(o.Target(), key, "no hook in this file runs, nod's among them") {
			all = append(all, Off{Finding: f, Dir: o.base()})
		}
	}
	if o.Level == Managed {
		return all
	}
	dirs := Parents(dir)
	if len(dirs) == 0 || o.Home != "" && o.Home != dirs[0] {
		dirs = append(dirs, o.Home)
	}
	seen := map[string]bool{}
	for i, at := range dirs {
		if at == "" || seen[at] {
			continue
		}
		seen[at] = true
		for _, s := range surroundingsOf(h.agent).off {
			home, here := at == o.Home, i == 0
			counts := s.home && home || s.here && here || s.above && !here && !home
			for _, f := range s.findings(filepath.Join(at, s.file)) {
				all = append(all, Off{Finding: f, Elsewhere: !counts, Dir: at})
			}
		}
	}
	return all
}

func (s offSwitch) findings(path string) []Finding {
	effect := "keeps every hook of the user's and the project's from running, nod's among them"
	if s.when != "" {
		effect += ", " + s.when
	}
	value, line, col, err := s.read(path)
	switch {
	case err != nil:
		return []Finding{{Kind: Unreadable, Path: path, Text: "cannot tell whether it silences nod: " + err.Error()}}
	case value == "" || value == "null" || (value == "false") != s.falsely:
		return nil
	}
	return []Finding{{Silences, path, line, col, fmt.Sprintf("%s = %s %s", s.key, value, effect)}}
}

// read returns the setting's value as text, "" where it is not there.
func (s offSwitch) read(path string) (value string, line, col int, err error) {
	if strings.HasSuffix(path, ".toml") {
		value, err = tomlValue(path, s.key)
		return value, 0, 0, err
	}
	d, err := open(path)
	if err != nil {
		return "", 0, 0, err
	}
	v := &d.root
	for name := range strings.SplitSeq(s.key, ".") {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return "", 0, 0, nil
		}
		if v = find(o, name); v == nil {
			return "", 0, 0, nil
		}
	}
	line, col = d.position(v.StartOffset)
	return string(minimal(v)), line, col, nil
}

// readTOML parses a file for reading; one that is not there holds nothing.
func readTOML(path string) (map[string]any, error) {
	f := file{path: path}
	var err error
	f.real, err = filepath.EvalSymlinks(path)
	if err == nil {
		err = f.load()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return nil, err
	}
	tree := map[string]any{}
	if err := toml.Unmarshal(f.data, &tree); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tree, nil
}

func tomlValue(path, key string) (string, error) {
	tree, err := readTOML(path)
	if err != nil {
		return "", err
	}
	var v any = tree
	for name := range strings.SplitSeq(key, ".") {
		table, ok := v.(map[string]any)
		if !ok {
			return "", nil
		}
		if v = table[name]; v == nil {
			return "", nil
		}
	}
	return fmt.Sprint(v), nil
}

// Environment returns what a project's settings put into the environment of
// the agent and its hooks, on hosts whose settings can: the names, in order.
func Environment(agent, dir string) (names []string, findings []Finding) {
	for _, file := range surroundingsOf(agent).environFiles {
		path := filepath.Join(dir, file)
		d, err := open(path)
		if err != nil {
			findings = append(findings, Finding{Kind: Unreadable, Path: path, Text: err.Error()})
			continue
		}
		root, ok := d.root.Value.(*hujson.Object)
		if !ok {
			continue
		}
		env := find(root, "env")
		if env == nil {
			continue
		}
		o, ok := env.Value.(*hujson.Object)
		if !ok {
			continue
		}
		for i := range o.Members {
			names = append(names, nameOf(&o.Members[i]))
		}
	}
	return names, findings
}

// HomeVariable returns the environment variable that leads o's agent to
// another directory of its own than the one that nod writes to, "" if none.
func HomeVariable(agent string) string { return rows.ByName(agent).HomeVariable }

// ConfigDir returns the directory below home that holds a user's hooks.
func ConfigDir(agent string) string { return Options{Agent: agent}.host().configDir() }
