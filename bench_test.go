package nod_test

import (
	"context"
	"testing"

	"github.com/nodgate/nod"
)

// Layers 0 to 3 on one call each, in memory.
func BenchmarkCheck(b *testing.B) {
	for _, row := range []struct {
		name string
		call nod.Call
	}{
		{"guard", bash("nod mode off")},
		{"allowlist", tool("read_file", "main.go")},
		{"edit", tool("file_edit", "src/a.go")},
		{"shell/ls", bash("ls -la src")},
		{"shell/git", bash("git status --short")},
		{"shell/pipe", bash("cd src && grep -rn 'x' . | sort | uniq -c | head -20")},
		{"open", bash("npm test")},
	} {
		b.Run(row.name, func(b *testing.B) {
			g := nod.New(options(nod.DefaultRules()))
			b.ReportAllocs()
			for b.Loop() {
				g.Check(context.Background(), row.call)
			}
		})
	}
}
