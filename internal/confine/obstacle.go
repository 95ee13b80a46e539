package confine

import (
	"fmt"
	"io/fs"
	"strings"
)

// Obstacle says what of a machine stands against the boundary and how to get it out of the way, "" where nothing
// known does. root is its file system and version what bubblewrap says of itself, "" where it is not there.
func Obstacle(root fs.FS, version string) string {
	setting := func(name string) string {
		text, _ := fs.ReadFile(root, "proc/sys/"+name)
		return strings.TrimSpace(string(text))
	}
	filesystems, err := fs.ReadFile(root, "proc/filesystems")
	switch release := setting("kernel/osrelease"); {
	case release == "":
		return "" // no Linux
	case before(release, 5, 12):
		return "Linux " + release + " cannot show a run a read-only machine; that came with 5.12"
	case setting("user/max_user_namespaces") == "0":
		return "user namespaces are switched off: sysctl user.max_user_namespaces=10000"
	case setting("kernel/unprivileged_userns_clone") == "0":
		return "user namespaces are root's: sysctl kernel.unprivileged_userns_clone=1"
	case version == "":
		return "bubblewrap is not installed: apt install bubblewrap"
	case before(strings.TrimPrefix(version, "bubblewrap "), 0, 8):
		return strings.TrimSpace(version) + " is too old; 0.8 or later"
	case setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
		return "AppArmor refuses user namespaces to programs without a profile: a profile for bwrap and nod-hook, or " +
			"sysctl kernel.apparmor_restrict_unprivileged_userns=0"
	case err == nil && !strings.Contains(string(filesystems), "\toverlay\n"):
		return "the kernel has no overlays loaded: modprobe overlay"
	}
	return ""
}

// Remedy is the one command that would make the boundary possible, as far as the command is known.
func Remedy(root fs.FS, version, system string) string {
	if system == "darwin" {
		return "nod confine profile prints a profile for sandbox-exec, which has not been run; nod does not use it"
	}
	known := Obstacle(root, version)
	if i := strings.LastIndex(known, "sysctl "); i >= 0 {
		return "sudo " + known[i:]
	}
	for _, command := range []string{"apt install bubblewrap", "modprobe overlay"} {
		if strings.HasSuffix(known, command) {
			return "sudo " + command
		}
	}
	for _, sign := range []string{".dockerenv", "run/.containerenv"} {
		if _, err := fs.Stat(root, sign); err == nil && known == "" {
			return "containers often refuse user namespaces: start this one with --security-opt seccomp=unconfined " +
				"--security-opt systempaths=unconfined"
		}
	}
	return "it takes Linux 5.12, bubblewrap 0.8 and user namespaces: docs/confine.md"
}

// before reports whether a version is older than major.minor; false if the text is no version.
func before(version string, major, minor int) bool {
	var a, b int
	if n, _ := fmt.Sscanf(version, "%d.%d", &a, &b); n != 2 {
		return false
	}
	return a < major || a == major && b < minor
}
