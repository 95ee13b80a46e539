//go:build darwin || freebsd

package system

import "syscall"

// born is the birth time that APFS, UFS and ZFS keep.
func born(st *syscall.Stat_t) int64 { return st.Birthtimespec.Sec*1e9 + st.Birthtimespec.Nsec }
