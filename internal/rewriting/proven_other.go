//go:build !linux

package rewriting

// Proven is a no: the boundary that a command is handed to is Linux's.
func Proven(string, string, int) bool { return false }
