package match

import "testing"

// TestThisMachine holds that this machine may be read from without an entry,
// and nothing that only looks like it.
func TestThisMachine(t *testing.T) {
	for address, want := range map[string]bool{
		"http://localhost:3000/x": true, "http://127.0.0.1/": true, "http://[::1]:8080/a": true, "localhost": true,
		"http://localhost.evil.example": false, "http://127.0.0.1@evil.example/": false,
		"http://[::1].evil.example": false, "http://127.0.0.1.nip.io": false, "http://[::2]/": false,
	} {
		if got := HostAllowed(nil, address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

// A name is compared whole, or by its labels; where there is any doubt what is
// asked, nothing is allowed.
func TestHostAllowed(t *testing.T) {
	hosts := []string{"Go.dev", "*.example.com"}
	for address, want := range map[string]bool{
		"https://go.dev/x":                      true,
		"HTTP://GO.DEV":                         true,
		"go.dev.":                               true,
		"go.dev:443":                            true,
		"https://a.example.com?q#f":             true,
		"http://localhost:8080/x":               true,
		"http://[::1]:80/x":                     true,
		"":                                      false,
		"https://":                              false,
		"https://example.com":                   false,
		"https://notexample.com":                false,
		"https://evil.dev/.example.com":         false,
		"https://x@a.example.com":               false,
		"https://evil.dev\\.example.com":        false,
		"https://evil.dev%2f.example.com":       false,
		"https://evil.dev .example.com":         false,
		"https://evil.dev\x00.example.com":      false,
		"https://\u0435vil.example.com":         false,
		"https://go.dev:80@evil.dev":            false,
		"https://go.dev:x":                      false,
		"https://[::1]x.example.com":            false,
		"ftp://a.example.com":                   false,
		"https://sub.go.dev":                    false,
		"https://evil.dev?.example.com":         false,
		"https://evil.dev#.example.com":         false,
		"https://http://evil.dev#a.example.com": false,
	} {
		if got := HostAllowed(hosts, address); got != want {
			t.Errorf("%q: %v, want %v", address, got, want)
		}
	}
}
