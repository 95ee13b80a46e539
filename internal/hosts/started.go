package hosts

import (
	"path"
	"strings"
)

// DirectoryPrograms are the programs that take a file of such a name from a directory
// that they are given, without the digits of their versions: node srv runs srv/index.js,
// python3 srv runs srv/__main__.py, go run ./srv what lies there (measured: Node 22,
// Python 3.12, Go 1.26).
func DirectoryPrograms(base string) []string {
	switch ext := path.Ext(base); {
	case base == "package.json", strings.HasPrefix(base, "index.") && scriptOfNode(ext):
		return []string{"node", "nodejs", "bun", "deno", "tsx", "ts-node"}
	case base == "__main__.py":
		return []string{"python", "pypy", "uv"}
	case ext == ".go":
		return []string{"go"}
	}
	return nil
}

func scriptOfNode(ext string) bool {
	switch ext {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts":
		return true
	}
	return false
}

// StartedOfDirectories are names of which DirectoryPrograms knows, a file for each kind of program.
func StartedOfDirectories() []string { return []string{"index.js", "__main__.py", "main.go"} }
