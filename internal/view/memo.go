package view

import "sync"

// Memo remembers what another view said of names and links, for the time of
// one decision: several layers resolve the same paths. It never forgets, so it
// must not outlive a call.
type Memo struct {
	Files
	infos, links sync.Map // by name
}

// NewMemo returns an empty memory of files.
func NewMemo(files Files) *Memo { return &Memo{Files: files} }

// Lstat implements Files.
func (m *Memo) Lstat(name string) (Info, error) { return remembered(&m.infos, name, m.Files.Lstat) }

// Readlink implements Files.
func (m *Memo) Readlink(name string) (string, error) {
	return remembered(&m.links, name, m.Files.Readlink)
}

// Entries is what the other view says, as quickly.
func (m *Memo) Entries(name string, limit int) ([]Entry, error) { return Entries(m.Files, name, limit) }

type answer[T any] struct {
	value T
	err   error
}

// remembered is what ask says of a name, which is asked once.
func remembered[T any](said *sync.Map, name string, ask func(string) (T, error)) (T, error) {
	if known, ok := said.Load(name); ok {
		a := known.(answer[T])
		return a.value, a.err
	}
	value, err := ask(name)
	said.Store(name, answer[T]{value, err})
	return value, err
}
