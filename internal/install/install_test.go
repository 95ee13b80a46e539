//go:build unix

package install

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// at returns options for a level below a directory of its own.
func at(t *testing.T, level Level) Options {
	t.Helper()
	dir := t.TempDir()
	o := paths()
	o.Level, o.Root, o.Home, o.OS = level, dir, filepath.Join(dir, "home"), "linux"
	must(t, os.Mkdir(o.Home, 0o755))
	return o
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}

func plan(t *testing.T, make func(Options) (Plan, error), o Options) Plan {
	t.Helper()
	p, err := make(o)
	must(t, err)
	return p
}

// The program behind guardScript may end in any way, or be missing: the shell ends with 0 or 2, and with a reason on 2.
func TestGuardScript(t *testing.T) {
	dir := t.TempDir()
	for _, row := range []struct {
		name, script, stderr string
		code                 int
	}{
		{"answers", "#!/bin/sh\nprintf '{%s' \"$*\"; cat; printf '}'\n", "", 0},
		{"is silent", "#!/bin/sh\nexit 0\n", "", 0},
		{"blocks", "#!/bin/sh\necho because >&2; exit 2\n", "because\nnod-hook blocked the call\n", 2},
		{"is cut off", "#!/bin/sh\nprintf '{\"a\": \"'\n", "nod-hook failed (0), so the call is blocked\n", 2},
		{"prints text", "#!/bin/sh\necho fine\n", "nod-hook failed (0), so the call is blocked\n", 2},
		{"fails", "#!/bin/sh\nexit 1\n", "nod-hook failed (1), so the call is blocked\n", 2},
		{"kills itself", "#!/bin/sh\nkill -9 $$\n", "nod-hook failed (137), so the call is blocked\n", 2},
		{"missing", "", "so the call is blocked\n", 2},
		{"hangs", "#!/bin/sh\nexec sleep 60\n", "so the call is blocked\n", 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			hook := filepath.Join(dir, row.name, "it's a place", HookName)
			must(t, os.MkdirAll(filepath.Dir(hook), 0o755))
			if row.script != "" {
				must(t, os.WriteFile(hook, []byte(row.script), 0o755))
			}
			if _, err := os.Stat("/usr/bin/timeout"); row.name == "hangs" && err != nil {
				t.Skip("no /usr/bin/timeout: skipped")
			}
			o := Options{Agent: "claude-code", Hook: hook, Nod: "/opt/no d/nod"}
			line := o.behind(guardScript, 2)
			if got := programOf(line); got != hook {
				t.Errorf("the program of %s is taken for %q", line, got)
			}
			cmd := exec.Command("/bin/sh", "-c", line)
			cmd.Stdin = strings.NewReader(" payload")
			var stdout, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != row.code || !strings.HasSuffix(stderr.String(),
				row.stderr) {
				t.Errorf("exit %d, stderr %q", code, stderr.String())
			}
			object := strings.TrimSpace(shellOutput(t, o.behind(denyScript, 2)))
			denies := strings.HasPrefix(object,
				`{"decision":"deny","reason":"nod-hook failed (`) && json.Valid([]byte(object))
			if denies != (row.code == 2) {
				t.Errorf("denyScript prints %q", object)
			}
			if want := "{claude-code --nod /opt/no d/nod payload}"; row.name == "answers" && stdout.String() != want {
				t.Errorf("stdout %q, want %q", stdout.String(), want)
			}
		})
	}
}

// shellOutput is what a line prints, which must exit with 0.
func shellOutput(t *testing.T, line string) string {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Stdin = strings.NewReader(" payload")
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%v", err)
	}
	return string(out)
}

