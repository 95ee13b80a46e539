//go:build amd64 || arm64

package confine_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ways lists them by what they use. Those that leave something behind, to be
// found when the run is over, are lines of the tests.
func ways() []way {
	return slices.Concat(network(), sockets(), daemons(), processes(), keys(), mounts(), namespaces(), kernel(),
		devices(), surfaces(), compat(), inodes(), names(), files(), variables(), terminals(), descriptors())
}

func network() []way {
	return append([]way{
		connect("tcp to a server of this machine, IPv6", "tcp", "${tcp6}"),
		connect("tcp to a server by the machine's address", "tcp", "${tcpaddr}"),
		connect("tcp to the internet", "tcp", "1.1.1.1:80"),
		connect("tcp to the internet, IPv6", "tcp", "[2606:4700:4700::1111]:80"),
		connect("udp to the internet", "udp", "8.8.8.8:53"),
		connect("the metadata address", "tcp", "169.254.169.254:80"),
		connect("broadcast", "udp", "255.255.255.255:9"),
		connect("multicast", "udp", "224.0.0.251:5353"),
		{name: "a name is looked up",
			try: func(facts) error { _, err := net.LookupHost("example.com"); return err }},
		socket("a raw socket", unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP),
		socket("a packet socket", unix.AF_PACKET, unix.SOCK_RAW, 0),
		socket("a vsock", unix.AF_VSOCK, unix.SOCK_STREAM, 0),
		socket("the kernel's ciphers", unix.AF_ALG, unix.SOCK_SEQPACKET, 0),
		socket("bluetooth", unix.AF_BLUETOOTH, unix.SOCK_RAW, 1),
		socket("events of the kernel", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT),
		socket("audit", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT),
		socket("packet filters", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER),
		socket("XDP", unix.AF_XDP, unix.SOCK_RAW, 0),
		found("an interface is there", func(facts) bool {
			list, err := net.Interfaces()
			return err != nil ||
				slices.ContainsFunc(list, func(i net.Interface) bool { return i.Flags&net.FlagLoopback == 0 })
		}),
	}, free(
		connect("tcp to a server of this machine", "tcp", "${tcp4}"),
		way{name: "udp to a server of this machine", try: func(f facts) error {
			c, err := net.Dial("udp", f["udp4"])
			if err == nil {
				_, err = c.Write([]byte("out"))
			}
			if err == nil {
				_, err = c.Read(make([]byte, 8)) // the server answers
			}
			return err
		}},
	)...)
}

func sockets() []way {
	const at, pipe = "${socket-workspace}", "${fifo}"
	handle := func(f facts, name string, flags int) (string, error) {
		fd, err := unix.Open(f.in(name), flags, 0)
		return fmt.Sprintf("/proc/self/fd/%d", fd), err
	}
	all := free(
		connect("a socket in the workspace", "unix", at),
		connect("a socket in the home directory", "unix", "${socket-home}"),
		connect("a socket in a directory of programs", "unix", "${socket-path}"),
		connect("a socket in /tmp", "unix", "${socket-tmp}"),
		connect("a socket in a cache", "unix", "${socket-cache}"),
		connect("an abstract socket", "unix", "@${abstract}"),
		connect("a datagram to a socket in the workspace", "unixgram", "${socket-datagram}"),
		after("a socket by a link", "to-socket", local, func(f facts) error {
			_ = os.Symlink(f.in(at), "to-socket")
			return nil
		}),
		way{name: "a socket by the descriptor of its directory", try: func(f facts) error {
			dir, err := handle(f, filepath.Dir(f.in(at)), unix.O_RDONLY)
			return errors.Join(err, local(dir+"/"+filepath.Base(f.in(at))))
		}},
		after("a named pipe of the workspace", pipe, poke, nothing),
		after("a named pipe in a directory of programs", "${fifo-path}", poke, nothing),
	)
	return append(all,
		connect("docker", "unix", "/var/run/docker.sock"),
		connect("the system bus", "unix", "/run/dbus/system_bus_socket"),
		way{name: "a named pipe by a descriptor of its name", try: func(f facts) error {
			name, err := handle(f, pipe, unix.O_PATH)
			return errors.Join(err, poke(name))
		}},
		way{name: "a socket by a descriptor of its name", try: func(f facts) error {
			name, err := handle(f, at, unix.O_PATH)
			return errors.Join(err, local(name))
		}},
		after("a socket whose mode was changed", at, local, func(f facts) error { return os.Chmod(f.in(at), 0o777) }),
		after("a hard link to a socket", "hard-socket", local,
			func(f facts) error { return os.Link(f.in(at), "hard-socket") }),
		after("a hard link to a named pipe", "hard-pipe", poke,
			func(f facts) error { return os.Link(f.in(pipe), "hard-pipe") }),
		after("a socket that was renamed", "renamed-socket", local,
			func(f facts) error { return os.Rename(f.in(at), "renamed-socket") }),
		after("a named pipe that was renamed", "renamed-pipe", poke,
			func(f facts) error { return os.Rename(f.in(pipe), "renamed-pipe") }),
	)
}

