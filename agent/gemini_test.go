package agent_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nodgate/nod/agent"
)

// event decodes a fixture with one text replaced.
func event(t *testing.T, a agent.Adapter, file, old, with string) agent.Event {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join("testdata", a.Name(), file))
	if err != nil {
		t.Fatal(err)
	}
	e, err := a.Decode(replaced(t, payload, old, with), nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
