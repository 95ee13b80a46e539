// Package version says which nod this is.
package version

// String returns the version of this program. It is a constant, since the hook writes it into every line of the log:
// reading the build's own record would cost each start more than deciding does.
func String() string { return "0.2.0-dev" }
