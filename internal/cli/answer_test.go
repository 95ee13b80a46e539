//go:build unix

package cli

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

// TestAnswer: only yes is yes; what is unclear is asked again, and the end of the
// input and Ctrl-C, which end a question that waits, are a no.
func TestAnswer(t *testing.T) {
	for said, want := range map[string]bool{"y\n": true, "YES\n": true, "": false, "\n": false, "n\n": false,
		"yy\n": false, "yy\ny\n": true, "what\n\n": false, "what\nno\n": false, "y": true} {
		var out bytes.Buffer
		if got := confirmed(t.Context(), &Process{Stdin: strings.NewReader(said), Stdout: &out}, ""); got != want {
			t.Errorf("%q: %v", said, got)
		}
		if again := strings.Contains(out.String(), "Please answer y or n: "); again != strings.Contains(said, "yy") &&
			again != strings.Contains(said, "what") {
			t.Errorf("%q: %s", said, out.String())
		}
	}
	waits, nobody := io.Pipe()
	defer nobody.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	if confirmed(ctx, &Process{Stdin: waits, Stdout: io.Discard}, "") {
		t.Error("Ctrl-C is a yes")
	}
}
