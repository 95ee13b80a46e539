package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
)

// On a terminal no line of the table is wider than it; where nobody says how
// wide it is, nothing is cut off for that.
func TestLogFitsTheTerminal(t *testing.T) {
	dir := t.TempDir() + "/state"
	long := someEntry(strings.Repeat("long ", 20), audit.Decision, nod.Ask)
	long.Reason = strings.Repeat("because of this ", 9)
	writeEntries(t, dir, someEntry("a", audit.Decision, nod.Allow), long)
	for _, width := range []int{0, 60, 80, 120, 200} {
		var out strings.Builder
		p := &Process{Stdout: &out, Stderr: io.Discard, Dir: dir, Width: width, Terminal: width > 0}
		if code := Main(t.Context(), p, []string{"log", "--state", dir}); code != ExitOK {
			t.Fatalf("exit %d", code)
		}
		widest := 0
		for line := range strings.Lines(out.String()) {
			widest = max(widest, columnsOf(strings.TrimRight(line, "\n")))
		}
		if width > 0 && widest > width || width == 0 && widest < 180 {
			t.Errorf("width %d: a line of %d\n%s", width, widest, out.String())
		}
		words := strings.Join(strings.Fields(out.String()), " ")
		if !strings.Contains(words, "echo a") || strings.Count(words, "because of this") != 9 {
			t.Errorf("width %d: neither the call nor why\n%s", width, out.String())
		}
	}
}
