package agent

import (
	"strings"
	"testing"
)

// What of a host's own command line says that nobody is there to be asked.
func TestSitsThere(t *testing.T) {
	for line, want := range map[string]bool{
		"codex": true, "codex -p fast": true, "codex exec": false, "codex fix it": true,
		"gemini": true, "gemini fix": true, "gemini -pfix": false, "gemini --prompt=fix": false, "gemini --policy x": true,
		"qwen": true, "qwen fix": false, "qwen -m coder": true, "qwen serve": false,
		"copilot --acp": false, "copilot -o json": false, "copilot --resume": true,
	} {
		words := strings.Fields(line)
		if got := sitsThere(words[1:], factsOf(words[0])); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