func nothing(facts) error { return nil }

// daemons are those of a desktop and of machines that build.
func daemons() []way {
	var listen []way
	for _, row := range [][2]string{{"an agent of ssh's", "ssh-agent"}, {"an agent of gpg's", "gpg-agent"},
		{"a screen by its path", "x11"}, {"a screen by its abstract name", "x11-abstract"}, {"a compositor", "wayland"},
		{"the bus of a session", "bus"}, {"docker in the home directory", "docker-home"}, {"a keyring", "keyring"},
		{"a terminal's server", "tmux"}, {"an editor's server", "editor"}, {"nod's daemon", "nod-daemon"},
		{"a daemon below a link in the workspace", "linked-daemon"}} {
		listen = append(listen, connect(row[0]+" listens", "unix", "${"+row[1]+"}"))
	}
	sockets := each(func(name string) way { return connect("the socket "+name, "unix", name) },
		"/run/podman/podman.sock", "/run/containerd/containerd.sock", "/nix/var/nix/daemon-socket/socket",
		"/run/systemd/private", "/var/run/cups/cups.sock", "/run/nscd/socket", "/run/udev/control", "/dev/log",
		"/run/snapd.socket")
	var programs []way
	for _, words := range [][]string{
		{"systemd-run", "--user", "true"}, {"systemctl", "--user", "status"}, {"at", "-l"},
		{"dbus-send", "--session", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.ListNames"},
		{"ssh-add", "-l"}, {"docker", "ps"}, {"pkexec", "true"}, {"newuidmap", "1", "0", "0", "1"},
		{"fusermount3", "/tmp"}, {"nsenter", "-t", "1", "-m", "true"}, {"loginctl", "list-sessions"}, {"tmux", "ls"},
		{"mount", "/tmp"},
	} {
		programs = append(programs, runs("the program "+words[0], words...))
	}
	return slices.Concat(free(listen...), sockets, programs)
}

func processes() []way {
	target := func(f facts) int { n, _ := strconv.Atoi(f["pid"]); return n }
	memory := func(number uintptr) func(facts) error {
		return func(f facts) error {
			buf := make([]byte, 8)
			one, other := unix.Iovec{Base: &buf[0], Len: 8}, unix.RemoteIovec{Base: 0x400000, Len: 8}
			_, _, n := syscall.RawSyscall6(number, uintptr(os.Getppid()), uintptr(unsafe.Pointer(&one)), 1,
				uintptr(unsafe.Pointer(&other)), 1, 0)
			return failure(n)
		}
	}
	all := free(
		says("a process outside is seen", "${cmdline}", "/proc/${pid}/cmdline"),
		way{name: "a process outside is ended",
			try: func(f facts) error { return syscall.Kill(target(f), syscall.SIGWINCH) }},
		holds("the environment of a process outside", "/proc/${pid}/environ"),
		holds("any process that holds the marker", "/proc/[0-9]*/environ|"),
		holds("the root of this process", "/proc/self/root${secret}"),
		opens("the memory of a process outside", "/proc/${pid}/mem", os.O_RDWR),
	)
	return append(all,
		holds("the root of the first process", "/proc/1/root${secret}"),
		holds("the directory of the first process", "/proc/1/cwd/${secret}"),
		holds("descriptors of the first process", "/proc/1/fd/*|${secret}"),
		way{name: "ptrace attaches", try: func(facts) error { return syscall.PtraceAttach(os.Getppid()) }},
		call("ptrace seizes", unix.SYS_PTRACE, unix.PTRACE_SEIZE, os.Getppid(), 0),
		way{name: "memory of another process is read", try: memory(unix.SYS_PROCESS_VM_READV)},
		way{name: "memory of another process is written", try: memory(unix.SYS_PROCESS_VM_WRITEV)},
		call("a descriptor of another process is taken", unix.SYS_PIDFD_GETFD,
			first{unix.SYS_PIDFD_OPEN, []any{os.Getppid(), 0}}, 0, 0),
		call("kcmp", unix.SYS_KCMP, 1, os.Getpid(), 0),
		way{name: "the priority of a process outside",
			try: func(f facts) error { return syscall.Setpriority(syscall.PRIO_PROCESS, target(f), 1) }},
		way{name: "the first process is ended by a descriptor", try: func(facts) error {
			p, err := unix.PidfdOpen(1, 0)
			if err == nil {
				err = unix.PidfdSendSignal(p, unix.SIGUSR1, nil, 0)
			}
			if err == nil {
				err = errors.New("bubblewrap's own, inside") // it is the run's own, and ends with it
			}
			return err
		}},
		found("the descriptors of the first process", func(facts) bool {
			list, _ := filepath.Glob("/proc/1/fd/*")
			return slices.ContainsFunc(list, func(name string) bool { // the first three are pipes of nod's
				return open(name, os.O_WRONLY|unix.O_NONBLOCK) == nil &&
					!slices.Contains([]string{"0", "1", "2"}, filepath.Base(name))
			})
		}),
		call("real time", unix.SYS_SCHED_SETSCHEDULER, 0, 1, []uint64{1}),
		sets("the kernel spares this process", "/proc/self/oom_score_adj", "-1000"),
	)
}

func keys() []way {
	const session, user = unix.KEY_SPEC_SESSION_KEYRING, unix.KEY_SPEC_USER_KEYRING
	return []way{
		call("a key is added", unix.SYS_ADD_KEY, "user", "nod", "x", 1, session),
		call("a key is asked for", unix.SYS_REQUEST_KEY, "user", "nod", "", session),
		call("a keyring is read", unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, user, 0),
	}
}

func terminals() []way {
	return []way{
		{name: "typed into the terminal", try: func(f facts) error {
			for fd := range 3 {
				if err := raw(f, unix.SYS_IOCTL, fd, unix.TIOCSTI, "x"); err != error(unix.EPERM) {
					return nil
				}
			}
			return unix.EPERM
		}},
		refusedWith("typed with the upper bits set", unix.EPERM, unix.SYS_IOCTL, 0, unix.TIOCSTI|1<<32, "x"),
		refusedWith("the console's clipboard", unix.EPERM, unix.SYS_IOCTL, 0, 0x541C, "\x02"),
		opens("the controlling terminal", "/dev/tty", os.O_RDWR),
		opens("a virtual console", "/dev/tty1", os.O_RDWR),
		{name: "a line discipline", try: func(f facts) error {
			fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0)
			for n := uint64(1); err == nil && n < 30; n++ { // 21 is GSM's
				if raw(f, unix.SYS_IOCTL, fd, unix.TIOCSETD, []uint64{n}) != error(unix.EPERM) {
					return nil
				}
			}
			return errors.Join(err, unix.EPERM)
		}},
	}
}
