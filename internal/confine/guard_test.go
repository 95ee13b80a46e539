//go:build linux && (amd64 || arm64)

package confine

import "testing"

func TestMemoryThatIsLeft(t *testing.T) {
	for text, want := range map[string]uint64{
		"MemTotal: 8 kB\nMemAvailable:   3 kB\n": 3 << 10, "MemAvailable: 0 kB\n": 0, "": 1, "MemAvailable: x kB\n": 1, "MemAvailable: 99999999999999999999 kB\n": 1, "MemAvailable: 3\n": 1,
	} {
		got, known := availableIn(text)
		if known != (want != 1) || known && got != want {
			t.Errorf("%q: %d %v", text, got, known)
		}
	}
	if left, known := available(); !known || left == 0 || left > memory() {
		t.Errorf("of this machine: %d %v of %d", left, known, memory())
	}
}
