//go:build !linux || !(amd64 || arm64)

package confine

import "context"

// Find finds nothing.
func Find() (string, error) { return "", ErrUnavailable }

// Try finds nothing.
func Try(context.Context, string) error { return ErrUnavailable }

// Run runs nothing: the boundary is Linux's.
func Run(context.Context, Options) (Result, error) { return Result{}, ErrUnavailable }
