//go:build !unix

// Package trial tries nothing here: a hook is a line of a shell.
package trial

import (
	"context"
	"errors"
)

// Prove tries nothing.
func Prove(context.Context, string, string) error { return errors.ErrUnsupported }
