package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func mounts() []way {
	const (
		here    = unix.AT_FDCWD
		rebound = unix.MS_REMOUNT | unix.MS_BIND
	)
	writable := []uint64{0, unix.MOUNT_ATTR_RDONLY, 0, 0}
	return []way{
		call("tmpfs is mounted", unix.SYS_MOUNT, "t", "/tmp", "tmpfs", 0, ""),
		call("a bind", unix.SYS_MOUNT, "/", "/tmp", "", unix.MS_BIND, ""),
		call("/ is made writable", unix.SYS_MOUNT, "", "/", "", rebound, ""),
		call("/usr is made writable", unix.SYS_MOUNT, "", "/usr", "", rebound, ""),
		call("the workspace is unmounted", unix.SYS_UMOUNT2, "${workspace}", unix.MNT_DETACH),
		call("umount by its old name", unix.SYS_UMOUNT2, "${workspace}", 0),
		call("home is unmounted", unix.SYS_UMOUNT2, "${home}", unix.MNT_DETACH),
		call("/proc is mounted anew", unix.SYS_MOUNT, "proc", "/tmp", "proc", 0, ""),
		call("pivot_root", unix.SYS_PIVOT_ROOT, ".", "."),
		call("chroot", unix.SYS_CHROOT, "/tmp"),
		call("fsopen", unix.SYS_FSOPEN, "tmpfs", 0),
		call("open_tree", unix.SYS_OPEN_TREE, here, "/", unix.OPEN_TREE_CLONE),
		call("move_mount", unix.SYS_MOVE_MOUNT, here, "${workspace}", here, "/tmp", 0),
		call("open_tree_attr", 467, here, "/", unix.OPEN_TREE_CLONE),
		call("mount_setattr", unix.SYS_MOUNT_SETATTR, here, "/usr", 0, writable, 32),
		refusedWith("a system call of another kernel", unix.ENOSYS, 500),
		{name: "a file by its handle", try: func(facts) error {
			h, _, err := unix.NameToHandleAt(here, "/usr", 0)
			if err == nil {
				_, err = unix.OpenByHandleAt(here, h, unix.O_RDONLY)
			}
			return err
		}},
		found("the layers below the overlays", func(f facts) bool {
			text, err := os.ReadFile("/proc/self/mountinfo")
			fields := strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(" ,=:\n", r) })
			return err != nil || slices.ContainsFunc(fields, func(field string) bool {
				_, err := os.ReadDir(field)
				return err == nil && strings.Contains(field, "/runs/") && !strings.HasPrefix(f["home"], field)
			})
		}),
		runs("bubblewrap inside", "bwrap", "--ro-bind", "/", "/", "true"),
	}
}

func namespaces() []way {
	enters := func(name, at string) way {
		return way{name: name, try: func(facts) error {
			fd, err := unix.Open(at, unix.O_RDONLY, 0)
			if err == nil {
				err = unix.Setns(fd, 0)
			}
			return err
		}}
	}
	starts := func(name string, flags uintptr) way {
		return way{name: name, try: func(facts) error {
			c := exec.Command("/bin/true")
			c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
			return c.Run()
		}}
	}
	return []way{
		enters("another mount namespace", "/proc/1/ns/mnt"), enters("another network namespace", "/proc/1/ns/net"),
		{name: "the parent of the user namespace", try: func(facts) error {
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
		call("unshare a user namespace", unix.SYS_UNSHARE, unix.CLONE_NEWUSER),
		call("unshare a mount namespace", unix.SYS_UNSHARE, unix.CLONE_NEWNS),
		call("unshare a network namespace", unix.SYS_UNSHARE, unix.CLONE_NEWNET),
		starts("clone a user namespace", syscall.CLONE_NEWUSER),
		starts("clone a user and a mount namespace", syscall.CLONE_NEWUSER|syscall.CLONE_NEWNS),
		{name: "clone3", try: func(facts) error {
			args := [11]uint64{0: unix.CLONE_NEWUSER, 4: uint64(unix.SIGCHLD)}
			pid, _, n := syscall.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), 88, 0)
			if n == 0 && pid == 0 {
				syscall.RawSyscall(unix.SYS_EXIT, 0, 0, 0)
			}
			return failure(n)
		}},
		runs("unshare, the program", "unshare", "-Urm", "true"),
		{name: "ids are mapped anew", try: func(facts) error {
			return errors.Join(os.WriteFile("/proc/self/uid_map", []byte("0 0 1"), 0),
				os.WriteFile("/proc/self/setgroups", []byte("allow"), 0))
		}},
	}
}

