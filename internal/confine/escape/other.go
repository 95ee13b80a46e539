//go:build !linux

package main

// ways are Linux's.
func ways() []way { return nil }
