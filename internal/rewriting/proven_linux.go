package rewriting

import (
	"bytes"
	"os"
	"path"
	"strconv"
)

// maxClimb is more shells than stand between a host and its hook.
const maxClimb = 8

// Proven reports whether the host above a process is the recorded program, as
// it was when it was proven. Only shells may stand between: what else is there
// may be another host, started from within the proven one, and it is that one
// which reads the answer.
func Proven(stateDir, host string, pid int) bool {
	want := read(stateDir, host)
	for range maxClimb {
		if pid = parent(pid); pid <= 0 || !want.holds() {
			return false
		}
		exe, err := os.Readlink(exeOf(pid))
		if err != nil {
			return false
		}
		if !isShell(exe) {
			return exe == want.Path && running(pid, want.Program)
		}
	}
	return false
}

func exeOf(pid int) string { return "/proc/" + strconv.Itoa(pid) + "/exe" }

// running looks at the very file that the process runs, whatever lies at its
// path by now.
func running(pid int, want Program) bool {
	info, err := os.Stat(exeOf(pid))
	return err == nil && want.same(Program{Path: want.Path, Size: info.Size(), MTime: info.ModTime().UnixNano()})
}

// parent returns the parent's id, 0 where it cannot be told. A program's name
// may hold anything, so it ends at the last parenthesis.
func parent(pid int) int {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	end := bytes.LastIndexByte(stat, ')')
	if err != nil || end < 0 {
		return 0
	}
	fields := bytes.Fields(stat[end+1:])
	if len(fields) < 2 {
		return 0
	}
	above, _ := strconv.Atoi(string(fields[1]))
	return above
}

func isShell(exe string) bool {
	switch path.Base(exe) {
	case "sh", "dash", "ash", "bash", "zsh", "ksh", "mksh", "fish", "busybox":
		return true
	}
	return false
}
