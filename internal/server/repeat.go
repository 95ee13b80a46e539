package server

import (
	"bytes"
	"container/list"
	"crypto/sha256"
	"net/http"
	"slices"
	"sync"
	"time"
)

// What is remembered of answers. Beyond it the oldest are forgotten first, and their calls decided again.
const (
	repeatTime  = time.Hour
	maxRepeats  = 20_000
	repeatBytes = 64 << 20
	maxKey      = 255
)

// repeats are the answers by their Idempotency-Key.
type repeats struct {
	now func() time.Time

	mu    sync.Mutex
	known map[string]*list.Element // by token and key
	order *list.List               // of *repeat, oldest first
	bytes int
}

// repeat is one answer.
type repeat struct {
	name string
	sum  [32]byte // of the path and the body
	at   time.Time
	text []byte // nil: it is being made
}

func newRepeats(now func() time.Time) repeats {
	return repeats{now: now, known: map[string]*list.Element{}, order: list.New()}
}

// once serves a request, or gives the answer that its key had. Only answers of 200 are kept.
func (s *Server) once(w http.ResponseWriter, r *http.Request, v *visit,
	serve func(http.ResponseWriter, *http.Request, *visit)) {
	keys := r.Header.Values("Idempotency-Key")
	if len(keys) == 0 {
		serve(w, r, v)
		return
	}
	if len(keys) > 1 || keys[0] == "" || len(keys[0]) > maxKey {
		refuse(w, *badRequest.because("Idempotency-Key: one, of at most 255 characters"))
		return
	}
	sum := sha256.Sum256(slices.Concat([]byte(r.URL.Path+"\n"), v.body))
	mine, text, p := s.repeats.begin(v.token.ID+" "+keys[0], sum)
	switch {
	case p != nil:
		refuse(w, *p)
	case mine == nil:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Idempotent-Replayed", "true")
		_, _ = w.Write(text)
	default:
		kept := &copying{ResponseWriter: w}
		defer func() { s.repeats.end(mine, kept.text()) }() // after a panic too
		serve(kept, r, v)
	}
}

// begin returns an answer to make, or the one that was given, or what speaks against the key.
func (s *repeats) begin(name string, sum [32]byte) (mine *repeat, text []byte, p *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prune()
	e := s.known[name]
	if e == nil {
		mine = &repeat{name: name, sum: sum, at: s.now()}
		s.known[name] = s.order.PushBack(mine)
		return mine, nil, nil
	}
	switch old := e.Value.(*repeat); {
	case old.sum != sum:
		return nil, nil, &otherBody
	case old.text == nil:
		return nil, nil, &inWork
	default:
		return nil, old.text, nil
	}
}

// end keeps an answer; none for what was not answered.
func (s *repeats) end(mine *repeat, text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.known[mine.name]
	switch {
	case e == nil || e.Value != mine: // forgotten while it was made
	case text == nil:
		s.forget(e)
	default:
		mine.text = text
		s.bytes += len(text)
		s.prune()
	}
}

// prune forgets what is too old, and what is too much.
func (s *repeats) prune() {
	oldest := s.now().Add(-repeatTime)
	for e := s.order.Front(); e != nil; e = s.order.Front() {
		if e.Value.(*repeat).at.After(oldest) && s.order.Len() <= maxRepeats && s.bytes <= repeatBytes {
			return
		}
		s.forget(e)
	}
}

func (s *repeats) forget(e *list.Element) {
	old := s.order.Remove(e).(*repeat)
	delete(s.known, old.name)
	s.bytes -= len(old.text)
}

// copying keeps an answer while it is written.
type copying struct {
	http.ResponseWriter
	status int
	kept   bytes.Buffer
}

func (c *copying) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

func (c *copying) Write(text []byte) (int, error) {
	c.kept.Write(text)
	return c.ResponseWriter.Write(text)
}

func (c *copying) text() []byte {
	if c.status != 0 && c.status != http.StatusOK {
		return nil
	}
	return c.kept.Bytes()
}