// kernel are system calls and rights.
func kernel() []way {
	return []way{
		call("io_uring", unix.SYS_IO_URING_SETUP, 1, make([]uint64, 15)),
		call("bpf", unix.SYS_BPF, 0, append([]uint64{1 | 4<<32, 4 | 1<<32}, make([]uint64, 14)...), 48),
		call("perf events", unix.SYS_PERF_EVENT_OPEN,
			append([]uint64{unix.PERF_TYPE_SOFTWARE | 112<<32}, make([]uint64, 13)...), 0, -1, -1, 0),
		call("userfaultfd", unix.SYS_USERFAULTFD, 1),
		call("the kernel's log", unix.SYS_SYSLOG, 10, 0, 0),
		refusedWith("reboot", unix.EPERM, unix.SYS_REBOOT, 1, 2, 3), // the numbers are wrong, and nothing else
		refusedWith("a module", unix.EPERM, unix.SYS_FINIT_MODULE, -1, 0, 0),
		call("swap", unix.SYS_SWAPOFF, 0),
		{name: "the clock", try: func(facts) error {
			var now unix.Timespec
			_ = unix.ClockGettime(unix.CLOCK_REALTIME, &now)
			return unix.ClockSettime(unix.CLOCK_REALTIME, &now)
		}},
		{name: "the machine's name",
			try: func(facts) error { name, _ := os.Hostname(); return unix.Sethostname([]byte(name)) }},
		call("accounting", unix.SYS_ACCT, ""),
		call("quotas", unix.SYS_QUOTACTL, 0x80000100),
		call("fanotify", unix.SYS_FANOTIFY_INIT, unix.FAN_CLASS_CONTENT, unix.O_RDONLY),
		call("another personality", unix.SYS_PERSONALITY, 0x0400000),
		call("the numbers of x32", 0x40000000|39, 0),
		call("another user", unix.SYS_SETRESUID, 12345, 12345, 12345),
		call("another group", unix.SYS_SETGROUPS, 0, 0),
		found("capabilities", func(facts) bool {
			return contains("/proc/self/status", "CapEff:\t0000000000000000") != nil
		}),
		found("rights may be gained", func(facts) bool {
			n, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
			return err != nil || n != 1
		}),
		runs("sudo", "sudo", "-n", "true"), runs("su", "su", "nobody", "-s", "/bin/true"),
		found("a core is dumped", func(facts) bool {
			_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1 << 20, Max: 1 << 20})
			var now unix.Rlimit
			return unix.Prlimit(0, unix.RLIMIT_CORE, nil, &now) != nil || now.Max > 1
		}),
		{name: "the limit of processes", try: func(facts) error {
			return unix.Prlimit(0, unix.RLIMIT_NPROC, &unix.Rlimit{Cur: 1 << 20, Max: 1 << 20}, nil)
		}},
		call("shared memory of System V", unix.SYS_SHMGET, 0x6e6f64, 4096, 0),
		call("a message queue", unix.SYS_MQ_OPEN, "nod-escape", unix.O_RDONLY, 0, 0),
	}
}

func devices() []way {
	all := each(func(name string) way { return opens("write "+name, name, os.O_WRONLY) },
		"/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger",
		"/proc/sys/user/max_user_namespaces", "/proc/kcore", "/sys/fs/cgroup/cgroup.procs",
		"/sys/kernel/uevent_helper", "/sys/devices/system/cpu/cpu0/online", "/dev/kmsg", "/dev/mem", "/dev/kvm",
		"/dev/fuse", "/dev/net/tun", "/dev/loop-control", "/proc/1/exe", "/proc/1/task/1/exe")
	makes := func(name string, mode, major, minor uint32) way {
		return way{name: "make the device " + name, try: func(facts) error {
			file := "/tmp/" + name
			if err := unix.Mknod(file, mode|0o600, int(unix.Mkdev(major, minor))); err != nil {
				return err
			}
			return open(file, os.O_RDONLY)
		}}
	}
	return append(all,
		makes("mem", unix.S_IFCHR, 1, 1), makes("kmsg", unix.S_IFCHR, 1, 11), makes("disk", unix.S_IFBLK, 254, 0),
		makes("sda", unix.S_IFBLK, 8, 0),
		opens("a disk in a file", "/dev/loop0", os.O_RDWR),
		opens("faults of memory by a device", "/dev/userfaultfd", os.O_RDWR),
		opens("a graphics card", "/dev/dri/renderD128", os.O_RDWR),
		opens("keys that are pressed", "/dev/input/event0", os.O_RDONLY),
		found("debugging of the kernel", func(facts) bool {
			return slices.ContainsFunc([]string{"/sys/kernel/debug", "/sys/kernel/tracing", "/sys/fs/bpf",
				"/sys/firmware/efi/efivars", "/sys/module"},
				func(name string) bool { _, err := os.ReadDir(name); return err == nil })
		}),
		way{name: "a group of processes",
			try: func(facts) error { return os.Mkdir("/sys/fs/cgroup/nod-escape", 0o700) }},
	)
}

