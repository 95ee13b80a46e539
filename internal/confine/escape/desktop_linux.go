package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// listens is a daemon that listens at a place, which a fact names.
func listens(name, fact string) way {
	return way{name + " listens", func(f facts) error {
		if f[fact] == "" {
			return errors.New("the tests made none")
		}
		return dial("unix", f[fact])
	}}
}

// daemons are those of a desktop and of machines that build.
func daemons() []way {
	all := []way{
		listens("an agent of ssh's", "ssh-agent"), listens("an agent of gpg's", "gpg-agent"),
		listens("a screen by its path", "x11"), listens("a screen by its abstract name", "x11-abstract"),
		listens("a compositor", "wayland"),
		listens("the bus of a session", "bus"), listens("docker in the home directory", "docker-home"),
		listens("a keyring", "keyring"), listens("a terminal's server", "tmux"),
		listens("an editor's server", "editor"), listens("nod's daemon", "nod-daemon"),
		listens("a daemon below a link in the workspace", "linked-daemon"),
	}
	for _, name := range []string{"/run/podman/podman.sock", "/run/containerd/containerd.sock",
		"/nix/var/nix/daemon-socket/socket", "/run/systemd/private", "/var/run/cups/cups.sock", "/run/nscd/socket",
		"/run/udev/control", "/dev/log", "/run/snapd.socket"} {
		all = append(all, way{"the socket " + name, func(facts) error { return dial("unix", name) }})
	}
	for _, words := range [][]string{
		{"systemd-run", "--user", "true"}, {"systemctl", "--user", "status"}, {"at", "-l"}, {"dbus-send",
			"--session", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.ListNames"},
		{"ssh-add", "-l"}, {"docker", "ps"}, {"pkexec", "true"}, {"newuidmap", "1", "0", "0", "1"},
		{"fusermount3", "/tmp"}, {"nsenter",
			"-t", "1", "-m", "true"}, {"loginctl", "list-sessions"}, {"tmux", "ls"}, {"mount", "/tmp"},
	} {
		all = append(all, way{"the program " + words[0],
			func(facts) error { return exec.Command(words[0], words[1:]...).Run() }})
	}
	return all
}

// names are those of files that a run must not see under any of them.
func names() []way {
	return []way{
		{"a secret's other name, a hard link of before",
			func(f facts) error { return holds(f["env-hard"], f["marker"]) }},
		{"a key's other name, a hard link of before", func(f facts) error { return holds(f["key-hard"], f["marker"]) }},
		{"a hard link of before to a key deep in its store",
			func(f facts) error { return holds(f["deep-hard"], f["marker"]) }},
		{"a link to a secret of home, of before", func(f facts) error { return holds(f["key-link"], f["marker"]) }},
		{"a secret in a directory with a newline", func(facts) error { return holds("new\nline/.env", "nod-marker") }},
		{"a secret with capital letters", func(facts) error { return holds("deploy/.Env", "nod-marker") }},
		{"a store that a link leads to, in a directory of programs",
			func(f facts) error { return holds(f["store-real"], f["marker"]) }},
		{"a secret by another process's directory", func(f facts) error {
			return holds(fmt.Sprintf("/proc/%d/cwd/.env", os.Getppid()), f["marker"])
		}},
		{"a secret by its mount", func(f facts) error {
			list, _ := filepath.Glob("/proc/self/map_files/*")
			for _, name := range append(list, "/proc/self/root/"+f["env"], "/proc/thread-self/root/"+f["secret"],
				"/dev/fd/../../../../.."+f["secret"]) {
				if holds(name, f["marker"]) == nil {
					return nil
				}
			}
			return errors.New("none")
		}},
		{"names of sockets outside", func(f facts) error { return holds("/proc/net/unix", f["abstract"]) }},
		{"layers by their own names", func(f facts) error {
			list, err := filepath.Glob(f["home"] + "/.cache/nod/*/*")
			if len(list) > 0 {
				return nil
			}
			return errors.Join(err, errors.New("none"))
		}},
	}
}

// surfaces are parts of the kernel that no project's test needs, and each of
// which has let somebody out elsewhere.
func surfaces() []way {
	return []way{
		{"a socket of any other family", func(facts) error {
			for family := range 46 {
				if family == unix.AF_UNIX || family == unix.AF_INET || family == unix.AF_INET6 ||
					family == unix.AF_NETLINK {
					continue
				}
				for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_RAW, unix.SOCK_SEQPACKET} {
					if err := socket(family, kind, 0); err == nil {
						return nil
					}
				}
			}
			return unix.EAFNOSUPPORT
		}},
		{"netlink of any other kind", func(facts) error {
			for kind := 1; kind < 23; kind++ {
				if socket(unix.AF_NETLINK, unix.SOCK_RAW, kind) == nil {
					return nil
				}
			}
			return unix.EAFNOSUPPORT
		}},
		{"a pair of sockets of another family", func(facts) error {
			for family := 2; family < 46; family++ {
				if _, err := unix.Socketpair(family, unix.SOCK_STREAM, 0); err == nil {
					return nil
				}
			}
			return unix.EAFNOSUPPORT
		}},
		{"a transport of the kernel's", func(facts) error {
			for _, protocol := range []int{33, 132, 136, 262} { // DCCP, SCTP, UDP-Lite, MPTCP
				for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_SEQPACKET, 6} {
					if socket(unix.AF_INET, kind, protocol) == nil {
						return nil
					}
				}
			}
			return unix.EPROTONOSUPPORT
		}},
		{"a line discipline", func(facts) error {
			fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0)
			if err != nil {
				return err
			}
			err = unix.EPERM
			for n := int32(1); n < 30; n++ { // 21 is GSM's
				if _, _, no := syscall.RawSyscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCSETD,
					uintptr(unsafe.Pointer(&n))); no != unix.EPERM {
					return nil
				}
			}
			return err
		}},
		{"the descriptors of the first process", func(facts) error {
			list, _ := filepath.Glob("/proc/1/fd/*")
			for _, name := range list {
				f, err := os.OpenFile(name, os.O_WRONLY|unix.O_NONBLOCK, 0)
				if err == nil {
					_ = f.Close()
				}
				if err == nil && !slices.Contains([]string{"0", "1", "2"}, filepath.Base(name)) { // pipes of nod's
					return nil
				}
			}
			return errors.New("none can be written")
		}},
		{"the first process is ended by a descriptor", func(facts) error {
			p, err := unix.PidfdOpen(1, 0)
			if err == nil {
				err = unix.PidfdSendSignal(p, unix.SIGUSR1, nil, 0)
			}
			if err == nil {
				err = errors.New("bubblewrap's own, inside") // it is the run's own, and ends with it
			}
			return err
		}},
		{"a namespace by a process's descriptor", func(facts) error {
			p, err := unix.PidfdOpen(os.Getppid(), 0)
			if err == nil {
				err = unix.Setns(p, unix.CLONE_NEWNET|unix.CLONE_NEWNS)
			}
			return err
		}},
		{"real time", func(facts) error {
			param := struct{ priority int32 }{1}
			return raw(unix.SYS_SCHED_SETSCHEDULER, 0, 1, uintptr(unsafe.Pointer(&param)))
		}},
		{"the kernel spares this process",
			func(facts) error { return os.WriteFile("/proc/self/oom_score_adj", []byte("-1000"), 0) }},
		{"ids are mapped anew", func(facts) error {
			return errors.Join(os.WriteFile("/proc/self/uid_map", []byte("0 0 1"), 0),
				os.WriteFile("/proc/self/setgroups", []byte("allow"), 0))
		}},
		{"rights of the file system are given", func(facts) error {
			if err := os.WriteFile("/tmp/cap", nil, 0o700); err != nil {
				return err
			}
			return unix.Setxattr("/tmp/cap", "security.capability", []byte{1, 0, 0, 2, 255, 255, 255, 255, 0, 0, 0,
				0, 0, 0, 0, 0, 0, 0, 0, 0}, 0)
		}},
		{"a file of another's", func(facts) error {
			if err := os.WriteFile("own", nil, 0o700); err != nil {
				return err
			}
			return os.Chown("own", 12345, 12345)
		}},
		{"attributes of the layer", func(facts) error {
			for _, name := range []string{"trusted.overlay.opaque", "trusted.nod"} {
				if unix.Setxattr(".", name, []byte("y"), 0) == nil {
					return nil
				}
			}
			return unix.EPERM
		}},
		{"a file that nobody can change", func(facts) error {
			f, err := os.Create("fixed")
			if err != nil {
				return err
			}
			return unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, 0x10)
		}},
		{"the file system stands still", func(facts) error {
			f, err := os.Open(".")
			if err != nil {
				return err
			}
			return unix.IoctlSetInt(int(f.Fd()), 0xc0045877, 0)
		}},
		{"a disk in a file", func(facts) error { _, err := os.OpenFile("/dev/loop0", os.O_RDWR, 0); return err }},
		{"faults of memory by a device",
			func(facts) error { _, err := os.OpenFile("/dev/userfaultfd", os.O_RDWR, 0); return err }},
		{"a graphics card", func(facts) error {
			_, err := os.OpenFile("/dev/dri/renderD128", os.O_RDWR, 0)
			return err
		}},
		{"keys that are pressed",
			func(facts) error { _, err := os.OpenFile("/dev/input/event0", os.O_RDONLY, 0); return err }},
		{"debugging of the kernel", func(facts) error {
			for _, name := range []string{"/sys/kernel/debug", "/sys/kernel/tracing", "/sys/fs/bpf",
				"/sys/firmware/efi/efivars", "/sys/module"} {
				if _, err := os.ReadDir(name); err == nil {
					return nil
				}
			}
			return unix.ENOENT
		}},
		{"a group of processes", func(facts) error { return os.Mkdir("/sys/fs/cgroup/nod-escape", 0o700) }},
	}
}
