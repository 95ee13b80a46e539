package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
)

// Trust says whether the host will start a hook that it found.
type Trust uint8

const (
	// Untrusted: no person has confirmed it, and it does not run.
	Untrusted Trust = iota
	// Altered: it was confirmed and has changed since, and does not run.
	Altered
	// Disabled: a person has switched it off.
	Disabled
	// Trusted: it runs.
	Trusted
)

// Trust returns what a person has said about each hook in in.Hooks, in their
// order. asks is false on hosts that ask nobody, and at the managed level. Only
// Codex asks: a hook in hooks.json runs once the person has confirmed it in
// Codex, which is theirs to do, so that nod never writes the hash that stands
// for it. Managed hooks run without that.
//
// The hash is compared with the one that Codex wrote down; the recipe was
// measured on 0.169.0 (TestDoctor in e2e holds it to what Codex itself says).
func (in *Installed) Trust() (list []Trust, asks bool, err error) {
	if in.Options.Agent != "codex" || in.Options.Level == Managed {
		return nil, false, nil
	}
	data, err := readAny(filepath.Join(in.Options.Home, ".codex", "config.toml"))
	if err != nil {
		return nil, true, err
	}
	tree, err := readTree(string(data))
	if err != nil {
		return nil, true, err
	}
	real, err := filepath.EvalSymlinks(in.Path)
	if err != nil {
		return nil, true, err
	}
	hooks, _ := tree["hooks"].(map[string]any)
	state, _ := hooks["state"].(map[string]any)
	for _, h := range in.hooks {
		entry, found := state[codexKey(in.Path, h.Registered)].(map[string]any)
		if !found {
			entry, _ = state[codexKey(real, h.Registered)].(map[string]any)
		}
		list = append(list, codexSays(entry, codexHash(h)))
	}
	return list, true, nil
}

func codexSays(entry map[string]any, hash string) Trust {
	trusted, _ := entry["trusted_hash"].(string)
	enabled, said := entry["enabled"].(bool)
	switch {
	case said && !enabled:
		return Disabled
	case trusted == "":
		return Untrusted
	case trusted != hash:
		return Altered
	}
	return Trusted
}

func codexKey(path string, r Registered) string {
	return fmt.Sprintf("%s:%s:%d:%d", path, snake(r.Event), r.Group, r.Index)
}

// snake writes PreToolUse as pre_tool_use.
func snake(s string) string {
	var b strings.Builder
	for i, r := range s {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// codexHook is a hook as Codex hashes it: compact JSON with sorted names.
type codexHook struct {
	Async         bool   `json:"async"`
	Command       string `json:"command"`
	StatusMessage string `json:"statusMessage,omitempty"`
	Timeout       int    `json:"timeout"`
	Type          string `json:"type"`
}

func codexHash(h own) string {
	var hook codexHook
	// What nod did not write may have other members; then the hash differs, and
	// so it must.
	if json.Unmarshal(encode(h.table), &hook) != nil {
		hook = codexHook{}
	}
	sum := sha256.Sum256(encode(struct {
		Event   string      `json:"event_name"`
		Hooks   []codexHook `json:"hooks"`
		Matcher string      `json:"matcher,omitempty"`
	}{snake(h.Event), []codexHook{hook}, h.Matcher}))
	return "sha256:" + hex.EncodeToString(sum[:])
}
