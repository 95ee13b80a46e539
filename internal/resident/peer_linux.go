package resident

import "syscall"

// Peer is the user of the process at the other end of a connected socket.
func Peer(fd int) (int, error) {
	cred, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(cred.Uid), nil
}

// changed is when a file was last changed, in nanoseconds.
func changed(st *syscall.Stat_t) int64 { return st.Ctim.Nano() }
