package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ways lists them by what they use. Those that leave something behind, to be
// found when the run is over, are lines of the tests.
func ways() []way {
	var all []way
	for _, list := range [][]way{network(), sockets(), processes(), keys(), mounts(), kernel(), files(), terminals(),
		descriptors(), shared(), daemons(), names(), surfaces(), compat(), inodes()} {
		all = append(all, list...)
	}
	return all
}

func dial(kind, address string) error {
	c, err := net.DialTimeout(kind, address, patience/2)
	if err == nil {
		_, _ = c.Write([]byte("out"))
		_ = c.Close()
	}
	return err
}

func network() []way {
	return []way{
		{"tcp to a server of this machine", func(f facts) error { return dial("tcp", f["tcp4"]) }},
		{"tcp to a server of this machine, IPv6", func(f facts) error { return dial("tcp", f["tcp6"]) }},
		{"tcp to a server by the machine's address", func(f facts) error { return dial("tcp", f["tcpaddr"]) }},
		{"tcp to the internet", func(facts) error { return dial("tcp", "1.1.1.1:80") }},
		{"tcp to the internet, IPv6", func(facts) error { return dial("tcp", "[2606:4700:4700::1111]:80") }},
		{"udp to a server of this machine", func(f facts) error {
			c, err := net.Dial("udp", f["udp4"])
			if err != nil {
				return err
			}
			if _, err := c.Write([]byte("out")); err != nil {
				return err
			}
			_, err = c.Read(make([]byte, 8)) // the server answers
			return err
		}},
		{"udp to the internet", func(facts) error { return dial("udp", "8.8.8.8:53") }},
		{"a name is looked up", func(facts) error { _, err := net.LookupHost("example.com"); return err }},
		{"the metadata address", func(facts) error { return dial("tcp", "169.254.169.254:80") }},
		{"broadcast", func(facts) error { return dial("udp", "255.255.255.255:9") }},
		{"multicast", func(facts) error { return dial("udp", "224.0.0.251:5353") }},
		{"a raw socket", func(facts) error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) }},
		{"a packet socket", func(facts) error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) }},
		{"a vsock", func(facts) error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0) }},
		{"the kernel's ciphers", func(facts) error { return socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0) }},
		{"bluetooth", func(facts) error { return socket(unix.AF_BLUETOOTH, unix.SOCK_RAW, 1) }},
		{"events of the kernel",
			func(facts) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT) }},
		{"audit", func(facts) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT) }},
		{"packet filters", func(facts) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER) }},
		{"XDP", func(facts) error { return socket(unix.AF_XDP, unix.SOCK_RAW, 0) }},
		{"an interface is there", func(facts) error {
			list, err := net.Interfaces()
			for _, i := range list {
				if i.Flags&net.FlagLoopback == 0 {
					return nil
				}
			}
			return errors.Join(err, errors.New("none but the loopback"))
		}},
	}
}

func socket(family, kind, protocol int) error {
	fd, err := unix.Socket(family, kind, protocol)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err
}

