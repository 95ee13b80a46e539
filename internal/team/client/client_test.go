package client_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/team/client"
)

// A machine waits longer each time, and at least as long as the server asks for.
func TestPause(t *testing.T) {
	busy, lost := &client.Later{After: time.Minute, Err: errors.New("429")}, errors.New("lost")
	for _, row := range []struct {
		err         error
		failed      int
		least, most time.Duration
	}{
		{lost, 1, time.Second, 1500 * time.Millisecond},
		{lost, 4, 8 * time.Second, 12 * time.Second},
		{lost, 400, 64 * time.Second, 96 * time.Second},
		{busy, 1, time.Minute, 75 * time.Second},
		{busy, 9, 64 * time.Second, 96 * time.Second},
	} {
		for range 100 {
			if got := client.Pause(row.err, row.failed, time.Second); got < row.least || got > row.most+1 {
				t.Errorf("%v %d: %s", row.err, row.failed, got)
			}
		}
	}
}
