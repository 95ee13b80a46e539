//go:build !linux

package stage

// Main cannot do anything here.
func Main() int { return 125 }
