package match

import "testing"

// TestThisMachine holds that this machine may be read from without an entry,
// and nothing that only looks like it.
func TestThisMachine(t *testing.T) {
	for address, want := range map[string]bool{
		"http://localhost:3000/x": true, "http://127.0.0.1/": true, "http://[::1]:8080/a": true, "localhost": true,
		"http://localhost.evil.example": false, "http://127.0.0.1@evil.example/": false, "http://[::1].evil.example": false, "http://127.0.0.1.nip.io": false, "http://[::2]/": false,
	} {
		if got := HostAllowed(nil, address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}
