package confine

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// What programs print names what they missed: a host, a server, a file.
func TestMissed(t *testing.T) {
	unseen := func(path string) bool { return strings.Contains(path, "unseen") }
	text, err := os.ReadFile("testdata/missed.txt") // what it names, and what was printed, quoted
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		want, quoted, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		said, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatal(line, err)
		}
		if got := strings.Join(missed(said, unseen), "; "); got != want {
			t.Errorf("%q:\n%q, want\n%q", said, got, want)
		}
	}
}
