//go:build race

package disguise

// raced says that the race detector is on.
const raced = true