func sockets() []way {
	at := func(name, fact string) way {
		return way{"a socket " + name, func(f facts) error { return dial("unix", f[fact]) }}
	}
	return []way{
		at("in the workspace", "socket-workspace"), at("in the home directory", "socket-home"),
		at("in a directory of programs", "socket-path"), at("in /tmp", "socket-tmp"), at("in a cache", "socket-cache"),
		{"an abstract socket", func(f facts) error { return dial("unix", "@"+f["abstract"]) }},
		{"a datagram to a socket in the workspace",
			func(f facts) error { return dial("unixgram", f["socket-datagram"]) }},
		{"a socket by a link", func(f facts) error {
			_ = os.Symlink(f["socket-workspace"], "to-socket")
			return dial("unix", "to-socket")
		}},
		{"a socket by the descriptor of its directory", func(f facts) error {
			d, err := os.Open(filepath.Dir(f["socket-workspace"]))
			if err != nil {
				return err
			}
			return dial("unix", fmt.Sprintf("/proc/self/fd/%d/%s", d.Fd(), filepath.Base(f["socket-workspace"])))
		}},
		{"a socket whose mode was changed", func(f facts) error {
			return errors.Join(os.Chmod(f["socket-workspace"], 0o777), dial("unix", f["socket-workspace"]))
		}},
		{"a hard link to a socket", func(f facts) error {
			return errors.Join(os.Link(f["socket-workspace"], "hard-socket"), dial("unix", "hard-socket"))
		}},
		{"a hard link to a named pipe",
			func(f facts) error { return errors.Join(os.Link(f["fifo"], "hard-pipe"), poke("hard-pipe")) }},
		{"a named pipe by a descriptor of its name", func(f facts) error {
			fd, err := unix.Open(f["fifo"], unix.O_PATH, 0)
			if err != nil {
				return err
			}
			return poke(fmt.Sprintf("/proc/self/fd/%d", fd))
		}},
		{"a socket by a descriptor of its name", func(f facts) error {
			fd, err := unix.Open(f["socket-workspace"], unix.O_PATH, 0)
			if err != nil {
				return err
			}
			return dial("unix", fmt.Sprintf("/proc/self/fd/%d", fd))
		}},
		{"a named pipe of the workspace", func(f facts) error { return poke(f["fifo"]) }},
		{"a named pipe in a directory of programs", func(f facts) error { return poke(f["fifo-path"]) }},
		{"docker", func(facts) error { return dial("unix", "/var/run/docker.sock") }},
		{"the system bus", func(facts) error { return dial("unix", "/run/dbus/system_bus_socket") }},
		{"a socket that was renamed", func(f facts) error {
			return errors.Join(os.Rename(f["socket-workspace"], "renamed-socket"), dial("unix", "renamed-socket"))
		}},
		{"a named pipe that was renamed",
			func(f facts) error { return errors.Join(os.Rename(f["fifo"], "renamed-pipe"), poke("renamed-pipe")) }},
	}
}

// poke writes to a pipe that somebody outside reads.
func poke(name string) error {
	fd, err := unix.Open(name, unix.O_WRONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte("out"))
	return err
}

func processes() []way {
	target := func(f facts) int { n, _ := strconv.Atoi(f["pid"]); return n }
	return []way{
		{"a process outside is seen", func(f facts) error {
			text, err := os.ReadFile("/proc/" + f["pid"] + "/cmdline")
			if err == nil && !strings.Contains(string(text), f["cmdline"]) {
				err = errors.New("another process has this number")
			}
			return err
		}},
		{"a process outside is ended", func(f facts) error { return syscall.Kill(target(f), syscall.SIGWINCH) }},
		{"the environment of a process outside",
			func(f facts) error { return holds("/proc/"+f["pid"]+"/environ", f["marker"]) }},
		{"any process that holds the marker", func(f facts) error {
			list, _ := filepath.Glob("/proc/[0-9]*/environ")
			for _, name := range list {
				if holds(name, f["marker"]) == nil {
					return nil
				}
			}
			return errors.New("none")
		}},
		{"the root of the first process",
			func(f facts) error { return holds("/proc/1/root"+f["secret"], f["marker"]) }},
		{"the root of this process", func(f facts) error { return holds("/proc/self/root"+f["secret"], f["marker"]) }},
		{"the directory of the first process",
			func(f facts) error { return holds("/proc/1/cwd/"+f["secret"], f["marker"]) }},
		{"descriptors of the first process", func(f facts) error {
			list, _ := filepath.Glob("/proc/1/fd/*")
			for _, name := range list {
				if holds(name+f["secret"], f["marker"]) == nil || holds(name+"/"+f["secret"], f["marker"]) == nil {
					return nil
				}
			}
			return errors.New("none leads out")
		}},
		{"the memory of a process outside",
			func(f facts) error { _, err := os.OpenFile("/proc/"+f["pid"]+"/mem", os.O_RDWR, 0); return err }},
		{"ptrace attaches", func(facts) error { return syscall.PtraceAttach(os.Getppid()) }},
		{"ptrace seizes", func(facts) error {
			return raw(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(os.Getppid()), 0)
		}},
		{"memory of another process is read", func(facts) error {
			buf := make([]byte, 8)
			_, err := unix.ProcessVMReadv(os.Getppid(), []unix.Iovec{{Base: &buf[0], Len: 8}},
				[]unix.RemoteIovec{{Base: 0x400000, Len: 8}}, 0)
			return err
		}},
		{"memory of another process is written", func(facts) error {
			buf := make([]byte, 8)
			_, err := unix.ProcessVMWritev(os.Getppid(), []unix.Iovec{{Base: &buf[0], Len: 8}},
				[]unix.RemoteIovec{{Base: 0x400000, Len: 8}}, 0)
			return err
		}},
		{"a descriptor of another process is taken", func(facts) error {
			p, err := unix.PidfdOpen(os.Getppid(), 0)
			if err == nil {
				_, err = unix.PidfdGetfd(p, 0, 0)
			}
			return err
		}},
		{"kcmp", func(facts) error { return raw(unix.SYS_KCMP, 1, uintptr(os.Getpid()), 0) }},
		{"the priority of a process outside",
			func(f facts) error { return syscall.Setpriority(syscall.PRIO_PROCESS, target(f), 1) }},
	}
}

