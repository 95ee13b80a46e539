package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/tailscale/hujson"
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
// order. asks is false on hosts that ask nobody, and at the managed level.
func (in *Installed) Trust() (list []Trust, asks bool, err error) {
	read := in.Options.host().trust
	if read == nil || in.Options.Level == Managed {
		return nil, false, nil
	}
	list, err = read(in)
	return list, true, err
}

// codexTrust compares the hash of each hook with the one that Codex wrote down
// when the person confirmed it. The recipe was measured on 0.169.0
// (TestDoctor in e2e holds it to what Codex itself says).
func codexTrust(in *Installed) ([]Trust, error) {
	config := filepath.Join(in.Options.Home, ".codex", "config.toml")
	tree, err := readTOML(config)
	if err != nil {
		return nil, err
	}
	hooks, _ := tree["hooks"].(map[string]any)
	state, _ := hooks["state"].(map[string]any)
	real, err := filepath.EvalSymlinks(in.Path)
	if err != nil {
		return nil, err
	}
	data, err := open(in.Path)
	if err != nil {
		return nil, err
	}
	hashes := codexHashes(data)
	var list []Trust
	for i, r := range in.Hooks {
		entry, found := state[codexKey(in.Path, r)].(map[string]any)
		if !found {
			entry, _ = state[codexKey(real, r)].(map[string]any)
		}
		list = append(list, codexSays(entry, hashes[i]))
	}
	return list, nil
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

func codexHashes(doc *document) (hashes []string) {
	eachHook(doc, func(r Registered, v *hujson.Value) {
		var hook codexHook
		// What nod did not write may have other members; then the hash differs,
		// and so it must.
		if json.Unmarshal(minimal(v), &hook) != nil {
			hook = codexHook{}
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(struct { // strings and numbers
			Event   string      `json:"event_name"`
			Hooks   []codexHook `json:"hooks"`
			Matcher string      `json:"matcher,omitempty"`
		}{snake(r.Event), []codexHook{hook}, r.Matcher})
		sum := sha256.Sum256(bytes.TrimSpace(b.Bytes()))
		hashes = append(hashes, "sha256:"+hex.EncodeToString(sum[:]))
	})
	return hashes
}
