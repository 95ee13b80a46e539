package arch

import (
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/hosts"
)

// Of every agent docs/agents.md says what nod can do there: of those that were read and not run, in a table.
func TestEveryAgentIsInItsDocument(t *testing.T) {
	text := string(read(t, "docs/agents.md"))
	for _, a := range agent.All() {
		wanted := 0
		if strings.HasPrefix(a.Capabilities().Tried, "read: ") {
			wanted = 1
		}
		if n := strings.Count(text, "\n| "+a.Name()+" | "); n < wanted {
			t.Errorf("docs/agents.md has %d rows of %s, and wants %d (docs/adding-an-agent.md)", n, a.Name(), wanted)
		}
		if wanted == 0 && !strings.Contains(text, hosts.ByName(a.Name()).Title) {
			t.Errorf("docs/agents.md does not name %s", a.Name())
		}
	}
}
