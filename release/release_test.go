// Package release tests how nod gets onto a machine, from what is built here and without
// publishing: install.sh, npm, the wheel, the action, and GoReleaser's settings.
package release

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/nodgate/nod/internal/testworld"
	"github.com/nodgate/nod/internal/version"
)

// Each script is a channel, in a directory of its own with an empty home. What it needs
// beside sh and tar is named here; deep ones compile all once more.
func TestChannels(t *testing.T) {
	w := build(t)
	for _, c := range []struct {
		script, shell string
		deep          bool
		needs         string
	}{
		{script: "install_sh", shell: "dash", needs: "dash curl"},
		{script: "install_sh", shell: "bash", needs: "bash curl"},
		{script: "npm", needs: "npm"},
		{script: "pnpm", needs: "npm pnpm"},
		{script: "pypi", needs: "python3 venv"},
		{script: "uvx", needs: "python3 uv"},
		{script: "action", shell: "bash", needs: "bash node"},
		{script: "plugins", needs: "node"},
		{script: "reproducible", needs: "git", deep: true},
		{script: "readme", needs: "git bash", deep: true},
		{script: "goreleaser", needs: "goreleaser git", deep: true},
		{script: "deb", needs: "goreleaser git dpkg bwrap", deep: true},
		{script: "rpm", needs: "goreleaser git rpm bwrap", deep: true},
		{script: "apk", needs: "goreleaser git apk bwrap", deep: true},
		{script: "homebrew", needs: "goreleaser git brew bwrap", deep: true},
		{script: "scoop", needs: "goreleaser git python3", deep: true},
		{script: "image", needs: "goreleaser git buildah", deep: true},
		{script: "windows", needs: "wine", deep: true},
	} {
		t.Run(strings.Trim(c.script+"/"+c.shell, "/"), func(t *testing.T) {
			if c.deep && os.Getenv("NOD_DEEP") == "" {
				t.Skip("left to the deep run (NOD_DEEP=1): it compiles everything once more")
			}
			for program := range strings.FieldsSeq(c.needs) {
				needs(t, program)
			}
			testscript.Run(t, testscript.Params{
				Files: []string{"testdata/script/" + c.script + ".txtar"}, RequireExplicitExec: true,
				WorkdirRoot: w.room(t), Setup: func(e *testscript.Env) error {
					if strings.HasPrefix(c.needs, "goreleaser") {
						return errors.Join(w.furnish(e, c.shell), w.release(e))
					}
					return w.furnish(e, c.shell)
				},
				Cmds: map[string]func(*testscript.TestScript, bool, []string){"took": took, "works": works},
			})
		})
	}
}

func needs(t *testing.T, program string) {
	t.Helper()
	if program != "venv" {
		testworld.Needs(t, program)
	} else if exec.Command("python3", "-c", "import venv, ensurepip").Run() != nil {
		t.Skip("python3 makes no venv with pip (from Debian's python3-venv)")
	}
}

// world is what all scripts share; the snapshot is made when the first script asks for it.
type world struct {
	base, root, built, archive, gocache string
	snapshot                            func() (string, error)
}

// build makes what a release would hold for this machine. It lies where nod may be
// installed, which a temporary directory is not.
func build(t *testing.T) world {
	t.Helper()
	root, err := filepath.Abs("..")
	check(t, err)
	w := world{base: filepath.Join(root, "release", ".run"), root: root}
	if strings.HasPrefix(root, os.TempDir()) {
		cache, err := os.UserCacheDir()
		check(t, err)
		w.base = filepath.Join(cache, "nod-release")
	}
	w.built = w.room(t)
	snapshot := w.room(t)
	w.snapshot = sync.OnceValues(func() (string, error) { return w.goreleaser(filepath.Join(snapshot, "nod")) })
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	w.gocache = run("go", "env", "GOCACHE", "GOMODCACHE", "GOPROXY")
	run("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", w.built, "./cmd/nod", "./cmd/nod-hook",
		"./cmd/nod-serve")
	w.archive = fmt.Sprintf("nod_%s_%s_%s.tar.gz", version.String(), runtime.GOOS, runtime.GOARCH)
	run("tar", "-czf", filepath.Join(w.built, w.archive), "-C", w.built, "nod", "nod-hook", "nod-serve", "-C",
		root, "LICENSE", "README.md")
	return w
}

