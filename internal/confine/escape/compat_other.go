//go:build !linux || !amd64

package main

// oldCall is no argument here.
const oldCall = "\x00"

func compat() []way { return nil }

func callOld() {}
