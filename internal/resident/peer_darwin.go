package resident

import (
	"syscall"
	"unsafe"
)

// xucred is struct xucred of sys/ucred.h.
type xucred struct {
	version uint32
	uid     uint32
	groups  int16
	_       [2]byte
	gids    [16]uint32
}

// Peer is the user of the process at the other end of a connected socket: LOCAL_PEERCRED of SOL_LOCAL.
func Peer(fd int) (int, error) {
	const local, peerCred = 0, 1
	var cred xucred
	size := uint32(unsafe.Sizeof(cred))
	_, _, errno := syscall.Syscall6(syscall.SYS_GETSOCKOPT, uintptr(fd), local, peerCred,
		uintptr(unsafe.Pointer(&cred)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return -1, errno
	}
	return int(cred.uid), nil
}

// changed is when a file was last changed, in nanoseconds.
func changed(st *syscall.Stat_t) int64 { return st.Ctimespec.Nano() }
