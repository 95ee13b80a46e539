package confine_test

import (
	"errors"
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/unix"
)

// oldCall is an argument: the process makes a system call as a program of 32
// bits does, and is killed where that is refused.
const oldCall = "old-call"

// compat are ways of the architecture's.
func compat() []way {
	return []way{{name: "a system call of 32 bits", try: func(facts) error {
		err := exec.Command("/proc/self/exe", oldCall).Run()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return err
		}
		return nil
	}}}
}

// callOld gets its own number by int 0x80: mov eax, 20; int 0x80; ret.
func callOld() {
	code, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		os.Exit(1)
	}
	copy(code, []byte{0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3})
	at := &code[0]
	function := unsafe.Pointer(&at) // what a function value is: where its code's address stands
	(*(*func())(unsafe.Pointer(&function)))()
	os.Exit(0)
}
