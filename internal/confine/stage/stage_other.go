//go:build !linux

package stage

// Main cannot do anything here.
func Main([]string) int { return 125 }
