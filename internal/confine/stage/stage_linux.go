package stage

import (
	"errors"
	"os"
	"slices"
	"syscall"
)

// errorsTo is the descriptor for what went wrong.
const errorsTo = 3

// Main mounts and becomes the command. It returns only where it failed.
func Main(args []string) int {
	syscall.CloseOnExec(errorsTo)
	err := run(args)
	_, _ = syscall.Write(errorsTo, []byte(err.Error()))
	return 125
}

func run(args []string) error {
	end := slices.Index(args, "--")
	if end < 0 || end%2 != 0 || end+1 >= len(args) {
		return errors.New("the stage was given what it cannot read")
	}
	for i := 0; i < end; i += 2 {
		if err := syscall.Mount("overlay", args[i], "overlay", syscall.MS_NOSUID|syscall.MS_NODEV, "userxattr,"+args[i+1]); err != nil {
			return &os.PathError{Op: "mount overlay", Path: args[i+1], Err: err}
		}
	}
	if err := bound(); err != nil {
		return err
	}
	command := args[end+1:]
	return &os.PathError{Op: "start", Path: command[0], Err: syscall.Exec(command[0], command, os.Environ())}
}

const (
	rlimitCore      = 4
	rlimitProcesses = 6
	maxProcesses    = 8192
)

// bound sets what is inherited. A core of 1 byte is what the kernel takes for
// "neither a file nor a program of the system's that is handed the core".
func bound() error {
	if err := syscall.Setrlimit(rlimitCore, &syscall.Rlimit{Cur: 1, Max: 1}); err != nil {
		return os.NewSyscallError("setrlimit core", err)
	}
	var now syscall.Rlimit
	if err := syscall.Getrlimit(rlimitProcesses, &now); err != nil {
		return os.NewSyscallError("getrlimit processes", err)
	}
	now.Cur, now.Max = min(now.Cur, maxProcesses), min(now.Max, maxProcesses)
	return os.NewSyscallError("setrlimit processes", syscall.Setrlimit(rlimitProcesses, &now))
}
