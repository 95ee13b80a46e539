package install

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
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
	v, err := openTOML(filepath.Join(in.Options.Home, ".codex", "config.toml"))
	if err != nil {
		return nil, true, err
	}
	tree, _ := v.(map[string]any)
	real, err := filepath.EvalSymlinks(in.Path)
	if err != nil {
		return nil, true, err
	}
	hooks, _ := tree["hooks"].(map[string]any)
	state, _ := hooks["state"].(map[string]any)
	for _, h := range in.Hooks {
		entry, found := state[codexKey(in.Path, h)].(map[string]any)
		if !found {
			entry, _ = state[codexKey(real, h)].(map[string]any)
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

// codexHash is that of a hook as Codex writes it down: compact JSON with sorted
// names. What nod did not write may have other members; then the hash differs,
// and so it must.
func codexHash(h Registered) string {
	hook := map[string]any{"async": false}
	maps.Copy(hook, h.table)
	named := map[string]any{"event_name": snake(h.Event), "hooks": []any{hook}}
	if h.Matcher != "" {
		named["matcher"] = h.Matcher
	}
	sum := sha256.Sum256(encode(named))
	return "sha256:" + hex.EncodeToString(sum[:])
}
