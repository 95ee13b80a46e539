package version

import (
	"os"
	"strings"
	"testing"
)

// The version is that of the topmost heading of the changes.
func TestTheChangesSayTheVersion(t *testing.T) {
	changes, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(changes), "\n## ")
	heading, _, _ := strings.Cut(rest, "\n")
	number, _, _ := strings.Cut(heading, ",")
	if want := strings.TrimSuffix(strings.TrimSuffix(String(), "-dev"), ".0"); !found || number != want {
		t.Errorf("nod calls itself %s, and CHANGELOG.md begins with %q", String(), heading)
	}
	if released := !strings.Contains(heading, "not released"); released == strings.HasSuffix(String(), "-dev") {
		t.Errorf("%s under %q", String(), heading)
	}
}
