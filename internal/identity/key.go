package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
)

// Key hashes texts so that none can pose as two.
type Key struct{ h hash.Hash }

// NewKey begins a key; keys of two purposes are never the same.
func NewKey(purpose string) Key {
	k := Key{sha256.New()}
	k.Add(purpose)
	return k
}

// Add adds texts, in this order.
func (k Key) Add(parts ...string) {
	fmt.Fprintf(k.h, "%d\n", len(parts))
	for _, p := range parts {
		fmt.Fprintf(k.h, "%d:%s", len(p), p)
	}
}

// Sum is the hash of all that was added, in hexadecimal.
func (k Key) Sum() string { return hex.EncodeToString(k.h.Sum(nil)) }
