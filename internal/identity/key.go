package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
)

// HashText adds a text to a hash without a copy of all of it, which may be
// tens of kilobytes in a process that has just begun.
func HashText(h hash.Hash, text string) {
	var piece [512]byte
	for len(text) > 0 {
		n := copy(piece[:], text)
		h.Write(piece[:n])
		text = text[n:]
	}
}

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
	HashText(k.h, strconv.Itoa(len(parts))+"\n")
	for _, p := range parts {
		HashText(k.h, strconv.Itoa(len(p))+":")
		HashText(k.h, p)
	}
}

// Sum is the hash of all that was added, in hexadecimal.
func (k Key) Sum() string { return hex.EncodeToString(k.h.Sum(nil)) }
