package shell_test

import (
	"testing"

	"github.com/nodgate/nod/internal/shell"
)

// An allow rule for a command holds under wrappers that start just that command here.
// Where a wrapper is not known, the rule does not hold.
func TestMeans(t *testing.T) {
	for _, w := range []string{"env", "/usr/bin/env", "nice", "ionice", "nohup", "time", "timeout", "gtimeout",
		"stdbuf",
		"setsid", "command", "builtin", "exec", "eval", "find", "sh", "bash", "zsh", "dash"} {
		if !shell.Means(w) {
			t.Errorf("a rule does not hold under %s", w)
		}
	}
	for _, w := range []string{"sudo", "doas", "su", "ssh", "docker", "kubectl", "chroot", "unshare", "nsenter",
		"strace",
		"firejail", "systemd-run", "taskset", "chrt", "busybox", "trap", "watch", "parallel", "fd", "frobnicate", ""} {
		if shell.Means(w) {
			t.Errorf("a rule holds under %s", w)
		}
	}
}
