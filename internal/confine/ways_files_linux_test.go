//go:build amd64 || arm64

package confine_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// names are those of files that a run must not see under any of them.
func names() []way {
	all := free(
		holds("a secret's other name, a hard link of before", "${env-hard}"),
		holds("a key's other name, a hard link of before", "${key-hard}"),
		holds("a hard link of before to a key deep in its store", "${deep-hard}"),
		holds("a hard link of before to what a secret's name links to", "${conf-hard}"),
		holds("a link to a secret of home, of before", "${key-link}"),
		holds("a secret in a directory with a newline", "new\nline/.env"),
		holds("a secret with capital letters", "deploy/.Env"),
		holds("a store that a link leads to, in a directory of programs", "${store-real}"),
		says("names of sockets outside", "${abstract}", "/proc/net/unix"),
	)
	return append(all,
		holds("a secret by another process's directory", fmt.Sprintf("/proc/%d/cwd/.env", os.Getppid())),
		holds("a secret by its mount", "/proc/self/map_files/*|", "/proc/self/root/${env}",
			"/proc/thread-self/root/${secret}", "/dev/fd/../../../../..${secret}"),
		found("layers by their own names", func(f facts) bool {
			list, err := filepath.Glob(f["home"] + "/.cache/nod/*/*")
			return err != nil || len(list) > 0
		}))
}

func files() []way {
	var secrets []way
	for name, fact := range map[string]string{"a secret of home": "secret", "a file of home": "private",
		"a neighbour of the workspace": "neighbour", ".env": "env", ".env in a directory": "env-below",
		"a key in a directory of programs": "key-path", "settings of nod": "nod", "a file of /tmp": "tmp",
		"a token in the settings of git": "gitconfig"} {
		secrets = append(secrets, holds("read "+name, "${"+fact+"}"))
	}
	made := func(name, at string, do func(f facts) error) way {
		return way{name: name, try: func(f facts) error { return errors.Join(do(f), contains(at, f["marker"])) }}
	}
	secrets = append(secrets,
		made("a link to a secret", "to-secret", func(f facts) error { return os.Symlink(f["secret"], "to-secret") }),
		made("a hard link to a secret", "hard", func(f facts) error { return os.Link(f["env"], "hard") }),
		holds("a secret by dots", "${workspace}"+strings.Repeat("/..", 20)+"${secret}"),
		holds("shared memory by name", "/dev/shm/${shm}"))
	written := each(func(dir string) way {
		return way{name: "write below " + dir, try: func(facts) error {
			at := filepath.Join(dir, "nod-escape")
			err := os.WriteFile(at, nil, 0o600)
			_ = os.Remove(at)
			return err
		}}
	}, "/usr", "/etc", "/", "/run", "/var", "/opt", "/proc", "/sys", "/dev/../usr/bin", "/usr/local/bin")
	return slices.Concat(free(secrets...), written, []way{
		holds("read the shadow file", "${shadow}"),
		sets("write a program of PATH", "${path}/nod-escape", ""),
		made("a secret in a directory that is moved", "moved/.env",
			func(f facts) error { return exec.Command("mv", filepath.Dir(f["env-below"]), "moved").Run() }),
	})
}

func variables() []way {
	return free(
		found("the variable with a secret", func(f facts) bool {
			environ, err := os.ReadFile("/proc/self/environ")
			return err != nil || strings.Contains(string(environ), f["marker"])
		}),
		found("a variable that loads code", func(facts) bool {
			return slices.ContainsFunc([]string{"LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "NODE_OPTIONS",
				"PYTHONSTARTUP", "GIT_SSH_COMMAND", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR",
				"DOCKER_HOST"}, func(name string) bool { return os.Getenv(name) != "" })
		}),
	)
}

func descriptors() []way {
	return free(
		found("inherited descriptors", func(f facts) bool {
			entries, _ := os.ReadDir("/proc/self/fd")
			return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
				to, _ := os.Readlink("/proc/self/fd/" + e.Name())
				return strings.HasPrefix(to, f["home"]) && !strings.HasPrefix(to, f["workspace"])
			})
		}),
		found("descriptors that are files outside", func(facts) bool {
			return slices.ContainsFunc(upTo(3), func(fd int) bool {
				var s unix.Stat_t
				return unix.Fstat(fd, &s) == nil &&
					slices.Contains([]uint32{unix.S_IFREG, unix.S_IFDIR, unix.S_IFSOCK}, s.Mode&unix.S_IFMT)
			})
		}),
	)
}
