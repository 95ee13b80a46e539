// Package version says which nod this is.
package version

import "runtime/debug"

// Number is the version in development; released builds carry a tag, which
// String prefers.
const Number = "0.1.0"

// String returns the version of the running program: the module's tag where
// it was installed by one, else Number and "dev".
func String() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			return v
		}
	}
	return Number + "-dev"
}
