package wiring

import (
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// What a parser of TOML reads as the feature switched off, or a hook, is seen.
func FuzzSilencesTOML(f *testing.F) {
	for _, text := range []string{
		"[features]\nhooks = false\n", "features = { \"h\\u006foks\" = false }", "\"features\".hooks=false # x",
		"[features]\nx = [\n[\"]\"],\n]\nhooks = false", "[features]\nx = '''\n[y]'''\nhooks\t=\tfalse",
		"[features]\nx = \"\"\"a\\\"\"\"\"\"\nhooks = false", "hooks.state.\"a.b=c\".enabled = false",
		"[hooks.state]\n'x' = {enabled=false}",
		"[[a]]\n[a.b]\nfeatures.hooks = true\n", "a = 1979-05-27T07:32:00Z\r\nb = { c = [ 1, 2 ] }\r\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		seen := silencesTOML(text)
		tree := map[string]any{}
		if toml.Unmarshal([]byte(text), &tree) != nil {
			return
		}
		features, _ := tree["features"].(map[string]any)
		off := features["hooks"] == false || features["codex_hooks"] == false
		hooks, _ := tree["hooks"].(map[string]any)
		states, _ := hooks["state"].(map[string]any)
		for _, s := range states {
			state, _ := s.(map[string]any)
			off = off || state["enabled"] == false
		}
		if off && !seen {
			t.Errorf("%q silences hooks", text)
		}
	})
}
