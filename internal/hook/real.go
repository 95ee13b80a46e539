package hook

import (
	"errors"

	"github.com/nodgate/nod/internal/view"
)

// realPath resolves a directory that somebody claims.
func realPath(files view.Files, name string) (string, error) {
	if name == "" {
		return "", errors.New("no directory")
	}
	return view.Resolve(files, name)
}