// surfaces are parts of the kernel that no project's test needs, and each of
// which has let somebody out elsewhere.
func surfaces() []way {
	opened := func(families, kinds, protocols []int) bool {
		for _, family := range families {
			for _, kind := range kinds {
				for _, protocol := range protocols {
					if fd, err := unix.Socket(family, kind, protocol); err == nil {
						_ = unix.Close(fd)
						return true
					}
				}
			}
		}
		return false
	}
	changes := func(name string, request uint, value int) way {
		return way{name: name, try: func(facts) error {
			f, err := os.Create("fixed")
			if err != nil {
				return err
			}
			defer f.Close()
			return unix.IoctlSetPointerInt(int(f.Fd()), request, value)
		}}
	}
	kinds := []int{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_RAW, unix.SOCK_SEQPACKET}
	return []way{
		found("a socket of any other family", func(facts) bool {
			known := []int{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
			return opened(slices.DeleteFunc(upTo(46), func(n int) bool { return slices.Contains(known, n) }), kinds,
				[]int{0})
		}),
		found("netlink of any other kind", func(facts) bool {
			return opened([]int{unix.AF_NETLINK}, []int{unix.SOCK_RAW}, upTo(23)[1:])
		}),
		found("a pair of sockets of another family", func(facts) bool {
			return slices.ContainsFunc(upTo(46)[2:], func(family int) bool {
				_, err := unix.Socketpair(family, unix.SOCK_STREAM, 0)
				return err == nil
			})
		}),
		found("a transport of the kernel's", func(facts) bool { // DCCP, SCTP, UDP-Lite, MPTCP
			return opened([]int{unix.AF_INET}, []int{unix.SOCK_STREAM, unix.SOCK_SEQPACKET, 6},
				[]int{33, 132, 136, 262})
		}),
		{name: "rights of the file system are given", try: func(facts) error {
			rights := append([]byte{1, 0, 0, 2, 255, 255, 255, 255}, make([]byte, 12)...)
			return errors.Join(os.WriteFile("/tmp/cap", nil, 0o700),
				unix.Setxattr("/tmp/cap", "security.capability", rights, 0))
		}},
		{name: "a file of another's", try: func(facts) error {
			return errors.Join(os.WriteFile("own", nil, 0o700), os.Chown("own", 12345, 12345))
		}},
		found("attributes of the layer", func(facts) bool {
			return unix.Setxattr(".", "trusted.overlay.opaque", []byte("y"), 0) == nil ||
				unix.Setxattr(".", "trusted.nod", []byte("y"), 0) == nil
		}),
		changes("a file that nobody can change", unix.FS_IOC_SETFLAGS, 0x10),
		changes("the file system stands still", 0xc0045877, 0),
	}
}

func upTo(end int) (numbers []int) {
	for n := range end {
		numbers = append(numbers, n)
	}
	return numbers
}

// inodes are those that the run shares with the outside, whatever their names:
// devices, and programs that were started before the boundary stood.
func inodes() (all []way) {
	change := func(what, name string, do func() error) way {
		return way{name: what + " of " + name, try: func(facts) error {
			err := do()
			if to, _ := os.Readlink(name); err == nil && strings.HasPrefix(to, "pipe:") {
				return errors.New("a pipe of the run's own")
			}
			return err
		}}
	}
	for _, name := range []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty",
		"/proc/1/exe", "/proc/1/task/1/exe", "/proc/self/fd/0"} {
		all = append(all,
			change("the mode", name, func() error { // who may set the one that is there may set any
				info, err := os.Stat(name)
				if err != nil {
					return err
				}
				return os.Chmod(name, info.Mode().Perm())
			}),
			change("the time", name, func() error { return os.Chtimes(name, time.Now(), time.Now()) }),
			change("the owner", name, func() error { return os.Chown(name, 0, 0) }),
			change("an attribute", name, func() error { return unix.Setxattr(name, "user.nod", []byte("x"), 0) }))
	}
	return append(all, found("files that the first process has in memory", func(facts) bool {
		entries, _ := os.ReadDir("/proc/1/map_files")
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
			return os.Chtimes(fmt.Sprintf("/proc/1/map_files/%s", e.Name()), time.Now(), time.Now()) == nil
		})
	}))
}
