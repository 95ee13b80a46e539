package cli

import (
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/view"
)

// With the built-in rules the part that stays from call to call has at most
// 3,500 tokens, and so many that by Anthropic's count, which is not public and
// lies about a fifth above this one, it comes near what is cached at least for
// Haiku 4.5 (4,096); the session does the rest.
func TestThePrefixFitsTheCache(t *testing.T) {
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
	parts, err := promptParts(q)
	if err != nil {
		t.Fatal(err)
	}
	cached := 0
	for _, part := range parts {
		if part.Cached {
			cached += part.Tokens
		}
	}
	if cached < 3300 || cached > 3500 {
		t.Errorf("%d tokens stay from call to call, want 3,300 to 3,500", cached)
	}
}