func TestRefusedOptions(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*Options)
		want   string
	}{
		{"no hook", func(o *Options) { o.Hook = "" }, "the path of the hook is missing"},
		{"no nod", func(o *Options) { o.Nod = "" }, "the path of nod is missing"},
		{"another name", func(o *Options) { o.Hook = "/opt/hook" }, "must be called nod-hook"},
		{"relative", func(o *Options) { o.Hook = "bin/nod-hook" }, "not a clean absolute path"},
		{"line end", func(o *Options) { o.Nod = "/opt/\nnod" }, "control characters"},
		{"placeholder", func(o *Options) { o.Nod = "/opt/${CLAUDE_PROJECT_DIR}/nod" }, "would expand"},
		{"no home", func(o *Options) { o.Home = "" }, "not an absolute directory"},
		{"home is not there", func(o *Options) { o.Home += "/gone" }, "no such file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := at(t, User)
			tc.change(&o)
			if _, err := PlanInstall(o); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

// TestInstallAndUninstall goes through a whole life at each level.
func TestInstallAndUninstall(t *testing.T) {
	const old = "{\n  \"model\": \"opus\"\n}\n"
	for _, level := range []Level{Managed, User} {
		t.Run(level.String(), func(t *testing.T) {
			o := at(t, level)
			write(t, o.Target(), old)
			must(t, os.Chmod(o.Target(), 0o640))
			p := plan(t, PlanInstall, o)
			if read(t, o.Target()) != old {
				t.Fatal("planning changed the file")
			}
			if !strings.Contains(p.Diff(), `+         "command": "/opt/nod/nod-hook",`) && !strings.Contains(p.Diff(),
				`"command": "/opt/nod/nod-hook"`) {
				t.Errorf("diff: %s", p.Diff())
			}
			backup, err := Apply(p, noon)
			must(t, err)
			if want := o.Target() + ".nod-backup-20261121T120000Z"; backup != want || read(t, backup) != old {
				t.Errorf("backup %s, want %s", backup, want)
			}
			if mode(t, backup) != 0o600 || mode(t, o.Target()) != 0o640 {
				t.Errorf("modes: backup %o, file %o", mode(t, backup), mode(t, o.Target()))
			}
			again := plan(t, PlanInstall, o)
			if again.Changed() || again.Diff() != "" {
				t.Errorf("a second install changes: %s", again.Diff())
			}
			if backup, err := Apply(again, noon); backup != "" || err != nil {
				t.Errorf("nothing to do: %q, %v", backup, err)
			}
			if backup, err = Apply(plan(t, PlanUninstall, o), noon); err != nil || !strings.HasSuffix(backup, "Z-2") {
				t.Errorf("uninstall: %q, %v", backup, err)
			}
			if d := cmp.Diff(old, read(t, o.Target())); d != "" {
				t.Errorf("after uninstall (-want +got):\n%s", d)
			}
			if plan(t, PlanUninstall, o).Changed() {
				t.Error("a second uninstall changes the file")
			}
			names, _ := filepath.Glob(filepath.Join(filepath.Dir(o.Target()), ".nod-*"))
			if len(names) > 0 {
				t.Errorf("left behind: %v", names)
			}
		})
	}
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return info.Mode().Perm()
}

// TestWhatNodMadeIsRemoved: a file that nod made goes with nod, and a person's
// own file comes back as it was, however little was in it.
func TestWhatNodMadeIsRemoved(t *testing.T) {
	for _, agent := range []string{"claude-code", "codex", "copilot", "gemini"} {
		for _, before := range []string{"", "{}", "{}\n", "{\n  // mine\n}\n", "{\n  \"theirs\": 1\n}\n"} {
			if before != "" && agent == "copilot" {
				continue // the file has nod's name
			}
			o := at(t, User)
			if o.Agent = agent; before != "" {
				write(t, o.Target(), before)
			}
			backup, err := Apply(plan(t, PlanInstall, o), noon)
			if err != nil || (backup == "") != (before == "") || before == "" && mode(t, o.Target()) != 0o600 {
				t.Fatal(agent, before, backup, err)
			}
			o.Settings = "/elsewhere/nod.toml" // a change of nod's own leaves a copy with nod in it
			if _, err := Apply(plan(t, PlanInstall, o), noon); err != nil {
				t.Fatal(agent, before, err)
			}
			if _, err := Apply(plan(t, PlanUninstall, o), noon); err != nil {
				t.Fatal(agent, before, err)
			}
			switch text, err := os.ReadFile(o.Target()); {
			case before == "" && !os.IsNotExist(err):
				t.Errorf("%s: %q stays of a file that nod made", agent, text)
			case before != "" && string(text) != before:
				t.Errorf("%s: %q is %q now, %v", agent, before, text, err)
			}
		}
	}
}

// TestApplyAfterChange: what somebody wrote since the plan was made stays.
func TestApplyAfterChange(t *testing.T) {
	for _, before := range []string{"", "{}"} {
		o := at(t, User)
		if before != "" {
			write(t, o.Target(), before)
		}
		p := plan(t, PlanInstall, o)
		write(t, o.Target(), `{"model": "mine"}`)
		if _, err := Apply(p, noon); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
			t.Errorf("%q: %v", before, err)
		}
		if got := read(t, o.Target()); got != `{"model": "mine"}` {
			t.Errorf("%q: overwritten: %s", before, got)
		}
	}
}

// TestLinks: a link is followed inside the home directory at user level, and nowhere else.
func TestLinks(t *testing.T) {
	for _, tc := range []struct {
		name  string
		level Level
		// link is put in place of this path below the base, to this target below the test's directory.
		path, target string
		want         string // "" follows
	}{
		{"file to dotfiles", User, ".claude/settings.json", "home/dot/settings.json", ""},
		{"directory to dotfiles", User, ".claude", "home/dot", ""},
		{"file out of home", User, ".claude/settings.json", "elsewhere/settings.json", "a link to"},
		{"managed file", Managed, "etc/claude-code/managed-settings.json", "elsewhere/settings.json", "a link to"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := at(t, tc.level)
			for _, f := range []string{"home/dot/settings.json", "elsewhere/settings.json"} {
				write(t, filepath.Join(o.Root, f), "{}\n")
			}
			link := filepath.Join(o.base(), tc.path)
			must(t, os.MkdirAll(filepath.Dir(link), 0o755))
			must(t, os.Symlink(filepath.Join(o.Root, tc.target), link))
			p, err := PlanInstall(o)
			if tc.want != "" {
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("got %v, want %s", err, tc.want)
				}
				return
			}
			must(t, err)
			if _, err := Apply(p, noon); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("the link is gone: %v, %v", info, err)
			}
			if !strings.Contains(read(t, filepath.Join(o.Root, "home/dot/settings.json")), "nod-hook") {
				t.Error("not written where the link leads")
			}
		})
	}
}

