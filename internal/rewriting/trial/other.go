//go:build !unix

// Package trial tries nothing here: a hook is a line of a shell.
package trial

import (
	"context"
	"errors"
)

// Provable lists the hosts that can be tried.
func Provable() []string { return nil }

// Prove tries nothing.
func Prove(context.Context, string, string) error { return errors.ErrUnsupported }
