//go:build unix

package cli

import (
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/view"
	"github.com/nodgate/nod/llm"
)

// With the built-in rules the part that stays from call to call is longer than what the default model caches at least,
// by the tokens that are taken for its own: that its vendor counts them so is an assumption, so a twentieth is left
// over. It caches from 4,096 on, and counts some 1.2 for each of o200k_base (docs.orq.ai, docs.aihubmix.com; 2026-11).
func TestThePrefixPassesTheCacheFloor(t *testing.T) {
	settings, err := config.Load(config.Places{Files: view.NewMemory(false), Home: "/home/dev"})
	if err != nil {
		t.Fatal(err)
	}
	files := view.NewMemory(false).Dir("/home/dev/shop", 0o755)
	gate := hook.NewGate(hook.Options{Files: files, Places: config.Places{Home: "/home/dev"}}, settings, nil, nil)
	q, err := gate.Prompt(t.Context(), nod.Call{Tool: "bash", RawTool: "Bash", Command: "git push",
		Input: []byte(`{"command":"git push"}`), Dir: "/home/dev/shop"})
	if err != nil {
		t.Fatal(err)
	}
	encoding, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	cached := 0
	for _, part := range promptParts(q)[:3] { // the tool, the policy and the session
		tokens, err := encoding.Count(part.text)
		if err != nil {
			t.Fatal(err)
		}
		cached += tokens
	}
	model := llm.DefaultAnthropicModel
	if own, floor := float64(cached)*1.2, 4096.0; own < 1.05*floor || own > 1.15*floor {
		t.Errorf("%d tokens, some %.0f of %s's, stay from call to call; it caches from %.0f on", cached, own, model, floor)
	}
}
