package view

import "errors"

// Pieces is what a view may offer besides: a piece of a file that is too large
// to be read whole.
type Pieces interface {
	// ReadAt returns length bytes of a regular file from an offset on, fewer at
	// its end. What Read refuses it refuses too.
	ReadAt(name string, from int64, length int) ([]byte, error)
}

// maxWhole bounds what is read of a view that offers no pieces.
const maxWhole = 32 << 20

// ReadAt reads a piece of a file, of a view without pieces by reading the whole.
func ReadAt(files Files, name string, from int64, length int) ([]byte, error) {
	if from < 0 || length < 0 {
		return nil, errors.New(name + ": no such piece")
	}
	if p, ok := files.(Pieces); ok {
		return p.ReadAt(name, from, length)
	}
	data, err := files.Read(name, maxWhole)
	if err != nil || from >= int64(len(data)) {
		return nil, err
	}
	return data[from:min(int64(len(data)), from+int64(length))], nil
}

// ReadAt implements Pieces.
func (m *Memo) ReadAt(name string, from int64, length int) ([]byte, error) {
	return ReadAt(m.Files, name, from, length)
}
