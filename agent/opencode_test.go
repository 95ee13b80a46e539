package agent_test

import (
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
)

// A prompt of signs alone is not read to its end, and takes no time.
func TestPromptsThatNameTooMuch(t *testing.T) {
	e, err := agent.Host("opencode").Decode([]byte(`{"hook":"tool.execute.before","tool":"task","session":"s","call":"c",`+
		`"directory":"/u/w","args":{"prompt":"`+strings.Repeat("@", 1<<20)+`"}}`), nil)
	if err != nil || e.Call.Unread == "" || len(e.Call.Paths) > 1000 {
		t.Errorf("%d names, %q, %v", len(e.Call.Paths), e.Call.Unread, err)
	}
}
