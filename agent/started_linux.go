package agent

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// onTerminal reports whether a process reads from a terminal.
func onTerminal(pid int) bool {
	at, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/fd/0")
	return err == nil && (strings.HasPrefix(at, "/dev/pts/") || strings.HasPrefix(at, "/dev/tty"))
}

// started returns the arguments of a process, and which one started it.
func started(pid int) (args []string, parent int, err error) {
	dir := "/proc/" + strconv.Itoa(pid)
	line, err := os.ReadFile(dir + "/cmdline")
	if err != nil {
		return nil, 0, err
	}
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return nil, 0, err
	}
	_, rest, _ := strings.Cut(string(stat[max(0, strings.LastIndexByte(string(stat), ')')):]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return nil, 0, fmt.Errorf("%s/stat has no parent", dir)
	}
	parent, err = strconv.Atoi(fields[1])
	return strings.Split(string(line), "\x00"), parent, err
}
