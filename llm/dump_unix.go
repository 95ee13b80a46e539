//go:build unix

package llm

import (
	"io/fs"
	"os"
	"syscall"
)

// isOurs reports whether a file belongs to the user nod runs as.
func isOurs(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
