package demo

import (
	"testing"
	"time"
)

// TestTimeText holds that a slow machine widens no column.
func TestTimeText(t *testing.T) {
	for took, want := range map[time.Duration]string{
		0: "0", 99_999 * time.Microsecond: "99999", 103105 * time.Microsecond: "0.1s", 9999 * time.Millisecond: "10.0s",
		90 * time.Second: "90s", 2 * time.Hour: "7200s",
	} {
		if got := timeText(took); got != want || len(got) > timeWidth {
			t.Errorf("%s: %q", took, got)
		}
	}
}
