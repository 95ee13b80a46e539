//go:build amd64 || arm64

package confine_test

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
	starts := func(name string, flags uintptr) way {
		return way{name: name, try: func(facts) error {
			c := exec.Command("/bin/true")
			c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
			return c.Run()
		}}
	}
	return []way{
		call("another mount namespace", unix.SYS_SETNS, at("/proc/1/ns/mnt", 0), 0),
		call("another network namespace", unix.SYS_SETNS, at("/proc/1/ns/net", 0), 0),
		call("the parent of the user namespace", unix.SYS_SETNS,
			first{unix.SYS_IOCTL, []any{at("/proc/self/ns/user", 0), unix.NS_GET_PARENT}}, 0),
		call("a namespace by a process's descriptor", unix.SYS_SETNS,
			first{unix.SYS_PIDFD_OPEN, []any{os.Getppid(), 0}}, unix.CLONE_NEWNET|unix.CLONE_NEWNS),
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
	host, _ := os.Hostname()
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
		call("the clock", unix.SYS_CLOCK_SETTIME, unix.CLOCK_REALTIME, []uint64{uint64(time.Now().Unix()), 0}),
		call("the machine's name", unix.SYS_SETHOSTNAME, host, len(host)),
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
		call("the limit of processes", unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NPROC, []uint64{1 << 20, 1 << 20}, 0),
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
	makes := func(name string, mode int, major, minor uint32) way {
		file := "/tmp/" + name
		node := []any{unix.AT_FDCWD, file, mode | 0o600, int(unix.Mkdev(major, minor))}
		return call("make the device "+name, unix.SYS_OPENAT, unix.AT_FDCWD, file, os.O_RDONLY, 0,
			first{unix.SYS_MKNODAT, node})
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
		call("a group of processes", unix.SYS_MKDIRAT, unix.AT_FDCWD, "/sys/fs/cgroup/nod-escape", 0o700),
	)
}

// surfaces are parts of the kernel that no project's test needs. Each has let somebody out elsewhere.
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
	const made = os.O_RDWR | os.O_CREATE
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
		call("rights of the file system are given", unix.SYS_FSETXATTR, at("/tmp/cap", made), "security.capability",
			[]uint64{0xffffffff02000001, 0, 0}, 20, 0),
		call("a file of another's", unix.SYS_FCHOWN, at("own", made), 12345, 12345),
		found("attributes of the layer", func(facts) bool {
			return unix.Setxattr(".", "trusted.overlay.opaque", []byte("y"), 0) == nil ||
				unix.Setxattr(".", "trusted.nod", []byte("y"), 0) == nil
		}),
		call("a file that nobody can change", unix.SYS_IOCTL, at("fixed", made), unix.FS_IOC_SETFLAGS, []uint64{0x10}),
		call("the file system stands still", unix.SYS_IOCTL, at(".", 0), 0xc0045877, []uint64{0}),
	}
}

func upTo(end int) (numbers []int) {
	for n := range end {
		numbers = append(numbers, n)
	}
	return numbers
}

// inodes are files that the run shares with the outside, under any names: devices,
// and programs that were started before the boundary stood.
func inodes() (all []way) {
	for _, name := range []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty",
		"/proc/1/exe", "/proc/1/task/1/exe", "/proc/self/fd/0"} {
		mode := 0 // who may set the present mode may set any
		if info, err := os.Stat(name); err == nil {
			mode = int(info.Mode().Perm())
		}
		to, _ := os.Readlink(name)
		for _, w := range []way{
			call("the mode of "+name, unix.SYS_FCHMODAT, unix.AT_FDCWD, name, mode),
			call("the time of "+name, unix.SYS_UTIMENSAT, unix.AT_FDCWD, name, 0, 0),
			call("the owner of "+name, unix.SYS_FCHOWNAT, unix.AT_FDCWD, name, 0, 0, 0),
			call("an attribute of "+name, unix.SYS_SETXATTR, name, "user.nod", "x", 1, 0),
		} {
			if strings.HasPrefix(to, "pipe:") { // the run's own, which may change
				w = found(w.name, func(facts) bool { return false })
			}
			all = append(all, w)
		}
	}
	return append(all, found("files that the first process has in memory", func(facts) bool {
		entries, _ := os.ReadDir("/proc/1/map_files")
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
			return os.Chtimes(fmt.Sprintf("/proc/1/map_files/%s", e.Name()), time.Now(), time.Now()) == nil
		})
	}))
}
