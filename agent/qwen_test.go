package agent_test

import (
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
)

// What a model is shown of a deferred call are its own arguments.
func TestQwenDeferredInput(t *testing.T) {
	e := event(t, agent.Host("qwen"), "deferred.json", "poke", "poke")
	if in := string(e.Call.Input); !strings.Contains(in, `"x": "2"`) || strings.Contains(in, "arguments") {
		t.Error(in)
	}
}
