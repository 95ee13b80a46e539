package store

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// hub wakes those who wait for a topic.
type hub struct {
	stop context.CancelFunc
	done sync.WaitGroup

	mu      sync.Mutex
	deaf    bool // changes of other servers are not heard now
	waiting map[string]map[chan struct{}]bool
}

func newHub() *hub { return &hub{stop: func() {}, waiting: map[string]map[chan struct{}]bool{}} }

func (h *hub) close() {
	h.stop()
	h.done.Wait()
	h.hears(false)
}

// wake wakes those who wait for any of the topics; without topics, all.
func (h *hub) wake(topics ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if topics == nil {
		for topic := range h.waiting {
			topics = append(topics, topic)
		}
	}
	for _, topic := range topics {
		for c := range h.waiting[topic] {
			select {
			case c <- struct{}{}:
			default: // it is told already
			}
		}
	}
}

// Changed returns a channel that gets a value after the topic has changed. stop ends that.
func (s *Store) Changed(topic string) (changed <-chan struct{}, stop func()) {
	c, h := make(chan struct{}, 1), s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting[topic] == nil {
		h.waiting[topic] = map[chan struct{}]bool{}
	}
	h.waiting[topic][c] = true
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if delete(h.waiting[topic], c); len(h.waiting[topic]) == 0 {
			delete(h.waiting, topic)
		}
	}
}

// Hears reports whether changes of other processes are heard: at once on PostgreSQL, within a fifth of a second on
// SQLite. Where they are not, whoever must know looks each time.
func (s *Store) Hears() bool {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return !s.hub.deaf
}

func (h *hub) hears(is bool) {
	h.mu.Lock()
	h.deaf = !is
	h.mu.Unlock()
	h.wake() // something may have changed meanwhile
}

// listen hears what other servers notify, on a connection of its own that is made again when it breaks.
func (h *hub) listen(address string) {
	ctx, stop := context.WithCancel(context.Background())
	h.stop, h.deaf = stop, true
	h.done.Go(func() {
		for ctx.Err() == nil {
			h.hear(ctx, address)
			h.hears(false)
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	})
}

func (h *hub) hear(ctx context.Context, address string) {
	c, err := pgx.Connect(ctx, address)
	if err != nil {
		return
	}
	defer c.Close(context.WithoutCancel(ctx))
	if _, err = c.Exec(ctx, `LISTEN nod`); err != nil {
		return
	}
	h.hears(true)
	for {
		n, err := c.WaitForNotification(ctx)
		if err != nil {
			return
		}
		h.wake(n.Payload)
	}
}

// look wakes all when another process has written to a file: its data_version, as one connection sees it, is another.
func (s *Store) look() {
	h := s.hub
	ctx, stop := context.WithCancel(context.Background())
	h.stop, h.deaf = stop, true
	h.done.Go(func() {
		c, err := s.DB.Conn(ctx)
		if err != nil {
			return
		}
		defer c.Close()
		seen, every := int64(-1), time.NewTicker(200*time.Millisecond)
		defer every.Stop()
		for ctx.Err() == nil {
			var now int64
			err := c.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&now)
			if is := err == nil; is != s.Hears() || now != seen {
				h.hears(is)
			}
			seen = now
			select {
			case <-every.C:
			case <-ctx.Done():
			}
		}
	})
}