func holds(name, marker string) error {
	text, err := os.ReadFile(name)
	if err == nil && !strings.Contains(string(text), marker) {
		err = errors.New("the marker is not there")
	}
	return err
}

func raw(number uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	_, _, n := syscall.RawSyscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	if n != 0 {
		return n
	}
	return nil
}

func keys() []way {
	return []way{
		{"a key is added", func(facts) error {
			_, err := unix.AddKey("user", "nod", []byte("x"), unix.KEY_SPEC_SESSION_KEYRING)
			return err
		}},
		{"a key is asked for", func(facts) error {
			_, err := unix.RequestKey("user", "nod", "", unix.KEY_SPEC_SESSION_KEYRING)
			return err
		}},
		{"a keyring is read", func(facts) error {
			_, err := unix.KeyctlInt(unix.KEYCTL_GET_KEYRING_ID, unix.KEY_SPEC_USER_KEYRING, 0, 0, 0)
			return err
		}},
	}
}

func mounts() []way {
	name := func(s string) uintptr { p, _ := unix.BytePtrFromString(s); return uintptr(unsafe.Pointer(p)) }
	return []way{
		{"tmpfs is mounted", func(facts) error { return unix.Mount("t", "/tmp", "tmpfs", 0, "") }},
		{"a bind", func(facts) error { return unix.Mount("/", "/tmp", "", unix.MS_BIND, "") }},
		{"/ is made writable", func(facts) error { return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "") }},
		{"/usr is made writable",
			func(facts) error { return unix.Mount("", "/usr", "", unix.MS_REMOUNT|unix.MS_BIND, "") }},
		{"the workspace is unmounted", func(f facts) error { return unix.Unmount(f["workspace"], unix.MNT_DETACH) }},
		{"home is unmounted", func(f facts) error { return unix.Unmount(f["home"], unix.MNT_DETACH) }},
		{"/proc is mounted anew", func(facts) error { return unix.Mount("proc", "/tmp", "proc", 0, "") }},
		{"pivot_root", func(facts) error { return unix.PivotRoot(".", ".") }},
		{"chroot", func(facts) error { return unix.Chroot("/tmp") }},
		{"fsopen", func(facts) error { _, err := unix.Fsopen("tmpfs", 0); return err }},
		{"open_tree", func(facts) error {
			_, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE)
			return err
		}},
		{"move_mount", func(f facts) error {
			return unix.MoveMount(unix.AT_FDCWD, f["workspace"], unix.AT_FDCWD, "/tmp", 0)
		}},
		{"open_tree_attr", func(facts) error {
			return raw(467, ^uintptr(99), name("/"), unix.OPEN_TREE_CLONE)
		}},
		{"a system call of another kernel", func(facts) error {
			if err := raw(500); err != unix.ENOSYS {
				return nil
			}
			return unix.ENOSYS
		}},
		{"mount_setattr", func(facts) error {
			return unix.MountSetattr(unix.AT_FDCWD, "/usr", 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
		}},
		{"another mount namespace", func(facts) error {
			fd, err := unix.Open("/proc/1/ns/mnt", unix.O_RDONLY, 0)
			if err == nil {
				err = unix.Setns(fd, 0)
			}
			return err
		}},
		{"another network namespace", func(facts) error {
			fd, err := unix.Open("/proc/1/ns/net", unix.O_RDONLY, 0)
			if err == nil {
				err = unix.Setns(fd, 0)
			}
			return err
		}},
		{"the parent of the user namespace", func(facts) error {
			fd, err := unix.Open("/proc/self/ns/user", unix.O_RDONLY, 0)
			if err != nil {
				return err
			}
			parent, err := unix.IoctlRetInt(fd, unix.NS_GET_PARENT)
			if err == nil {
				err = unix.Setns(parent, 0)
			}
			return err
		}},
		{"unshare a user namespace", func(facts) error { return raw(unix.SYS_UNSHARE, unix.CLONE_NEWUSER) }},
		{"unshare a mount namespace", func(facts) error { return raw(unix.SYS_UNSHARE, unix.CLONE_NEWNS) }},
		{"unshare a network namespace", func(facts) error { return raw(unix.SYS_UNSHARE, unix.CLONE_NEWNET) }},
		{"clone a user namespace", func(facts) error { return inNamespace(syscall.CLONE_NEWUSER) }},
		{"clone a user and a mount namespace",
			func(facts) error { return inNamespace(syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS) }},
		{"clone3", func(facts) error {
			args := [11]uint64{0: unix.CLONE_NEWUSER, 4: uint64(unix.SIGCHLD)}
			pid, _, n := syscall.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), 88, 0)
			if n == 0 && pid == 0 {
				syscall.RawSyscall(unix.SYS_EXIT, 0, 0, 0)
			}
			if n != 0 {
				return n
			}
			return nil
		}},
		{"a file by its handle", func(facts) error {
			h, _, err := unix.NameToHandleAt(unix.AT_FDCWD, "/usr", 0)
			if err == nil {
				_, err = unix.OpenByHandleAt(unix.AT_FDCWD, h, unix.O_RDONLY)
			}
			return err
		}},
		{"the layers below the overlays", func(f facts) error {
			text, err := os.ReadFile("/proc/self/mountinfo")
			for field := range strings.FieldsFuncSeq(string(text),
				func(r rune) bool { return strings.ContainsRune(" ,=:\n", r) }) {
				if strings.Contains(field, "/runs/") {
					if _, err := os.ReadDir(field); err == nil && !strings.HasPrefix(f["home"], field) {
						return nil
					}
				}
			}
			return errors.Join(err, errors.New("none of them is there"))
		}},
		{"unshare, the program", func(facts) error { return exec.Command("unshare", "-Urm", "true").Run() }},
		{"bubblewrap inside", func(facts) error { return exec.Command("bwrap", "--ro-bind", "/", "/", "true").Run() }},
		{"umount by its old name", func(f facts) error { return raw(unix.SYS_UMOUNT2, name(f["workspace"]), 0) }},
	}
}

