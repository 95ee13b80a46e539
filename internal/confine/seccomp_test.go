//go:build linux && (amd64 || arm64)

package confine

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// answer is what the filter says of a system call, by the interpreter of the
// library that assembled it. That reads words of the network's order.
func answer(t *testing.T, arch, number uint32, args ...uint64) uint32 {
	t.Helper()
	vm, err := bpf.NewVM(rules().code)
	must(t, err)
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data[atNumber:], number)
	binary.BigEndian.PutUint32(data[atArch:], arch)
	for i, a := range args {
		binary.BigEndian.PutUint32(data[atArgs+8*i:], uint32(a))
		binary.BigEndian.PutUint32(data[atArgs+8*i+4:], uint32(a>>32))
	}
	got, err := vm.Run(data)
	must(t, err)
	return uint32(got)
}

// The filter is the same table on each architecture, by that one's numbers.
func TestFilter(t *testing.T) {
	const is = retErrno
	type row struct {
		name   string
		number uint32
		args   []uint64
		want   uint32
	}
	rows := []row{
		{"read", unix.SYS_READ, nil, retAllow}, {"execve", unix.SYS_EXECVE, nil, retAllow},
		{"clone of a thread", unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD}, retAllow},
		{"clone of a namespace", unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)},
			is | uint32(unix.EPERM)}, {"unshare", unix.SYS_UNSHARE, []uint64{unix.CLONE_NEWNET},
			is | uint32(unix.EPERM)},
		{"unshare of files", unix.SYS_UNSHARE, []uint64{unix.CLONE_FILES}, retAllow},
		{"unshare of time", unix.SYS_UNSHARE, []uint64{unix.CLONE_NEWTIME}, is | uint32(unix.EPERM)},
		{"local socket", unix.SYS_SOCKET, []uint64{unix.AF_UNIX, unix.SOCK_STREAM, 0}, retAllow},
		{"tcp", unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_CLOEXEC, 0}, retAllow},
		{"udp, IPv6", unix.SYS_SOCKET, []uint64{unix.AF_INET6, unix.SOCK_DGRAM, unix.IPPROTO_UDP}, retAllow},
		{"mptcp", unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_STREAM, 262}, is | uint32(unix.EPROTONOSUPPORT)},
		{"sctp", unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_SEQPACKET | unix.SOCK_NONBLOCK, 0},
			is | uint32(unix.ESOCKTNOSUPPORT)}, {"vsock", unix.SYS_SOCKET, []uint64{unix.AF_VSOCK, unix.SOCK_STREAM, 0},
			is | uint32(unix.EAFNOSUPPORT)},
		{"vsock with upper bits", unix.SYS_SOCKET, []uint64{unix.AF_VSOCK | 1<<32, unix.SOCK_STREAM, 0},
			is | uint32(unix.EAFNOSUPPORT)},
		{"interfaces", unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, retAllow},
		{"packet filters", unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER},
			is | uint32(unix.EAFNOSUPPORT)},
		{"a pair", unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX}, retAllow},
		{"another pair", unix.SYS_SOCKETPAIR, []uint64{unix.AF_TIPC}, is | uint32(unix.EAFNOSUPPORT)},
		{"the size of a terminal", unix.SYS_IOCTL, []uint64{0, unix.TIOCGWINSZ}, retAllow},
		{"typing", unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI}, is | uint32(unix.EPERM)},
		{"typing with upper bits", unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI | 1<<40}, is | uint32(unix.EPERM)},
		{"a terminal for itself", unix.SYS_IOCTL, []uint64{0, unix.TIOCEXCL}, is | uint32(unix.EPERM)},
		{"stopping a terminal", unix.SYS_IOCTL, []uint64{0, unix.TCXONC}, is | uint32(unix.EPERM)},
		{"a line discipline", unix.SYS_IOCTL, []uint64{0, unix.TIOCSETD}, is | uint32(unix.EPERM)},
		{"personality", unix.SYS_PERSONALITY, []uint64{0xffffffff}, retAllow},
		{"another personality", unix.SYS_PERSONALITY, []uint64{0x0400000}, is | uint32(unix.EPERM)},
		{"cores", unix.SYS_PRLIMIT64, []uint64{0, unix.RLIMIT_CORE, 1 << 40}, is},
		{"cores are asked for", unix.SYS_PRLIMIT64, []uint64{0, unix.RLIMIT_CORE, 0, 1}, retAllow},
		{"files", unix.SYS_PRLIMIT64, []uint64{0, unix.RLIMIT_NOFILE, 1}, retAllow},
		{"what a later kernel has", lastKnown + 1, nil, is | uint32(unix.ENOSYS)},
		{"the numbers of x32", 0x40000000, nil, is | uint32(unix.ENOSYS)},
	}
	for _, n := range refused() {
		rows = append(rows, row{"refused", n, nil, is | uint32(unix.EPERM)})
	}
	for _, n := range unknown() {
		rows = append(rows, row{"unknown", n, nil, is | uint32(unix.ENOSYS)})
	}
	for _, r := range rows {
		if got := answer(t, auditArch, r.number, r.args...); got != r.want {
			t.Errorf("%s (%d %x): %#x, want %#x", r.name, r.number, r.args, got, r.want)
		}
	}
	for _, arch := range []uint32{unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM,
		unix.AUDIT_ARCH_X86_64 ^ unix.AUDIT_ARCH_AARCH64 ^ auditArch, 0} {
		if got := answer(t, arch, unix.SYS_READ); got != retKill {
			t.Errorf("architecture %#x: %#x", arch, got)
		}
	}
}