// room makes a directory for scripts that goes with the test.
func (w world) room(t *testing.T) string {
	t.Helper()
	check(t, os.MkdirAll(w.base, 0o755))
	dir, err := os.MkdirTemp(w.base, "run-")
	check(t, err)
	t.Cleanup(func() {
		check(t, os.RemoveAll(dir))
		os.Remove(w.base) // if no other test is in it
	})
	return dir
}

// goreleaser makes what one tag publishes out of the commit that is checked out.
func (w world) goreleaser(dir string) (string, error) {
	places := strings.Split(w.gocache, "\n")
	for _, line := range []string{"git clone --quiet " + w.root + " " + dir, "git -C " + dir + " tag v9.9.9",
		"goreleaser release --snapshot --clean --skip=sign,sbom,docker --parallelism=1"} {
		words := strings.Fields(line)
		cmd := exec.Command(words[0], words[1:]...)
		if words[0] == "goreleaser" {
			cmd.Dir = dir
		}
		cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(dir), "GOCACHE="+places[0], "GOMODCACHE="+places[1])
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", line, err, out)
		}
	}
	return filepath.Join(dir, "dist"), nil
}

// release tells a script where the snapshot is.
func (w world) release(e *testscript.Env) error {
	dist, err := w.snapshot()
	e.Setenv("RELEASE", dist)
	return err
}

// furnish gives a script its home, what was built, and a server of its directory dist.
func (w world) furnish(e *testscript.Env, shell string) error {
	home, dist := filepath.Join(e.WorkDir, "home"), filepath.Join(e.WorkDir, "dist")
	places := strings.Split(w.gocache, "\n")
	for name, value := range map[string]string{"HOME": home, "DIST": dist, "ROOT": w.root, "SH": shell,
		"BUILT": w.built, "ARCHIVE": w.archive, "VERSION": version.String(), "SERVER": serve(e, e.WorkDir),
		"OS": runtime.GOOS, "ARCH": runtime.GOARCH, "GOCACHE": places[0],
		"GOMODCACHE": places[1], "GOPROXY": places[2], "LANG": "C.UTF-8"} {
		e.Setenv(name, value)
	}
	for _, dir := range []string{home, dist} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return os.Link(filepath.Join(w.built, w.archive), filepath.Join(dist, w.archive))
}

// serve serves a directory; below /half every archive ends in the middle.
func serve(e *testscript.Env, dir string) string {
	mux := http.NewServeMux()
	files := http.FileServer(http.Dir(dir))
	mux.Handle("/", files)
	mux.HandleFunc("/half/", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".gz") {
			w.Header().Set("Content-Length", "1000000")
			fmt.Fprint(w, "half")
			return
		}
		http.StripPrefix("/half", files).ServeHTTP(w, r)
	})
	server := httptest.NewServer(mux)
	e.Defer(server.Close)
	return server.URL
}

// took runs a channel's command and logs its seconds and the bytes of a directory after
// it, for the table of docs/install.md: took DIR COMMAND ...
func took(ts *testscript.TestScript, _ bool, args []string) {
	begun := time.Now()
	ts.Check(ts.Exec(args[1], args[2:]...))
	seconds, bytes := time.Since(begun).Seconds(), int64(0)
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return err
	}))
	ts.Logf("%s: %.1f s, %.1f MB", filepath.Base(args[1]), seconds, float64(bytes)/1e6)
}

// works does with a channel's nod what the README says comes next, and takes it back. Before it stand the words that
// lead to that nod: works chroot DIR nod.
func works(ts *testscript.TestScript, _ bool, nod []string) {
	for _, next := range []struct{ words, says string }{
		{"demo", `(?m)^deny `},
		{"install claude-code --dry-run", `Nothing was written`},
		{"install claude-code --user --unattended", `(?s)Written: .*claude.settings\.json.*nod answers as it should`},
		{"mcp", `^$`}, // nod-serve is there
		{"doctor claude-code", `ok +deny .*rm -rf / is denied`}, // it is not content without the agent itself
		{"uninstall --all --unattended", `Removed: .*claude.settings\.json`},
	} {
		err := ts.Exec(nod[0], append(nod[1:], strings.Fields(next.words)...)...)
		said := ts.ReadFile("stdout")
		told := regexp.MustCompile(next.says).MatchString(said) && !strings.Contains(said, "failed  ")
		if !told || err != nil && !strings.HasPrefix(next.words, "doctor") {
			ts.Fatalf("nod %s: %v", next.words, err)
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
