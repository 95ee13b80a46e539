//go:build amd64 || arm64

package confine

import (
	"encoding/binary"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Offsets into what the kernel hands a filter (struct seccomp_data).
const (
	atNumber = 0
	atArch   = 4
	atArgs   = 16
)

// Answers of a filter.
const (
	retKill  = 0x80000000
	retErrno = 0x00050000
	retAllow = 0x7fff0000
)

// refused are the system calls that a confined run never gets, with any arguments:
// they reach other processes, keys, the kernel, or namespaces.
func refused() []uint32 {
	return append(refusedHere(),
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
		unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
		unix.SYS_PERF_EVENT_OPEN, unix.SYS_BPF, unix.SYS_USERFAULTFD, unix.SYS_SYSLOG, unix.SYS_ACCT, unix.SYS_QUOTACTL,
		unix.SYS_QUOTACTL_FD,
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_SETNS,
		unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
		unix.SYS_MOUNT_SETATTR,
		unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_FANOTIFY_MARK,
		unix.SYS_LOOKUP_DCOOKIE,
		unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
		unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
		unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
		unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP, unix.SYS_NFSSERVCTL)
}

// unknown are system calls that look as if the kernel did not have them, so that programs take the older way:
// io_uring goes past filters, and what clone3 is asked for cannot be seen by one.
func unknown() []uint32 {
	return []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_CLONE3}
}

// lastKnown is the last system call that was looked at (mseal). What a later kernel has beside, and another numbering
// of them (x32), looks as if it were not there.
const lastKnown = 462

const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID |
	unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME

// rules are the filter. A program of another architecture, or of another numbering of system calls, is killed.
func rules() *program {
	p := &program{}
	p.add(bpf.LoadAbsolute{Off: atArch, Size: 4}, bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		bpf.RetConstant{Val: retKill})
	p.add(bpf.LoadAbsolute{Off: atNumber, Size: 4}, bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: lastKnown, SkipFalse: 1},
		errno(unix.ENOSYS))
	for _, n := range refused() {
		p.when(n, errno(unix.EPERM))
	}
	for _, n := range unknown() {
		p.when(n, errno(unix.ENOSYS))
	}
	p.sockets()
	p.when(unix.SYS_IOCTL, oneOf(1, []uint32{unix.TIOCSTI, tioclinux, unix.TIOCSETD, unix.TIOCEXCL, unix.TCXONC},
		errno(unix.EPERM), allowed())...)
	p.when(unix.SYS_UNSHARE, anyBit(0, namespaces, errno(unix.EPERM))...)
	p.when(unix.SYS_CLONE, anyBit(0, namespaces&^unix.CLONE_NEWTIME, errno(unix.EPERM))...)
	p.when(unix.SYS_PERSONALITY, oneOf(0, []uint32{0, 0xffffffff, addrNoRandomize}, allowed(), errno(unix.EPERM))...)
	// The limit of cores stays where the stage set it; a program that sets it is told that it did.
	p.when(unix.SYS_PRLIMIT64, argument(1), bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.RLIMIT_CORE, SkipFalse: 5},
		argument(2), bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipFalse: 2},
		bpf.LoadAbsolute{Off: atArgs + 8*2 + 4, Size: 4}, // the other half
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, errno(0), allowed())
	p.when(unix.SYS_SETRLIMIT, oneOf(0, []uint32{unix.RLIMIT_CORE}, errno(0), allowed())...)
	p.add(allowed())
	return p
}

const (
	tioclinux       = 0x541C
	addrNoRandomize = 0x0040000
)

// sockets leaves local sockets, those of TCP, UDP and ICMP, and the netlink that says which interfaces there are. All
// others reach what no network namespace holds (vsock), or much of the kernel.
func (p *program) sockets() {
	netlink := []bpf.Instruction{argument(2), bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.NETLINK_ROUTE, SkipFalse: 1},
		allowed(), errno(unix.EAFNOSUPPORT)}
	kinds := []bpf.Instruction{argument(1), bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf},
		bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: unix.SOCK_RAW, SkipFalse: 1}, errno(unix.ESOCKTNOSUPPORT)}
	internet := append(kinds,
		oneOf(2, []uint32{0, unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_ICMP, unix.IPPROTO_ICMPV6}, allowed(),
			errno(unix.EPROTONOSUPPORT))...)
	body := []bpf.Instruction{argument(0),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_NETLINK, SkipFalse: uint8(len(netlink))}}
	body = append(body, netlink...)
	body = append(body, bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET6, SkipFalse: uint8(len(internet))})
	body = append(body, internet...)
	p.when(unix.SYS_SOCKET, append(body, oneOf(0, []uint32{unix.AF_UNIX}, allowed(), errno(unix.EAFNOSUPPORT))...)...)
	p.when(unix.SYS_SOCKETPAIR, oneOf(0, []uint32{unix.AF_UNIX}, allowed(), errno(unix.EAFNOSUPPORT))...)
}

type program struct{ code []bpf.Instruction } // a filter in the making

func (p *program) add(code ...bpf.Instruction) { p.code = append(p.code, code...) }

// when is what happens at one system call; body ends in an answer on every way through it.
func (p *program) when(number uint32, body ...bpf.Instruction) {
	p.add(bpf.JumpIf{Cond: bpf.JumpEqual, Val: number, SkipFalse: uint8(len(body))})
	p.add(body...)
}

func (p *program) compile() ([]byte, error) {
	raw, err := bpf.Assemble(p.code)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, 8*len(raw))
	for _, i := range raw { // struct sock_filter
		out = binary.NativeEndian.AppendUint16(out, i.Op)
		out = binary.NativeEndian.AppendUint32(append(out, i.Jt, i.Jf), i.K)
	}
	return out, nil
}

func errno(n unix.Errno) bpf.Instruction { return bpf.RetConstant{Val: retErrno | uint32(n)} }
func allowed() bpf.Instruction           { return bpf.RetConstant{Val: retAllow} }

// argument loads the low half of an argument: what the kernel looks at where it takes an int.
func argument(i uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: atArgs + 8*i, Size: 4} }

// oneOf answers yes where an argument is one of the values.
func oneOf(arg uint32, values []uint32, yes, no bpf.Instruction) []bpf.Instruction {
	code := []bpf.Instruction{argument(arg)}
	for i, v := range values {
		code = append(code, bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipTrue: uint8(len(values) - i)})
	}
	return append(code, no, yes)
}

// anyBit answers where an argument has one of the bits.
func anyBit(arg, bits uint32, answer bpf.Instruction) []bpf.Instruction {
	return []bpf.Instruction{argument(arg), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: bits, SkipFalse: 1}, answer,
		allowed()}
}
