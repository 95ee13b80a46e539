package view

import "sync"

// Memo remembers what another view said of names and links, for the time of
// one decision: several layers resolve the same paths. It never forgets, so it
// must not outlive a call.
type Memo struct {
	Files
	infos answers[Info]
	links answers[string]
}

// NewMemo returns an empty memory of files.
func NewMemo(files Files) *Memo { return &Memo{Files: files} }

// Lstat implements Files.
func (m *Memo) Lstat(name string) (Info, error) { return m.infos.of(name, m.Files.Lstat) }

// Readlink implements Files.
func (m *Memo) Readlink(name string) (string, error) { return m.links.of(name, m.Files.Readlink) }

// answers are what a view said, by name.
type answers[T any] struct {
	mu   sync.Mutex
	said map[string]answer[T]
}

type answer[T any] struct {
	value T
	err   error
}

// of returns what ask says of a name. The lock is not held meanwhile: a disk that
// does not answer holds up only those who ask it.
func (a *answers[T]) of(name string, ask func(string) (T, error)) (T, error) {
	a.mu.Lock()
	said, ok := a.said[name]
	a.mu.Unlock()
	if ok {
		return said.value, said.err
	}
	said.value, said.err = ask(name)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.said == nil {
		a.said = map[string]answer[T]{}
	}
	a.said[name] = said
	return said.value, said.err
}
