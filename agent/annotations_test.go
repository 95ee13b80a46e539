package agent_test

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// TestNoPayloadHoldsAnnotations: no hook of a host is told whether an MCP tool
// calls itself read-only, so no setting goes by it. When a captured payload holds
// it, there is something to build.
func TestNoPayloadHoldsAnnotations(t *testing.T) {
	mcp := 0
	err := fs.WalkDir(os.DirFS("testdata"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile("testdata/" + name)
		if strings.Contains(name, "mcp") {
			mcp++
		}
		if bytes.Contains(text, []byte("readOnlyHint")) {
			t.Errorf("%s holds annotations", name)
		}
		return err
	})
	if err != nil || mcp < 7 {
		t.Fatalf("%v, %d payloads of MCP tools", err, mcp)
	}
}
