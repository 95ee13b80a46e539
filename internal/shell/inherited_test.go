package shell

import (
	"testing"

	"github.com/nodgate/nod/internal/view"
)

// TestInheritedValues holds which values of the environment make every line one to ask
// about: what makes a known program write, read or run what no word names.
func TestInheritedValues(t *testing.T) {
	const home = "/home/dev"
	const dir = home + "/shop"
	files := view.NewMemory(false).Dir(home, 0o755).File(dir+"/lk", "x\n", 0o644).Dir(dir+"/lib", 0o755).
		Dir(dir+"/mod", 0o755).Dir(dir+"/node_modules/evil", 0o755).
		File(dir+"/run.sh", "x\n", 0o755).Link(dir+"/to", "run.sh").File(dir+"/a.txt", "x\n", 0o644).
		File(dir+"/libz.so.1", "x", 0o644).File("/usr/bin/ls", "\x7fELF", 0o755)
	for _, row := range []struct {
		name, value string
		quiet       bool
	}{
		{"GIT_TRACE", "1", true}, {"GIT_TRACE", home + "/.bashrc", false}, {"GIT_TRACE2_EVENT", "/home/dev/x", false},
		{"TAR_OPTIONS", "--no-same-owner -v", true}, {"TAR_OPTIONS", "--index-file=/home/dev/x", false},
		{"TAR_OPTIONS", "--listed-incremental=/home/dev/x", false}, {"XZ_OPT", "-T0 -9", true},
		{"XZ_OPT", "--files=.env", false}, {"XZ_DEFAULTS", "--threads=4", true}, {"LESSKEYIN", "lk", false},
		{"LESS", "--lesskey-src=lk", false}, {"LESS", "-R", true}, {"LD_LIBRARY_PATH", "lib", false},
		{"NODE_OPTIONS", "--require evil", false}, {"NODE_OPTIONS", "--max-old-space-size=4096", true},
		{"GOFLAGS", "-mod=mod", true}, {"EDITOR", "lk", true}, {"BASHOPTS", "checkwinsize:dotglob", false},
		{"BASHOPTS", "checkwinsize:cmdhist", true}, {"LD_LIBRARY_PATH", "/usr/lib:", false},
		{"LD_LIBRARY_PATH", "/usr/lib:/usr/local/lib", true}, {"LD_LIBRARY_PATH", "/usr/lib;", false},
		{"LD_LIBRARY_PATH", ";", false}, {"RESOLV_HOST_CONF", "lk", false}, {"APT_CONFIG", dir + "/lk", false},
		{"TCLLIBPATH", "mod", false}, {"TCL_LIBRARY", dir + "/lib", false}, {"PYTHONPLATLIBDIR", dir + "/lib", false},
		{"LD_PRELOAD", "/proc/self/cwd/x.so", false}, {"LD_LIBRARY_PATH", "/dev/fd/../cwd/lib", false},
		{"LD_LIBRARY_PATH", "$ORIGIN/../lib", false}, {"LD_AUDIT", "${ORIGIN}/x.so", false},
		{"BASH_ENV", "/dev/null", true},
		{"ANY", "/proc/thread-self/cwd/x", false}, {"LESSKEYIN_SYSTEM", "lk", false}, {"COMPILER_PATH", "lib", false},
		{"TERMINFO_DIRS", dir + "/lib", false}, {"DPKG_ADMINDIR", dir, false}, {"MTR_OPTIONS", "-F lk", false},
		{"MANOPT", "-M mod", false}, {"PYTHONPATH", ":/usr/lib", false},
		{"XDG_CONFIG_HOME", "lib", false}, {"XDG_CONFIG_HOME", home + "/.config", true},
		{"XDG_CONFIG_DIRS", "mod", false}, {"CURL_HOME", "lib", false}, {"PERL5OPT", "-I./lib -Mtool", false},
		{"GOCACHEPROG", "./run.sh", false}, {"CLOUDSDK_PYTHON", dir + "/run.sh", false}, {"GREP", "./to", false},
		{"DBUS_SESSION_BUS_ADDRESS", "unixexec:path=" + dir + "/run.sh", false}, {"PROJECT_ROOT", dir, true},
		{"NOTES", dir + "/a.txt", true}, {"_", "./run.sh", true}, {"POSIXLY_CORRECT", "", false},
		{"npm_config_userconfig", "lk", false}, {"NPM_CONFIG_USERCONFIG", dir + "/lk", false},
		{"npm_config_userconfig", home + "/.npmrc", true}, {"npm_config_local_prefix", dir, true},
		{"npm_config_user_agent", "npm/11.19.1 node/v20.20.2 linux x64 workspaces/false", true},
		{"npm_package_bin_x", "./run.sh", true}, {"npm_lifecycle_script", dir + "/run.sh --x", true},
		{"npm_config_script_shell", "./run.sh", false}, {"npm_config_noproxy", "", true},
	} {
		env := Env{Dialect: Bash, Dir: dir, Home: home, Roots: []string{dir}, Files: files, Ambient: []string{row.name},
			Lookup: func(name string) (string, bool) {
				switch name {
				case "PATH":
					return "/usr/bin", true
				case row.name:
					return row.value, true
				}
				return "", false
			}}
		if r := Analyze("ls", env); (len(r.Unknowns) == 0) != row.quiet {
			t.Errorf("%s=%s: %+v, want quiet %v", row.name, row.value, r.Unknowns, row.quiet)
		}
	}
}