func inNamespace(flags uintptr) error {
	c := exec.Command("/bin/true")
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	return c.Run()
}

func kernel() []way {
	write := func(name string) way {
		return way{"write " + name, func(facts) error {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err == nil {
				_ = f.Close()
			}
			return err
		}}
	}
	device := func(name string, mode uint32, major, minor uint32) way {
		return way{"make the device " + name, func(facts) error {
			file := "/tmp/" + name
			if err := unix.Mknod(file, mode|0o600, int(unix.Mkdev(major, minor))); err != nil {
				return err
			}
			_, err := os.OpenFile(file, os.O_RDONLY, 0)
			return err
		}}
	}
	return []way{
		write("/proc/sys/kernel/core_pattern"), write("/proc/sys/vm/drop_caches"), write("/proc/sysrq-trigger"),
		write("/proc/sys/user/max_user_namespaces"), write("/proc/kcore"),
		write("/sys/fs/cgroup/cgroup.procs"), write("/sys/kernel/uevent_helper"),
		write("/sys/devices/system/cpu/cpu0/online"), write("/dev/kmsg"), write("/dev/mem"), write("/dev/kvm"),
		write("/dev/fuse"), write("/dev/net/tun"), write("/dev/loop-control"),
		device("mem", unix.S_IFCHR, 1, 1), device("kmsg", unix.S_IFCHR, 1, 11), device("disk", unix.S_IFBLK, 254, 0),
		device("sda", unix.S_IFBLK, 8, 0),
		{"io_uring", func(facts) error {
			p := [15]uint64{}
			return raw(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&p)))
		}},
		{"bpf", func(facts) error {
			a := [16]uint64{0: 1 | 4<<32, 1: 4 | 1<<32}
			return raw(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&a)), 48)
		}},
		{"perf events", func(facts) error {
			fd, err := unix.PerfEventOpen(&unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Size: 112}, 0, -1, -1, 0)
			_ = unix.Close(fd)
			return err
		}},
		{"userfaultfd", func(facts) error { return raw(unix.SYS_USERFAULTFD, 1) }},
		{"the kernel's log", func(facts) error { _, err := unix.Klogctl(10, nil); return err }},
		{"reboot", func(facts) error {
			if err := raw(unix.SYS_REBOOT, 1, 2, 3); err != unix.EINVAL {
				return err
			}
			return nil // the numbers were wrong, and nothing else
		}},
		{"a module", func(facts) error {
			if err := raw(unix.SYS_FINIT_MODULE, ^uintptr(0), 0, 0); err != unix.EBADF {
				return err
			}
			return nil
		}},
		{"swap", func(facts) error { return raw(unix.SYS_SWAPOFF, 0) }},
		{"the clock", func(facts) error {
			var now unix.Timespec
			_ = unix.ClockGettime(unix.CLOCK_REALTIME, &now)
			return unix.ClockSettime(unix.CLOCK_REALTIME, &now)
		}},
		{"the machine's name", func(facts) error { name, _ := os.Hostname(); return unix.Sethostname([]byte(name)) }},
		{"accounting", func(facts) error { return unix.Acct("") }},
		{"quotas", func(facts) error { return raw(unix.SYS_QUOTACTL, 0x80000100) }},
		{"fanotify", func(facts) error {
			_, err := unix.FanotifyInit(unix.FAN_CLASS_CONTENT, unix.O_RDONLY)
			return err
		}},
		{"another personality", func(facts) error { return raw(unix.SYS_PERSONALITY, 0x0400000) }},
		{"the numbers of x32", func(facts) error { return raw(0x40000000|39, 0) }},
		{"another user", func(facts) error {
			if err := raw(unix.SYS_SETRESUID, 12345, 12345, 12345); err != nil {
				return err
			}
			return nil
		}},
		{"another group", func(facts) error { return raw(unix.SYS_SETGROUPS, 0, 0) }},
		{"capabilities", func(facts) error {
			text, err := os.ReadFile("/proc/self/status")
			if err == nil && !strings.Contains(string(text), "CapEff:\t0000000000000000") {
				return nil
			}
			return errors.Join(err, errors.New("none"))
		}},
		{"rights may be gained", func(facts) error {
			n, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
			if err == nil && n == 1 {
				err = errors.New("no new privileges")
			}
			return err
		}},
		{"sudo", func(facts) error { return exec.Command("sudo", "-n", "true").Run() }},
		{"su", func(facts) error { return exec.Command("su", "nobody", "-s", "/bin/true").Run() }},
		{"a core is dumped", func(facts) error {
			if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1 << 20, Max: 1 << 20}); err != nil {
				return err
			}
			var now unix.Rlimit
			if err := unix.Prlimit(0, unix.RLIMIT_CORE, nil, &now); err != nil || now.Max > 1 {
				return err
			}
			return errors.New("the limit stays")
		}},
		{"the limit of processes", func(facts) error {
			return unix.Prlimit(0, unix.RLIMIT_NPROC, &unix.Rlimit{Cur: 1 << 20, Max: 1 << 20}, nil)
		}},
	}
}

