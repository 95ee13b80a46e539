//go:build unix

package daemon

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/nodgate/nod"
)

const (
	memorySize = 2000
	memoryAge  = time.Hour // a model may have learned better, a person changed their mind elsewhere
)

// memory keeps what models answered. What it is asked with says everything
// that the answer may depend on; see [nod.Prompt].Memory.
type memory struct {
	mu    sync.Mutex
	by    map[[32]byte]verdict
	order [][32]byte // oldest first
}

type verdict struct {
	said nod.Classification
	at   time.Time
}

func newMemory() *memory { return &memory{by: map[[32]byte]verdict{}} }

// memoryKey binds a call to the model that is asked. The zero value is no key.
func memoryKey(print, call string) (key [32]byte) {
	if call == "" {
		return key
	}
	return sha256.Sum256([]byte(print + "\x00" + call))
}

func (m *memory) size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.by)
}

// recall returns the answer again, for the call of another digest. It costs
// nothing and says that it is remembered.
func (m *memory) recall(key [32]byte, digest string) (nod.Classification, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.by[key]
	if !ok || key == [32]byte{} || time.Since(v.at) > memoryAge {
		return nod.Classification{}, false
	}
	v.said.Digest, v.said.Usage, v.said.Cost, v.said.Remembered = digest, nod.Usage{}, 0, true
	return v.said, true
}

// keep remembers an answer. The oldest is forgotten where there is no room.
func (m *memory) keep(key [32]byte, c nod.Classification) {
	if key == [32]byte{} {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.by[key]; !known {
		m.order = append(m.order, key)
	}
	m.by[key] = verdict{c, time.Now()}
	for len(m.order) > memorySize {
		delete(m.by, m.order[0])
		m.order = m.order[1:]
	}
}
