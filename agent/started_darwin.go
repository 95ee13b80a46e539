package agent

import (
	"strings"

	"golang.org/x/sys/unix"
)

// onTerminal reports whether a process has a terminal.
func onTerminal(pid int) bool {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && info.Eproc.Tdev != -1
}

// started returns the arguments of a process, behind its file and among what else the
// kernel keeps there, and which one started it. Those of another user's are not shown.
func started(pid int) (args []string, parent int, err error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return nil, 0, err
	}
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil && pid > 1 && int(info.Eproc.Ucred.Uid) == unix.Getuid() {
		return nil, 0, err
	}
	return strings.Split(string(raw), "\x00"), int(info.Eproc.Ppid), nil
}