func files() []way {
	read := func(name, fact string) way {
		return way{"read " + name, func(f facts) error { return holds(f[fact], f["marker"]) }}
	}
	write := func(name string) way {
		return way{"write below " + name, func(facts) error {
			at := filepath.Join(name, "nod-escape")
			err := os.WriteFile(at, nil, 0o600)
			_ = os.Remove(at)
			return err
		}}
	}
	return []way{
		read("a secret of home", "secret"), read("a file of home", "private"),
		read("a neighbour of the workspace", "neighbour"), read(".env", "env"),
		read(".env in a directory", "env-below"), read("a key in a directory of programs", "key-path"),
		read("the shadow file", "shadow"), read("settings of nod", "nod"), read("a file of /tmp", "tmp"),
		read("a token in the settings of git", "gitconfig"), {"a link to a secret", func(f facts) error {
			_ = os.Symlink(f["secret"], "to-secret")
			return holds("to-secret", f["marker"])
		}},
		{"a hard link to a secret", func(f facts) error {
			if err := os.Link(f["env"], "hard"); err != nil {
				return err
			}
			return holds("hard", f["marker"])
		}},
		{"a secret in a directory that is moved", func(f facts) error {
			if err := exec.Command("mv", filepath.Dir(f["env-below"]), "moved").Run(); err != nil {
				return err
			}
			return holds("moved/.env", f["marker"])
		}},
		{"a secret by dots", func(f facts) error {
			return holds(f["workspace"]+strings.Repeat("/..", 20)+f["secret"], f["marker"])
		}},
		write("/usr"), write("/etc"), write("/"), write("/run"), write("/var"), write("/opt"), write("/proc"),
		write("/sys"), write("/dev/../usr/bin"), write("/usr/local/bin"),
		{"write a program of PATH", func(f facts) error { return os.WriteFile(f["path"]+"/nod-escape", nil, 0o700) }},
		{"the variable with a secret", func(f facts) error {
			for _, kv := range os.Environ() {
				if strings.Contains(kv, f["marker"]) {
					return nil
				}
			}
			return errors.New("not there")
		}},
		{"a variable that loads code", func(facts) error {
			for _, name := range []string{"LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "NODE_OPTIONS",
				"PYTHONSTARTUP", "GIT_SSH_COMMAND", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR",
				"DOCKER_HOST"} {
				if os.Getenv(name) != "" {
					return nil
				}
			}
			return errors.New("not there")
		}},
	}
}

