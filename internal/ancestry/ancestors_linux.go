package ancestry

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Above lists the processes above this one, nearest first. What was read before an error is returned with it.
func Above() ([]Process, error) { return from(os.Getppid()) }

// from reads /proc upwards from a process on.
func from(pid int) ([]Process, error) {
	var list []Process
	for pid > 0 && len(list) < 1000 {
		a, parent, err := readProcess(pid)
		if err != nil {
			return list, err
		}
		list = append(list, a)
		pid = parent
	}
	return list, nil
}

func readProcess(pid int) (a Process, parent int, err error) {
	dir := "/proc/" + strconv.Itoa(pid)
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return a, 0, err
	}
	a.PID = pid
	if a.Name, parent, err = parseStat(string(stat)); err != nil {
		return a, 0, fmt.Errorf("%s/stat: %w", dir, err)
	}
	// Neither is readable for every process of another user, and a process
	// that cannot be read is still judged by its name.
	a.Exe, _ = os.Readlink(dir + "/exe")
	a.Exe = strings.TrimSuffix(a.Exe, " (deleted)")
	cmdline, _ := os.ReadFile(dir + "/cmdline")
	if cmdline = bytes.TrimRight(cmdline, "\x00"); len(cmdline) > 0 {
		a.Args = strings.Split(string(cmdline), "\x00")
	}
	return a, parent, nil
}

// parseStat reads "PID (NAME) STATE PPID ...". The name may hold anything, so it ends at the last parenthesis.
func parseStat(stat string) (name string, parent int, err error) {
	open, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return "", 0, fmt.Errorf("no name in %q", stat)
	}
	fields := strings.Fields(stat[end+1:])
	if len(fields) < 2 {
		return "", 0, fmt.Errorf("no parent in %q", stat)
	}
	parent, err = strconv.Atoi(fields[1])
	return stat[open+1 : end], parent, err
}
