//go:build linux && arm64

package confine_test

// oldCall is no argument here.
const oldCall = "\x00"

func compat() []way { return nil }

func callOld() {}
