// Package proof remembers that nod's boundary was tried on this machine and held. A hook asks it at each call that is
// left open, and cannot try itself: that takes a process and some milliseconds.
package proof

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const name = "confines" // the file in nod's state directory

// Write remembers that a line was run behind the boundary just now, with the bubblewrap at that path.
func Write(state, bubblewrap string) error {
	text, err := stamp(bubblewrap)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(state, name), []byte(bubblewrap+"\n"+text+"\n"), 0o600)
}

// Holds reports whether that was so with this kernel, these settings of it and this bubblewrap.
func Holds(state string) bool {
	text, err := os.ReadFile(filepath.Join(state, name))
	bubblewrap, then, found := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n")
	if err != nil || !found {
		return false
	}
	now, err := stamp(bubblewrap)
	return err == nil && now == then
}

// Forget says that the boundary cannot be made any more.
func Forget(state string) { _ = os.Remove(filepath.Join(state, name)) }

// stamp is what the proof rests on, on one line.
func stamp(bubblewrap string) (string, error) {
	kernel, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return "", err
	}
	info, err := os.Stat(bubblewrap)
	if err != nil {
		return "", err
	}
	all := fmt.Sprint(strings.TrimSpace(string(kernel)), " ", info.Size(), " ", info.ModTime().UnixNano())
	for _, setting := range []string{"/proc/sys/user/max_user_namespaces", "/proc/sys/kernel/unprivileged_userns_clone",
		"/proc/sys/kernel/apparmor_restrict_unprivileged_userns"} {
		value, _ := os.ReadFile(setting)
		all += " " + strings.TrimSpace(string(value))
	}
	return all, nil
}
