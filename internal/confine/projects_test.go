//go:build linux && (amd64 || arm64)

package confine_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/nodgate/nod/internal/testworld"
)

// What passes outside passes confined, cold and warm. Each project is an archive: what it
// is tested with, and how, and its files.
func TestProjectsPassConfined(t *testing.T) {
	archives, err := filepath.Glob("testdata/projects/*.txtar")
	if err != nil || len(archives) < 15 {
		t.Fatalf("%d projects: %v", len(archives), err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			must(t, err)
			is := map[string]string{}
			for line := range strings.Lines(string(archive.Comment)) {
				key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
				is[key] = value
			}
			tool := testworld.Needs(t, is["tool"])
			if is["slow"] != "" && testing.Short() {
				t.Skip("left to the deep run: a slow build")
			}
			w := newWorld(t)
			w.tools()
			for _, f := range archive.Files {
				w.file(f.Name, string(f.Data))
			}
			if is["module"] != "" {
				w.module(tool, is["module"])
			}
			cmd := exec.Command("/bin/bash", "-c", is["fill"]+"\n"+is["line"])
			cmd.Dir, cmd.Env = w.root, w.environ
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), is["says"]) {
				t.Skipf("it does not pass outside: %v %s", err, out)
			}
			for _, when := range []string{"cold", "warm"} {
				if r := w.run(is["line"]); r.Code != 0 || !strings.Contains(r.out, is["says"]) {
					t.Errorf("%s: %d\n%s%s", when, r.Code, r.out, r.err)
				}
			}
		})
	}
}

// module links a package that lies beside a tool of npm's.
func (w *world) module(tool, name string) {
	real, err := filepath.EvalSymlinks(tool)
	root, _, found := strings.Cut(real, "/node_modules/")
	at := w.at("node_modules/" + name)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(at), 0o755)
	}
	if err == nil {
		err = os.Symlink(filepath.Join(root, "node_modules", name), at)
	}
	if err != nil || !found {
		w.t.Fatalf("%s: %v", real, err)
	}
}

// tools names where the toolchains of the person who tests lie.
func (w *world) tools() {
	home, err := os.UserHomeDir()
	must(w.t, err)
	for name, below := range map[string]string{"PYENV_ROOT": ".pyenv", "RUSTUP_HOME": ".rustup", "NVM_DIR": ".nvm"} {
		dir := cmp.Or(os.Getenv(name), filepath.Join(home, below))
		if _, err := os.Stat(dir); err == nil {
			w.environ = append(w.environ, name+"="+dir)
		}
	}
	if dir := os.Getenv("VIRTUAL_ENV"); dir != "" {
		w.environ = append(w.environ, "VIRTUAL_ENV="+dir)
	}
}
