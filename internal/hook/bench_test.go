package hook_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/nodgate/nod/internal/hook"
)

// A whole answer on the real disk, log line included, without the start of
// the process.
func BenchmarkAnswer(b *testing.B) {
	p := newPlace(b)
	for name, payload := range map[string][]byte{
		"read": p.payload("PreToolUse", "Read", map[string]string{"file_path": p.shop + "/main.go"}, nil),
		"git":  p.bash("git status --short"),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				hook.Answer(context.Background(), p.options, bytes.NewReader(payload))
			}
		})
	}
}
