//go:build unix

package install

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// script writes a program that prints a line.
func script(t *testing.T, path, body string) string {
	t.Helper()
	write(t, path, "#!/bin/sh\n"+body+"\n")
	chmod(t, path, 0o755)
	return path
}

// beside writes nod and nod-hook into a directory.
func beside(t *testing.T, dir string) Programs {
	t.Helper()
	return Programs{
		Nod:     script(t, filepath.Join(dir, "nod"), "exit 1"),
		Hook:    script(t, filepath.Join(dir, "nod-hook"), `test "$1" = version && echo nod v1.2.3`),
		Version: "v1.2.3",
		Home:    filepath.Join(dir, "nobody's home"),
	}
}

func TestProgramsCheck(t *testing.T) {
	for _, tc := range []struct {
		name   string
		dir    string // where the programs lie, below the test's directory
		change func(t *testing.T, dir string, p *Programs)
		want   string // "" passes
	}{
		{"in their place", "opt", nil, ""},
		{"temporary directory", "tmp/x", func(_ *testing.T, dir string, p *Programs) {
			p.Passing = []string{filepath.Join(dir, "tmp")}
		}, "the temporary or cache directory"},
		{"a name that only starts so", "tmpfiles",
			func(_ *testing.T, dir string, p *Programs) { p.Passing = []string{filepath.Join(dir, "tmp")} }, ""},
		{"go run", "x/go-build123/b001/exe", nil, "a Go build cache"},
		{"npx", ".npm/_npx/0a1b/node_modules/@nod-gate/linux-x64/bin", nil, "a cache of npx"},
		{"pnpm dlx", ".cache/pnpm/dlx/0a1b/node_modules/x/bin", nil, "a cache of pnpm dlx"},
		{"uvx", ".cache/uv/archive-v0/0a1b/bin", nil, "a cache of uvx"},
		{"a repository", "repo/bin", func(t *testing.T, dir string, _ *Programs) {
			write(t, filepath.Join(dir, "repo/.git/HEAD"), "")
		}, "the repository"},
		{"what Codex's sandbox leaves", "repo/bin", func(t *testing.T, dir string, _ *Programs) {
			must(t, os.Mkdir(filepath.Join(dir, "repo/.git"), 0o755))
		}, ""},
		{"a home kept in git", "home/go/bin", func(t *testing.T, dir string, p *Programs) {
			p.Home = filepath.Join(dir, "home")
			write(t, filepath.Join(dir, "home/.git/HEAD"), "")
		}, ""},
		{"a link into a repository", "repo/bin", func(t *testing.T, dir string, p *Programs) {
			write(t, filepath.Join(dir, "repo/.git/HEAD"), "")
			link := filepath.Join(dir, "nod-hook")
			must(t, os.Symlink(p.Hook, link))
			p.Nod, p.Hook = script(t, filepath.Join(dir, "nod"), ""), link
		}, "the repository"},
		{"group may write", "opt", func(t *testing.T, _ string, p *Programs) { chmod(t, p.Hook, 0o775) }, "chmod go-w"},
		{"all may write beside it", "opt", func(t *testing.T, dir string, _ *Programs) {
			chmod(t, filepath.Join(dir, "opt"), 0o777)
		}, "chmod o-w"},
		{"no hook", "opt", func(t *testing.T, _ string, p *Programs) { os.Remove(p.Hook) }, "nod-hook is not there"},
		{"not a program", "opt", func(t *testing.T, _ string, p *Programs) { chmod(t, p.Hook, 0o644) },
			"is not a program"},
		{"another version", "opt", func(_ *testing.T, _ string, p *Programs) { p.Version = "v1.2.4" },
			`is version "v1.2.3"`},
		{"fails", "opt", func(t *testing.T, _ string, p *Programs) { script(t, p.Hook, "echo broken >&2; exit 3") },
			"exit status 3: broken"},
		{"relative", "opt", func(_ *testing.T, _ string, p *Programs) { p.Hook = "bin/nod-hook" },
			"not a clean absolute path"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			p := beside(t, filepath.Join(dir, tc.dir))
			if tc.change != nil {
				tc.change(t, dir, &p)
			}
			err := p.Check(context.Background())
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestParseVersion(t *testing.T) {
	for _, tc := range []struct {
		text string
		want Version
		ok   bool
	}{
		{"2.1.329 (Claude Code)", Version{2, 1, 329}, true},
		{"", Version{}, false},
		{"2.1.295-beta.1", Version{}, false},
		{"Claude Code 2.1.329", Version{}, false},
		{"2.1.99999999999999999999", Version{}, false},
	} {
		got, err := parseVersion(tc.text)
		if got != tc.want || (err == nil) != tc.ok {
			t.Errorf("%q: %v, %v", tc.text, got, err)
		}
	}
	for _, v := range []Version{{2, 1, 294}, {2, 0, 999}, {1, 9, 999}, {}} {
		if !v.Before(FailsClosed()) || FailsClosed().Before(v) {
			t.Errorf("%v", v)
		}
	}
}

func TestClaude(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("ANTHROPIC_API_KEY", "hunter2")
	write(t, filepath.Join(dir, "first/claude"), "not executable")
	claude := script(t, filepath.Join(dir, "second/claude"),
		`test "$1" = --version && test -z "$ANTHROPIC_API_KEY" && test -d "$HOME" && echo "2.1.300 (Claude Code)"`)
	path := "relative:" + filepath.Join(dir, "first") + ":" + filepath.Join(dir, "second")
	at := FindProgram("claude", path)
	if at != claude {
		t.Fatal(at)
	}
	v, err := ProgramVersion(context.Background(), at, "/usr/bin:/bin")
	if want := (Version{2, 1, 300}); v != want || err != nil {
		t.Errorf("%v, %v", v, err)
	}
	for body, want := range map[string]string{"echo hello": "not a version", "exit 4": "exit status 4"} {
		script(t, claude, body)
		if _, err := ProgramVersion(context.Background(), claude, "/bin"); err == nil || !strings.Contains(err.Error(),
			want) {
			t.Errorf("%s: %v", body, err)
		}
	}
	if os.Getuid() == 0 {
		must(t, os.Chown(claude, nobody, nobody))
		if _, err := ProgramVersion(context.Background(), claude, "/bin"); err == nil || !strings.Contains(err.Error(),
			"root does not start") {
			t.Errorf("somebody else's claude, as root: %v", err)
		}
	}
}

// nobody is a user id that owns nothing.
const nobody = 65534

func TestOwners(t *testing.T) {
	if os.Getuid() != 0 {
		p := beside(t, t.TempDir())
		if len(p.Owners()) != 2 {
			t.Errorf("programs of a user: %v", shown(p.Owners()))
		}
		return
	}
	p := beside(t, t.TempDir())
	if all := p.Owners(); len(all) != 0 {
		t.Errorf("root's own: %v", shown(all))
	}
	must(t, os.Chown(p.Hook, nobody, nobody))
	if all := p.Owners(); len(all) != 1 || all[0].Kind != Weak || !strings.Contains(all[0].Text, "user id 65534") {
		t.Errorf("a user's hook: %v", shown(all))
	}
}