func terminals() []way {
	return []way{
		{"typed into the terminal", func(facts) error {
			for fd := range 3 {
				c := byte('x')
				if _, _, n := syscall.RawSyscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCSTI,
					uintptr(unsafe.Pointer(&c))); n == 0 {
					return nil
				} else if n != unix.EPERM {
					return fmt.Errorf("not refused: %w", n)
				}
			}
			return unix.EPERM
		}},
		{"typed with the upper bits set", func(facts) error {
			c := byte('x')
			_, _, n := syscall.RawSyscall(unix.SYS_IOCTL, 0, unix.TIOCSTI|1<<32, uintptr(unsafe.Pointer(&c)))
			if n != unix.EPERM {
				return nil
			}
			return n
		}},
		{"the console's clipboard", func(facts) error {
			c := byte(2)
			_, _, n := syscall.RawSyscall(unix.SYS_IOCTL, 0, 0x541C, uintptr(unsafe.Pointer(&c)))
			if n != unix.EPERM {
				return nil
			}
			return n
		}},
		{"the controlling terminal", func(facts) error { _, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); return err }},
		{"a virtual console", func(facts) error { _, err := os.OpenFile("/dev/tty1", os.O_RDWR, 0); return err }},
	}
}

func descriptors() []way {
	return []way{
		{"inherited descriptors", func(f facts) error {
			entries, err := os.ReadDir("/proc/self/fd")
			for _, e := range entries {
				to, _ := os.Readlink("/proc/self/fd/" + e.Name())
				if strings.HasPrefix(to, f["home"]) && !strings.HasPrefix(to, f["workspace"]) {
					return nil
				}
			}
			return errors.Join(err, errors.New("none"))
		}},
		{"descriptors that are files outside", func(facts) error {
			for fd := range 3 {
				var s unix.Stat_t
				if err := unix.Fstat(fd, &s); err == nil &&
					(s.Mode&unix.S_IFMT == unix.S_IFREG || s.Mode&unix.S_IFMT == unix.S_IFDIR ||
						s.Mode&unix.S_IFMT == unix.S_IFSOCK) {
					return nil
				}
			}
			return errors.New("pipes and devices")
		}},
	}
}

func shared() []way {
	return []way{
		{"shared memory of System V", func(facts) error {
			id, _, n := syscall.RawSyscall(unix.SYS_SHMGET, 0x6e6f64, 4096, 0)
			_ = id
			if n != 0 {
				return n
			}
			return nil
		}},
		{"shared memory by name", func(f facts) error { return holds("/dev/shm/"+f["shm"], f["marker"]) }},
		{"a message queue", func(facts) error {
			name, _ := unix.BytePtrFromString("nod-escape")
			return raw(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(name)), unix.O_RDONLY)
		}},
	}
}
