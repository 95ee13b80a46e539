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

// What is not looked for is not there under any case of its name, as where a file system ignores the case.
func TestAbsentFromHome(t *testing.T) {
	home := t.TempDir()
	if err := os.Mkdir(home+"/.SSH", 0o700); err != nil {
		t.Fatal(err)
	}
	absent, unknown := absentFrom(home), absentFrom(home+"/nowhere")
	if !absent(home+"/.aws/key") || absent(home+"/.ssh") || absent(home+"/.ssh/key") || absent(home) || absent("/x") ||
		unknown(home+"/nowhere/x") {
		t.Error("what may be there is held to be absent, or what is absent is looked for")
	}
}
