package confine

import (
	_ "embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
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
	n, _ := fmt.Sscanf(version, "%d.%d", &a, &b)
	return n == 2 && (a < major || a == major && b < minor)
}

// Server begins what is said of a server on this machine that a run did not reach: each run has a network of its own.
const Server = "a server outside"

//go:embed missed.txt
var signs string

// missed is what a run seems to have wanted and did not get. unseen reports
// whether there is something at a path outside that the run did not see.
func missed(said string, unseen func(path string) bool) (all []string) {
	var kinds []string
	const host = `([a-z0-9][a-z0-9.-]*\.[a-z]{2,})`
	for line := range strings.Lines(signs) {
		what, pattern, is := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !is || slices.Contains(kinds, what) {
			continue
		}
		m := regexp.MustCompile(strings.ReplaceAll(pattern, "HOST", host)).FindStringSubmatch(said)
		if m == nil {
			continue
		}
		kinds = append(kinds, what)
		if len(m) > 1 {
			what += ": " + strings.TrimSpace(m[1])
		}
		all = append(all, what)
	}
	if name := absent(said, unseen); name != "" {
		all = append(all, "a file that it does not see: "+name)
	}
	return all
}

const maxAbsent = 50 // bounds how many names are looked for

// absent is the first of the names that programs say are not there, and that are there outside.
func absent(said string, unseen func(path string) bool) string {
	for _, pattern := range []string{
		`(?i)([^\s'"‘’:,]+)['"’]?: no such file or directory`,
		`(?i)no such file or directory[^\n]{0,20}?['"]([^'"\n]+)['"]`,
		`(?i)could not open [a-z ]*file (\S+)`,
	} {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(said, maxAbsent) {
			if unseen(m[1]) {
				return m[1]
			}
		}
	}
	return ""
}
