// Package system is what nod asks the operating system beyond package os: who owns a file and who else may use it,
// whether two names are one file, locks, and how a program is started apart. Each fact has one function and one file
// for Unix and one for Windows. What cannot be told is told as the strictest answer.
package system

import (
	"io/fs"
	"os"
	"time"
)

// LockFor tries to [Lock] a file for about some time.
func LockFor(file *os.File, wait time.Duration) bool {
	const pause = 2 * time.Millisecond
	for range wait / pause {
		if Lock(file) {
			return true
		}
		time.Sleep(pause)
	}
	return false
}

// Stat describes where a name leads.
func Stat(name string) (File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return File{UID: -1, GID: -1}, err
	}
	return Describe(name, info)
}

// IsProgram reports whether a file is there that can be started.
func IsProgram(name string) bool {
	is, err := Stat(name)
	return err == nil && is.Mode.IsRegular() && is.Mode&0o111 != 0
}

// File is what package os does not tell of a file.
type File struct {
	Mode              fs.FileMode // with the rights that others really have
	Links, Dev, Inode uint64
	UID, GID          int   // UID 0 is the system; on Windows [User] is 1, and anybody else 2
	Born              int64 // in Unix nanoseconds: of birth, or, where that is unknown, of the last change
}
