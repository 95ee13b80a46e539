package match

import "testing"

// TestThisMachine holds that this machine may be read from without an entry, and nothing that only looks like it.
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

// What speaks of secrets, administration or debugging is not read because it is local.
func TestWhatThisMachineServes(t *testing.T) {
	for address, want := range map[string]bool{
		"http://localhost:3000/": true, "http://localhost:3000/api/users?id=1": true, "localhost:8080/health": true,
		"http://127.0.0.1:5173/src/main.ts": true, "http://[::1]:8080/metrics": true, "http://localhost": true,
		"http://localhost:3000/keyboard": true, "http://localhost:3000/data.json": true,
		"http://localhost:3000/admin": false, "http://localhost:3000/admin/delete": false,
		"http://localhost:3000/api/v1/namespaces/default/secrets": false, "http://localhost:8001/version": false,
		"http://localhost:3000/%61dmin": false, "http://localhost:3000/%2561dmin": false,
		"http://localhost:3000/?token=1": false, "http://localhost:3000/x#admin": false, "localhost/ADMIN": false,
		"http://127.0.0.1:9222/json": false, "http://localhost:4321/json/list": false, "http://[::1]:9229/": false,
		"http://localhost:8080/actuator/env": false, "http://localhost:8080/env": false, "http://localhost:2375": false,
		"http://localhost:3000/users/1/delete": false, "http://localhost:3000/%zz": false,
		"localhost/admin?u=http://x": false, "localhost/[a-b]dmin": false, "localhost:3000/admin?u=http://x": false,
		"http://localhost:3000/x?u=http://y/secret": false, "HTTP://LOCALHOST:3000/ADMIN": false,
	} {
		if got := HostAllowed(nil, address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
	if !HostAllowed([]string{"localhost"}, "http://localhost:3000/admin") {
		t.Error("the person's own entry does not count")
	}
}

// A name is compared whole, or by its labels; where there is any doubt what is asked, nothing is allowed.
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
