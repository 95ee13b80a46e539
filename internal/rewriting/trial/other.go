//go:build !linux

// Package trial tries nothing here: the boundary that a command is handed to is Linux's.
package trial

import (
	"context"
	"errors"

	"github.com/nodgate/nod/internal/rewriting"
)

// Prove tries nothing.
func Prove(context.Context, string, string) (rewriting.Asker, error) {
	return rewriting.Asker{}, errors.ErrUnsupported
}