// TestProgramsThatPathHides holds that a directory of the workspace in PATH makes every
// program unknown where it hides what known ones start, and not otherwise.
func TestProgramsThatPathHides(t *testing.T) {
	const dir = "/home/dev/shop"
	for name, want := range map[string]bool{"gzip": false, "node": false, "tsx": true, "eslint": true} {
		files := view.NewMemory(false).Dir("/home/dev", 0o755).File("/usr/bin/zcat", "\x7fELF", 0o755).
			File("/usr/bin/gzip", "\x7fELF", 0o755).File("/usr/bin/node", "\x7fELF", 0o755).
			File(dir+"/bin/"+name, "#!/bin/sh\n", 0o755).File(dir+"/a.gz", "x", 0o644)
		r := Analyze("zcat a.gz", Env{Dialect: Bash, Dir: dir, Home: "/home/dev", Roots: []string{dir}, Files: files,
			Lookup: func(name string) (string, bool) { return dir + "/bin:/usr/bin", name == "PATH" }})
		if got := brief(r) == "read "+dir+"/a.gz"; got != want {
			t.Errorf("with bin/%s: %s, want known %v", name, brief(r), want)
		}
	}
}

// TestCommandsWithoutPath holds that a program which only the inherited PATH leads to is
// not known where a command starts without PATH: bash looks for it in . then.
func TestCommandsWithoutPath(t *testing.T) {
	env := testEnv(view.NewMemory(false).Dir(testHome, 0o755).File(testRepo+"/a", "x\n", 0o644).
		File("/opt/tools/rg", "x", 0o755).File("/bin/bash", "x", 0o755).File("/bin/env", "x", 0o755).
		File("/bin/ls", "x", 0o755))
	env.Lookup = func(name string) (string, bool) { return "/opt/tools:/bin", name == "PATH" }
	for line, known := range map[string]bool{
		"rg x a": true, "env -u X bash -c 'rg x a'": true, "env -i bash -c 'rg x a'": false,
		"env - bash -c 'rg x a'": false, "env -u PATH bash -c 'ls; rg x a'": false,
	} {
		if r := Analyze(line, env); (len(r.Unknowns) == 0) != known {
			t.Errorf("%s: %+v, want known %v", line, r.Unknowns, known)
		}
	}
}
