package install

import "golang.org/x/sys/unix"

// exchange swaps two files of one directory.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