// TestUntrustedFiles refuses what others can change or have put there.
func TestUntrustedFiles(t *testing.T) {
	for _, tc := range []struct {
		name   string
		level  Level
		change func(t *testing.T, o Options)
		want   string
	}{
		{"managed file, group writes", Managed, func(t *testing.T, o Options) {
			write(t, o.Target(), "{}")
			chmod(t, o.Target(), 0o664)
		}, "chmod go-w"},
		{"managed directory, all write", Managed, func(t *testing.T, o Options) {
			write(t, o.Target(), "{}")
			chmod(t, filepath.Dir(o.Target()), 0o777)
		}, "chmod go-w"},
		{"a pipe", User, func(t *testing.T, o Options) {
			must(t, os.Mkdir(filepath.Dir(o.Target()), 0o755))
			must(t, syscall.Mkfifo(o.Target(), 0o600))
		}, "not a regular file"},
		{"too long", User, func(t *testing.T, o Options) { write(t, o.Target(), strings.Repeat(" ", maxSettings+1)) },
			"more than"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := at(t, tc.level)
			tc.change(t, o)
			for _, f := range []func(Options) (Plan, error){PlanInstall, PlanUninstall} {
				if _, err := f(o); err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("got %v, want %s", err, tc.want)
				}
			}
		})
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	must(t, os.Chmod(path, mode))
}

func TestDiff(t *testing.T) {
	for _, tc := range []struct{ name, before, after, want string }{
		{"added in the middle", "a\nb\nc\nd\ne\nf\n", "a\nb\nc\nX\nd\ne\nf\n", "  a\n  b\n  c\n+ X\n  d\n  e\n  f\n"},
		{"new", "", "a\n", "+ a\n"},
		{"two places", "a\nb\nc\nd\n1\n2\ne\nf\ng\nh\n", "A\nb\nc\nd\n1\n2\ne\nf\ng\nH\n",
			"- a\n+ A\n  b\n  c\n  d\n  ...\n  e\n  f\n  g\n- h\n+ H\n"},
		{"control characters", "a\n", "\x1b[2J\u202e\tb\r\n", "- a\n+ \\x1b[2J\\u{202E}    b\n"},
	} {
		if d := cmp.Diff(tc.want, Plan{Before: []byte(tc.before), After: []byte(tc.after)}.Diff()); d != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, d)
		}
	}
}

// What is managed is for everybody on the machine, under any umask: an agent that cannot read it runs without nod.
func TestManagedFilesAreForEverybody(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	o := paths()
	o.Agent, o.Level, o.OS, o.Root = "claude-code", Managed, "linux", t.TempDir()
	must(t, os.Chmod(o.Root, 0o755))
	p := plan(t, PlanInstall, o)
	if _, err := Apply(p, time.Now()); err != nil {
		t.Fatal(err)
	}
	for name := o.Target(); name != o.Root; name = filepath.Dir(name) {
		want := os.FileMode(0o755)
		if name == o.Target() {
			want = 0o644
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	for name, mode := range map[string]os.FileMode{o.Target(): 0o640, filepath.Dir(o.Target()): 0o700} {
		info, err := os.Stat(name)
		must(t, err)
		must(t, os.Chmod(name, mode))
		if p := plan(t, PlanInstall, o); !slices.ContainsFunc(p.Findings,
			func(f Finding) bool { return f.Path == name && strings.Contains(f.Text, "cannot read it") }) {
			t.Errorf("%s: nothing is said: %+v", name, p.Findings)
		}
		must(t, os.Chmod(name, info.Mode().Perm()))
	}
}

// must ends a test where what it needs is not to be had.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
