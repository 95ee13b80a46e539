// Package arch holds the tests of the house's structure: who may import whom, and what the hook must not link. They
// read files with go/parser, not `go list`, whose answer go test caches.
package arch
