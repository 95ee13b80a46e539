package hook

import (
	"slices"
	"testing"

	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/llm"
)

// The key that a provider's variable holds reaches nod classify: the names
// stand here too, since the hook does not link package llm.
func TestEveryProvidersKeyIsHandedOn(t *testing.T) {
	for _, provider := range llm.Providers() {
		name := llm.KeyVariable(provider)
		if name == "" {
			continue
		}
		c := classifier{places: config.Places{Home: "/home/u"}, environ: []string{name + "=k", "AWS_PROFILE=x"}}
		if env := c.childEnviron(); !slices.Contains(env, name+"=k") || slices.Contains(env, "AWS_PROFILE=x") {
			t.Errorf("%s: nod classify gets %q", provider, env)
		}
	}
}
