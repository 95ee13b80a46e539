package resident

import "syscall"

// peer is the user of the process that listens.
func peer(fd int) (int, error) {
	cred, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(cred.Uid), nil
}

// changed is when a file was last changed, in nanoseconds.
func changed(st *syscall.Stat_t) int64 { return st.Ctim.Nano() }
