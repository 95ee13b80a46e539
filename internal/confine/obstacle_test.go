//go:build linux && (amd64 || arm64)

package confine_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nodgate/nod/internal/confine"
)

func TestObstacle(t *testing.T) {
	const version = "bubblewrap 0.8.0\n"
	able := map[string]string{"proc/sys/kernel/osrelease": "6.1.0-9-amd64\n",
		"proc/sys/user/max_user_namespaces": "96365\n", "proc/filesystems": "nodev\tproc\nnodev\toverlay\n\text4\n"}
	for _, row := range []struct{ name, text, version, want string }{
		{"", "", version, ""},
		{"", "", "bubblewrap 1.0\n", ""},
		{"", "", "", "bubblewrap is not installed"},
		{"proc/sys/kernel/osrelease", "", "", ""},
		{"", "", "bubblewrap 0.6.2\n", "bubblewrap 0.6.2 is too old"},
		{"proc/sys/kernel/osrelease", "5.11.0-28-amd64\n", version, "came with 5.12"},
		{"proc/sys/kernel/osrelease", "4.19.0\n", version, "came with 5.12"},
		{"proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n", version, ""},
		{"proc/sys/kernel/osrelease", "strange\n", version, ""},
		{"proc/sys/user/max_user_namespaces", "0\n", version, "sysctl user.max_user_namespaces=10000"},
		{"proc/sys/kernel/unprivileged_userns_clone", "0\n", version, "sysctl kernel.unprivileged_userns_clone=1"},
		{"proc/sys/kernel/unprivileged_userns_clone", "1\n", version, ""},
		{"proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n", version, "AppArmor"},
		{"proc/sys/kernel/apparmor_restrict_unprivileged_userns", "0\n", version, ""},
		{"proc/filesystems", "nodev\tproc\n\text4\n", version, "modprobe overlay"},
	} {
		root := machineWith(able, row.name, row.text)
		if got := confine.Obstacle(root, row.version); !strings.Contains(got, row.want) || row.want == "" && got != "" {
			t.Errorf("%s %q, %q: %q, want %q", row.name, row.text, row.version, got, row.want)
		}
	}
}

// machineWith is a file system with one file more, if it has a name.
func machineWith(files map[string]string, name, text string) fstest.MapFS {
	root := fstest.MapFS{}
	for at, says := range files {
		root[at] = &fstest.MapFile{Data: []byte(says)}
	}
	if name != "" {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

// What would change it is one command.
func TestRemedy(t *testing.T) {
	const version = "bubblewrap 0.8.0\n"
	linux := map[string]string{"proc/sys/kernel/osrelease": "6.8.0\n"}
	for _, row := range []struct{ name, text, version, system, want string }{
		{"proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n", version, "linux",
			"sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"},
		{"proc/sys/user/max_user_namespaces", "0\n", version, "linux", "sudo sysctl user.max_user_namespaces=10000"},
		{"", "", "", "linux", "sudo apt install bubblewrap"},
		{".dockerenv", "", version, "linux", "--security-opt seccomp=unconfined"},
		{"proc/sys/kernel/osrelease", "", version, "darwin", ""},
		{"", "", version, "linux", "docs/confine.md"},
	} {
		root := machineWith(linux, row.name, row.text)
		if got := confine.Remedy(root, row.version, row.system); !strings.Contains(got, row.want) {
			t.Errorf("%s, %q, %s: %q, want %q", row.name, row.version, row.system, got, row.want)
		}
	}
}

// refusing is a variable of the environment: this process is in a user namespace in which no other can be made.
const refusing = "NOD_TEST_REFUSING"

// A kernel that refuses: the namespace is a real one, and so is the refusal.
func TestTheKernelRefuses(t *testing.T) {
	if os.Getenv(refusing) != "" {
		err := confine.Try(context.Background(), t.TempDir())
		if !errors.Is(err, confine.ErrUnavailable) {
			t.Errorf("%v", err)
		}
		if why := confine.Obstacle(os.DirFS("/"), "bubblewrap 0.8.0"); !strings.Contains(why, "max_user_namespaces") {
			t.Errorf("%q", why)
		}
		return
	}
	newWorld(t) // skips where nothing can be confined anyway
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command("unshare", "-Ur", "/bin/sh", "-c",
		`echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" -test.run '^TestTheKernelRefuses$' -test.v`, self)
	cmd.Env = append(os.Environ(), refusing+"=1", "TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		t.Skipf("SKIPPED: %v", err)
	case err != nil || !strings.Contains(string(out), "--- PASS"):
		t.Errorf("%v %s", err, out)
	}
}
