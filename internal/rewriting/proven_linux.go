package rewriting

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxClimb is more shells than stand between a host and its hook.
const maxClimb = 8

// Proven reports whether what started the process, a hook, is what was recorded, as it was when it was proven. A script
// may have been replaced since its interpreter read it, so that one counts only where it was started after the proof.
func Proven(stateDir, host string, pid int) bool {
	want := read(stateDir, host)
	if !want.holds() {
		return false
	}
	above, err := Above(pid)
	return err == nil && above.same(want.Asker) &&
		(want.Asker.Script == Program{} || above.started.After(want.When))
}

// Above returns what started a process. Only a program that runs a command and hands its output
// on, a shell or timeout, may stand between. Anything else there may be another host, started
// from within the proven host, and then that other host reads the answer.
func Above(pid int) (Asker, error) {
	for range maxClimb {
		_, parent, err := of(pid)
		if err != nil {
			return Asker{}, err
		}
		if pid = parent; pid <= 0 {
			break
		}
		exe, err := os.Readlink(inProc(pid, "exe"))
		if err != nil {
			return Asker{}, err
		}
		if !handsOn(exe) {
			return asker(pid, exe)
		}
	}
	return Asker{}, errors.New("nothing but shells stands above the hook")
}

// asker looks at the very file that the process runs; another file may lie at its path by now.
func asker(pid int, exe string) (a Asker, err error) {
	info, err := os.Stat(inProc(pid, "exe"))
	if err != nil {
		return a, err
	}
	a.Program = Program{Path: exe, Size: info.Size(), MTime: info.ModTime().UnixNano()}
	if a.started, _, err = of(pid); err != nil || !slices.Contains([]string{"node", "nodejs"}, filepath.Base(exe)) {
		return a, err
	}
	a.Script, err = script(pid)
	return a, err
}

// script is what node runs in a process, where nothing in its arguments and environment
// has it run something else before or instead.
func script(pid int) (Program, error) {
	environ, err := os.ReadFile(inProc(pid, "environ"))
	if err != nil {
		return Program{}, err
	}
	for entry := range strings.SplitSeq(string(environ), "\x00") {
		options, set := strings.CutPrefix(entry, "NODE_OPTIONS=")
		if set && !allPlain(strings.Fields(options)) {
			return Program{}, fmt.Errorf("NODE_OPTIONS is %q", options)
		}
	}
	line, err := os.ReadFile(inProc(pid, "cmdline"))
	if err != nil {
		return Program{}, err
	}
	args := strings.Split(string(line), "\x00")[1:]
	at := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	if at < 0 || !filepath.IsAbs(args[at]) || !allPlain(args[:at]) {
		return Program{}, fmt.Errorf("which script this runs cannot be told: %q", args)
	}
	return Look(args[at], "")
}

// allPlain reports whether options of node's change nothing about what it runs. None of them
// takes the next argument for its value.
func allPlain(options []string) bool {
	return !slices.ContainsFunc(options, func(option string) bool {
		name, _, valued := strings.Cut(option, "=")
		switch name {
		case "--no-warnings", "--no-deprecation":
			return false
		case "--max-old-space-size", "--disable-warning":
			return !valued
		}
		return true
	})
}

func inProc(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }

// tick is the unit of times in /proc, on every Linux that Go runs on.
const tick = time.Second / 100

// of returns when a process was started, rather too early than too late, and its parent. A
// program's name may hold anything, so it ends at the last parenthesis.
func of(pid int) (started time.Time, parent int, err error) {
	now := time.Now()
	uptime, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return started, 0, err
	}
	stat, err := os.ReadFile(inProc(pid, "stat"))
	if err != nil {
		return started, 0, err
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return started, 0, fmt.Errorf("%s is cut off", inProc(pid, "stat"))
	}
	var up float64
	var began time.Duration
	_, err = fmt.Sscan(string(fields[1])+" "+string(fields[19])+" "+string(uptime), &parent, &began, &up)
	return now.Add(began*tick - time.Duration(up*float64(time.Second)) - tick), parent, err
}

func handsOn(exe string) bool {
	switch filepath.Base(exe) {
	case "sh", "dash", "ash", "bash", "zsh", "ksh", "mksh", "fish", "busybox", "timeout", "coreutils":
		return true
	}
	return false
}
