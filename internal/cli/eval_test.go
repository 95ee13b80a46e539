package cli

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// slate is a writer that tells when it was first written to.
type slate struct {
	mu    sync.Mutex
	text  strings.Builder
	first chan struct{}
}

func (s *slate) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text.Len() == 0 {
		close(s.first)
	}
	return s.text.Write(p)
}

// The progress line comes after a while, says how far it is, and goes away; a
// run that ends before leaves no trace.
func TestProgressLine(t *testing.T) {
	var judged atomic.Int64
	judged.Store(7)
	run := func(wait time.Duration, until func(*slate)) string {
		s := &slate{first: make(chan struct{})}
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			showProgress(s, wait, func() string { return fmt.Sprintf("%d of 20 rows judged", judged.Load()) }, stop)
		}()
		until(s)
		close(stop)
		<-stopped
		return s.text.String()
	}
	long := run(time.Millisecond, func(s *slate) { <-s.first })
	if !strings.HasPrefix(long, "\r7 of 20 rows judged") || !strings.HasSuffix(long, "\r\x1b[K") {
		t.Errorf("%q", long)
	}
	if short := run(time.Hour, func(*slate) {}); short != "" {
		t.Errorf("%q", short)
	}
}
