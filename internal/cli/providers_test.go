//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/llm"
)

// The settings take each provider that package llm has, and no other: the list
// stands in both, since the hook links no package llm.
func TestEveryProviderIsASetting(t *testing.T) {
	taken := func(provider string) bool {
		dir := t.TempDir()
		settings := filepath.Join(dir, "nod.toml")
		text := "[model]\nprovider = \"" + provider + "\"\nkey_file = \"/key\"\n"
		if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		p := &Process{Stdout: &out, Stderr: &errs, Dir: dir, Environ: []string{"HOME=" + dir, "PATH=/usr/bin:/bin"}}
		return Main(context.Background(), p, []string{"check", "--settings", settings, "--", "ls"}) != ExitBadInput
	}
	for _, provider := range llm.Providers() {
		if !taken(provider) {
			t.Errorf("internal/config/layer.go does not take provider %q", provider)
		}
		if !strings.Contains(example(), provider) {
			t.Errorf("nod help settings does not name provider %q", provider)
		}
	}
	if taken("nosuchprovider") {
		t.Error("any provider is taken")
	}
}
