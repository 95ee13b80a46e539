// Package faults shows that the short run of lab/verify is not blind. Its test plants faults one at a time, runs the
// tests of the package concerned, and says which test found the fault; it fails if a fault was found by no test.
//
//	go test -v -timeout 2h ./lab/verify/faults -plant [-only TEXT]
//
// The tree is not touched: go's -overlay shows the compiler another text of one file.
package faults
