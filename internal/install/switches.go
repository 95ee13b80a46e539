package install

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	rows "github.com/nodgate/nod/internal/hosts"
)

// offSwitch is a setting that keeps hooks from running, from the agent's row.
type offSwitch struct{ rows.Switch }

// offSwitches are those of an agent.
func offSwitches(agent string) (all []offSwitch) {
	for _, s := range rows.ByName(agent).Off {
		all = append(all, offSwitch{s})
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
		for _, s := range offSwitches(h.agent) {
			home, here := at == o.Home, i == 0
			counts := s.Home && home || s.Here && here || s.Above && !here && !home
			for _, f := range s.findings(filepath.Join(at, s.File)) {
				all = append(all, Off{Finding: f, Elsewhere: !counts, Dir: at})
			}
		}
	}
	return all
}

func (s offSwitch) findings(path string) []Finding {
	effect := "keeps every hook of the user's and the project's from running, nod's among them"
	if s.When != "" {
		effect += ", " + s.When
	}
	value, line, col, err := s.read(path)
	switch {
	case err != nil:
		return []Finding{{Kind: Unreadable, Path: path, Text: "cannot tell whether it silences nod: " + err.Error()}}
	case value == "" || value == "null" || (value == "false") != s.Falsely:
		return nil
	}
	return []Finding{{Silences, path, line, col, fmt.Sprintf("%s = %s %s", s.Key, value, effect)}}
}

// read returns the setting's value as text, "" where it is not there.
func (s offSwitch) read(path string) (value string, line, col int, err error) {
	if strings.HasSuffix(path, ".toml") {
		value, err = tomlValue(path, s.Key)
		return value, 0, 0, err
	}
	d, err := open(path)
	if err != nil {
		return "", 0, 0, err
	}
	v := &d.root
	for name := range strings.SplitSeq(s.Key, ".") {
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
	data, err := readAny(path)
	if err != nil {
		return nil, err
	}
	tree := map[string]any{}
	if err := toml.Unmarshal(data, &tree); err != nil {
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
	for _, file := range rows.ByName(agent).Environ {
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
