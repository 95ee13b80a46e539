package ancestry

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"
)

// Above asks the kernel upwards from the parent. It gives names of at most 16 bytes and, for one's own processes,
// arguments. What was read before an error is returned with it.
func Above() ([]Process, error) {
	var list []Process
	for pid := os.Getppid(); pid > 0 && len(list) < 1000; {
		info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
		if err != nil {
			return list, err
		}
		name, _, _ := bytes.Cut(info.Proc.P_comm[:], []byte{0})
		a := Process{PID: pid, Name: string(name)}
		if raw, err := unix.SysctlRaw("kern.procargs2", pid); err == nil {
			a.Exe, a.Args = parseArgs(raw)
		}
		list = append(list, a)
		pid = int(info.Eproc.Ppid)
	}
	return list, nil
}

// parseArgs reads the layout of kern.procargs2: a 32-bit count, the program's
// file, padding, then that many arguments, each ended by a NUL.
func parseArgs(raw []byte) (exe string, args []string) {
	if len(raw) < 4 {
		return "", nil
	}
	count := int(raw[0]) | int(raw[1])<<8
	file, rest, _ := bytes.Cut(raw[4:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	for ; count > 0 && len(rest) > 0; count-- {
		var arg []byte
		arg, rest, _ = bytes.Cut(rest, []byte{0})
		args = append(args, string(arg))
	}
	return string(file), args
}
