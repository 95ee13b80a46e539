package match

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestHostAllowed: testdata/hosts.txt has addresses, and whether they may be read from with the list of hosts above.
func TestHostAllowed(t *testing.T) {
	text, err := os.ReadFile("testdata/hosts.txt")
	if err != nil {
		t.Fatal(err)
	}
	var hosts []string
	for line := range strings.Lines(string(text)) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "hosts":
			hosts = strings.Fields(rest)
		case "yes", "no":
			address, err := strconv.Unquote(rest)
			if got := HostAllowed(hosts, address); got != (verb == "yes") || err != nil {
				t.Errorf("%s of %q: %v, %v", rest, hosts, got, err)
			}
		}
	}
}
